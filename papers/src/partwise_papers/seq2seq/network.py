"""The network of a sequence-to-sequence parser: an encoder, a decoder and a pointer.

The decoder is an LSTM with attention and input feeding (Luong, Pham and Manning 2015), or a stack
of attention layers. The pointer-generator copies words (See, Liu and Manning 2017, section 2.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from partwise.encoders.base import Encoder
from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.encoders.readers import UNKNOWN as UNKNOWN_WORD
from partwise.encoders.readers import VOCABULARY, Pieces, WordReader
from partwise.encoders.storage import read_names, write_json
from partwise.errors import PartwiseError
from partwise.interface.settings import from_dict
from partwise.language.text import Words
from partwise_papers.seq2seq.config import STACK, Seq2SeqConfig
from partwise_papers.seq2seq.decoding import UNKNOWN, OutputVocabulary
from partwise_papers.seq2seq.stacks import STACKS, Cache, Memory, Stack

WORD_DROPOUT = 0.02
"""Share of words read as unknown in training, so that unknown words mean something."""


class StackEncoder(Encoder):
    """Word vectors, then the stack that settings name (`vocabulary`: known words; numbers 0 and 1
    are padding and unknown words)."""

    kind = name = STACK

    def __init__(self, vocabulary: Sequence[str], config: Seq2SeqConfig) -> None:
        super().__init__()
        self.vocabulary, self.settings, self.dim = list(vocabulary), config, config.hidden
        self.reader = WordReader(vocabulary)
        self.embedding = nn.Embedding(len(self.vocabulary) + 2, self.dim, padding_idx=0)
        nn.init.normal_(self.embedding.weight, std=self.dim**-0.5)
        self.stack = STACKS[config.decoder](config, False)

    @classmethod
    def create(cls, questions: Iterable[Words], option: str = "", frozen_layers: int = 0) -> Self:
        """Not by name, since it needs the settings of a parser."""
        raise PartwiseError("the encoder stack is only for parsers of the kind seq2seq")

    @classmethod
    def of(cls, questions: Iterable[Words], config: Seq2SeqConfig) -> Self:
        """With the words of some questions."""
        return cls(BiLSTMEncoder.words_of(questions), config)

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        """See `Encoder`."""
        settings = from_dict(Seq2SeqConfig, config, "entries")
        return cls(read_names(folder / VOCABULARY), settings)

    def hidden(self, *, ids: Tensor, lengths: Tensor) -> Tensor:
        """See `Encoder`."""
        if self.training:
            dropped = torch.rand(ids.shape, device=ids.device) < WORD_DROPOUT
            ids = torch.where(dropped & (ids > 0), UNKNOWN_WORD, ids)
        mask = torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device)[:, None]
        vectors: Tensor = self.stack.encode(self.embedding(ids), mask)
        return vectors

    def _of_words(self, hidden: Tensor, read: Sequence[Pieces]) -> tuple[Tensor, Tensor]:
        """A word's vector serves as start and as end."""
        return hidden, hidden

    def config(self) -> dict[str, Any]:
        """See `Encoder`."""
        mine = {field.name: getattr(self.settings, field.name) for field in fields(Seq2SeqConfig)}
        return {"kind": self.kind, **mine}

    def save_files(self, folder: Path) -> None:
        """Write the vocabulary."""
        write_json(folder / VOCABULARY, self.vocabulary)


class LSTMDecoder(nn.Module):
    """Each step reads the last token and what the last step attended to (`hidden`: size of all
    vectors)."""

    def __init__(self, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.layers = layers
        sizes = [2 * hidden, *[hidden] * (layers - 1)]
        self.cells = nn.ModuleList([nn.LSTMCell(size, hidden) for size in sizes])
        self.first = nn.Linear(hidden, 2 * layers * hidden)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.attended = nn.Linear(2 * hidden, hidden)
        self.dropout = nn.Dropout(dropout)

    def begin(self, memory: Memory) -> Cache:
        """States before the first step: of the mean of the question's vectors."""
        mask = memory.mask[..., None].to(memory.vectors.dtype)
        mean = (memory.vectors * mask).sum(1) / mask.sum(1).clamp(min=1)
        states = torch.tanh(self.first(mean)).chunk(2 * self.layers, -1)
        return (*states, torch.zeros_like(states[0]))

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """Vectors of the next tokens, and the cache behind them (`inputs`: ``[rows, steps,
        hidden]``, vectors of the tokens before; see `Memory` for rows)."""
        made = []
        # Vectors of tokens are drawn small, for stacks, which scale them, too.
        for step in (inputs * inputs.shape[-1] ** 0.5).unbind(1):
            vector, cache = self._step(step, memory, cache)
            made.append(vector)
        return torch.stack(made, 1), cache

    def _step(self, token: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        *states, attended = cache
        below, after = torch.cat([token, attended], -1), []
        for number, cell in enumerate(self.cells):
            pair = cell(below, (states[2 * number], states[2 * number + 1]))
            after += pair
            below = self.dropout(pair[0])
        asked = memory.grouped(self.query(below)[:, None])
        scores = (asked @ memory.vectors.transpose(1, 2)).float()
        weights = torch.softmax(scores.masked_fill(~memory.mask[:, None], -torch.inf), -1)
        read = (weights.to(memory.vectors.dtype) @ memory.vectors).view(below.shape)
        attended = torch.tanh(self.attended(torch.cat([read, below], -1)))
        return self.dropout(attended), (*after, attended)


TINY = 1e-30
"""Probabilities are kept this far from 0 where their logarithm is taken."""


class PointerGenerator(nn.Module):
    """A mixture of writing a token and copying a word (See, Liu and Manning 2017, section 2.2).

    Args:
        hidden: size of the decoder's vectors.
        tokens: size of the output vocabulary.
        copy: whether words may be copied; else all is written.
    """

    def __init__(self, hidden: int, tokens: int, copy: bool) -> None:
        super().__init__()
        self.write = nn.Linear(hidden, tokens)
        self.copy = copy
        if copy:
            self.query = nn.Linear(hidden, hidden, bias=False)
            self.gate = nn.Linear(2 * hidden, 1)

    def forward(self, vectors: Tensor, memory: Memory) -> Tensor:
        """Log probabilities, ``[rows, steps, tokens + longest]`` (`vectors`: ``[rows, steps,
        hidden]``; see `Memory` for rows)."""
        written = torch.log_softmax(self.write(vectors).float(), -1)
        if not self.copy:
            room = written.new_full((*vectors.shape[:2], memory.mask.shape[1]), -torch.inf)
            return torch.cat([written, room], -1)
        mixed = self._mix(memory.grouped(vectors), memory.grouped(written), memory)
        # Nothing is learned from what cannot be copied.
        logs = mixed.clamp(min=TINY).log().masked_fill(mixed == 0, -torch.inf)
        return logs.view(*vectors.shape[:2], -1)

    def _mix(self, vectors: Tensor, written: Tensor, memory: Memory) -> Tensor:
        """``[questions, steps, tokens + longest]``, probabilities."""
        scores = self.query(vectors) @ memory.vectors.transpose(1, 2) / vectors.shape[-1] ** 0.5
        scores = scores.float().masked_fill(~memory.mask[:, None], -torch.inf)
        weights = torch.softmax(scores, -1)
        read = weights.to(memory.vectors.dtype) @ memory.vectors
        gate = torch.sigmoid(self.gate(torch.cat([vectors, read], -1)).float())
        places = memory.numbers[:, None].expand(-1, vectors.shape[1], -1)
        mixed = torch.cat([gate * written.exp(), torch.zeros_like(weights)], -1)
        return mixed.scatter_add(2, places, (1 - gate) * weights)


class Seq2SeqNetwork(nn.Module):
    """Questions to log probabilities of the next token (`contextual`: a frozen encoder, whose
    vectors are added to those of the encoder's words)."""

    def __init__(
        self,
        config: Seq2SeqConfig,
        encoder: Encoder,
        vocabulary: OutputVocabulary,
        contextual: Encoder | None = None,
    ) -> None:
        super().__init__()
        self.config, self.vocabulary = config, vocabulary
        self.encoder, self.contextual = encoder, contextual
        if contextual is not None:
            contextual.requires_grad_(False)
            self.added = nn.Linear(contextual.dim, encoder.dim)
        self._frozen: dict[Words, Tensor] = {}
        self.bridge = nn.Linear(encoder.dim, config.hidden)
        self.embedding = nn.Embedding(len(vocabulary), config.hidden, padding_idx=0)
        nn.init.normal_(self.embedding.weight, std=config.hidden**-0.5)
        self.dropout = nn.Dropout(config.dropout)
        self.decoder: LSTMDecoder | Stack
        if config.decoder == "lstm":
            self.decoder = LSTMDecoder(config.hidden, config.layers, config.dropout)
        else:
            self.decoder = STACKS[config.decoder](config, True)
        self.pointer = PointerGenerator(config.hidden, len(vocabulary), config.copy)

    def fits(self, words: Words) -> bool:
        """Whether a question is short enough."""
        return self.encoder.fits(words)

    def encode(self, batch: Sequence[Words]) -> Memory:
        """Encoded questions; ``longest`` of `Memory` is that of the batch."""
        vectors = self.bridge(self._read(batch))
        lengths = torch.tensor([len(words) for words in batch], device=vectors.device)
        mask = torch.arange(vectors.shape[1], device=vectors.device)[None] < lengths[:, None]
        numbers = self.encoder.padded(
            [self.vocabulary.word_numbers(question.words) for question in batch]
        )
        return Memory(vectors, mask, numbers)

    def _read(self, batch: Sequence[Words]) -> Tensor:
        if self.contextual is None or not isinstance(self.encoder, BiLSTMEncoder):
            return self.encoder(batch)[0]  # type: ignore[no-any-return]
        context = pad_sequence(self._contexts(self.contextual, batch), batch_first=True)
        return self.encoder(batch, more=self.added(context))[0]  # type: ignore[no-any-return]

    def _contexts(self, contextual: Encoder, batch: Sequence[Words]) -> list[Tensor]:
        """Vectors of a frozen encoder, ``[words, dim]`` each; those of training questions are kept,
        as they are the same in each epoch."""
        known = self._frozen if self.training else {}
        new = [words for words in batch if words not in known]
        if new:
            contextual.eval()
            with torch.no_grad():
                rows = contextual(new)[0]
            # Copies, as a part of a batch would keep the whole.
            made = (row[: len(words)].clone() for words, row in zip(new, rows, strict=True))
            known.update(zip(new, made, strict=True))
        return [known[words] for words in batch]

    def begin(self, memory: Memory) -> Cache:
        """The cache before the first step."""
        return self.decoder.begin(memory)

    def forward(self, numbers: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """Log probabilities of what follows each token, and the cache behind them.

        Args:
            numbers: ``[rows, steps]`` of tokens, the first one being `START`; see `Memory`.

        Returns:
            ``[rows, steps, tokens + longest]``, words that are copied behind the tokens.
        """
        known = torch.where(numbers < len(self.vocabulary), numbers, UNKNOWN)
        vectors, cache = self.decoder(self.dropout(self.embedding(known)), memory, cache)
        return self.pointer(self.dropout(vectors), memory), cache

    def penalty(self) -> Tensor | None:
        """What the architecture adds to the loss."""
        parts = [self.decoder, getattr(self.encoder, "stack", None)]
        found = [part.penalty() for part in parts if isinstance(part, Stack)]
        some = [one for one in found if one is not None]
        return torch.stack(some).sum() if some else None

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters that learn slowly."""
        slow = isinstance(self.encoder, PretrainedEncoder)
        return list(self.encoder.parameters()) if slow else []

"""The network of a sequence-to-sequence parser: encoder, decoder and pointer."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from partwise.encoders import BiLSTMEncoder, Encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.language.text import Words
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.lstm import LSTMDecoder
from partwise_papers.seq2seq.memory import Cache, Memory
from partwise_papers.seq2seq.pointer import PointerGenerator
from partwise_papers.seq2seq.stacks import STACKS, Stack
from partwise_papers.seq2seq.vocabulary import UNKNOWN, OutputVocabulary


class Seq2SeqNetwork(nn.Module):
    """Questions to log probabilities of the next token.

    Args:
        contextual: a frozen encoder, whose vectors are added to those of the encoder's words.
    """

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
        numbers = self.encoder.padded([self.vocabulary.word_numbers(one.words) for one in batch])
        return Memory(vectors, mask, numbers)

    def _read(self, batch: Sequence[Words]) -> Tensor:
        if self.contextual is None or not isinstance(self.encoder, BiLSTMEncoder):
            return self.encoder(batch)[0]  # type: ignore[no-any-return]
        context = pad_sequence(self._contexts(self.contextual, batch), batch_first=True)
        return self.encoder(batch, self.added(context))[0]  # type: ignore[no-any-return]

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

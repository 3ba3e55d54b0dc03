"""The network of a pretrained parser: its questions and outputs are pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from partwise.evaluation.confidence import pooled
from partwise.language.text import Words
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.pieces import PieceVocabulary
from partwise_papers.seq2seq.search import Hypothesis
from partwise_papers.seq2seq.writers import NEW, load_writer, save_writer

LONGEST = 512
"""The most pieces of a question or an output."""
LEFT_OUT = -100
"""What torch's cross entropy takes for padding."""


class PretrainedNetwork(nn.Module):
    """A pretrained encoder-decoder, whose output vocabulary has more tokens than its pieces.

    Args:
        folder: of a saved one, its weights still to be filled in; None to load pretrained weights.
        added: tokens that have no pieces.
        kept: the pieces that are written; see `PieceVocabulary`.
    """

    def __init__(
        self,
        config: Seq2SeqConfig,
        folder: Path | None = None,
        added: Sequence[str] = (),
        kept: Sequence[str] = (),
    ) -> None:
        super().__init__()
        from transformers import GenerationConfig

        self.config = config
        self.model, tokenizer, self.source = load_writer(config.pretrained, folder)
        self.vocabulary = PieceVocabulary(tokenizer, int(self.source.vocab_size), added, kept)
        self._resize()
        # Settings that came with the weights are for other tasks.
        self.model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]

    @classmethod
    def of(
        cls, config: Seq2SeqConfig, outputs: Sequence[Sequence[str]], questions: Iterable[Words]
    ) -> Self:
        """With the tokens of training outputs; a new one begins as the mean of its pieces.

        A BERT's decoder, whose embeddings are not those of its encoder, keeps the pieces of
        training questions and outputs alone: to score all takes most of the time.
        """
        made = cls(config)
        old = made.vocabulary
        read = None
        if made._two_sided:
            read = {piece for words in questions for piece in made.pieces(words)}
        made.vocabulary = new = PieceVocabulary.of(old.tokenizer, old.pieces, outputs, read)
        before = [one.detach().clone() for one in made._of_pieces()]
        made._resize()
        with torch.no_grad():
            for rows, whole in zip(made._of_pieces(), before, strict=True):
                rows[: new.pieces] = whole[list(new.kept)]
                for token, number in new.numbers.items():
                    ids = old.token_numbers(token)
                    rows[number] = whole[ids or list(new.kept)].mean(0)
        return made

    @property
    def _two_sided(self) -> bool:
        """Whether the decoder has embeddings of its own, as a BERT on both sides has."""
        return bool(self.source.model_type == "bert")

    @property
    def _written(self) -> Any:
        """The part whose embeddings are those of outputs."""
        return self.model.decoder if self._two_sided else self.model

    def _of_pieces(self) -> list[Tensor]:
        """What has a row for each piece: vectors as it is read again and as it is scored, and its
        bias."""
        read, scored = self._written.get_input_embeddings(), self._written.get_output_embeddings()
        found = [read.weight, scored.weight, getattr(scored, "bias", None)]
        return [one for one in found if one is not None]

    def _resize(self) -> None:
        if len(self.vocabulary) != self.source.vocab_size:
            self._written.resize_token_embeddings(len(self.vocabulary), mean_resizing=False)

    @cached_property
    def start(self) -> int:
        """What stands before each output."""
        given = getattr(self.source, "decoder_start_token_id", None)
        # A BERT begins with [CLS], T5 with padding.
        other = self.vocabulary.begin[:1] or [self.padding]
        return int(other[0] if given is None else given)

    @cached_property
    def padding(self) -> int:
        """The number of padding."""
        return int(self.source.pad_token_id or 0)

    @property
    def limit(self) -> int:
        """Pieces of the longest question or output."""
        return min(LONGEST, getattr(self.source, "max_position_embeddings", LONGEST))

    def pieces(self, words: Words) -> list[int]:
        """The pieces of a question."""
        ids: list[int] = self.vocabulary.tokenizer.encode(words.text).ids
        return ids

    def fits(self, words: Words) -> bool:
        """Whether a question is short enough."""
        return len(self.pieces(words)) <= self.limit

    def _rows(self, rows: Sequence[Sequence[int]], padding: int) -> Tensor:
        longest = max(map(len, rows))
        full = [[*row, *[padding] * (longest - len(row))] for row in rows]
        return torch.tensor(full, device=next(self.parameters()).device)

    def _read(self, batch: Sequence[Words]) -> dict[str, Tensor]:
        rows = [self.pieces(words) for words in batch]
        mask = self._rows([[1] * len(row) for row in rows], 0)
        return {"input_ids": self._rows(rows, self.padding), "attention_mask": mask}

    def loss(self, batch: Sequence[Words], outputs: Sequence[Sequence[int]]) -> Tensor:
        """The mean over pieces of minus their log-likelihood.

        Args:
            outputs: numbers of what is right, with the end.
        """
        # What stands behind an output is never read.
        before = self._rows([[self.start, *row[:-1]] for row in outputs], self.vocabulary.end)
        gold = self._rows(outputs, LEFT_OUT)
        logits = self.model(**self._read(batch), decoder_input_ids=before).logits
        return cross_entropy(
            logits.float().flatten(0, 1),
            gold.flatten(),
            ignore_index=LEFT_OUT,
            label_smoothing=self.config.smoothing,
        )

    def search(self, batch: Sequence[Words], beam: int) -> list[list[Hypothesis]]:
        """The most probable outputs of each question, the best first; of those that ended."""
        from transformers import GenerationConfig

        settings = GenerationConfig(  # type: ignore[no-untyped-call]
            num_beams=beam,
            num_return_sequences=beam,
            max_new_tokens=min(self.config.longest, self.limit - 1),
            # A score is the sum over all pieces.
            length_penalty=0.0 if beam > 1 else None,
            decoder_start_token_id=self.start,
            eos_token_id=self.vocabulary.end,
            # Rows that ended are read up to their first end.
            pad_token_id=self.vocabulary.end,
            return_dict_in_generate=True,
            output_scores=True,
        )
        made = self.model.generate(**self._read(batch), generation_config=settings)
        steps = self.model.compute_transition_scores(
            made.sequences,
            made.scores,
            getattr(made, "beam_indices", None),
            normalize_logits=beam == 1,
        )
        found = [
            self._hypothesis(row[1:], scores)
            for row, scores in zip(made.sequences.tolist(), steps.tolist(), strict=True)
        ]
        ranges = (found[begin : begin + beam] for begin in range(0, len(found), beam))
        return [[one for one in some if one is not None] for some in ranges]

    def _hypothesis(self, row: Sequence[int], scores: Sequence[float]) -> Hypothesis | None:
        """An output up to its end with the sum of its scores; None if it did not end."""
        if self.vocabulary.end not in row:
            return None
        length = row.index(self.vocabulary.end) + 1
        return Hypothesis(tuple(row[:length]), sum(scores[:length]))

    def vectors(self, batch: Sequence[Words]) -> list[Tensor]:
        """A vector for each question; see `pooled`."""
        read = self._read(batch)
        hidden = self.model.get_encoder()(**read).last_hidden_state
        return pooled(hidden, read["attention_mask"].sum(1).tolist())

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters that learn slowly: all but what a BERT lacks as a decoder."""
        named = self.model.named_parameters()
        return [one for name, one in named if not any(new in name for new in self._new)]

    @property
    def _new(self) -> tuple[str, ...]:
        return NEW if self._two_sided else ()

    def save_files(self, folder: Path) -> None:
        """Write the tokenizer and the configuration."""
        save_writer(self.vocabulary.tokenizer, self.source, folder)

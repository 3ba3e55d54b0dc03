"""Parsers that are pretrained encoder-decoders, fine-tuned: BART, T5, a BERT on both sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from partwise.encoders.storage import read_json, read_names, write_json
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.text import Words, tokenize
from partwise.training.neural import Unusable
from partwise.training.store import ENCODER
from partwise.training.trainer import LossReport
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.form_table import FORMS, form_of
from partwise_papers.seq2seq.parser import FORM, TOKENS, Item, Seq2SeqParser
from partwise_papers.seq2seq.pretrained_network import PretrainedNetwork
from partwise_papers.seq2seq.search import Hypothesis

PIECES = "pieces.json"
TOGETHER = 16
"""Questions that are searched together: the library keeps the scores of all pieces at all steps."""


class PretrainedSeq2SeqParser(Seq2SeqParser):
    """Writes the form's tokens as pieces of a pretrained tokenizer.

    Its outputs are found by the beam search of the transformers library.
    """

    network: Any

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[Any]]) -> None:
        """Load the weights, and add the output tokens that have no pieces.

        Raises:
            PartwiseError: for a form that says what may follow an output.
        """
        self.form = FORMS[self.config.form].learn(self.domain, train)
        if self.form.constrained:
            raise PartwiseError(
                f"the form {self.config.form} chooses among its own tokens, which are no pieces; "
                "choose the form text for a pretrained encoder-decoder"
            )
        outputs = [one for example in train if (one := self._output(example)) is not None]
        questions = [tokenize(example.question) for example in train]
        self.network = PretrainedNetwork.of(self.config, outputs, questions)

    def training_items(self, examples: Sequence[Example[Any]]) -> tuple[list[Item], Unusable[Any]]:
        """See `Seq2SeqParser`; an output has no more pieces than the network has places."""
        items, unusable = super().training_items(examples)
        limit = self.network.limit
        long = [item for item in items if len(item.numbers) > limit]
        reason = f"its output has more than {limit} pieces"
        unusable += [(item.example, reason) for item in long]
        return [item for item in items if len(item.numbers) <= limit], unusable

    def loss(self, batch: Sequence[Item]) -> LossReport:
        """The mean over pieces of minus their log-likelihood."""
        with self.clock.part("network"):
            words, numbers = [one.words for one in batch], [one.numbers for one in batch]
            return LossReport(self.network.loss(words, numbers), len(batch))

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters that learn slowly."""
        made: list[nn.Parameter] = self.network.pretrained()
        return made

    # --- prediction ----------------------------------------------------------------------

    @torch.no_grad()
    def vectors(self, questions: Sequence[str]) -> list[Tensor]:
        """A vector for each question; see `NeuralParser.vectors`."""
        with self.without_dropout():
            made: list[Tensor] = self.network.vectors([tokenize(one) for one in questions])
            return made

    def _search(self, batch: Sequence[Words], beam: int) -> list[list[Hypothesis]]:
        groups = (batch[begin : begin + TOGETHER] for begin in range(0, len(batch), TOGETHER))
        return [found for group in groups for found in self.network.search(group, beam)]

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """The name of the pretrained weights, and a line for the card."""
        added = len(self.network.vocabulary.added)
        return {
            "about": f"Pretrained: {self.config.pretrained}. {self.parameter_count:,} parameters, "
            f"{added} output tokens beside its pieces.",
            "encoder": {"name": self.config.pretrained},
            "contextual": {},
        }

    def write_files(self, folder: Path) -> None:
        """Write the added tokens, the form, the tokenizer and the network's configuration."""
        vocabulary = self.network.vocabulary
        write_json(folder / TOKENS, vocabulary.added)
        write_json(folder / PIECES, vocabulary.names)
        write_json(folder / FORM, self.form.to_json())
        self.network.save_files(folder / ENCODER)

    @classmethod
    def builder(
        cls, domain: Any, config: Seq2SeqConfig, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser, its weights still to be filled in."""
        added, kept = read_names(folder / TOKENS), read_names(folder / PIECES)
        form = form_of(config.form, domain, read_json(folder / FORM))

        def build() -> Any:
            parser = cls(domain, config)
            parser.form = form
            parser.network = PretrainedNetwork(config, folder / ENCODER, added, kept)
            return parser

        return build

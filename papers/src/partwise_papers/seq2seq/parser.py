"""Seq2SeqParser: writes a program or a query token by token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import torch
from torch import Tensor

from partwise.encoders.base import load_encoder, make_encoder
from partwise.encoders.storage import read_json, read_names, write_json
from partwise.errors import CheckpointError, PartwiseError
from partwise.evaluation.confidence import ScoredMeaning
from partwise.interface.data import Example
from partwise.language.text import Words, tokenize
from partwise.training.neural import Unusable
from partwise.training.store import ENCODER, SavedParser
from partwise.training.trainer import LossReport
from partwise.training.weights import save_encoder
from partwise_papers.seq2seq.base import EncodingParser
from partwise_papers.seq2seq.config import STACK, Seq2SeqConfig, presets, variant
from partwise_papers.seq2seq.decoding import (
    SPECIAL,
    START,
    Hypothesis,
    Mask,
    OutputVocabulary,
    beam_search,
)
from partwise_papers.seq2seq.forms import Form, Lossy, Reversible, Text
from partwise_papers.seq2seq.network import Seq2SeqNetwork, StackEncoder
from partwise_papers.seq2seq.rules import Rules

FORMS: dict[str, type[Form]] = {"text": Text, "rules": Rules, "rir": Reversible, "lir": Lossy}
"""Form of `Seq2SeqConfig` -> its class."""


def form_of(name: str, domain: Any, saved: Any) -> Form:
    """A form of a saved parser; raises CheckpointError if what was saved is damaged."""
    try:
        return FORMS[name].from_json(domain, saved)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"the form of the outputs is damaged ({type(error).__name__}: {error}); copy the "
            "parser or train it again"
        ) from error


TOKENS, FORM, CONTEXTUAL = "tokens.json", "form.json", "contextual"


class Item(NamedTuple):
    """A training example made ready.

    Attributes:
        words: what the network reads.
        numbers: those of its output, with the end.
    """

    example: Example[Any]
    words: Words
    numbers: list[int]


@dataclass(frozen=True, kw_only=True)
class SavedSeq2Seq(SavedParser):
    """What config.json says of a sequence-to-sequence parser.

    Attributes:
        encoder: the encoder's kind and settings.
        contextual: those of the frozen encoder beside it; empty for none.
    """

    encoder: dict[str, Any]
    contextual: dict[str, Any]


class Seq2SeqParser(EncodingParser[Any]):
    """Writes meanings as token sequences; for any domain.

    Attributes:
        form: how meanings are written.
        network: the network, there once the parser has learned.
    """

    kind: ClassVar[str] = "seq2seq"
    Config = Seq2SeqConfig
    Saved: ClassVar[type[SavedParser]] = SavedSeq2Seq
    config: Seq2SeqConfig
    form: Form
    network: Seq2SeqNetwork

    @classmethod
    def presets(
        cls, domain: Any, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        """Settings to use where the user gives none; see `partwise_papers.seq2seq.config`."""
        return presets(given, cls.Config.system, size)

    @classmethod
    def variant(cls, domain: Any, config: Any) -> str:
        """A name for these settings; that of a system, where they are its own."""
        return variant(config)

    @classmethod
    def create(cls, domain: Any, config: Any) -> Self:
        """An untrained parser; its network is made when it is trained; raises PartwiseError for an
        output form that is not known."""
        if config.form not in FORMS:
            raise PartwiseError(f"form {config.form!r} is none of {', '.join(FORMS)}")
        made: Any = _kind(config) or cls
        return made(domain, config)  # type: ignore[no-any-return]

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[Any]]) -> None:
        """Learn the vocabularies from the training examples, and draw the first weights."""
        config = self.config
        self.form = FORMS[config.form].learn(self.domain, train)
        written = [
            (example, out) for example in train if (out := self._output(example)) is not None
        ]
        self.prepare_inputs(written)
        questions = self.inputs([tokenize(example.question) for example in train])
        if config.encoder == STACK:
            encoder: Any = StackEncoder.of(questions, config)
        else:
            encoder = make_encoder(config.encoder, questions, config.frozen_layers)
        contextual = make_encoder(config.contextual, questions) if config.contextual else None
        vocabulary = OutputVocabulary.of(output for _, output in written)
        self.network = Seq2SeqNetwork(config, encoder, vocabulary, contextual)

    def prepare_inputs(self, written: Sequence[tuple[Example[Any], list[str]]]) -> None:
        """Learn what `inputs` needs, from training examples and their outputs: nothing."""

    def _output(self, example: Example[Any]) -> list[str] | None:
        try:
            return self.form.tokens(example.meaning)
        except PartwiseError:
            return None

    def training_items(self, examples: Sequence[Example[Any]]) -> tuple[list[Item], Unusable[Any]]:
        """Examples made ready, and those that cannot be used, with the reason."""
        items: list[Item] = []
        unusable: Unusable[Any] = []
        questions = [tokenize(example.question) for example in examples]
        for example, question, words in zip(
            examples, questions, self.inputs(questions), strict=True
        ):
            output, reason = self._output(example), self.unfit(question)
            if output is None:
                reason = f"it cannot be written in the form {self.config.form}"
            elif len(output) > self.config.longest:
                reason = f"its output has {len(output)} tokens; raise longest"
            if output is None or reason is not None:
                unusable.append((example, reason or ""))
                continue
            numbers = self.network.vocabulary.output_numbers(output, words.words)
            items.append(Item(example, words, numbers))
        return items, unusable

    def length(self, item: Item) -> int:
        """The number of tokens that are written."""
        return len(item.numbers)

    def loss(self, batch: Sequence[Item]) -> LossReport:
        """The mean over tokens of minus their log-likelihood."""
        with self.clock.part("network"):
            gold = self.network.encoder.padded([item.numbers for item in batch])
            memory = self.network.encode([item.words for item in batch])
            before = torch.cat([torch.full_like(gold[:, :1], START), gold[:, :-1]], 1)
            logs = self.network(before, memory, self.network.begin(memory))[0]
            loss, extra = self._likelihood(logs, gold), self.network.penalty()
            return LossReport(loss if extra is None else loss + extra, len(batch))

    def _likelihood(self, logs: Tensor, gold: Tensor) -> Tensor:
        """The mean over tokens of minus their log-likelihood, smoothed over those of the output
        vocabulary."""
        there = gold > 0
        # A word of the question that cannot be copied has no likelihood.
        picked = logs.gather(2, gold[..., None])[..., 0]
        there = there & picked.isfinite()
        likely, share = picked[there], self.config.smoothing
        if share:
            mean = logs[..., : len(self.network.vocabulary)].mean(-1)[there]
            likely = (1.0 - share) * likely + share * mean
        return -likely.sum() / max(1, int((gold > 0).sum()))

    # --- prediction ----------------------------------------------------------------------

    def decode(self, batch: Sequence[Words], k: int) -> list[tuple[list[ScoredMeaning[Any]], str]]:
        """See `EncodingParser`: the most probable outputs that can be read."""
        read = self.inputs(batch)
        with self.without_dropout(), self.clock.part("network"):
            found = self.search(read, max(k, self.config.beam))
        why = "no output is a whole program"
        return [(self._meanings_of(*pair), why) for pair in zip(read, found, strict=True)]

    def search(self, batch: Sequence[Words], beam: int) -> list[list[Hypothesis]]:
        """The most probable outputs of what is read, the best first; of those that ended."""
        memory = self.network.encode(batch)
        cache = self.network.begin(memory)
        mask = self._mask(batch)
        return beam_search(self.network, memory, cache, beam, self.config.longest, mask)

    def _mask(self, batch: Sequence[Words]) -> Mask | None:
        """What may follow an output, if outputs are constrained."""
        if not (self.config.constrained or self.form.constrained):
            return None
        words = [question.words if self.config.copy else () for question in batch]
        return self.form.mask(self.network.vocabulary, words)

    def _meanings_of(self, read: Words, found: Sequence[Hypothesis]) -> list[ScoredMeaning[Any]]:
        """What outputs mean; those that mean the same are one, and those without meaning none."""
        made: dict[Any, ScoredMeaning[Any]] = {}
        for hypothesis in found:
            output = self.network.vocabulary.output(hypothesis.numbers, read.words)
            try:
                meaning = self.meaning(output)
                key = self.domain.canonical(meaning)
            except PartwiseError:
                continue
            before = made.setdefault(key, ScoredMeaning(meaning, ()))
            made[key] = replace(before, scores=(*before.scores, hypothesis.score))
        return list(made.values())

    def meaning(self, output: Sequence[str]) -> Any:
        """The meaning of an output; raises PartwiseError if it has none."""
        return self.form.meaning(output)

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """The encoders, and a line for the card."""
        network = self.network
        beside = {} if network.contextual is None else network.contextual.config()
        return {
            "about": f"Decoder: {self.config.decoder}. Encoder: {network.encoder.name}. "
            f"{self.parameter_count:,} parameters, {len(network.vocabulary)} output tokens.",
            "encoder": network.encoder.config(),
            "contextual": beside,
        }

    def write_files(self, folder: Path) -> None:
        """Write the output tokens, the names as they are spelled, and the encoders' files."""
        write_json(folder / TOKENS, self.network.vocabulary.tokens)
        write_json(folder / FORM, self.form.to_json())
        save_encoder(self.network.encoder, folder)
        if self.network.contextual is not None:
            place = folder / CONTEXTUAL
            place.mkdir(exist_ok=True)
            save_encoder(self.network.contextual, place)

    @classmethod
    def builder(
        cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser, its weights still to be filled in."""
        other: Any = _kind(config)
        if other is not None:
            return other.builder(domain, config, saved, folder)  # type: ignore[no-any-return]
        tokens = read_names(folder / TOKENS)[len(SPECIAL) :]
        form = form_of(config.form, domain, read_json(folder / FORM))

        def build() -> Any:
            parser = cls(domain, config)
            parser.form = form
            encoder = load_encoder(saved["encoder"], folder / ENCODER)
            contextual = None
            if saved["contextual"]:
                contextual = load_encoder(saved["contextual"], folder / CONTEXTUAL / ENCODER)
            vocabulary = OutputVocabulary(tokens)
            parser.network = Seq2SeqNetwork(config, encoder, vocabulary, contextual)
            return parser

        return build


def _kind(config: Seq2SeqConfig) -> type[Seq2SeqParser] | None:
    """The class of parsers with pretrained weights, if these are asked for."""
    if not config.pretrained:
        return None
    from partwise_papers.seq2seq.pretrained import PretrainedSeq2SeqParser

    return PretrainedSeq2SeqParser

"""SpanParser: label every span, find the best well-typed tree (Herzig and Berant 2021)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from partwise.chart import compiled
from partwise.chart.algebra.base import Algebra
from partwise.chart.algebra.target import TargetAlgebra
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.scores import Marginals, SpanScores
from partwise.chart.semantics import program
from partwise.chart.tree import Derivation, SpanTree
from partwise.encoders.base import Encoder
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.tokenizer import Words, tokenize
from partwise.span.asked import Asked, ask
from partwise.span.config import SpanParserConfig
from partwise.span.labels import Labels, Prepared
from partwise.span.objective import SpanObjective, TrainingItem
from partwise.span.parse import Parse, abstained
from partwise.span.scorer import LEXICON_SCALE, SpanScorer
from partwise.training.clock import Clock
from partwise.training.pretrained import find_pretrained
from partwise.training.trainer import LossReport

ALTERNATIVE_TREES = 64
"""How many trees are listed at most to find alternatives with other programs."""


@dataclass(frozen=True, eq=False)
class Confidence:
    """The best program of a question, and what its probability follows from.

    Attributes:
        scores: of the question's spans.
        gold: the algebra whose trees spell the program.
        types: the algebra of all trees.
    """

    program: Term
    scores: SpanScores
    gold: Algebra
    types: Algebra

    def at(self, temperature: float, total: float | None = None) -> float:
        """The probability of the program: of all its trees, among all well-typed trees.

        Args:
            total: the log-partition over all trees at this temperature, where it is known.
        """
        scores = self.scores.tempered(temperature)
        if total is None:
            total = compiled.log_partition(scores, self.types)
        return math.exp(min(0.0, compiled.log_partition(scores, self.gold) - total))


class SpanParser(nn.Module):
    """The span-based parser over a domain.

    Args:
        domain: the language; its types decide which trees there are.
        encoder: words to vectors.
        config: everything else.
        types: the domain's types, if they are known already.
    """

    kind = "span"

    def __init__(
        self,
        domain: Domain,
        encoder: Encoder,
        config: SpanParserConfig,
        types: TypeAlgebra | None = None,
    ) -> None:
        super().__init__()
        self.domain, self.config = domain, config
        self.types = TypeAlgebra(domain) if types is None else types
        self.labels = Labels(domain, config.tied, config.lexicon, config.marks)
        self.encoder = encoder
        self.scorer = SpanScorer(
            encoder.dim, self.labels.size, config.hidden, config.dropout, config.conflicts
        )
        self.algebra: Algebra = self.types if config.ternary else self.types.without_ternary()
        self.clock = Clock()
        self.temperature = 1.0
        """What scores are divided by for probabilities; see `partwise.span.calibrate`."""

    # --- scores --------------------------------------------------------------------------

    def logits(self, batch: Sequence[Prepared]) -> list[Tensor]:
        """``[spans, outputs]`` of each question."""
        first, last = self.encoder([question.words for question in batch])
        scored: list[Tensor] = self.scorer(first, last, batch)
        return scored

    @torch.no_grad()
    def quiet_logits(self, batch: Sequence[Prepared]) -> list[NDArray[np.floating]]:
        """Logits without dropout, whatever mode the parser is in."""
        training = self.training
        self.eval()
        try:
            return [logits.float().cpu().numpy() for logits in self.logits(batch)]
        finally:
            self.train(training)

    def scores(self, question: str) -> SpanScores:
        """The chart scores of one question.

        Raises:
            PartwiseError: for a question without words or over the length limit.
        """
        words = tokenize(question)
        reason = self.unfit(words)
        if reason is not None:
            raise PartwiseError(reason)
        prepared = self.labels.prepare(words)
        logits = self.quiet_logits([prepared])[0]
        return self._best(prepared, logits)[0]

    def chart(self, question: str) -> tuple[Marginals, list[str]]:
        """How likely each label is on each span of a question, over all well-typed trees.

        At the parser's temperature. Beside it stand the categories of the columns.

        Raises:
            PartwiseError: for a question without words or over the length limit.
        """
        scores = self.scores(question).tempered(self.temperature)
        categories = self.domain.constants
        return (
            compiled.marginals(scores, self.algebra),
            [categories[int(number)].category for number in scores.columns],
        )

    def unfit(self, words: Words) -> str | None:
        """Why a question cannot be read, if so."""
        if len(words) == 0:
            return "the question has no words"
        if len(words) > self.config.max_words:
            return f"the question has {len(words)} words; at most {self.config.max_words} are read"
        if not self.encoder.fits(words):
            return "the question is too long for the encoder"
        return None

    # --- prediction ----------------------------------------------------------------------

    @overload
    def parse(
        self, question: str, k: int = 1, at_least: float = 0.0, probable: bool = False
    ) -> Parse: ...

    @overload
    def parse(
        self,
        question: list[str] | tuple[str, ...],
        k: int = 1,
        at_least: float = 0.0,
        probable: bool = False,
    ) -> list[Parse]: ...

    def parse(
        self,
        question: str | list[str] | tuple[str, ...],
        k: int = 1,
        at_least: float = 0.0,
        probable: bool = False,
    ) -> Parse | list[Parse]:
        """The best well-typed program of one question or of many.

        Args:
            k: how many programs to give, the best one and ``k - 1`` alternatives.
            at_least: the probability that a program must have; else there is no parse, and the
                programs found are its alternatives.
            probable: whether the probability of a single program is computed too; of several it
                always is.
        """
        if isinstance(question, str):
            return self.parse([question], k, at_least, probable)[0]
        found = self._parse_all(question, k, probable or k > 1 or at_least > 0)
        return [abstained(parse, at_least) for parse in found] if at_least > 0 else found

    def confidences(self, questions: Sequence[str]) -> list[Confidence | None]:
        """The best program of each question with its confidence; None for no parse."""
        found: list[Confidence | None] = []
        for words in map(tokenize, questions):
            prepared = self.labels.prepare(words)
            if self.unfit(words) is not None or not prepared.known:
                found.append(None)
                continue
            scores, best = self._best(prepared, self.quiet_logits([prepared])[0])
            known = None if best is None else program(best.tree, self.types)
            found.append(None if known is None else self._confidence(known, scores))
        return found

    def _parse_all(
        self, questions: Sequence[str], k: int, probable: bool, batch_size: int = 64
    ) -> list[Parse]:
        words = [tokenize(question) for question in questions]
        results = {
            number: Parse(given, reason=reason)
            for number, given in enumerate(words)
            if (reason := self.unfit(given)) is not None
        }
        # Questions of like length share a batch, so that little is padded.
        order = sorted(set(range(len(words))) - set(results), key=lambda i: len(words[i]))
        for begin in range(0, len(order), batch_size):
            numbers = order[begin : begin + batch_size]
            prepared = [self.labels.prepare(words[number]) for number in numbers]
            with self.clock.part("network"):
                logits = self.quiet_logits(prepared)
            for number, one, scored in zip(numbers, prepared, logits, strict=True):
                results[number] = self._parse_one(one, scored, k, probable)
        return [results[number] for number in range(len(words))]

    def _parse_one(
        self, one: Prepared, logits: NDArray[np.floating], k: int, probable: bool
    ) -> Parse:
        if not one.known:
            return Parse(one.words, reason="no word of the question names anything in the domain")
        with self.clock.part("chart"):
            scores, best = self._best(one, logits)
        if best is None:
            return Parse(one.words, reason="no well-typed program fits the question")
        if not probable:
            return self._reading(one, best, program(best.tree, self.types), scores)
        first, *others = self._readings(one, scores, k).values()
        return replace(first, alternatives=tuple(others))

    def _readings(self, one: Prepared, scores: SpanScores, k: int) -> dict[Term, Parse]:
        """The best trees of up to `k` different programs, best first.

        Many trees spell one program, so trees are listed until there are programs enough.
        """
        total = compiled.log_partition(scores.tempered(self.temperature), self.algebra)
        readings: dict[Term, Parse] = {}
        for derivation in islice(compiled.trees(scores, self.algebra), ALTERNATIVE_TREES):
            spelled = program(derivation.tree, self.types)
            if spelled not in readings:
                readings[spelled] = self._reading(one, derivation, spelled, scores, total)
            if len(readings) == k:
                break
        return readings

    def _best(
        self, one: Prepared, logits: NDArray[np.floating]
    ) -> tuple[SpanScores, Derivation | None]:
        """The best tree, and the scores it is the best by.

        Phrases of the lexicon count for more than training made of them (`trust`). If names must
        be used and no tree can, the best tree may leave some out.
        """
        logits = logits.copy()
        rows, outputs = one.matches[:, 0], one.matches[:, 1]
        logits[rows, outputs] += LEXICON_SCALE * self.config.trust
        for keep in (True, False) if self.config.keep_mentions else (False,):
            scores = one.span_scores(logits, keep)
            best = compiled.best(scores, self.algebra)
            if best is not None:
                break
        return scores, best

    def _reading(
        self,
        one: Prepared,
        found: Derivation,
        spelled: Term,
        scores: SpanScores,
        total: float | None = None,
    ) -> Parse:
        share = math.nan
        if total is not None:
            share = self._confidence(spelled, scores).at(self.temperature, total)
        corrections = tuple(self._corrections(one, found.tree))
        return Parse(
            one.words,
            spelled,
            found.tree,
            found.score,
            share,
            corrections=corrections,
            scores=scores.of_nodes(found.tree),
        )

    def _corrections(self, one: Prepared, tree: SpanTree) -> Iterator[tuple[str, str]]:
        for node in tree.walk() if one.guesses else ():
            if not node.children and (node.start, node.end, node.label) in one.guesses:
                name = self.domain.vocabulary[node.label].name
                yield one.words.span(node.start, node.end), str(name)

    def _confidence(self, spelled: Term, scores: SpanScores) -> Confidence:
        gold = TargetAlgebra(self.types, self.types.check(spelled))
        algebra = gold if self.config.ternary else gold.without_ternary()
        return Confidence(spelled, scores, algebra, self.algebra)

    @overload
    def __call__(
        self, question: str, k: int = 1, at_least: float = 0.0, context: Any = None
    ) -> Asked: ...

    @overload
    def __call__(
        self,
        question: list[str] | tuple[str, ...],
        k: int = 1,
        at_least: float = 0.0,
        context: Any = None,
    ) -> list[Asked]: ...

    def __call__(
        self,
        question: str | list[str] | tuple[str, ...],
        k: int = 1,
        at_least: float = 0.0,
        context: Any = None,
    ) -> Asked | list[Asked]:
        """The answer of one question or of many; see `partwise.span.asked.ask`."""
        if isinstance(question, str):
            return ask(self, [question], k, at_least, context)[0]
        return ask(self, question, k, at_least, context)

    # --- training ------------------------------------------------------------------------

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters of a pretrained encoder, which learn slowly."""
        known = getattr(self.encoder, "model", None) is not None
        return list(self.encoder.parameters()) if known else []

    def training_items(
        self, examples: Sequence[Example[Term]]
    ) -> tuple[list[TrainingItem], list[tuple[Example[Term], str]]]:
        """Examples made ready, and those that cannot be used, with the reason."""
        return SpanObjective(self).items(examples)

    def loss(self, batch: Sequence[TrainingItem]) -> LossReport:
        """What training makes small; see `partwise.span.objective`."""
        return SpanObjective(self).loss(batch)

    # --- saving --------------------------------------------------------------------------

    def save(
        self, folder: str | Path, facts: Mapping[str, Any] | None = None, half: bool = False
    ) -> None:
        """Write the parser to a folder; see `partwise.span.store.save`."""
        from partwise.span import store

        store.save(self, Path(folder), facts, half)

    save_pretrained = save

    @classmethod
    def from_pretrained(cls, name: str | Path, domain: Domain | None = None) -> SpanParser:
        """A saved parser: a folder, one that comes with the package (``geography``), or a Hugging
        Face repository OWNER/NAME; see `partwise.training.pretrained.find_pretrained`.

        Args:
            domain: needed for a domain that is not built in.

        Raises:
            CheckpointError: if there is none, it cannot be fetched, or is damaged.
        """
        return cls.load(find_pretrained(name), domain)

    @classmethod
    def load(cls, folder: str | Path, domain: Domain | None = None) -> SpanParser:
        """Read a parser from a folder; see `partwise.span.store.load`.

        Args:
            domain: needed for a domain that is not built in.
        """
        from partwise.interface.registry import DOMAINS
        from partwise.span import store

        return store.load(Path(folder), DOMAINS, domain)

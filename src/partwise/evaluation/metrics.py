"""Exact match and denotation accuracy, counted strictly, with confidence intervals.

A prediction is right only if it is there and runs: a question without a parse, or a program that
fails, is wrong even where the gold answer is empty.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Generic, Protocol, TypeVar

from partwise.errors import DataError, PartwiseError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.program import Term

# Student's t, 97.5th percentile, for 1 to 30 degrees of freedom; then some larger ones.
_T = [
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
]
_T_LARGE = ((120, 1.980), (60, 2.000), (40, 2.021), (30, 2.042))
NO_PARSE = "no parse"


@dataclass(frozen=True)
class Outcome:
    """How one question came out.

    Attributes:
        exact_match: the programs are equal in the domain's canonical form.
        denotation: both programs ran and their answers are equal.
        error: why nothing was compared (`NO_PARSE`, or what failed to run), else None.
    """

    exact_match: bool
    denotation: bool
    error: str | None = None


class Matched(Protocol):
    """What every outcome tells."""

    @property
    def exact_match(self) -> bool:
        """Whether the prediction is what was wanted."""
        ...

    @property
    def error(self) -> str | None:
        """Why nothing was compared, or what failed to run."""
        ...


Each = TypeVar("Each", bound=Matched)


@dataclass(frozen=True)
class Outcomes(Generic[Each]):
    """Outcomes in the order of the examples, and their means as fractions from 0 to 1."""

    outcomes: tuple[Each, ...]

    @property
    def n(self) -> int:
        """Number of examples."""
        return len(self.outcomes)

    @property
    def exact_match(self) -> float:
        """Share of exact matches."""
        return fmean(outcome.exact_match for outcome in self.outcomes)

    @property
    def no_parse(self) -> int:
        """Number of questions without a prediction."""
        return sum(outcome.error == NO_PARSE for outcome in self.outcomes)

    @property
    def failed(self) -> int:
        """Number of predictions that did not run."""
        return sum(outcome.error is not None for outcome in self.outcomes) - self.no_parse


@dataclass(frozen=True)
class Metrics(Outcomes[Outcome]):
    """Outcomes of programs."""

    @property
    def denotation(self) -> float:
        """Share of right answers."""
        return fmean(outcome.denotation for outcome in self.outcomes)

    def to_json(self) -> dict[str, float | int]:
        """The means and counts."""
        return {
            "exact_match": self.exact_match,
            "denotation": self.denotation,
            "n": self.n,
            "no_parse": self.no_parse,
            "failed": self.failed,
        }


def score(
    domain: Domain, examples: Sequence[Example[Term]], predictions: Sequence[Term | None]
) -> Metrics:
    """Compare predicted programs (None for no parse) with those of the examples.

    Raises:
        ValueError: if there are no examples or the lengths differ.
        DataError: if a gold program fails to run; names the example's source.
    """
    if not examples or len(examples) != len(predictions):
        raise ValueError(f"{len(predictions)} predictions for {len(examples)} examples")
    runner = Runner(domain)
    pairs = zip(examples, predictions, strict=True)
    return Metrics(tuple(_outcome(runner, example, guess) for example, guess in pairs))


def by_group(examples: Sequence[Example[Term]], metrics: Metrics) -> dict[str, float]:
    """Denotation accuracy on each kind of question (`Example.group`), by name.

    Questions of no kind are in none.

    Raises:
        ValueError: if the metrics are not of these examples.
    """
    if len(examples) != metrics.n:
        raise ValueError(f"{metrics.n} outcomes for {len(examples)} examples")
    found: dict[str, list[bool]] = {}
    for example, outcome in zip(examples, metrics.outcomes, strict=True):
        if example.group:
            found.setdefault(example.group, []).append(outcome.denotation)
    return {group: fmean(found[group]) for group in sorted(found)}


class Runner:
    """Runs each distinct program of a domain once in each context."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._known: dict[tuple[Term, Hashable], Hashable | PartwiseError] = {}

    def denotation(self, program: Term, context: Hashable = None) -> Hashable:
        """What the program's answer is compared by.

        Raises:
            PartwiseError: as `Domain.run`.
        """
        key = program, context
        if key not in self._known:
            try:
                self._known[key] = self.domain.denotation(self.domain.run(program, context))
            except PartwiseError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, PartwiseError):
            raise found
        return found


def _outcome(runner: Runner, example: Example[Term], guess: Term | None) -> Outcome:
    try:
        gold = runner.denotation(example.meaning, example.context)
    except PartwiseError as error:
        raise DataError(
            f"{example.source or example.question}: the gold program fails to run, so no "
            f"answer can be compared with it: {error}"
        ) from error
    if guess is None:
        return Outcome(False, False, NO_PARSE)
    canonical = runner.domain.canonical
    same = canonical(guess) == canonical(example.meaning)
    try:
        return Outcome(same, runner.denotation(guess, example.context) == gold)
    except PartwiseError as error:
        return Outcome(same, False, str(error))


def mean_ci95(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and half-width of its 95 % confidence interval (Student's t).

    The half-width is None for a single value, of which no spread can be told.

    Raises:
        ValueError: for no values.
    """
    if not values:
        raise ValueError("no values to take a mean of")
    mean = fmean(values)
    if len(values) == 1:
        return mean, None
    return mean, t975(len(values) - 1) * stdev(values) / math.sqrt(len(values))


def t975(freedom: int) -> float:
    """97.5th percentile of Student's t; between tabled degrees of freedom, the wider one.

    Raises:
        ValueError: for less than one degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom")
    if freedom <= len(_T):
        return _T[freedom - 1]
    return next(value for degrees, value in _T_LARGE if freedom >= degrees)

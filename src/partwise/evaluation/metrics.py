"""Exact match and denotation accuracy, counted strictly; wrong questions; where metrics are kept.

A prediction is right only if it is there and runs: a question without a prediction, or a meaning
that fails, is wrong even where the gold answer is empty.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol, TypeVar

from partwise.errors import DataError, PartwiseError
from partwise.interface.answering import parse_each
from partwise.interface.data import Dataset, Example
from partwise.interface.domain import AnyDomain
from partwise.interface.parser import Parser
from partwise.interface.prediction import Prediction
from partwise.interface.registry import Registry

M = TypeVar("M")

NO_PARSE = "no parse"
COMPARED = 100_000
"""Values of an answer that are compared, at most; people are shown fewer."""


@dataclass(frozen=True)
class Outcome:
    """How one question came out.

    Attributes:
        exact_match: the meanings are equal in the domain's canonical form.
        denotation: both meanings ran and their answers are equal; None where none is run.
        error: why nothing was compared (`NO_PARSE`), or why the prediction failed to run.
        partial: which parts of the meaning are right, by name; in the order in which a wrong
            meaning is first wrong.
        group: what kind of question it is; "" for none.
    """

    exact_match: bool
    denotation: bool | None
    error: str | None = None
    partial: Mapping[str, bool] = field(default_factory=dict)
    group: str = ""

    @property
    def wrong(self) -> str | None:
        """The first part that is wrong, `NO_PARSE`, or None for an exact match or no parts."""
        if self.error == NO_PARSE:
            return NO_PARSE
        wrong = (name for name, right in self.partial.items() if not right)
        return None if self.exact_match else next(wrong, None)


@dataclass(frozen=True)
class Scores:
    """Outcomes in the order of the examples, and their means as fractions from 0 to 1."""

    outcomes: tuple[Outcome, ...]

    @property
    def n(self) -> int:
        return len(self.outcomes)

    @property
    def exact_match(self) -> float:
        return fmean(outcome.exact_match for outcome in self.outcomes)

    @property
    def denotation(self) -> float | None:
        """Share of right answers; None where nothing is run."""
        answers = [o.denotation for o in self.outcomes if o.denotation is not None]
        return fmean(answers) if answers else None

    @property
    def no_parse(self) -> int:
        return sum(outcome.error == NO_PARSE for outcome in self.outcomes)

    @property
    def failed(self) -> int:
        """Number of predictions that did not run."""
        return sum(outcome.error is not None for outcome in self.outcomes) - self.no_parse

    @property
    def partial(self) -> dict[str, float]:
        """Share of the meanings of which a part is right, by its name; no prediction is wrong."""
        names = dict.fromkeys(name for outcome in self.outcomes for name in outcome.partial)
        return {name: fmean(o.partial.get(name, False) for o in self.outcomes) for name in names}

    @property
    def errors(self) -> dict[str, int]:
        """What wrong meanings are first wrong in, and how many; empty for meanings of no parts."""
        counts = Counter(outcome.wrong for outcome in self.outcomes)
        names = self.partial
        return {name: counts[name] for name in (NO_PARSE, *names) if names and counts[name]}

    def groups(self, name: str = "denotation") -> dict[str, float]:
        """A share ("denotation" or "exact_match") on each kind of question, by its name."""
        shares: dict[str, list[bool]] = {}
        for outcome in self.outcomes:
            if outcome.group and (right := getattr(outcome, name)) is not None:
                shares.setdefault(outcome.group, []).append(right)
        return {group: fmean(shares[group]) for group in sorted(shares)}

    def to_json(self) -> dict[str, Any]:
        """The means and counts; what is first wrong, where meanings have parts."""
        runs = {} if self.denotation is None else {"denotation": self.denotation}
        return {
            "exact_match": self.exact_match,
            **{f"{name}_match": share for name, share in self.partial.items()},
            **runs,
            "n": self.n,
            "no_parse": self.no_parse,
            **({"failed": self.failed} if runs else {}),
            **({"errors": self.errors} if self.errors else {}),
        }


def score(
    domain: AnyDomain[M],
    examples: Sequence[Example[M]],
    predictions: Sequence[M | None],
    run: bool = True,
    runner: Runner | None = None,
) -> Scores:
    """Compare predicted meanings (None for no prediction) with those of the examples. `run`:
    whether they are run too, if the domain can; a `runner` that has run the gold meanings saves
    time. Raises ValueError if there are no examples or the lengths differ, and DataError, with the
    example's source, if a gold meaning fails to run."""
    if not examples or len(examples) != len(predictions):
        raise ValueError(f"{len(predictions)} predictions for {len(examples)} examples")
    if not run or not domain.runnable:
        runner = None
    elif runner is None:
        runner = Runner(domain)
    pairs = zip(examples, predictions, strict=True)
    return Scores(tuple(_outcome(domain, runner, example, guess) for example, guess in pairs))


def evaluate(
    parser: Parser[M],
    examples: Sequence[Example[M]],
    run: bool = True,
    runner: Runner | None = None,
) -> Scores:
    """Parse the questions of examples and compare with their meanings; see `score`."""
    predictions = parse_each(parser.parse_examples, examples)
    return score(
        parser.domain, examples, [prediction.meaning for prediction in predictions], run, runner
    )


class Runner:
    """Runs each distinct meaning of a domain once in each context."""

    def __init__(self, domain: AnyDomain[Any]) -> None:
        self.domain = domain
        self._known: dict[tuple[Any, Hashable], Hashable | PartwiseError] = {}

    @cached_property
    def _comparing_domain(self) -> AnyDomain[Any]:
        """The domain; one that has a limit reads as many values as are compared."""
        limited: Callable[[int], AnyDomain[Any]] | None = getattr(self.domain, "with_limit", None)
        return limited(COMPARED) if limited else self.domain

    def denotation(self, meaning: Any, context: Hashable = None) -> Hashable:
        """What the meaning's answer is compared by. Raises PartwiseError as `Domain.run`."""
        key = meaning, context
        if key not in self._known:
            try:
                value = self._comparing_domain.run(meaning, context)
                self._known[key] = self._comparing_domain.denotation(value)
            except PartwiseError as error:
                self._known[key] = error
        answer = self._known[key]
        if isinstance(answer, PartwiseError):
            raise answer
        return answer

    def gold(self, example: Example[Any]) -> Hashable:
        """What the answer of an example's meaning is compared by. Raises DataError if it fails to
        run; names the example's source."""
        try:
            return self.denotation(example.meaning, example.context)
        except PartwiseError as error:
            raise DataError(
                f"{example.source or example.question}: the gold program fails to run, so no "
                f"answer can be compared with it: {error}"
            ) from error


def without_failing(dataset: Dataset[M], domain: AnyDomain[M]) -> Dataset[M]:
    """Dev and test without examples whose gold meaning does not run; they are in `skipped`."""
    runner, skipped = Runner(domain), list(dataset.skipped)

    def runs(example: Example[M]) -> bool:
        try:
            runner.denotation(example.meaning, example.context)
        except PartwiseError as error:
            skipped.append(f"{example.source}: the gold program fails to run: {error}")
            return False
        return True

    dev, test = (list(filter(runs, part)) for part in (dataset.dev, dataset.test))
    return replace(dataset, dev=dev, test=test, skipped=skipped)


def _outcome(
    domain: AnyDomain[M], runner: Runner | None, example: Example[M], guess: M | None
) -> Outcome:
    group = example.group or domain.question_group(example.meaning)
    right: bool | None = None if runner is None else False
    gold = None if runner is None else runner.gold(example)
    if guess is None:
        names = domain.partial_matches(example.meaning, example.meaning)
        return Outcome(False, right, NO_PARSE, dict.fromkeys(names, False), group)
    exact, canonical = guess == example.meaning, domain.canonical
    # What has no canonical form is equal to nothing that can be told.
    with suppress(PartwiseError):
        exact = exact or canonical(guess) == canonical(example.meaning)
    partial = domain.partial_matches(example.meaning, guess)
    error: str | None = None
    if runner is not None:
        try:
            right = runner.denotation(guess, example.context) == gold
        except PartwiseError as failure:
            error = str(failure)
    return Outcome(exact, right, error, partial, group)


def guided(
    parser: Parser[M],
    domain: AnyDomain[M],
    questions: Sequence[str],
    k: int,
    contexts: Sequence[Any] | None = None,
) -> list[M | None]:
    """For each question the best of `k` meanings whose answer is not empty. If none has one the
    best meaning stands, as the answer may well be nothing. None for no parse. `contexts`: what each
    question is about, for a domain that takes contexts. Raises ValueError for `k` below 1, or
    another number of contexts than of questions."""
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    given = [None] * len(questions) if contexts is None else contexts
    predictions = parser.parse(list(questions), k=k)
    return [
        _choose(prediction, domain, about)
        for prediction, about in zip(predictions, given, strict=True)
    ]


def _choose(best: Prediction[M], domain: AnyDomain[M], about: Any) -> M | None:
    for meaning in (candidate.meaning for candidate in (best, *best.alternatives)):
        with suppress(PartwiseError):
            if meaning is not None and not domain.is_empty(domain.run(meaning, about)):
                return meaning
    return best.meaning


def mistakes(
    parser: Parser[M],
    examples: Sequence[Example[M]],
    predictions: Sequence[Prediction[M]],
    scores: Scores,
) -> str:
    """What differs from the gold meaning, wrong answers before right ones. Each line has
    ``question``, ``meaning``, ``predicted`` (null for no prediction), ``right_answer`` (null where
    nothing is run), ``wrong`` (the first part that is wrong, null where meanings have no parts),
    ``error``, ``group`` and ``source``, and what the parser's own `mistake` adds, if it has one.
    Raises ValueError if the predictions or scores are not of these examples."""
    write, order = parser.domain.write, list(scores.partial)
    explain: Callable[..., Mapping[str, Any]] | None = getattr(parser, "mistake", None)
    lines: list[tuple[bool, int, str]] = []
    for example, prediction, outcome in zip(examples, predictions, scores.outcomes, strict=True):
        if outcome.exact_match:
            continue
        guess = prediction.meaning
        line = {
            "question": example.question,
            "meaning": write(example.meaning),
            "predicted": None if guess is None else write(guess),
            "right_answer": outcome.denotation,
            "wrong": outcome.wrong,
            "error": prediction.reason if guess is None else outcome.error,
            "group": outcome.group,
            "source": example.source,
            **(explain(example, prediction) if explain else {}),
        }
        place = order.index(outcome.wrong) if outcome.wrong in order else -1
        text = json.dumps(line, ensure_ascii=False)
        lines.append((bool(outcome.denotation), place, text))
    return "".join(f"{text}\n" for *_, text in sorted(lines, key=lambda line: line[:2]))


@dataclass(frozen=True)
class Evaluation:
    """A parser, and what it is evaluated on.

    Attributes:
        config: what its config.json says, or will say as far as that is known before training.
        data: the test questions, with the name and the split to note.
        note: what is to know of the data; "" for nothing.
        readings: how many meanings execution-guided choice tries; 0 without it.
    """

    config: Mapping[str, Any]
    data: Dataset[Any]
    note: str = ""
    readings: int = 0


class Recorder(Protocol):
    """Keeps the metrics of tests."""

    def check(self, results: Path, evaluation: Evaluation) -> None:
        """Called before the work. `results`: the folder to keep them in. Raises DataError if its
        metrics could not be kept."""

    def add(
        self,
        results: Path,
        evaluation: Evaluation,
        parser: Any,
        scores: Scores,
        further: Mapping[str, float],
        command: str,
    ) -> Path:
        """Keep the metrics of a test; the file that has them. `further`: what plug-ins of
        ``partwise.metrics`` add to the scores; `command`: what the user typed, without places on
        this machine."""


RECORDERS: Registry[Recorder] = Registry("partwise.recorders", "recorder")

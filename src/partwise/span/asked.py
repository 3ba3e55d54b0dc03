"""Questions to answers in one step: parsed, run, and alternatives that mean something else."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from partwise.chart.tree import SpanTree
from partwise.errors import PartwiseError
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.span.differences import Difference, differences
from partwise.span.parse import Parse, parse_of

if TYPE_CHECKING:
    from partwise.span.parser import SpanParser

SPARE = 2
"""How many programs are asked for in place of one, as several may have the same answer."""


@dataclass(frozen=True)
class Asked:
    """A question with its answer.

    Attributes:
        parse: how it was read.
        answer: for a person, a line a thing; empty if there is none.
        value: what the executor gave.
        reason: why there is no answer, if so.
        alternatives: other readings with other answers, the most probable first.
        differences: where an alternative takes a phrase otherwise than the best reading.
    """

    parse: Parse
    answer: tuple[str, ...] = ()
    value: Any = None
    reason: str | None = None
    alternatives: tuple[Asked, ...] = ()
    differences: tuple[Difference, ...] = ()

    @property
    def question(self) -> str:
        """As it was asked."""
        return self.parse.question

    @property
    def program(self) -> Term | None:
        """What was run."""
        return self.parse.program

    @property
    def tree(self) -> SpanTree | None:
        """Which words gave which part of the program."""
        return self.parse.tree

    @property
    def probability(self) -> float:
        """Of the program."""
        return self.parse.probability

    def __str__(self) -> str:
        """The answer, or why there is none."""
        return "; ".join(self.answer) if self.reason is None else f"no answer: {self.reason}"


def ask(
    parser: SpanParser,
    questions: Sequence[str],
    k: int = 1,
    at_least: float = 0.0,
    context: Any = None,
    run: bool = True,
) -> list[Asked]:
    """Answers of questions.

    Args:
        k: how many readings, the best one and ``k - 1`` alternatives whose answers are others, or
            if none is run, whose programs are.
        at_least: the probability that a program must have to be taken.
        context: what the questions are about, for a domain that takes one.
        run: whether programs are run.
    """
    some = SPARE * k if run and k > 1 else k
    parses = list(map(parse_of, parser.parse(list(questions), some, at_least)))
    if not run:
        return [read(parse, parser.domain, k) for parse in parses]
    return [answered(parse, parser.domain, k, context) for parse in parses]


def read(parse: Parse, domain: Domain, k: int = 1) -> Asked:
    """A parse that is not run, with up to ``k - 1`` of its alternatives."""
    others = tuple(
        Asked(other, reason=other.reason, differences=tuple(differences(parse, other, domain)))
        for other in parse.alternatives[: k - 1]
    )
    return Asked(replace(parse, alternatives=()), reason=parse.reason, alternatives=others)


def answered(parse: Parse, domain: Domain, k: int = 1, context: Any = None) -> Asked:
    """A parse with its answer, and with those of up to ``k - 1`` of its alternatives.

    What fails to run gives a reason, not an error. An alternative with the answer of one before
    it is left out, and so is one that does not run.
    """
    first = answered_alone(replace(parse, alternatives=()), domain, context)
    seen = {_denotation(first, domain)}
    others: list[Asked] = []
    for other in parse.alternatives:
        if len(others) >= k - 1:
            break
        found = answered_alone(other, domain, context)
        denotation = _denotation(found, domain)
        if found.reason is None and denotation not in seen:
            seen.add(denotation)
            others.append(replace(found, differences=tuple(differences(parse, other, domain))))
    return replace(first, alternatives=tuple(others))


def answered_alone(parse: Parse, domain: Domain, context: Any = None) -> Asked:
    """A parse with its answer, without alternatives."""
    if parse.program is None:
        return Asked(parse, reason=parse.reason)
    try:
        value = domain.run(parse.program, context)
        return Asked(parse, tuple(domain.show(value)), value)
    except PartwiseError as error:
        return Asked(parse, reason=f"the program does not run: {error}")


def _denotation(one: Asked, domain: Domain) -> Hashable:
    """What an answer is compared by; a reason stands for itself."""
    return ("", one.reason) if one.reason is not None else domain.denotation(one.value)

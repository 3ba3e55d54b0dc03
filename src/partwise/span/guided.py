"""Execution-guided choice among readings: the first whose program runs and says something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from partwise.errors import PartwiseError
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.span.parse import Parse


class Listing(Protocol):
    """A parser that gives more than one reading of each question."""

    def parse(self, question: list[str], k: int = 1) -> list[Parse]:
        """The best reading of each question, with `k` - 1 alternatives."""
        ...


def guided(
    parser: Listing,
    domain: Domain,
    questions: Sequence[str],
    k: int,
    contexts: Sequence[Any] | None = None,
) -> list[Term | None]:
    """For each question the best of `k` programs whose answer is not empty.

    If none has one the best program stands, as the answer may well be nothing. None for no parse.

    Args:
        contexts: what each question is about, for a domain that takes contexts.

    Raises:
        ValueError: for `k` below 1, or another number of contexts than of questions.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    given = [None] * len(questions) if contexts is None else contexts
    parses = parser.parse(list(questions), k=k)
    return [_choose(parse, domain, about) for parse, about in zip(parses, given, strict=True)]


def _choose(parse: Parse, domain: Domain, about: Any) -> Term | None:
    for reading in (parse, *parse.alternatives):
        if reading.program is not None and _answers(reading.program, domain, about):
            return reading.program
    return parse.program


def _answers(program: Term, domain: Domain, about: Any) -> bool:
    try:
        return not domain.is_empty(domain.run(program, about))
    except PartwiseError:
        return False

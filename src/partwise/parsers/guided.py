"""Execution-guided choice among readings: the first whose program runs and says something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from partwise.domain import Domain
from partwise.errors import PartwiseError
from partwise.parsers.base import Parse
from partwise.program import Term


class Listing(Protocol):
    """A parser that gives more than one reading of each question."""

    def parse(self, question: list[str], k: int = 1) -> list[Parse]:
        """The best reading of each question, with `k` - 1 alternatives."""
        ...


def guided(parser: Listing, domain: Domain, questions: Sequence[str], k: int) -> list[Term | None]:
    """For each question the best of `k` programs whose answer is not empty.

    If none has one the best program stands, as the answer may well be nothing. None for no parse.

    Raises:
        ValueError: for `k` below 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return [_choose(parse, domain) for parse in parser.parse(list(questions), k=k)]


def _choose(parse: Parse, domain: Domain) -> Term | None:
    for reading in (parse, *parse.alternatives):
        if reading.program is not None and _answers(reading.program, domain):
            return reading.program
    return parse.program


def _answers(program: Term, domain: Domain) -> bool:
    try:
        return not domain.is_empty(domain.execute(program))
    except PartwiseError:
        return False

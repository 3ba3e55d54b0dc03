"""What pairs of a user teach the parser for databases: which readings are right, and how far its
probabilities can be trusted on this database."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from partwise.database.reading.learning import Readings, judged
from partwise.database.reading.trust import figures_of, log_odds
from partwise.errors import PartwiseError
from partwise.execution.relational.canonical import canonical
from partwise.execution.relational.program import Program
from partwise.interface.data import Example

if TYPE_CHECKING:
    from partwise.database.parser import DatabaseParser

SPREAD = 0.7
"""How far databases lie apart in how likely an answer is to be right, as a standard deviation of
log odds. Of 0.3 to 2, this gave the best probabilities on databases held out of training."""
FAR = 5.0


class JudgedBest(NamedTuple):
    """The best reading of a question: its log odds of being right, and whether it is."""

    odds: float
    right: bool


def learned_from(
    parser: DatabaseParser, example: Example[Program]
) -> tuple[Readings, JudgedBest | None]:
    """The readings of a question, judged, and the best one of them; None if there is none."""
    domain, names = parser.domain, parser.names
    found = parser.search(example.question)
    schema = domain.layer.schema  # type: ignore[attr-defined]
    gold, rows = canonical(example.meaning, schema), _rows(domain, example.meaning)

    def right(program: Program) -> bool:
        same = canonical(program, schema) == gold
        return same or (rows is not None and _rows(domain, program) == rows)

    some = [
        judged(one, found.words, right(one.program))
        for one in found.readings[: parser.config.listed]
    ]
    made = Readings(
        *(example.question, names.labeller.names.texts, found.vectors, names.vectors),
        *(names.things, found.context, some),
    )
    if not found.readings:
        return made, None
    read = parser.compared(example.question, found, domain.layer)  # type: ignore[attr-defined]
    figures = figures_of(read.readings, read.scores, read.words, parser.temperature, read.odds)
    odds = log_odds(parser.trust, figures) if parser.trust else 0.0
    return made, JudgedBest(odds, right(read.readings[0].program))


def _rows(domain: Any, program: Program) -> Any:
    try:
        return domain.denotation(domain.run(program))
    except PartwiseError:
        return None


def level_of(cases: Sequence[JudgedBest]) -> float:
    """What is added to log odds for them to fit what was right, by the most likely value where a
    normal distribution of `SPREAD` around 0 is expected."""

    def slope(level: float) -> float:
        missing = sum(one.right - 1 / (1 + math.exp(-(one.odds + level))) for one in cases)
        return missing - level / SPREAD**2

    low, high = -FAR, FAR
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low

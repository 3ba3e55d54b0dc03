"""What pairs of a user teach the parser for databases: which readings are right, and how far its
probabilities can be trusted on this database."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from partwise.database.reading.learning import Readings, judged
from partwise.database.reading.trust import figures_of, log_odds
from partwise.errors import PartwiseError
from partwise.evaluation.confidence import Judgement, log_loss, minimum
from partwise.execution.relational.canonical import canonical
from partwise.execution.relational.program import Program
from partwise.interface.data import Example

if TYPE_CHECKING:
    from partwise.database.parser import DatabaseParser
    from partwise.database.reading.read import Read

SPREAD = 0.7
"""How far databases lie apart in how likely an answer is to be right, as a standard deviation of
log odds. Of 0.3 to 2, this gave the best probabilities on databases held out of training."""
FAR, STEPS = 5.0, 50


class JudgedBest(NamedTuple):
    """The best reading of a question: its log odds of being right, and whether it is."""

    odds: float
    right: bool


def right_of(domain: Any, example: Example[Program]) -> Callable[[Program], bool]:
    """Whether a program says what an example means, or gives the same rows; each is run once."""
    schema = domain.layer.schema
    gold, rows = canonical(example.meaning, schema), _rows(domain, example.meaning)

    @cache
    def right(program: Program) -> bool:
        same = canonical(program, schema) == gold
        return same or (rows is not None and _rows(domain, program) == rows)

    return right


def listed(
    parser: DatabaseParser, question: str, found: Read, right: Callable[[Program], bool]
) -> Readings:
    """The readings of a question, judged."""
    names = parser.names
    some = [
        judged(one, found.words, right(one.program))
        for one in found.readings[: parser.config.listed]
    ]
    return Readings(
        *(question, names.labeller.names.texts, found.vectors, names.vectors),
        *(names.things, found.context, some),
    )


def best_of(
    parser: DatabaseParser, question: str, found: Read, right: Callable[[Program], bool]
) -> JudgedBest | None:
    """The best reading of a question, judged; None if there is none."""
    if not found.readings:
        return None
    layer = parser.domain.layer  # type: ignore[attr-defined]
    read = parser.compared(question, found, layer)
    figures = figures_of(
        *(read.readings, read.scores, read.words, parser.temperature, layer.schema, read.odds)
    )
    odds = log_odds(parser.trust, figures) if parser.trust else 0.0
    return JudgedBest(odds, right(read.readings[0].program))


def _rows(domain: Any, program: Program) -> Any:
    try:
        return domain.denotation(domain.run(program))
    except PartwiseError:
        return None


def level_of(cases: Sequence[JudgedBest]) -> float:
    """What is added to log odds for them to fit what was right, by the most likely value where a
    normal distribution of `SPREAD` around 0 is expected."""

    def cost(level: float) -> float:
        at = [Judgement(1 / (1 + math.exp(-one.odds - level)), one.right) for one in cases]
        return (len(at) * log_loss(at) if at else 0.0) + (level / SPREAD) ** 2 / 2

    return minimum(cost, -FAR, FAR, STEPS)

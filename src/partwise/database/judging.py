"""Which programs say what an example means, and how probable its parser's best is on a database."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from partwise.errors import PartwiseError
from partwise.evaluation.confidence import Judgement, log_loss, minimum
from partwise.execution.relational.program import Program
from partwise.execution.relational.writing import canonical
from partwise.interface.data import Example

SPREAD = 0.7
"""How far databases lie apart in how likely an answer is to be right, as a standard deviation of
log odds. Of 0.3 to 2, this gave the best probabilities on databases held out of training."""
FAR, STEPS = 5.0, 50


class JudgedBest(NamedTuple):
    """The best interpretation of a question: its log odds of being right, and whether it is."""

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


def _rows(domain: Any, program: Program) -> Any:
    try:
        return domain.denotation(domain.run(program))
    except PartwiseError:
        return None


def level_of(cases: Sequence[JudgedBest]) -> float:
    """What is added to log odds for them to fit what was right, by the most likely value where a
    normal distribution of `SPREAD` around 0 is expected."""

    def cost(level: float) -> float:
        at = [Judgement(1 / (1 + math.exp(-case.odds - level)), case.right) for case in cases]
        return (len(at) * log_loss(at) if at else 0.0) + (level / SPREAD) ** 2 / 2

    return minimum(cost, -FAR, FAR, STEPS)

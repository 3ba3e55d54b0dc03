"""Questions with their programs over any database, as many as wanted."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from partwise.database.layer.model import SemanticLayer
from partwise.errors import DomainError
from partwise.execution.relational.program import Program
from partwise.execution.relational.writing import write
from partwise_papers.spider.generating.grouped import GroupQuestions
from partwise_papers.spider.generating.maker import NothingToSayError, SaidProgram, Tools
from partwise_papers.spider.generating.noise import typed
from partwise_papers.spider.generating.phrases import PartWords, spoken
from partwise_papers.spider.generating.questions import RowQuestions
from partwise_papers.spider.generating.rows import RowMaker
from partwise_papers.spider.generating.samples import TableRows
from partwise_papers.spider.generating.unanswerable import MissingThings

_TRIES = 40
"""Draws for each question that is wanted, of which some find nothing to say."""
_SAME_KIND = 6
"""Draws of one kind before another one is taken, so that no kind is rare for being difficult."""


@dataclass(frozen=True)
class GeneratedQuestion:
    """A question with its meaning.

    Attributes:
        program: None if the database cannot tell.
        words: which characters of the question give which part of the program.
        kind: what was asked for, as ``count`` or ``lookup``.
    """

    question: str
    program: Program | None
    words: tuple[PartWords, ...]
    kind: str

    def to_json(self) -> dict[str, Any]:
        """Plain values; the program as its text."""
        program = None if self.program is None else write(self.program)
        words = [list(one) for one in self.words]
        return {"question": self.question, "program": program, "words": words, "kind": self.kind}


def generate(layer: SemanticLayer, rows: TableRows, n: int, seed: int) -> list[GeneratedQuestion]:
    """Questions about a database, none twice.

    Args:
        rows: of its tables, for values.
        n: how many; fewer where the database has less to say.
        seed: the same one gives the same questions.

    Raises:
        NothingToSayError: if no table has rows and a name.
    """
    rng = random.Random(f"{layer.name} {seed}")
    kinds = _kinds(Tools(layer, rows, rng))
    weights = [weight for _, weight in kinds.values()]
    made: dict[str, GeneratedQuestion] = {}
    for _ in range(n * _TRIES):
        if len(made) == n:
            break
        kind = rng.choices(tuple(kinds), weights)[0]
        said = _drawn(kinds[kind][0])
        if said is None:
            continue
        question, words = spoken(typed(said.phrase, rng))
        made.setdefault(question, GeneratedQuestion(question, said.program, words, kind))
    return list(made.values())


def _drawn(draw: Callable[[], SaidProgram]) -> SaidProgram | None:
    """A question of one kind, after a few draws that find nothing to say; None after them."""
    for _ in range(_SAME_KIND):
        try:
            return draw()
        except (NothingToSayError, DomainError):
            continue
    return None


Kinds = dict[str, tuple[Callable[[], SaidProgram], float]]
"""Name -> what draws such a question, and how often."""


def _kinds(tools: Tools) -> Kinds:
    maker = RowMaker(tools)
    rows = RowQuestions(tools, maker)
    groups = GroupQuestions(tools, maker, rows)
    missing = MissingThings(tools, maker)
    return {
        **{"list": (rows.listed, 14), "show": (rows.shown, 11), "lookup": (rows.lookup, 10)},
        **{"count": (rows.count, 12), "unique": (rows.unique, 4), "figure": (rows.figure, 8)},
        **{"best": (rows.best, 9), "most": (rows.most_linked, 5), "sorted": (rows.sorted, 3)},
        **{"exists": (rows.exists, 3), "compare": (rows.compared, 1), "share": (rows.share, 1)},
        **{"measured": (rows.most_measured, 4)},
        **{"average_count": (rows.average_count, 0.7), "everything": (rows.everything, 1)},
        **{"per_count": (groups.counts, 7), "per_figure": (groups.figures, 5)},
        **{"best_group": (groups.most, 4), "having": (groups.having, 3)},
        **{"having_figure": (groups.having_figure, 1), "each_best": (groups.each_best, 1)},
        **{"by_time": (groups.by_time, 2), "shares": (groups.shares, 0.7)},
        **{"no_column": (missing.column, 4), "no_table": (missing.table, 2)},
    }

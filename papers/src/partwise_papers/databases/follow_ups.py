"""Made-up follow-ups: short questions that go on from a program, and the programs that they mean.

The wordings are rows of follow_ups.tsv. They make a few edits of each kind that people write more
often than the crowd workers of CoSQL do.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from partwise.database.conditions import conjunction
from partwise.database.edits import COUNT, Counted, Edits, parts
from partwise.database.inflection import plural
from partwise.database.layer.model import SemanticLayer
from partwise.errors import DomainError
from partwise.execution.relational import program as P
from partwise_papers.spider.checking import SqliteRows

FIGURES: Mapping[str, P.Function] = {
    **{"average": "average", "total": "sum", "highest": "maximum", "lowest": "minimum"}
}

PLACES: Mapping[int, str] = {2: "second", 3: "third", 4: "fourth"}


class MadeFollowUp(NamedTuple):
    """A question that goes on from a program, and what it means."""

    kind: str
    text: str
    program: P.Program


class _Column(NamedTuple):
    of: P.Field
    label: str
    kind: str
    values: Sequence[str]


@cache
def wordings() -> Mapping[str, Sequence[str]]:
    """Kinds of follow-ups with what people write."""
    made = defaultdict(list)
    text = files("partwise_papers.databases").joinpath("follow_ups.tsv").read_text("utf-8")
    for line in text.splitlines():
        kind, wording = line.split("\t")
        made[kind].append(wording)
    return made


def make_follow_ups(
    last: P.Program, layer: SemanticLayer, rows: SqliteRows, draw: random.Random
) -> Iterator[MadeFollowUp]:
    """One follow-up of each kind that fits a program."""
    if not isinstance(last, Counted):
        return
    maker = _Maker(last, layer, rows, draw)
    for kind, some in wordings().items():
        try:
            made = maker.make(kind)
        except DomainError:
            continue
        if made is not None:
            program, words = made
            yield MadeFollowUp(kind, draw.choice(some).format(**words), program)


class _Maker:
    def __init__(
        self, last: Counted, layer: SemanticLayer, rows: SqliteRows, draw: random.Random
    ) -> None:
        self.last, self.layer, self.rows, self.draw = last, layer, rows, draw
        self.edits = Edits(layer)
        columns = [*self._columns()]
        self.texts = [one for one in columns if one.kind == "text" and one.values]
        own = [one for one in columns if not one.of.path]
        self.numbers = [one for one in own if one.kind == "number"]
        self.dates = [one for one in own if one.kind == "date"]
        self.own = [one for one in own if one.kind != "id"]

    def _columns(self) -> Iterator[_Column]:
        for table, path in self.layer.schema.paths(self.last.rows.table).items():
            for column in self.layer.table(table).columns if len(path) < 2 else ():
                values = column.values if column.enumeration else ()
                yield _Column(P.Field(path, column.name), column.label, column.kind, values)

    def make(self, kind: str) -> tuple[P.Program, dict[str, Any]] | None:
        """A program of a kind, and the words of it; None if it does not fit."""
        if kind == "same":
            return self.last, {}
        makers = (self._rows, self._groups, self._order, self._shown, self._figure)
        return next((made for make in makers if (made := make(kind)) is not None), None)

    def _rows(self, kind: str) -> tuple[P.Program, dict[str, Any]] | None:
        pick = {"more": self.numbers, "less": self.numbers, "year": self.dates}.get(kind)
        pick = self.texts if kind in ("value", "not value") else pick
        if not pick:
            return None
        column = self.draw.choice(pick)
        words: dict[str, Any] = {"column": column.label}
        condition: P.Condition
        if kind in ("value", "not value"):
            words["value"] = self.draw.choice(column.values)
            condition = P.Compare(column.of, "=", P.Value(words["value"]))
            condition = P.Not(condition) if kind == "not value" else condition
        else:
            known = self._some_value(column.of, "average" if kind != "year" else "maximum")
            if known is None:
                return None
            if kind == "year":
                words["year"] = year = int(str(known)[:4]) - self.draw.randint(0, 1)
                ends = (P.Value(date(year, 1, 1)), P.Value(date(year + 1, 1, 1)))
                condition = P.Between(column.of, *ends, open_=True)
            else:
                words["number"] = int(known)
                sign: P.Sign = ">" if kind == "more" else "<"
                condition = P.Compare(column.of, sign, P.Value(int(known)))
        left = self.edits.without(parts(self.last.rows), (condition,), self.last.rows.table)
        where = conjunction((*left, condition))
        return replace(self.last, rows=P.Rows(self.last.rows.table, where)), words

    def _some_value(self, of: P.Field, function: P.Function) -> Any:
        figure = P.Figure(P.Rows(self.last.rows.table), P.Aggregate(function, of))
        found = self.rows.of_program(figure)
        value = found[0][0][0] if found else None
        return value if function == "average" or str(value)[:4].isdigit() else None

    def _groups(self, kind: str) -> tuple[P.Program, dict[str, Any]] | None:
        last = self.last
        figures: tuple[Any, ...] = (COUNT,)
        if isinstance(last, P.Figure):
            figures = (last.aggregate,)
        if isinstance(last, P.Grouping) and last.figures:
            figures = last.figures
        key: P.Attribute | None = None
        words = {}
        if kind == "by" and self.texts:
            column = self.draw.choice(self.texts)
            key, words = column.of, {"column": column.label}
        if kind in ("month", "each year") and self.dates:
            part: P.Part = "month" if kind == "month" else "year"
            key = P.DatePart(part, self.draw.choice(self.dates).of)
        if key is not None and not getattr(last, "limit", None):
            return P.Grouping(last.rows, (key,), figures, shown=(key,)), words
        if not isinstance(last, P.Grouping) or not last.by or not last.figures or last.order:
            return None
        if kind in ("first group", "last group"):
            order = (P.Order(last.figures[0], kind == "first group"),)
            return replace(last, order=order, limit=1, figures=()), {}
        if kind == "order figure":
            return replace(last, order=(P.Order(last.figures[0], True),)), {}
        return None

    def _order(self, kind: str) -> tuple[P.Program, dict[str, Any]] | None:
        last = self.last
        if not isinstance(last, P.Listing):
            return None
        if last.limit is not None:
            if kind == "number" and last.order:
                small = self.draw.randint(2, 8)
                return replace(last, limit=small), {"small": small}
            if kind == "place" and last.order and last.limit == 1:
                place = self.draw.choice([*PLACES])
                return replace(last, limit=place, only=True), {"place": PLACES[place]}
            if kind == "turned" and last.order:
                turned = tuple(replace(x, descending=not x.descending) for x in last.order)
                return replace(last, order=turned), {}
            return None
        if not self.numbers or kind not in ("order", "order down", "top", "bottom"):
            return None
        column = self.draw.choice(self.numbers)
        order = (P.Order(column.of, kind in ("order down", "top")),)
        limit = 1 if kind in ("top", "bottom") else None
        program = replace(last, order=order, limit=limit, distinct=False)
        return program, {"column": column.label}

    def _shown(self, kind: str) -> tuple[P.Program, dict[str, Any]] | None:
        last = self.last
        if kind == "list" and isinstance(last, P.Figure) and last.aggregate == COUNT:
            return P.Listing(last.rows, self.edits.display(last.rows.table)), {}
        if not isinstance(last, P.Listing):
            return None
        if kind == "count" and last.limit is None and not last.distinct:
            return P.Figure(last.rows, COUNT), {}
        fresh = [one for one in self.own if one.of not in last.shown]
        if kind not in ("show", "show too") or not fresh or last.distinct:
            return None
        column = self.draw.choice(fresh)
        shown = (column.of,) if kind == "show" else (*last.shown, column.of)
        return replace(last, shown=shown), {"column": column.label}

    def _figure(self, kind: str) -> tuple[P.Program, dict[str, Any]] | None:
        last = self.last
        whole = isinstance(last, P.Figure) and last.aggregate == COUNT and not parts(last.rows)
        others = [x for x in self.layer.tables if x.name != last.rows.table and not x.bridge]
        if others and (kind in ("all", "every") or (kind == "table" and whole)):
            other = self.draw.choice(others)
            rows, words = P.Rows(other.name), {"table": plural(other.label)}
            listing = P.Listing(rows, self.edits.display(other.name))
            return listing if kind == "every" else P.Figure(rows, COUNT), words
        if kind != "figure" or not self.numbers or getattr(last, "limit", None):
            return None
        column, figure = self.draw.choice(self.numbers), self.draw.choice([*FIGURES])
        words = {"column": column.label, "figure": figure}
        aggregate = P.Aggregate(FIGURES[figure], column.of)
        if isinstance(last, P.Grouping):
            return replace(last, figures=(aggregate,), order=(), having=()), words
        return P.Figure(last.rows, aggregate), words

"""What the columns of an answer hold, so that they can be shown: months, money, keys."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from partwise.database.layer.model import SemanticLayer
from partwise.database.restating import headings
from partwise.database.units import MONEY, UNITS
from partwise.execution.relational import program as P
from partwise.interface.prediction import ColumnKind, ColumnRole, ResultColumn

_PARTS: dict[str, ColumnKind] = {"year_month": "month", "year_quarter": "quarter", "day": "integer"}
_SPANS = {"second": "s", "minute": "min", "hour": "h"}
_KINDS: dict[str, ColumnKind] = {"id": "key", "number": "number", "text": "text", "date": "date"}


@dataclass(frozen=True)
class _Held:
    """What a value is: its kind, the code of its unit, and whether it is a count or a sum."""

    kind: ColumnKind
    unit: str | None = None
    adds: bool = False


def result_columns(program: P.Program, layer: SemanticLayer) -> tuple[ResultColumn, ...]:
    """What each column of a program's answer holds."""
    return tuple(
        ResultColumn(name, held.kind, *_shown(held.unit), role, held.adds)
        for name, (held, role) in zip(
            headings(program, layer), _columns(program, layer), strict=True
        )
    )


def _shown(unit: str | None) -> tuple[str | None, str]:
    """The code of a unit as programs know it, which is that of ISO 4217 for money, and its sign."""
    known = UNITS.get(unit or "")
    if known is None or known.quantity != MONEY:
        return unit, unit or ""
    signs = [word for word in known.words if unicodedata.category(word[0]) == "Sc"]
    currency = unit if len(unit or "") == 3 else None
    return currency.upper() if currency else None, signs[0] if signs and currency else ""


def _columns(program: P.Program, layer: SemanticLayer) -> Iterator[tuple[_Held, ColumnRole]]:
    held = _Holding(layer)
    match program:
        case P.Listing(P.Rows(table), shown):
            names = layer.table(table).display
            for value in shown:
                named = isinstance(value, P.Field) and not value.path and value.column in names
                yield held.of(value, table), "name" if named else "value"
        case P.Grouping(P.Rows(table), by, figures):
            keys = any(held.of(value, table).kind == "key" for value in by)
            for value in program.showing:
                # What is shown of a key names it; what else is shown makes groups, too.
                named = keys and value not in by and isinstance(value, P.Field)
                yield held.of(value, table), "name" if named else "group"
            for figure in figures:
                yield held.of(figure, table), "figure"
        case P.Union(parts):
            yield from _columns(parts[0], layer)
        case P.Exists() | P.Holds():
            yield _Held("boolean"), "figure"
        case P.Figure() | P.Arithmetic():
            yield held.of(program, ""), "figure"


class _Holding:
    def __init__(self, layer: SemanticLayer) -> None:
        self.layer = layer

    def of(self, value: P.Attribute | P.Aggregate, table: str) -> _Held:
        """What a value of each row of a table is, or a figure over such rows."""
        match value:
            case P.Field(path, name):
                return self._column(self.layer.schema.end(table, path), name)
            case P.DatePart(part):
                return _Held(_PARTS.get(part, part))  # type: ignore[arg-type]
            case P.Elapsed(unit):
                return _Held("number", _SPANS.get(unit, unit))
            case P.Belonging(_, figure) | (P.Figure() as figure):
                return self.of(figure.aggregate, figure.rows.table)
            case P.Aggregate():
                return self._aggregate(value, table)
            case P.Arithmetic():
                return self._arithmetic(value, table)
        return _Held("number")

    def _column(self, table: str, name: str) -> _Held:
        column = self.layer.column(table, name)
        kind = _KINDS.get(column.kind, "boolean")
        unit = UNITS.get(column.unit or "")
        if kind == "number" and unit is not None and unit.quantity in ("percent", MONEY):
            kind = "percent" if unit.quantity == "percent" else "money"
        if kind == "number" and column.label.split()[-1] == "year":
            kind = "year"
        return _Held(kind, column.unit)

    def _aggregate(self, of: P.Aggregate, table: str) -> _Held:
        if of.function == "count" or of.of is None:
            return _Held("integer", None, True)
        same = (table, of.function, of.of)
        units = [m.unit for m in self.layer.measures if (m.table, m.function, m.of) == same]
        inner = self.of(of.of, table)
        unit = next(filter(None, units), inner.unit)
        known = UNITS.get(unit or "")
        kind = "money" if known is not None and known.quantity == MONEY else inner.kind
        if kind == "year" and of.function not in ("minimum", "maximum"):
            kind = "number"
        return _Held(kind, unit, of.function == "sum")

    def _arithmetic(self, value: P.Arithmetic, table: str) -> _Held:
        left, right = self.of(value.left, table), self.of(value.right, table)
        if value.sign == "*":
            if P.Value(100) in (value.left, value.right):
                return _Held("percent", "%")
            money = left if left.kind == "money" else right
            return money if money.kind == "money" else _Held("number")
        if value.sign == "/":
            plain = right.unit is None and left.unit is not None
            return _Held(left.kind if plain else "number", left.unit if plain else None)
        return _Held(left.kind, left.unit, left.adds and right.adds)

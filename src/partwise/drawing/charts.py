"""How an answer is seen: as a number, a table, or a chart, by what its columns hold.

A chart is a specification for Vega-Lite. Its data have the fields ``x`` (what a bar or a point is
of, as people write it), ``y`` (a figure) and ``series``, whatever the columns are called.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import prod
from typing import Any, Literal, NamedTuple

from partwise.drawing.values import FIGURES, show_value, typed_columns
from partwise.interface.prediction import Cell, ColumnKind, ResultColumn, ResultTable, readable_json

DisplayKind = Literal["number", "table", "bar", "grouped", "stacked", "line", "pie", "scatter"]
TABLE, ANY = "table", "chart"
"""What may be asked for that is no chart, and any chart."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
CARD = 3
"""Columns of the one row that is shown as numbers and not as a table."""
LISTED = 30
"""Rows of a list that are drawn though nobody asked for a chart."""
BARS, SERIES, SLICES, POINTS = 20, 8, 8, 500
"""The most series, slices of a pie, and points of a chart, and the bars of names that are drawn
where there are more than `LISTED`."""
GROUPED = 24
"""Bars that stand beside one another; more are stacked, if they can be added up."""
DOTTED = 40
"""Points of a line that are seen as such."""
WIDTH = 75
"""Characters that fit below a chart."""
PERIODS: tuple[ColumnKind, ...] = ("date", "datetime", "month", "quarter", "year", "weekday")
TIMES: tuple[ColumnKind, ...] = ("date", "datetime")


@dataclass(frozen=True)
class Display:
    """How an answer is seen.

    Attributes:
        kind: ``number`` for one row of a few values; a scatter plot only where it is asked for.
        columns: what the columns hold.
        chart: a Vega-Lite specification with its data; None for numbers and tables.
        note: what is left out of the chart, which says so, too; "" for nothing.
        axes: what its data hold: what a bar or point is of, the series if any, and the figure.
    """

    kind: DisplayKind
    columns: tuple[ResultColumn, ...]
    chart: dict[str, Any] | None = None
    note: str = ""
    axes: tuple[ResultColumn, ...] = ()

    def bars(self) -> tuple[tuple[ResultColumn, ...], list[tuple[Any, ...]]] | None:
        """The chart as the columns and rows of a table, the figure last; None without a chart."""
        if self.chart is None:
            return None
        names = ("x", "series", "y") if len(self.axes) > 2 else ("x", "y")
        rows = [tuple(value[name] for name in names) for value in self.chart["data"]["values"]]
        return self.axes, rows

    def to_json(self) -> dict[str, Any]:
        """As JSON values; docs/reference/json.md describes them."""
        columns = [{"name": c.name, "type": c.kind, "unit": c.unit} for c in self.columns]
        chart = readable_json(self.chart)
        return {"kind": self.kind, "columns": columns, "chart": chart, "note": self.note or None}


class _Axis(NamedTuple):
    """Columns that together name a bar, a point or a series."""

    columns: tuple[int, ...]
    title: str
    kind: ColumnKind

    @property
    def is_period(self) -> bool:
        return self.kind in PERIODS

    @property
    def is_ordered(self) -> bool:
        return self.is_period or self.kind in FIGURES


class _Point(NamedTuple):
    """A bar, a point or a slice. `key` is what it is ordered by."""

    key: Any
    label: str
    series: str
    value: float | int | None


class _Drawn(NamedTuple):
    """What is drawn, with the titles of the axes."""

    points: list[_Point]
    x: _Axis
    y: ResultColumn
    series: str = ""
    note: str = ""


def display(table: ResultTable, wish: str = "") -> Display:
    """How an answer is best seen: bars for names and a figure, a line over time, grouped or stacked
    bars for two kinds of groups, a number for one row, and a table for all else.

    Args:
        wish: what the question asked for, as `language.wishes` has it.
    """
    columns = typed_columns(table)
    if len(table.rows) < 2 or wish == TABLE:
        single = len(table.rows) == 1 and len(columns) <= CARD and wish != TABLE
        return Display("number" if single else "table", columns)
    drawn = _drawn(table, columns, wish)
    if drawn is None:
        return Display("table", columns)
    kind = _kind(drawn, table.complete, wish)
    drawn = _limited(_ordered(drawn, kind, table), kind, table)
    series = (ResultColumn(drawn.series.strip(), "text"),) if drawn.series else ()
    shown: ColumnKind = "date" if drawn.x.kind == "date" else "text"
    axes = (ResultColumn(drawn.x.title, shown), *series, drawn.y)
    return Display(kind, columns, readable_json(_spec(kind, drawn)), drawn.note, axes)


def _drawn(table: ResultTable, columns: Sequence[ResultColumn], wish: str) -> _Drawn | None:
    """What of a table can be drawn; None if it is better seen as a table."""
    axes, figures = _axes(columns), _figures(columns)
    if wish == "scatter" and len(figures) > 1:
        axes, figures = [_Axis((figures[0],), columns[figures[0]].name, "number")], figures[1:2]
    if not axes and len(figures) > 1 and _tells_apart(table, figures[0], columns):
        first = columns[figures.pop(0)]
        axes = [_Axis((columns.index(first),), first.name, first.kind)]
    if not figures or not axes:
        return None
    grouped = any(column.role in ("group", "figure") for column in columns)
    alone = len(axes) == 1 and not axes[0].is_period
    listed = not grouped and alone and len(table.rows) > LISTED
    if not wish and (listed or not (grouped or _is_dense(table, axes))):
        return None
    alike = len({(columns[n].kind, columns[n].unit) for n in figures}) == 1
    if wish:
        axes, figures = axes[:2], figures if alike and len(axes) == 1 else figures[:1]
    if len(axes) + len(figures) > 3 and (len(axes) > 1 or len(figures) > CARD):
        return None
    if len(figures) > 1 and (len(axes) > 1 or not alike):
        return None
    return _with_points(table, columns, axes, figures, bool(wish))


def _tells_apart(table: ResultTable, number: int, columns: Sequence[ResultColumn]) -> bool:
    """Whether whole numbers in a column of an unknown role tell the rows apart, as ratings do."""
    values = {row[number] for row in table.rows}
    column = columns[number]
    few = len(values) == len(table.rows) <= LISTED
    return few and column.role is None and column.kind == "integer"


def _is_dense(table: ResultTable, axes: Sequence[_Axis]) -> bool:
    """Whether rows look like groups: there is one for most pairs of the values of the axes."""
    cells = prod(len({_key(row, axis) for row in table.rows}) for axis in axes)
    return len(axes) < 2 or 2 * len(table.rows) >= cells


def _with_points(
    table: ResultTable,
    columns: Sequence[ResultColumn],
    axes: list[_Axis],
    figures: list[int],
    wished: bool,
) -> _Drawn | None:
    """The points of one or two axes; None if several are of the same."""
    if len(axes) == 2:
        # Time goes to the right, and else what has more groups.
        sizes = [len({_key(row, axis) for row in table.rows}) for axis in axes]
        if (axes[1].is_period, sizes[1]) > (axes[0].is_period, sizes[0]):
            axes.reverse()
    x, second = axes[0], axes[1] if len(axes) > 1 else None
    made: dict[tuple[Any, str], _Point] = {}
    for row in table.rows:
        label = _label(row, x, columns)
        for number in figures:
            value = row[number]
            series = columns[number].name if len(figures) > 1 else ""
            series = _label(row, second, columns) if second is not None else series
            name, times = label, 1
            while (name, series) in made:
                if not wished:
                    return None
                times += 1
                name = f"{label} ({times})"
            measured = value if isinstance(value, int | float) else None
            made[name, series] = _Point(_key(row, x), name, series, measured)
    title = second.title if second is not None else " " if len(figures) > 1 else ""
    y = columns[figures[0]]
    return _Drawn(list(made.values()), x, y, title)


def _axes(columns: Sequence[ResultColumn]) -> list[_Axis]:
    """What a row is of: what names it together, and each group."""
    named = tuple(n for n, column in enumerate(columns) if column.role == "name")
    made = []
    if named:
        kind = columns[named[0]].kind if len(named) == 1 else "text"
        made.append(_Axis(named, " ".join(columns[n].name for n in named), kind))
    for number, column in enumerate(columns):
        is_key = column.kind == "key" and bool(named or column.role == "value")
        if number not in named and number not in _figures(columns) and not is_key:
            made.append(_Axis((number,), column.name, column.kind))
    return made


def _figures(columns: Sequence[ResultColumn]) -> list[int]:
    """The columns that can be measured."""
    return [
        number
        for number, column in enumerate(columns)
        if column.kind in FIGURES and column.role not in ("group", "name")
    ]


def _key(row: Sequence[Cell], axis: _Axis) -> Any:
    return tuple(row[number] for number in axis.columns)


def _label(row: Sequence[Cell], axis: _Axis, columns: Sequence[ResultColumn]) -> str:
    cells = ((row[number], columns[number]) for number in axis.columns)
    shown = " ".join(filter(None, (show_value(cell, column) for cell, column in cells)))
    return shown or "(none)"


def _kind(drawn: _Drawn, complete: bool, wish: str) -> DisplayKind:
    values = [point.value for point in drawn.points]
    groups = len({point.label for point in drawn.points})
    several = len({point.series for point in drawn.points}) > 1
    whole = drawn.y.adds or drawn.y.kind == "percent"
    match wish:
        case "line" | "scatter":
            return wish
        case "pie" if not several and all(value is not None and value >= 0 for value in values):
            return "pie"
        case "grouped" | "stacked" if several:
            return wish
        case "bar" if several:
            return "stacked" if whole else "grouped"
        case "bar":
            return "bar"
    if drawn.x.is_period and drawn.x.kind != "weekday" and complete and groups > 2:
        return "line"
    if not several:
        return "bar"
    stacked = drawn.y.kind == "percent" or (whole and len(values) > GROUPED)
    return "stacked" if stacked else "grouped"


def _ordered(drawn: _Drawn, kind: DisplayKind, table: ResultTable) -> _Drawn:
    """The points in the order in which they are drawn; a time without gaps."""
    points = drawn.points
    if drawn.x.is_ordered:
        known = [point for point in points if point.key != (None,)]
        known.sort(key=lambda point: _sortable(point.key[0]))
        if table.complete and drawn.x.is_period:
            known = list(_filled(known, drawn))
        points = known + [point for point in points if point.key == (None,) and kind != "line"]
    elif not table.ordered:
        totals: dict[str, float] = defaultdict(float)
        for point in points:
            totals[point.label] += point.value or 0
        points = sorted(points, key=lambda point: (-totals[point.label], point.series))
    return drawn._replace(points=points)


def _sortable(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _filled(points: list[_Point], drawn: _Drawn) -> Iterator[_Point]:
    """The points in order, and between them those of periods that have no rows: 0 for counts and
    sums, else nothing."""
    nothing = 0 if drawn.y.adds else None
    every: dict[str, dict[Any, _Point]] = defaultdict(dict)
    for point in points:
        every[point.series][point.key[0]] = point
    keys = list(dict.fromkeys(point.key[0] for point in points))
    steps = _between(keys, drawn.x.kind) if keys else []
    column = ResultColumn("", drawn.x.kind)
    for key in steps if len(steps) <= POINTS else keys:
        for series, known in every.items():
            label = show_value(key, column)
            yield known.get(key) or _Point((key,), label, series, nothing)


def _between(keys: list[Any], kind: ColumnKind) -> list[Any]:
    """All periods from the first to the last; the ones that there are, if they are no periods."""
    first, last = keys[0], keys[-1]
    try:
        if kind == "weekday":
            return list(range(7))
        if isinstance(first, int) and isinstance(last, int):
            return list(range(first, min(last, first + POINTS) + 1))
        if kind in ("month", "quarter"):
            size, sign = (12, "") if kind == "month" else (4, "Q")
            begin, end = (int(k[:4]) * size + int(k[5:].strip("Q")) - 1 for k in (first, last))
            months = range(begin, min(end, begin + POINTS) + 1)
            write = "{}-{:02}" if kind == "month" else "{}-Q{}"
            return [write.format(n // size, n % size + 1) for n in months] if sign or size else []
        if kind == "date" and all(len(key) == 10 for key in keys):
            begin_day, days = date.fromisoformat(first), date.fromisoformat(last)
            span = min((days - begin_day).days, POINTS)
            return [str(begin_day + timedelta(n)) for n in range(span + 1)]
    except (ValueError, TypeError):
        pass
    return keys


def _limited(drawn: _Drawn, kind: DisplayKind, table: ResultTable) -> _Drawn:
    """Not more groups and series than can be seen, and a note that says so."""
    notes = []
    first = "first" if table.ordered else "largest"
    points, series = drawn.points, _totals(drawn.points, lambda point: point.series)
    if len(series) > SERIES:
        kept = set(sorted(series, key=lambda name: -series[name])[:SERIES])
        points = [point for point in points if point.series in kept]
        notes.append(f"the {SERIES} largest of {len(series):,} {drawn.series}")
    labels = _totals(points, lambda point: point.label)
    most = SLICES if kind == "pie" else POINTS if drawn.x.is_ordered or kind == "scatter" else BARS
    if len(labels) <= LISTED and most == BARS:
        most = LISTED
    if len(labels) > most and kind == "pie":
        points = sorted(points, key=lambda point: -(point.value or 0))
        rest = points[most - 1 :]
        points = points[: most - 1]
        points.append(_Point(None, "others", "", sum(point.value or 0 for point in rest)))
        notes.append(f"{len(rest):,} smaller ones are together as others")
    elif len(labels) > most:
        kept = set([*labels][-most:] if drawn.x.is_ordered else [*labels][:most])
        points = [point for point in points if point.label in kept]
        which = "last" if drawn.x.is_ordered else first
        notes.append(f"the {which} {most:,} of {len(labels):,}")
    return drawn._replace(points=points, note="; ".join(notes))


def _totals(points: Sequence[_Point], of: Callable[[_Point], str]) -> dict[str, float]:
    made: dict[str, float] = {}
    for point in points:
        made[of(point)] = made.get(of(point), 0) + (point.value or 0)
    return made


def _spec(kind: DisplayKind, drawn: _Drawn) -> dict[str, Any]:
    """The specification of a chart."""
    what = f"{kind.capitalize()} chart: {drawn.y.name} by {drawn.x.title}"
    values: list[dict[str, Any]] = []
    for point in drawn.points[:POINTS]:
        values.append({"x": _place(point, drawn), "y": _short(point.value)})
        values[-1] |= {"series": point.series} if drawn.series else {}
    upright = kind in ("line", "scatter") or _is_upright(drawn)
    bars = len({point.label for point in drawn.points})
    if kind == "grouped":
        bars = max(bars, len(drawn.points) * 2 // 3)
    spec: dict[str, Any] = {
        "$schema": SCHEMA,
        "description": what,
        "width": "container",
        "height": 300 if upright or kind == "pie" else 22 * bars + 60,
        "data": {"values": values},
        "mark": _mark(kind, drawn),
        "encoding": _encoding(kind, drawn, upright),
    }
    if drawn.note:
        spec["title"] = {"text": "", "subtitle": drawn.note, "anchor": "start"}
    return spec


def _encoding(kind: DisplayKind, drawn: _Drawn, upright: bool) -> dict[str, Any]:
    y, time = drawn.y, drawn.x.kind in TIMES
    unit = "%" if y.kind == "percent" else y.sign or y.unit or ""
    title = f"{y.name} ({unit})" if unit else y.name
    measured = {"field": "y", "type": "quantitative", "title": title}
    form = {"integer": ",d", "money": ",.2f"}.get(y.kind, ",.2~f")
    named: dict[str, Any] = {"field": "x", "type": "nominal", "title": drawn.x.title}
    if time or kind == "scatter":
        named["type"] = "temporal" if time else "quantitative"
    series = {"field": "series", "type": "nominal", "title": drawn.series.strip() or None}
    tooltip: list[dict[str, Any]] = [named | ({"format": "%e %b %Y"} if time else {})]
    tooltip += [series] if drawn.series else []
    encoding: dict[str, Any] = {"tooltip": [*tooltip, measured | {"format": form}]}
    named |= {"scale": {"type": "utc"}} if time else {} if kind == "scatter" else {"sort": None}
    if kind == "pie":
        return encoding | {"theta": measured | {"stack": True}, "color": named}
    axis: dict[str, Any] = {"format": ",.2~f", "labelOverlap": True, "labelFlush": False}
    axis |= {"tickMinStep": 1} if y.kind == "integer" else {}
    axis |= {} if upright else {"tickCount": 6}
    lying = upright and named["type"] == "nominal" and _fits(drawn)
    named |= {"axis": {"labelAngle": 0}} if lying else {"axis": {"labelOverlap": True}}
    across, along = ("x", "y") if upright else ("y", "x")
    encoding |= {across: named, along: measured | {"axis": axis}}
    if drawn.series:
        encoding["color"] = series | {"sort": None}
    if kind == "grouped":
        encoding[f"{across}Offset"] = {"field": "series", "sort": None}
    return encoding


def _mark(kind: DisplayKind, drawn: _Drawn) -> dict[str, Any]:
    if kind == "line":
        return {"type": "line", "point": len(drawn.points) <= DOTTED}
    return {"type": {"pie": "arc", "scatter": "point"}.get(kind, "bar")}


def _is_upright(drawn: _Drawn) -> bool:
    """Whether bars stand: those of periods and of few short names."""
    return drawn.x.is_ordered or _fits(drawn)


def _fits(drawn: _Drawn) -> bool:
    """Whether the names fit below the bars."""
    labels = {point.label for point in drawn.points}
    return sum(map(len, labels)) + 2 * len(labels) <= WIDTH


def _short(value: float | int | None) -> float | int | None:
    """A number without the digits that come from adding up."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def _place(point: _Point, drawn: _Drawn) -> Any:
    if drawn.x.kind in TIMES and point.key is not None:
        # Without a zone a time would be that of whoever looks.
        written = str(point.key[0]).replace(" ", "T")
        return written if len(written) == 10 else f"{written}Z"
    return point.key[0] if drawn.x.kind == "number" and point.key else point.label

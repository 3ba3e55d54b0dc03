"""How an answer is seen: as a number, a table, or a chart, by what its columns hold.

A chart is a specification for Vega-Lite. Its data have the fields ``x`` (what a bar or a point is
of, as people write it), ``y`` (a figure) and ``series``, whatever the columns are called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import Any, Literal, NamedTuple

from partwise.drawing.values import FIGURES, ordinal, period, show_value, typed_columns
from partwise.interface.prediction import Cell, ColumnKind, ResultColumn, ResultTable, readable_json

DisplayKind = Literal["number", "table", "bar", "grouped", "stacked", "line", "pie", "scatter"]
TABLE, ANY, SCATTER = "table", "chart", "scatter"
"""What may be asked for: no chart, any chart, and points by two figures."""
MARKS = {"pie": "arc", "scatter": "point", "line": "line"}
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
    """A bar, a point or a slice. `key`: what it is ordered by, the number of a period; None where
    names have no order."""

    key: Any
    label: str
    series: str
    value: float | int | None


class _Drawn(NamedTuple):
    """What is drawn, with the titles of the axes. `series`: " " for series that are figures."""

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
    drawn = _limited(_ordered(drawn, kind, table), kind, table.ordered)
    series = (ResultColumn(drawn.series.strip(), "text"),) if drawn.series else ()
    axes = (ResultColumn(drawn.x.title, "text"), *series, drawn.y)
    return Display(kind, columns, readable_json(_spec(kind, drawn)), drawn.note, axes)


def _drawn(table: ResultTable, columns: Sequence[ResultColumn], wish: str) -> _Drawn | None:
    """What of a table can be drawn; None if it is better seen as a table."""
    axes, figures = _parts(table, columns, wish)
    if not axes or not figures:
        return None
    alike = len({(columns[n].kind, columns[n].unit) for n in figures}) == 1
    most = CARD if alike and len(axes) == 1 else 1
    if wish:
        axes, figures = axes[:2], figures[:most]
    elif len(axes) > 2 or len(figures) > most or not _is_seen_at_once(table, columns, axes):
        return None
    return _with_points(table, columns, axes, figures, bool(wish))


def _parts(
    table: ResultTable, columns: Sequence[ResultColumn], wish: str
) -> tuple[list[_Axis], list[int]]:
    """What a row is of, and the columns that are measured."""
    figures = [
        number
        for number, column in enumerate(columns)
        if column.kind in FIGURES and column.role not in ("group", "name")
    ]
    axes = _axes(columns, figures)
    first = columns[figures[0]] if len(figures) > 1 else None
    if first and (wish == SCATTER or (not axes and _tells_apart(table, figures[0], first))):
        return [_Axis((figures[0],), first.name, first.kind)], figures[1:]
    return axes, figures


def _axes(columns: Sequence[ResultColumn], figures: Sequence[int]) -> list[_Axis]:
    """What names a row together, and each group; a key only where nothing else tells rows apart."""
    named = tuple(n for n, column in enumerate(columns) if column.role == "name")
    names = [columns[number] for number in named]
    kind = names[0].kind if len(names) == 1 else "text"
    axes = [_Axis(named, " ".join(column.name for column in names), kind)] if names else []
    for number, column in enumerate(columns):
        is_key = column.kind == "key" and bool(names or column.role == "value")
        if number not in (*named, *figures) and not is_key:
            axes.append(_Axis((number,), column.name, column.kind))
    return axes


def _tells_apart(table: ResultTable, number: int, column: ResultColumn) -> bool:
    """Whether whole numbers in a column of an unknown role tell the rows apart, as ratings do."""
    few = len({row[number] for row in table.rows}) == len(table.rows) <= LISTED
    return few and column.role is None and column.kind == "integer"


def _is_seen_at_once(
    table: ResultTable, columns: Sequence[ResultColumn], axes: Sequence[_Axis]
) -> bool:
    """Whether rows are groups, or look so: there is one for most pairs of the values of the axes.
    A short list, or one over time, is drawn as well."""
    if any(column.role in ("group", "figure") for column in columns):
        return True
    if len(axes) == 1:
        return axes[0].is_period or len(table.rows) <= LISTED
    return 2 * len(table.rows) >= prod(_size(table, axis) for axis in axes)


def _size(table: ResultTable, axis: _Axis) -> int:
    return len({tuple(row[number] for number in axis.columns) for row in table.rows})


def _with_points(
    table: ResultTable,
    columns: Sequence[ResultColumn],
    axes: list[_Axis],
    figures: list[int],
    wished: bool,
) -> _Drawn | None:
    """The points of one or two axes; None if several are of the same, unless a chart is wished."""
    # Time goes to the right, and else what has more groups.
    x, *others = sorted(axes, key=lambda axis: (not axis.is_period, -_size(table, axis)))
    made: dict[tuple[str, str], _Point] = {}
    for row in table.rows:
        label = name = _label(row, x, columns)
        key = _order(row[x.columns[0]], x)
        for number in figures:
            series = columns[number].name if len(figures) > 1 else ""
            series = _label(row, others[0], columns) if others else series
            copies = count(2)
            while (name, series) in made and wished:
                name = f"{label} ({next(copies)})"
            if (name, series) in made:
                return None
            value = row[number]
            value = value if isinstance(value, int | float) else None
            made[name, series] = _Point(key, name, series, value)
    title = others[0].title if others else " " * (len(figures) > 1)
    return _Drawn(list(made.values()), x, columns[figures[0]], title)


def _order(value: Cell, axis: _Axis) -> Any:
    if axis.kind in FIGURES:
        return value
    return ordinal(value, axis.kind) if axis.is_period else None


def _label(row: Sequence[Cell], axis: _Axis, columns: Sequence[ResultColumn]) -> str:
    shown = (show_value(row[number], columns[number]) for number in axis.columns)
    return " ".join(filter(None, shown)) or "(none)"


def _kind(drawn: _Drawn, complete: bool, wish: str) -> DisplayKind:
    several = len({point.series for point in drawn.points}) > 1
    if wish == SCATTER:
        return "scatter"
    if wish == "pie" and not several and _are_parts(drawn.points):
        return "pie"
    if wish == "line" or (wish in ("", ANY) and complete and _is_over_time(drawn)):
        return "line"
    return _bars(drawn, wish) if several else "bar"


def _are_parts(points: Sequence[_Point]) -> bool:
    return all(point.value is not None and point.value >= 0 for point in points)


def _bars(drawn: _Drawn, wish: str) -> DisplayKind:
    """How the bars of several series stand."""
    many = drawn.y.adds and (wish == "bar" or len(drawn.points) > GROUPED)
    stacked = wish != "grouped" and (many or drawn.y.kind == "percent")
    return "stacked" if stacked or wish == "stacked" else "grouped"


def _is_over_time(drawn: _Drawn) -> bool:
    times = drawn.x.is_period and drawn.x.kind != "weekday"
    return times and len({point.label for point in drawn.points}) > 2


def _ordered(drawn: _Drawn, kind: DisplayKind, table: ResultTable) -> _Drawn:
    """The points in the order in which they are drawn; a time without gaps."""
    points = drawn.points
    if drawn.x.is_ordered:
        known = sorted((p for p in points if p.key is not None), key=lambda point: point.key)
        rest = [point for point in points if point.key is None and kind != "line"]
        if table.complete and drawn.x.is_period and drawn.x.kind != "datetime" and known:
            written = (row[drawn.x.columns[0]] for row in table.rows)
            known = _filled(
                known, drawn, next(x for x in written if _order(x, drawn.x) is not None)
            )
        return drawn._replace(points=known + rest)
    if not table.ordered:
        largest = {name: n for n, (name, _) in enumerate(_totals(points, "label").most_common())}
        points = sorted(points, key=lambda point: (largest[point.label], point.series))
    return drawn._replace(points=points)


def _filled(points: list[_Point], drawn: _Drawn, like: Cell) -> list[_Point]:
    """The points in order, and between them those of periods that have no rows: 0 for counts and
    sums, else nothing. `like`: a period as it is written."""
    known = {(point.key, point.series): point for point in points}
    first, last = (0, 6) if drawn.x.kind == "weekday" else (points[0].key, points[-1].key)
    if last - first >= POINTS or len(known) < len(points):
        return points
    nothing, column = (0 if drawn.y.adds else None), ResultColumn("", drawn.x.kind)
    series, made = list(dict.fromkeys(point.series for point in points)), []
    for key in range(first, last + 1):
        label = show_value(period(key, drawn.x.kind, like), column)
        made += [known.get((key, x)) or _Point(key, label, x, nothing) for x in series]
    return made


def _limited(drawn: _Drawn, kind: DisplayKind, ordered: bool) -> _Drawn:
    """Not more groups and series than can be seen, and a note that says so."""
    points, note, in_order = drawn.points, "", drawn.x.is_ordered
    sums = _totals(points, "series")
    if len(sums) > SERIES:
        kept = {name for name, _ in sums.most_common(SERIES)}
        points = [point for point in points if point.series in kept]
        note = f"the {SERIES} largest of {len(sums):,} {drawn.series}; "
    labels = list(_totals(points, "label"))
    if kind == "pie" and len(labels) > SLICES:
        points.sort(key=lambda point: -(point.value or 0))
        rest = sum(point.value or 0 for point in points[SLICES - 1 :])
        points = [*points[: SLICES - 1], _Point(None, "others", "", rest)]
        note += f"{len(labels) - SLICES + 1:,} smaller ones are together as others"
    elif len(labels) > (POINTS if in_order else LISTED):
        kept = set(labels[-POINTS:] if in_order else labels[:BARS])
        points = [point for point in points if point.label in kept]
        which = "last" if in_order else "first" if ordered else "largest"
        note += f"the {which} {len(kept):,} of {len(labels):,}"
    return drawn._replace(points=points, note=note.removesuffix("; "))


def _totals(points: Sequence[_Point], name: Literal["label", "series"]) -> Counter[str]:
    """The sum for each label or series, in the order of the points."""
    made: Counter[str] = Counter()
    for point in points:
        made[getattr(point, name)] += point.value or 0  # type: ignore[assignment]
    return made


def _spec(kind: DisplayKind, drawn: _Drawn) -> dict[str, Any]:
    """The specification of a chart."""
    values: list[dict[str, Any]] = []
    for point in drawn.points[:POINTS]:
        # Without the digits that come from adding up.
        y = float(f"{point.value:.12g}") if isinstance(point.value, float) else point.value
        values.append({"x": _place(point, drawn), "y": y})
        values[-1] |= {"series": point.series} if drawn.series else {}
    names = {point.label for point in drawn.points}
    fits = sum(map(len, names)) + 2 * len(names) <= WIDTH
    upright = fits or drawn.x.is_ordered or kind in ("line", "pie")
    bars = max(len(names), len(values) * 2 // 3 if kind == "grouped" else 0)
    spec: dict[str, Any] = {
        "$schema": SCHEMA,
        "description": f"{kind.capitalize()} chart: {drawn.y.name} by {drawn.x.title}",
        "width": "container",
        "height": 300 if upright else 22 * bars + 60,
        "data": {"values": values},
        "mark": {"type": MARKS.get(kind, "bar")},
        "encoding": _encoding(kind, drawn, upright, fits),
    }
    if kind == "line":
        spec["mark"]["point"] = len(names) <= DOTTED
    if drawn.note:
        spec["title"] = {"text": "", "subtitle": drawn.note, "anchor": "start"}
    return spec


def _encoding(kind: DisplayKind, drawn: _Drawn, upright: bool, fits: bool) -> dict[str, Any]:
    measured, named = _measured(drawn.y), _named(kind, drawn)
    series = {"field": "series", "type": "nominal", "title": drawn.series.strip() or None}
    form = {"integer": ",d", "money": ",.2f"}.get(drawn.y.kind, ",.2~f")
    day = {"format": "%e %b %Y"} if named["type"] == "temporal" else {}
    tooltip = [named | day, *([series] if drawn.series else []), measured | {"format": form}]
    encoding: dict[str, Any] = {"tooltip": tooltip}
    if day:
        named = named | {"scale": {"type": "utc"}}
    elif kind != SCATTER:
        named = named | {"sort": None}
    if kind == "pie":
        largest_first = {"field": "y", "type": "quantitative", "sort": "descending"}
        theta = measured | {"stack": True}
        return encoding | {"theta": theta, "color": named, "order": largest_first}
    lies = upright and fits and named["type"] == "nominal"
    across, along = ("x", "y") if upright else ("y", "x")
    # Beside long names there is no place for a title.
    named = named if upright else named | {"title": None}
    encoding[across] = named | {"axis": {"labelAngle": 0} if lies else {"labelOverlap": True}}
    encoding[along] = measured | {"axis": _axis_of(drawn.y, upright)}
    if drawn.series:
        encoding["color"] = series | {"sort": None}
    if kind == "grouped":
        encoding[f"{across}Offset"] = {"field": "series", "sort": None}
    return encoding


def _axis_of(column: ResultColumn, upright: bool) -> dict[str, Any]:
    axis: dict[str, Any] = {"format": ",.2~f", "labelOverlap": True, "labelFlush": False}
    axis |= {"tickMinStep": 1} if column.kind == "integer" else {}
    return axis if upright else axis | {"tickCount": 6}


def _measured(column: ResultColumn) -> dict[str, Any]:
    unit = "%" if column.kind == "percent" else column.sign or column.unit
    title = f"{column.name} ({unit})" if unit else column.name
    return {"field": "y", "type": "quantitative", "title": title}


def _named(kind: DisplayKind, drawn: _Drawn) -> dict[str, Any]:
    time = "temporal" if drawn.x.kind in TIMES else "nominal"
    sort = "quantitative" if kind == SCATTER and drawn.x.kind in FIGURES else time
    return {"field": "x", "type": sort, "title": drawn.x.title}


def _place(point: _Point, drawn: _Drawn) -> Any:
    if drawn.x.kind == "date" and point.key is not None:
        return period(point.key, "date", "")
    if drawn.x.kind == "datetime" and point.key is not None:
        # Without a zone a time would be that of whoever looks.
        return f"{point.key.replace(' ', 'T')}Z"
    return point.key if drawn.x.kind in FIGURES and point.key is not None else point.label

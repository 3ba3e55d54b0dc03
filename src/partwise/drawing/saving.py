"""Answers as files and in notebooks: pictures and specifications of charts, tables, HTML."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from partwise.drawing.charts import Display
from partwise.drawing.values import FIGURES, show_value
from partwise.errors import DataError
from partwise.interface.prediction import Answer, ResultTable, library

WIDTH = 600
"""Pixels of a chart that lies in no page."""
SHOWN = 20
"""Rows of a table in a notebook."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that a spreadsheet would take for a formula."""
_STYLE = "padding:.2em;text-align:"


class VegaLite(dict[str, Any]):
    """A Vega-Lite specification, which notebooks draw; `altair.Chart.from_dict` takes it."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        made = {f"application/vnd.vegalite.v{n}+json": dict(self) for n in (5, 6)}
        try:
            return {**made, "image/svg+xml": picture(self, "svg"), "text/plain": repr(self)}
        except DataError:
            return {**made, "text/plain": repr(self)}


def made_chart(seen: Display | None) -> VegaLite:
    """The chart of an answer, of a size of its own. Raises DataError if there is none."""
    if seen is None or seen.chart is None:
        what = "there is no answer" if seen is None else f"the answer is seen as a {seen.kind}"
        raise DataError(f"{what}: there is no chart of it")
    return VegaLite(seen.chart | {"width": WIDTH})


def picture(chart: dict[str, Any], form: str) -> Any:
    """A chart as ``svg``, ``png`` or ``html`` (which draws itself, without the network). Raises
    DataError if vl-convert is not installed."""
    convert = library("vl_convert", "charts")
    if form == "png":
        return convert.vegalite_to_png(dict(chart), scale=2)
    more = {"bundle": True} if form == "html" else {}
    return getattr(convert, f"vegalite_to_{form}")(dict(chart), **more)


def save_chart(chart: VegaLite, file: Path) -> None:
    """Write a chart as .png, .svg, .html or .json, by the name of the file. Raises DataError for
    another name, if it cannot be written, or if the extra ``charts`` is missing."""
    form = file.suffix.lower().removeprefix(".")
    if form not in ("png", "svg", "html", "json"):
        raise DataError(f"{file}: a chart is written as .png, .svg, .html or .json")
    drawn = json.dumps(chart, indent=1) if form == "json" else picture(chart, form)
    _write(file, drawn)


def save_table(answer: Answer[Any], file: Path) -> None:
    """Write the rows of an answer as .csv or .parquet, by the name of the file. Raises DataError as
    `save_chart`, and if there is no answer."""
    form = file.suffix.lower()
    if form not in (".csv", ".parquet"):
        raise DataError(f"{file}: a table is written as .csv or .parquet")
    columns = answer.to_columns()
    if form == ".parquet":
        sink = io.BytesIO()
        library("pyarrow.parquet", "batch").write_table(answer.to_arrow(), sink)
        _write(file, sink.getvalue())
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = zip(*columns.values(), strict=True)
    writer.writerows([_safe(cell) for cell in row] for row in (tuple(columns), *rows))
    _write(file, text.getvalue())


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _write(file: Path, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    try:
        file.write_bytes(data)
    except OSError as error:
        raise DataError(f"{file}: cannot be written ({error.strerror or error})") from error


def html_of(answer: Answer[Any], seen: Display | None) -> str:
    """An answer for a notebook: the question as it was understood, a large value or a table, the
    chart, and what is doubtful or asked back; a refusal says why."""
    told = [] if answer.explanation is None else [answer.explanation.restated]
    parts = [f"<div style='opacity:.7'>{escape(text)}</div>" for text in told]
    if answer.reason is not None:
        parts = [f"<b>No answer:</b> {escape(answer.reason)}"]
        parts += [f"You can ask: {escape(text)}" for text in answer.prediction.suggestions]
    elif seen is not None and answer.value is not None:
        parts += _seen(answer.table or ResultTable.of_lines(answer.lines), seen)
    if answer.status == "doubtful":
        words = f" It passes over: {', '.join(answer.ignored)}." if answer.ignored else ""
        parts.append(f"<b>Doubtful:</b> this may well be wrong.{escape(words)}")
    if answer.clarification is not None:
        options = (
            f"<li>{escape(x.text)} → {escape(x.preview)}" for x in answer.clarification.options
        )
        parts.append(f"<b>{escape(answer.clarification.question)}</b><ul>{''.join(options)}</ul>")
    return f"<div>{''.join(f'<div>{part}</div>' for part in parts)}</div>"


def _seen(table: ResultTable, seen: Display) -> Iterator[str]:
    if seen.kind == "number":
        for cell, column in zip(table.rows[0], seen.columns, strict=True):
            yield f"<span style='font-size:1.8em'>{escape(show_value(cell, column) or '–')}</span>"
            yield escape(column.name)
        return
    if seen.chart is not None:
        try:
            yield picture(made_chart(seen), "svg")
        except DataError as error:
            yield f"<i>There is a chart: {escape(str(error))}</i>"
    shown = [map(show_value, row, seen.columns) for row in table.rows[:SHOWN]]
    lines = [_line("th", table.columns, seen), *(_line("td", row, seen) for row in shown)]
    yield f"<table>{''.join(lines)}</table>"
    if len(table.rows) > SHOWN:
        yield f"… and {len(table.rows) - SHOWN:,} more rows"
    yield from map(escape, table.notes)


def _line(tag: str, texts: Iterable[str], seen: Display) -> str:
    sides = ("right" if column.kind in FIGURES else "left" for column in seen.columns)
    cells = zip(texts, sides, strict=True)
    return f"<tr>{''.join(f'<{tag} style={_STYLE}{side}>{escape(x)}' for x, side in cells)}</tr>"

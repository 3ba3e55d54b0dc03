"""A query graph in the terminal: one line for each edge, with the words that ground it.

asks for ?x0, where
  ?x0 ──directed by──▶ Ada Boon   directed 0.83, by 0.10
  ?x0 ──is a─────────▶ film       film 0.97
  ?x0 ≠ Night Ferry
nodes: ?x0, M0 Ada Boon, M1 Night Ferry
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from rich.cells import cell_len
from rich.text import Text

from partwise.drawing import clean, cut
from partwise.drawing.console import ascii_only, is_plain, printed, wants_color
from partwise.drawing.graph_parts import Grounding, Item, items, nodes, shown
from partwise.language.query.graph import ANSWER, QueryGraph

STYLES = {"entity": "magenta", "variable": "cyan", "constant": "magenta", "words": "dim"}
NODE, PREDICATE = 32, 40
"""Most columns of a node's name and of a predicate."""


@dataclass(frozen=True)
class _Marks:
    """The characters that a stream can show."""

    line: str = "─"
    head: str = "▶"
    differ: str = "≠"
    dots: str = "…"


_ASCII = _Marks("-", ">", "!=", "...")


def draw_graph(
    graph: QueryGraph,
    names: Mapping[str, str],
    words: Sequence[str] = (),
    grounding: Grounding | None = None,
    color: bool = True,
    width: int | None = None,
    stream: TextIO | None = None,
) -> str:
    """A query graph as text for `stream` (standard output).

    Args:
        names: of nodes, predicates and constants; those without one are shown by their own text.
        words: of the question.
        grounding: one weight for each word, by triple (edges and attributes).
        color: whether to colour, unless the environment sets NO_COLOR.
        width: in columns; the terminal's if None.
        stream: what the text is for; pure ASCII if its encoding is not a Unicode one.

    Raises:
        QueryError: if a triple has not one weight for each word.
    """
    color, plain = wants_color(color), is_plain(stream)
    width = width or shutil.get_terminal_size().columns
    lines = _lines(graph, names, words, grounding or {}, _ASCII if plain else _Marks())
    ready = (ascii_only(line) if plain else line for line in lines)
    return printed((_fit(line, width, plain) for line in ready), width, color)


def _lines(
    graph: QueryGraph,
    names: Mapping[str, str],
    words: Sequence[str],
    grounding: Grounding,
    marks: _Marks,
) -> Iterator[Text]:
    yield Text(f"asks for {ANSWER}, where" if graph.head == "select" else "asks whether")
    found = items(graph, names, words, grounding)
    rows = [item for item in found if item.kind != "differ"]
    ends = {node: _node(node, names, marks) for node in nodes(graph)}
    left = max((ends[item.subject].cell_len for item in found), default=0)
    middle = max((cell_len(_predicate(item, marks)) for item in rows), default=0)
    targets = [_target(item, ends, marks) for item in rows]
    right = max((target.cell_len for target in targets), default=0)
    for item, target in zip(rows, targets, strict=True):
        predicate = _predicate(item, marks)
        line = Text.assemble("  ", ends[item.subject], " " * (left - ends[item.subject].cell_len))
        line.append(f" {marks.line * 2}{predicate}")
        line.append(f"{marks.line * (middle - cell_len(predicate) + 2)}{marks.head} ")
        line.append_text(target)
        if best := item.best(words):
            line.append(" " * (right - target.cell_len + 3))
            line.append(", ".join(f"{word} {w:.2f}" for word, w in best), STYLES["words"])
        yield line
    for item in found[len(rows) :]:
        one, other = ends[item.subject], ends[item.target]
        space = " " * (left - one.cell_len)
        yield Text.assemble("  ", one, space, f" {marks.differ} ", other)
    yield from _nodes(graph, names, ends)


def _nodes(graph: QueryGraph, names: Mapping[str, str], ends: Mapping[str, Text]) -> Iterator[Text]:
    listed: list[Text] = []
    for node in nodes(graph):
        front = (
            f"{clean(node)} "
            if shown(node, names) != clean(node) and not node.startswith("<")
            else ""
        )
        listed.append(Text.assemble(front, ends[node]))
    if listed:
        yield Text.assemble("nodes: ", Text(", ").join(listed))


def _node(node: str, names: Mapping[str, str], marks: _Marks) -> Text:
    style = STYLES["variable" if node.startswith("?") else "entity"]
    return Text(cut(shown(node, names), NODE, cell_len, marks.dots), style)


def _target(item: Item, ends: Mapping[str, Text], marks: _Marks) -> Text:
    if item.kind == "edge":
        return ends[item.target]
    return Text(cut(item.target, NODE, cell_len, marks.dots), STYLES["constant"])


def _predicate(item: Item, marks: _Marks) -> str:
    return cut(item.label, PREDICATE, cell_len, marks.dots)


def _fit(line: Text, width: int, plain: bool) -> Text:
    if line.cell_len > width:
        dots = "..." if plain else "…"
        line.right_crop(len(line.plain) - len(cut(line.plain, width, cell_len, dots)) + len(dots))
        line.append(dots)
    line.no_wrap, line.overflow = True, "crop"
    return line

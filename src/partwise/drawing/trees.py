"""Span trees as they are drawn, and in the terminal: a line for each part of the question.

    which rivers run through … texas?    river(traverse_2(state(next_to_2(…))))
    ├─ which                             φ
    ├─ rivers                            river
    ╰─ run through the … texas?          traverse_2(state(next_to_2(stateid('texas'))))
       ├─ run through the                traverse_2
       ...

Constants are coloured and their words bold; words without meaning (φ) are dim, or in square
brackets where there is no colour. An infix operator hangs on a broken line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from partwise.chart.semantics import MeaningNode, TreeDerivation
from partwise.drawing.render import Terminal, text_lines
from partwise.drawing.texts import cut, phrase, shorten
from partwise.language.text import Words

STYLES = {"predicate": "cyan", "entity": "magenta", "join": "", "phi": "dim"}
GAP = 2
"""Columns between words and programs."""


@dataclass(frozen=True)
class TreePart:
    """A part of the question as it is drawn: unary nodes, which only add φ, with what is below.

    Attributes:
        node: the meaning; None for φ words.
        around: the unary nodes over `node`, the outermost first.
        children: none for a constant (whose φ words lie around `node`'s); else the parts below,
            φ included, which cover start..end without a hole.
        infix: whether this is the middle of a ternary join, an infix operator.
    """

    start: int
    end: int
    node: MeaningNode | None
    around: tuple[MeaningNode, ...] = ()
    children: tuple[TreePart, ...] = ()
    infix: bool = False

    @property
    def named(self) -> tuple[int, int]:
        """The words of a constant without the φ words around it; none of φ words."""
        return (self.end, self.end) if self.node is None else (self.node.start, self.node.end)


def parts(node: MeaningNode, infix: bool = False) -> TreePart:
    """A tree of nodes as it is drawn."""
    around: list[MeaningNode] = []
    inner = node
    while len(inner.children) == 1:
        around.append(inner)
        inner = inner.children[0]
    below: list[TreePart] = []
    at = node.start
    for i, child in enumerate(inner.children):
        if at < child.start:
            below.append(TreePart(at, child.start, None))
        below.append(parts(child, infix=len(inner.children) == 3 and i == 1))
        at = child.end
    if below and at < node.end:
        below.append(TreePart(at, node.end, None))
    return TreePart(node.start, node.end, inner, tuple(around), tuple(below), infix)


@dataclass(frozen=True)
class _Row:
    """A line: the branches before its words, its words, and what they mean."""

    lead: str
    words: Text
    meaning: str
    kind: str

    @property
    def widths(self) -> tuple[int, int]:
        """Of lead and words, and of the meaning."""
        return cell_len(self.lead) + self.words.cell_len, cell_len(self.meaning)


@text_lines.register
def tree_lines(derivation: TreeDerivation, terminal: Terminal) -> Iterator[Text]:
    """The lines of a span tree."""
    rows = list(_rows(parts(derivation.node), derivation.words, terminal, "", ""))
    left, right = _columns(rows, terminal.width)
    for row in rows:
        line = Text.assemble((row.lead, "dim"), _fit(row, left - cell_len(row.lead), terminal))
        line.append(" " * (left + GAP - line.cell_len))
        line.append(shorten(row.meaning, right, cell_len, terminal.dots), STYLES[row.kind])
        yield line


def _rows(
    part: TreePart, words: Words, terminal: Terminal, lead: str, below: str
) -> Iterator[_Row]:
    meaning, kind = "φ", "phi"
    if part.node is not None:
        meaning = part.node.program_text if part.children else part.node.label
        kind = part.node.kind
    yield _Row(terminal.text(lead), _words(part, words, terminal), terminal.text(meaning), kind)
    for child in part.children:
        last = child is part.children[-1]
        branch = "╰─ " if last else "├┄ " if child.infix else "├─ "
        more = below + ("   " if last else "│  ")
        yield from _rows(child, words, terminal, below + branch, more)


def _words(part: TreePart, words: Words, terminal: Terminal) -> Text:
    """The words of a part: those of a constant bold, φ words dim or in brackets."""
    if part.children:
        return Text(terminal.text(phrase(words, part.start, part.end)))
    start, end = part.named
    at, line = part.start, Text()
    for to, style in ((start, "dim"), (end, "bold"), (part.end, "dim")):
        if at < to:
            if at > part.start and words.offsets[at - 1][1] < words.offsets[at][0]:
                line.append(" ")
            text = terminal.text(phrase(words, at, to))
            line.append(text if terminal.color or style == "bold" else f"[{text}]", style)
            at = to
    return line


def _columns(rows: list[_Row], width: int) -> tuple[int, int]:
    """Widths of the words' and the programs' column: constants first, then phrases, programs."""
    space = max(width - GAP, 2)
    left, right = map(max, zip(*(row.widths for row in rows), strict=True))
    if left + right > space:
        constants = [row.widths for row in rows if row.kind != "join"]
        need_left, need_right = map(max, zip((1, 1), *constants, strict=True))
        fair = max(space * 2 // 5, space - right, min(need_left, space - need_right))
        left = min(left, fair)
    return left, space - left


def _fit(row: _Row, width: int, terminal: Terminal) -> Text:
    """The words of a row, of a phrase the first and last ones, as many as fit."""
    if row.words.cell_len <= width:
        return row.words
    text, dots = row.words.plain, terminal.dots
    words = text.split() if row.kind == "join" else []
    for kept in range(len(words) - 1, 1, -1):
        short = " ".join([*words[: (kept + 1) // 2], dots, *words[len(words) - kept // 2 :]])
        if cell_len(short) <= width:
            return Text(short)
    last = row.words.spans[-1].style if row.words.spans else ""
    return Text(cut(text, width, cell_len, dots) if width > len(dots) else "", last)

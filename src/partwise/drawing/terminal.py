"""A span tree in the terminal: one line for each part of the question, with what it means.

    which rivers run through … texas?    river(traverse_2(state(next_to_2(…))))
    ├─ which                             φ
    ├─ rivers                            river
    ╰─ run through the … texas?          traverse_2(state(next_to_2(stateid('texas'))))
       ├─ run through the                traverse_2
       ...

Constants are coloured and their words bold; words without meaning are dim, or in square brackets
where there is no colour. The middle of a ternary join hangs on a broken line.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from partwise.chart.semantics import OPEN, Node
from partwise.drawing import Part, clean, cut, parts, phrase, shorten
from partwise.drawing.console import ascii_only, is_plain, printed, wants_color
from partwise.language.tokenizer import Words

STYLES = {"predicate": "cyan", "entity": "magenta", "join": "", "phi": "dim"}
GAP = 2


@dataclass(frozen=True)
class _Marks:
    """The characters that a stream can show."""

    branch: str = "├─ "
    broken: str = "├┄ "
    last: str = "╰─ "
    down: str = "│  "
    dots: str = "…"
    phi: str = "φ"
    open: str = OPEN


_ASCII = _Marks("|- ", "|~ ", "`- ", "|  ", "...", "-", "?")
Piece = tuple[str, str]
"""A text and its style."""


@dataclass(frozen=True)
class _Row:
    lead: str
    words: tuple[Piece, ...]
    meaning: str
    kind: str

    @property
    def composed(self) -> bool:
        return self.kind == "join"

    @property
    def width(self) -> int:
        """Of lead and words."""
        return cell_len(self.lead) + sum(cell_len(text) for text, _ in self.words)


@dataclass(frozen=True)
class TreeView:
    """A rich renderable: takes width, colour and encoding from the console that prints it."""

    node: Node
    words: Words

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        color = console.color_system is not None and not console.no_color
        yield from _lines(self.node, self.words, options.max_width, color, options.ascii_only)


def draw(
    node: Node,
    words: Words,
    width: int | None = None,
    color: bool = True,
    stream: TextIO | None = None,
) -> str:
    """The tree as text for `stream` (standard output).

    Args:
        width: in columns; the terminal's if None.
        color: whether to colour, unless the environment sets NO_COLOR.
        stream: what the text is for; pure ASCII if its encoding is not a Unicode one.
    """
    color = wants_color(color)
    width = width or shutil.get_terminal_size().columns
    return printed(_lines(node, words, width, color, is_plain(stream)), width, color)


def _lines(node: Node, words: Words, width: int, color: bool, plain: bool) -> Iterator[Text]:
    marks = _ASCII if plain else _Marks()
    rows = list(_rows(parts(node), words, marks, "", "", color))
    left, right = _columns(rows, width)
    for row in rows:
        line = Text(row.lead, style="dim" if color else "", no_wrap=True, overflow="crop")
        line = Text.assemble(line, *_fit(row, left - cell_len(row.lead), marks.dots))
        line.append(" " * (left + GAP - line.cell_len))
        meaning = shorten(row.meaning, right, cell_len, marks.dots)
        line.append(meaning, STYLES[row.kind] if color else "")
        line.no_wrap, line.overflow = True, "crop"
        if plain:
            line = ascii_only(line)
        yield line


def _rows(
    part: Part, words: Words, marks: _Marks, lead: str, below: str, color: bool
) -> Iterator[_Row]:
    node = part.node
    meaning, kind = (marks.phi, "phi") if node is None else (node.program_text, node.kind)
    if node is not None and not part.children:
        meaning = node.label
    meaning = clean(meaning).replace(OPEN, marks.open)
    yield _Row(lead, tuple(_words(part, words, color)), meaning, kind)
    for child in part.children:
        last = child is part.children[-1]
        branch = marks.last if last else marks.broken if child.middle else marks.branch
        more = below + ("   " if last else marks.down)
        yield from _rows(child, words, marks, below + branch, more, color)


def _words(part: Part, words: Words, color: bool) -> Iterator[Piece]:
    """The words of a part: those of a constant bold, φ words dim or in brackets."""
    node = part.node
    if part.children:
        yield phrase(words, part.start, part.end), ""
        return
    start, end = (node.start, node.end) if node is not None else (part.end, part.end)
    at = part.start
    for to, named in ((start, False), (end, True), (part.end, False)):
        if at < to:
            joined = at == part.start or words.offsets[at - 1][1] == words.offsets[at][0]
            text = phrase(words, at, to)
            yield "" if joined else " ", ""
            if color:
                yield text, "bold" if named else "dim"
            else:
                yield text if named else f"[{text}]", ""
        at = max(at, to)


def _columns(rows: list[_Row], width: int) -> tuple[int, int]:
    """Widths of the words' and the programs' column: constants first, then phrases, programs."""
    space = max(width - GAP, 2)
    left = max(row.width for row in rows)
    right = max(cell_len(row.meaning) for row in rows)
    if left + right > space:
        need_left = max((row.width for row in rows if not row.composed), default=1)
        need_right = max((cell_len(row.meaning) for row in rows if not row.composed), default=1)
        fair = max(space * 2 // 5, space - right, min(need_left, space - need_right), space // 5)
        left = min(left, fair)
    return left, space - left


def _fit(row: _Row, width: int, dots: str) -> tuple[Piece, ...]:
    if row.width - cell_len(row.lead) <= width:
        return row.words
    text = "".join(piece for piece, _ in row.words)
    if row.composed:
        text = _outer_words(text, width, dots)
    return ((cut(text, width, cell_len, dots) if width > len(dots) else "", row.words[-1][1]),)


def _outer_words(text: str, width: int, dots: str) -> str:
    """The first and last words of a phrase, as many as fit."""
    found = text.split()
    for kept in range(len(found) - 1, 1, -1):
        short = " ".join([*found[: (kept + 1) // 2], dots, *found[len(found) - kept // 2 :]])
        if cell_len(short) <= width:
            return short
    return text

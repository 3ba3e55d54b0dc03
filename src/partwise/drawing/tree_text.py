"""A span tree in the terminal: one line for each part of the question, with what it means.

    which rivers run through … texas?    river(traverse_2(state(next_to_2(…))))
    ├─ which                             φ
    ├─ rivers                            river
    ╰─ run through the … texas?          traverse_2(state(next_to_2(stateid('texas'))))
       ├─ run through the                traverse_2
       ...

Constants are coloured and their words bold; words without meaning are dim, or in square brackets
where there is no colour. An infix operator hangs on a broken line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from partwise.chart.derivation import TreeDerivation
from partwise.drawing.render import text_lines
from partwise.drawing.terminal import Terminal
from partwise.drawing.texts import cut, phrase, shorten
from partwise.drawing.tree_parts import TreePart, parts
from partwise.language.tokenizer import Words

STYLES = {"predicate": "cyan", "entity": "magenta", "join": "", "phi": "dim"}
GAP = 2
"""Columns between words and programs."""


@dataclass(frozen=True)
class _Row:
    """A line: the branches before its words, its words, and what they mean."""

    lead: str
    words: Text
    meaning: str
    kind: str

    @property
    def width(self) -> int:
        """Of lead and words."""
        return cell_len(self.lead) + self.words.cell_len


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
    node = part.node
    meaning, kind = ("φ", "phi") if node is None else (node.program_text, node.kind)
    if node is not None and not part.children:
        meaning = node.label
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
        at = max(at, to)
    return line


def _columns(rows: list[_Row], width: int) -> tuple[int, int]:
    """Widths of the words' and the programs' column: constants first, then phrases, programs."""
    space = max(width - GAP, 2)
    left = max(row.width for row in rows)
    right = max(cell_len(row.meaning) for row in rows)
    if left + right > space:
        constants = [row for row in rows if row.kind != "join"]
        need_left = max((row.width for row in constants), default=1)
        need_right = max((cell_len(row.meaning) for row in constants), default=1)
        fair = max(space * 2 // 5, space - right, min(need_left, space - need_right), space // 5)
        left = min(left, fair)
    return left, space - left


def _fit(row: _Row, width: int, terminal: Terminal) -> Text:
    if row.words.cell_len <= width:
        return row.words
    text, dots = row.words.plain, terminal.dots
    if row.kind == "join":
        text = _outer_words(text, width, dots)
    last = row.words.spans[-1].style if row.words.spans else ""
    return Text(cut(text, width, cell_len, dots) if width > len(dots) else "", last)


def _outer_words(text: str, width: int, dots: str) -> str:
    """The first and last words of a phrase, as many as fit."""
    words = text.split()
    for kept in range(len(words) - 1, 1, -1):
        short = " ".join([*words[: (kept + 1) // 2], dots, *words[len(words) - kept // 2 :]])
        if cell_len(short) <= width:
            return short
    return text

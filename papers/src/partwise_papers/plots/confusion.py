"""What is confused with what in wrong programs: constants, and who takes whom as an argument; as
tables and as a matrix of counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from partwise.drawing.plots import new_figure
from partwise.errors import DataError
from partwise.interface.data import JOIN_LABEL, Span
from partwise.interface.jsonl import read_bytes
from partwise.span.decoding import Parts
from partwise_papers.tables.grid import Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ABSENT = "(none)"
"""Stands for the constant that is not there."""
EXPECTED = "a file that `partwise evaluate --errors` wrote"

Pair = tuple[str, str]


@dataclass
class Confusions:
    """Counts over wrong questions.

    Attributes:
        n: questions counted; `unread` of them have no parse, or a program that cannot be read.
        constants: (gold, predicted) constant -> how often the one stood for the other; `ABSENT`
            on a side where there is none.
        lost, made: (function, argument) -> how often the gold program has this join and the
            predicted one lacks it, or the reverse, though both programs have both constants.
        spans: words that were composed though no composed span of the annotated tree is there.
    """

    n: int = 0
    unread: int = 0
    constants: Counter[Pair] = field(default_factory=Counter)
    lost: Counter[Pair] = field(default_factory=Counter)
    made: Counter[Pair] = field(default_factory=Counter)
    spans: Counter[str] = field(default_factory=Counter)


def read_confusions(path: str | Path, inexact: bool = False) -> Confusions:
    """Count the confusions of a file of wrong questions (`inexact`: also count questions with a
    right answer but another program than the gold one); raises DataError for a file that cannot be
    read, or lines of another kind."""
    found = Confusions()
    for line in _lines(Path(path)):
        if inexact or not line["right_answer"]:
            _count(line, found)
    return found


def pairs(
    gold: Parts,
    guess: Parts,
    gold_tree: Sequence[Span] | None = None,
    guess_tree: Sequence[Span] | None = None,
) -> list[Pair]:
    """The (gold, predicted) constants in which two programs differ, each constant once.

    A gold constant that is missing and a predicted one that is too many go together if they stand
    on common words (where both trees are known), else if they stand at the same place in the
    program, else if they are the only ones; the others go with `ABSENT`.
    """
    missing = Counter(name for name, _ in gold) - Counter(name for name, _ in guess)
    extra = Counter(name for name, _ in guess) - Counter(name for name, _ in gold)
    found: list[Pair] = []
    for one, two in [*_on_common_words(gold_tree, guess_tree), *_at_same_place(gold, guess)]:
        if missing[one] and extra[two]:
            found.append((one, two))
            missing[one] -= 1
            extra[two] -= 1
    left, right = sorted(missing.elements()), sorted(extra.elements())
    if len(left) == len(right) == 1:
        return [*found, (left[0], right[0])]
    return [*found, *((name, ABSENT) for name in left), *((ABSENT, name) for name in right)]


def joins(gold: Parts, guess: Parts) -> tuple[Counter[Pair], Counter[Pair]]:
    """The joins (function, argument) that only gold has, and those that only the guess has.

    Only of constants that both programs have: where a constant is wrong, its joins are too, and
    `pairs` tells of it.
    """
    names = Counter(name for name, _ in gold), Counter(name for name, _ in guess)
    wrong = {*(names[0] - names[1]), *(names[1] - names[0])}
    one, two = _joins(gold), _joins(guess)

    def sound(found: Counter[Pair]) -> Counter[Pair]:
        return Counter({pair: n for pair, n in found.items() if not wrong & set(pair)})

    return sound(one - two), sound(two - one)


def tables(found: Confusions, limit: int = 20) -> list[Grid]:
    """The most frequent confusions as text."""
    about = f"{found.n} wrong questions, {found.unread} of them without a program to compare"
    shown = (
        (f"Constants ({about})", ("gold", "predicted"), found.constants),
        ("Joins that gold has and the prediction lacks", ("function", "argument"), found.lost),
        ("Joins that the prediction has and gold lacks", ("function", "argument"), found.made),
        (
            "Words that were composed and should not be",
            ("words",),
            Counter({(words,): n for words, n in found.spans.items()}),
        ),
    )
    return [
        Grid(title, (*head, "times"), tuple((*key, str(n)) for key, n in rank(counts, limit)))
        for title, head, counts in shown
        if counts or head[0] == "gold"
    ]


def rank(counts: Mapping[Any, int], limit: int) -> list[tuple[Any, int]]:
    """The most frequent ones first, equal ones by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:limit]


def _count(line: Mapping[str, Any], found: Confusions) -> None:
    found.n += 1
    gold, guess = line["program_parts"], line["predicted_parts"]
    if gold is None or guess is None:
        found.unread += 1
        return
    trees = line["tree"], line["predicted_tree"]
    found.constants.update(pairs(gold, guess, *trees))
    lost, made = joins(gold, guess)
    found.lost += lost
    found.made += made
    if None not in trees:
        right, mine = ({(s, e) for s, e, name in t if name == JOIN_LABEL} for t in trees)
        found.spans.update(" ".join(line["words"][s:e]) for s, e in mine - right)


def _on_common_words(
    gold: Sequence[Span] | None, guess: Sequence[Span] | None
) -> Iterator[tuple[str, str]]:
    for start, end, name in gold or ():
        for begin, stop, other in guess or ():
            if JOIN_LABEL not in (name, other) and start < stop and begin < end:
                yield name, other


def _at_same_place(gold: Parts, guess: Parts) -> Iterator[tuple[str, str]]:
    there = dict(_paths(guess))
    for path, name in _paths(gold):
        if path in there:
            yield name, there[path]


def _paths(parts: Parts) -> list[tuple[tuple[int, ...], str]]:
    """Each constant with its place in the program: numbers of arguments from the root down."""
    seen: Counter[int] = Counter()
    paths: list[tuple[int, ...]] = []
    for _, parent in parts:
        above = () if parent < 0 else paths[parent]
        paths.append((*above, seen[parent]))
        seen[parent] += 1
    return [(path, name) for path, (name, _) in zip(paths, parts, strict=True)]


def _joins(parts: Parts) -> Counter[Pair]:
    return Counter((parts[parent][0], name) for name, parent in parts if parent >= 0)


def _lines(file: Path) -> Iterable[Mapping[str, Any]]:
    for number, raw in enumerate(read_bytes(file, EXPECTED).split(b"\n"), start=1):
        if raw.strip():
            try:
                yield _check(json.loads(raw))
            except (ValueError, RecursionError, KeyError, TypeError, IndexError) as error:
                raise DataError(f"{file}:{number}: not a line of {EXPECTED}") from error


def _check(line: Any) -> Mapping[str, Any]:
    """The line as `_count` uses it; whatever is not so fails here."""
    parts: dict[str, Parts | None] = {}
    for name in ("program_parts", "predicted_parts"):
        given = line[name]
        parts[name] = None if given is None else [(str(c), int(above)) for c, above in given]
        for place, (_, above) in enumerate(parts[name] or ()):
            if not -1 <= above < place:
                raise ValueError(f"{name}: {above} is no constant before the {place}th")
    spans = {}
    for name in ("tree", "predicted_tree"):
        given = line[name]
        spans[name] = None if given is None else [(int(s), int(e), str(c)) for s, e, c in given]
    words = [str(word) for word in line["words"]]
    return {**parts, **spans, "words": words, "right_answer": bool(line["right_answer"])}


CELL = 0.34
"""Inches a row or column, enough for a label in 9 points."""
LABEL = 0.085
"""Inches a character of a label."""


def plot_constants(found: Confusions, limit: int = 20) -> Figure:
    """Gold constants against predicted ones, the `limit` most frequent confusions.

    Raises:
        DataError: if no constants are confused.
        PartwiseError: if matplotlib is not installed.
    """
    if not found.constants:
        raise DataError("no constants are confused in these questions; there is nothing to plot")
    panels = [("constants", "gold", "predicted", dict(rank(found.constants, limit)))]
    return _figure(panels)


def plot_joins(found: Confusions, limit: int = 20) -> Figure:
    """Functions against their arguments: joins that were missed, and joins that were made wrongly.

    Raises:
        DataError: if all joins of right constants are right.
        PartwiseError: if matplotlib is not installed.
    """
    if not found.lost and not found.made:
        raise DataError("no joins are wrong in these questions; there is nothing to plot")
    panels = [
        (title, "function", "argument", dict(rank(counts, limit)))
        for title, counts in (("missing joins", found.lost), ("wrong joins", found.made))
        if counts
    ]
    return _figure(panels)


def _figure(panels: Sequence[tuple[str, str, str, Mapping[Pair, int]]]) -> Figure:
    sides = [(_order(counts, 0), _order(counts, 1)) for *_, counts in panels]
    room = LABEL * max(len(name) for pair in sides for side in pair for name in side)
    widths = [CELL * len(columns) + room + 0.8 for _, columns in sides]
    height = CELL * max(len(rows) for rows, _ in sides) + room + 1.0
    figure = new_figure(max(4.0, sum(widths)), height)
    every = figure.subplots(1, len(panels), squeeze=False, width_ratios=widths)[0]
    for axes, (title, down, across, counts), (rows, columns) in zip(
        every, panels, sides, strict=True
    ):
        _draw(axes, counts, rows, columns)
        axes.set(xlabel=across, ylabel=down, title=title)
    return figure


def _draw(
    axes: Axes, counts: Mapping[Pair, int], rows: Sequence[str], columns: Sequence[str]
) -> None:
    top = max(counts.values())
    table = [[counts.get((row, column), 0) for column in columns] for row in rows]
    axes.imshow(table, cmap="Reds", vmin=0, vmax=top, aspect="equal")
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=9)
    axes.set_yticks(range(len(rows)), rows, fontsize=9)
    for y, line in enumerate(table):
        for x, n in enumerate(line):
            if n:
                colour = "white" if n > 0.6 * top else "black"
                axes.text(x, y, str(n), ha="center", va="center", color=colour, fontsize=9)


def _order(counts: Mapping[Pair, int], side: int) -> list[str]:
    """Labels of one side, the most frequent first, `ABSENT` last."""
    total: Counter[str] = Counter()
    for pair, n in counts.items():
        total[pair[side]] += n
    return sorted(total, key=lambda name: (name == ABSENT, -total[name], name))

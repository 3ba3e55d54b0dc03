"""Words that say an operation, and the columns that an adjective may speak of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from datetime import date

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.amounts import NO_AMOUNTS, is_beside
from partwise.database.reading.cues import (
    adjectives,
    cue_spellings,
    cue_words,
    cues,
    longest_cue,
)
from partwise.database.reading.durations import ELAPSED, lasting, pairs_of
from partwise.database.reading.frame import Ref
from partwise.database.reading.label import EACH, Label
from partwise.database.spans.names import LayerNames, SchemaItem
from partwise.database.spans.text import Word, stems_of
from partwise.database.units import UNITS

ANY_DATE = ("*",)
"""In a list of what an adjective may speak of: any date."""
ANY_TIME = ("@time",)
"""Any number that counts time, and how long something lasted up to the date of its end."""
EITHER = {"more": "desc", "fewer": "asc", "less": "asc"}
"""Words behind which one of two is asked for."""
AVERAGE, COUNTED = frozenset({"averag", "mean", "median"}), frozenset({"number", "count", "mani"})
"""Stems that say a mean of counts together."""
BELONGS = {"in", "on", "of", "for", "by", "at", "from", "to", "with", "has", "have"}
"""Words between what is counted and what has it."""
BAD = frozenset(
    stems_of(
        "delay loss damage error fault complaint debt downtime outage accident violation absence "
        "wait defect failure deficit overrun leak risk injury crime pollution queue"
    )
)
"""Stems of what is the worse the more there is."""
WORST = {"agg:minimum": "agg:maximum", "dir:asc": "dir:desc"}
"""What "worst" says of such things, in place of what it says of others."""
_ONE_BY_ONE = {"each", "every", "per"}
NEXT = ("next",)
"""The stems of a superlative that speaks of what is still to come."""
EDGES = {"starts", "ends"}
"""Operations on the ends of texts."""
OF_MONEY = ("@money",)
"""Any number that counts money."""


class Operators:
    """Finds operations and adjectives.

    Args:
        columns: those that a question may speak of, with their tables.
    """

    def __init__(
        self,
        layer: SemanticLayer,
        names: LayerNames,
        columns: Sequence[tuple[TableInfo, ColumnInfo]],
    ) -> None:
        self.names, self.columns = names, columns
        self._deadlines = list(pairs_of(layer))
        self._ends = {*lasting(layer)}

    def find(self, words: Sequence[Word], stored: Set[int], today: date) -> Iterator[Label]:
        """Cues and adjectives.

        Args:
            today: what is next is not before it.
            stored: numbers of the words that are part of a stored value: none is a misspelt cue.
        """
        stems = [word.stem if at in stored else self._cue(word) for at, word in enumerate(words)]
        chosen_from = _two_at(words)
        of_two = _either_at(words[:chosen_from])
        for at, way in of_two.items():
            yield Label(at, at + 1, "op", op=f"either:{way}")
        yield from _of_each_one(words, stems)
        yield from _counted_last(words)
        yield from _compared(words)
        inside = _inside(stems)
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + longest_cue()) + 1):
                if _of_name(words, end) or _no_longer(words, start, end):
                    continue
                key = _without_the(stems[start:end])
                either = end == start + 1 and start in of_two
                for op in cues().get(key, ()):
                    no_cue = _is_no_cue(op, words, start, end, inside)
                    if not (no_cue or (either and op.startswith("sign"))):
                        yield from self._cued(words, start, end, op, key)
                for one in self._adjectives(words, start, end, key):
                    yield _meant(one, end <= chosen_from, today if key == NEXT else None)

    def _cued(
        self, words: Sequence[Word], start: int, end: int, op: str, key: tuple[str, ...]
    ) -> Iterator[Label]:
        """The labels of words that say an operation."""
        if op.startswith("late"):
            for pair in self._deadlines:
                yield Label(start, end, "op", op=op, value=pair)
            return
        if "worst" in key and end < len(words) and words[end].stem in BAD:
            op = WORST.get(op, op)
        each = op == "per" and {*key} & _ONE_BY_ONE
        yield Label(start, end, "op", op=op, value=EACH if each else None)

    def _adjectives(
        self, words: Sequence[Word], start: int, end: int, key: tuple[str, ...]
    ) -> Iterator[Label]:
        """What superlatives and comparatives say, of each column that they may speak of."""
        for number, adjective in enumerate(adjectives().get(_apart(key), ())):
            last = end == len(words) or not self.names.of_column(words[end].stem)
            plain = not number and adjective.op.startswith("dir")
            if plain and adjective.op not in cues().get(key, ()) and not last:
                yield Label(start, end, "op", op=adjective.op)
            yield from self._speaking_of(start, end, adjective.op, adjective.names)

    def _cue(self, word: Word) -> str:
        """The stem of a word, of a misspelt one that of the cue that it is closest to."""
        if word.stem in cue_words() or self.names.known(word.stem):
            return word.stem
        return cue_spellings().meant(word)[0]

    def _speaking_of(
        self, start: int, end: int, op: str, names: Sequence[tuple[str, ...]]
    ) -> Iterator[Label]:
        """An adjective, of each column that it may speak of."""
        for table, column in self.columns:
            if column.kind not in {"number", "date"}:
                continue
            thing = SchemaItem("column", table.name, column.name)
            if column.kind == "date" and ANY_TIME in names:
                # "The longest outage" is not the one that ended last.
                if Ref(*thing[1:]) in self._ends:
                    match = (0.0, 0.0, 0.0, 1.0, 0.0, 0.7, 0.0)
                    yield Label(start, end, "op", thing, op, ELAPSED, match=match)
            elif rank := _rank(table, column, names):
                match = (0.0, 0.0, 0.0, 1.0, 0.0, rank, 0.0)
                yield Label(start, end, "op", thing, op, match=match)


def _rank(table: TableInfo, column: ColumnInfo, names: Sequence[tuple[str, ...]]) -> float:
    """How likely an adjective speaks of a column, from 0 to 1.

    Args:
        names: what it may speak of, the likeliest first.
    """
    price = OF_MONEY in names
    if price and NO_AMOUNTS & {*column.label.split()}:
        return 0.0
    own = [stems_of(name) for name in column.names]
    ranks = [
        (1 - 0.5 * number / len(names)) * (1.0 if name in own else 0.7)
        for number, name in enumerate(names)
        if _of_kind(name, column) or any(name and set(name) <= set(one) for one in own)
    ]
    if ranks and BUILT in names and table.date == column.name and _is_own(table, column):
        # "The newest listing" was listed last, whenever it was built.
        ranks.append(OWN)
    return max(ranks, default=0.0) * (0.5 if price and is_beside(column) else 1.0)


def _is_own(table: TableInfo, column: ColumnInfo) -> bool:
    """Whether a date says what the rows are called for: "listed on" of listings."""
    return bool({*stems_of(table.label)} & {*stems_of(column.label)} - {*stems_of("date")})


BUILT, OWN = stems_of("year built"), 0.99


def _of_name(words: Sequence[Word], end: int) -> bool:
    """Whether the word before a place is a part of "first name" or "last name"."""
    behind = words[end].stem if end < len(words) else ""
    return behind == "name" and words[end - 1].plain in {"first", "last", "middle"}


def _no_longer(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether a comparative is that of "who no longer work here", which is no time."""
    said = [one.plain for one in words[max(0, start - 1) : end + 1]]
    return said[:2] == ["no", "longer"] and end == start + 1 and said[2:] != ["than"]


def _of_each_one(words: Sequence[Word], stems: Sequence[str]) -> Iterator[Label]:
    """ "Per", said with one of them: "the average number of songs on an album"."""
    if not (AVERAGE & {*stems} and COUNTED & {*stems}):
        return
    for at in range(1, len(words) - 2):
        if words[at].plain in BELONGS and words[at + 1].plain in {"a", "an", "one", "every"}:
            yield Label(at, at + 2, "op", op="per")


def _compared(words: Sequence[Word]) -> Iterator[Label]:
    """ "And", between two that are compared: "compare sales in 2023 and 2024"."""
    compares = False
    for at, word in enumerate(words):
        compares |= word.stem in {"compar", "comparison"}
        if compares and word.plain in {"and", "with", "to"}:
            yield Label(at, at + 1, "op", op="versus")


def _counted_last(words: Sequence[Word]) -> Iterator[Label]:
    """A count that is asked for in the end: "calls that failed - number"."""
    end = len(words)
    while end and words[end - 1].plain in {"?", ".", "please"}:
        end -= 1
    last = tuple(one.plain for one in words[:end])
    for said in (("number",), ("count",), ("how", "many"), ("total", "number")):
        start = end - len(said) - 1
        if start > 0 and last[start + 1 :] == said and last[start] in {",", "-", "–", ":", ";"}:
            yield Label(start, end, "op", op="count")


def _inside(stems: Sequence[str]) -> set[int]:
    """Numbers of the words that say where a text begins or ends: "starting with the letter"."""
    longest = range(2, longest_cue() + 1)
    spans = [(at, at + size) for at in range(len(stems)) for size in longest]
    said = (span for span in spans if EDGES & {*cues().get(tuple(stems[slice(*span)]), ())})
    return {at for span in said for at in range(*span)}


def _is_no_cue(op: str, words: Sequence[Word], start: int, end: int, inside: Set[int]) -> bool:
    """Whether words that can say an operation say something else.

    Args:
        inside: as `_inside` gives them.
    """
    if op == "not":
        return _is_number(words, start, end)
    return op == "contains" and {*range(start, end)} <= inside


def _is_number(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether "no" is short for number: "chip no. of Skye"."""
    behind = words[end].text if end < len(words) else ""
    said = words[start].plain == "no" and end == start + 1
    return said and behind in ({".", "of"} if start else {"of"})


def _of_kind(name: tuple[str, ...], column: ColumnInfo) -> bool:
    """Whether a column is of a kind that stands in place of a name: any date, or any number that
    measures such a quantity."""
    if name == ANY_DATE:
        return column.kind == "date"
    unit = UNITS.get(column.unit or "")
    return unit is not None and name == (f"@{unit.quantity}",) and column.kind == "number"


def _without_the(stems: Sequence[str]) -> tuple[str, ...]:
    """Stems as they are looked up: "earns the most" is "earns most" where only that is listed."""
    whole = tuple(stems)
    if whole in cues() or whole in adjectives() or "the" not in whole[1:-1]:
        return whole
    return (whole[0], *(one for one in whole[1:] if one != "the"))


def _apart(key: tuple[str, ...]) -> tuple[str, ...]:
    """Stems with the parts of words that have a hyphen: "longest-serving", "best-paid"."""
    if not any("-" in one[1:-1] for one in key):
        return key
    return tuple(part for one in key for part in stems_of(one.replace("-", " ")))


def _two_at(words: Sequence[Word]) -> int:
    """Where "or" stands between two of which one is asked for: "who has more orders, Ann or Bob",
    "did we sell more in 2023 or 2024"; 0 without any."""
    plain = [word.plain for word in words]
    return plain.index("or") if "or" in plain and "than" not in plain else 0


def _either_at(words: Sequence[Word]) -> dict[int, str]:
    """Where a word asks for one of two -> in which order it comes first."""
    return {at: EITHER[one.plain] for at, one in enumerate(words) if one.plain in EITHER}


def _meant(label: Label, either: bool, next_from: date | None) -> Label:
    """What an adjective says.

    Args:
        either: whether it stands before two things: "which is longer, A or B" asks for the longest.
        next_from: the day that what is next is not before; None if the adjective is another one.
    """
    op = {"sign:>": "dir:desc", "sign:<": "dir:asc"}.get(label.op) if either else None
    return replace(
        label,
        op=op or label.op,
        value=label.value if next_from is None or label.thing is None else next_from,
    )

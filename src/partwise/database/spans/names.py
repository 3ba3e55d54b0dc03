"""Which tables, columns and measures some words may name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.source.names import abbreviated
from partwise.database.spans.operations import operation_words, operations
from partwise.database.spans.periods import PARTS
from partwise.database.spans.spelling import Spellings
from partwise.database.spans.text import Word, function_words, stem, stems_of, words_of

LONGEST = 5
"""The most words that name one thing."""
INSIDE = {"of", "the", "a", "an", "for", "in", "to", "name", "date", "number"}
"""Function words, and words that many names have, that may stand inside a name."""
TELLING = 4
"""The fewest letters of a function word that can be a name: "kind" can, "to" cannot."""
PLACED, BETWEEN = {"first", "last"}, {"and", "or", "middl", ",", "/", "&"}
"""Words that say which of several something is, and what stands between two of them."""
NAMED = [{one, "name"} for one in sorted(PLACED)]
ALIKE, CLOSEST = 0.25, {"table": 2, "column": 3, "measure": 1}
"""How alike in meaning words and a name must be, and how many things of a kind some words get."""
ASKING = {"much", "many", "long", "often", "who", "where", "when", "old", "far", "big", "tall"}
"""Function words that may say what a column does, as in "how much"."""
LONGER = 0.05
"""By how much two words must be more alike than either of them."""
Rows = NDArray[np.float32]


class SchemaItem(NamedTuple):
    """A table, a column or a measure: what a name stands for."""

    kind: str
    table: str
    column: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """Words that may name a thing, and how well they do.

    Attributes:
        exact: whether they are a whole name of it.
        covered: which share of the name's words they are.
        first: whether the name is its label, not a synonym.
        typed: how well the words are spelt, from 0 to 1.
        alike: how alike words and name are in meaning, from 0 to 1.
    """

    start: int
    end: int
    thing: SchemaItem
    exact: bool
    covered: float
    first: bool
    typed: float
    alike: float

    @property
    def quality(self) -> float:
        """One figure, to choose what is looked at."""
        return self.exact + self.covered + 0.2 * self.first + self.typed + self.alike


class Similarity(Protocol):
    """How alike in meaning the words of one question and names are."""

    def alike(self, start: int, end: int) -> Rows:
        """Of ``words[start:end]``, one figure for each of `LayerNames.texts`; from -1 to 1."""
        ...


class _Name(NamedTuple):
    thing: SchemaItem
    stems: tuple[str, ...]
    first: bool
    text: str
    alone: bool = True
    own: frozenset[str] = frozenset()
    whole: bool = False


class LayerNames:
    """All names of a layer that are not private.

    Attributes:
        texts: what is compared in meaning.
        things: what each of `texts` names.
    """

    def __init__(self, layer: SemanticLayer) -> None:
        self.names = list(dict.fromkeys(_names(layer)))
        self._with: dict[str, list[_Name]] = defaultdict(list)
        for name in self.names:
            for one in set(name.stems):
                self._with[one].append(name)
        alone = [name for name in self.names if name.alone]
        self._spellings = Spellings(one.plain for name in alone for one in words_of(name.text))
        self.texts = [name.text for name in alone]
        self.things = [name.thing for name in alone]
        self._first = [name.first for name in alone]

    def known(self, stem: str) -> bool:
        """Whether a stem is in a name."""
        return stem in self._with

    def find(self, words: Sequence[Word], meanings: Similarity | None = None) -> list[Named]:
        """What spans of a question may name, the best for each span and thing. `meanings`: None to
        compare spellings alone."""
        stems, typed = self._spelt(words)
        best: dict[tuple[int, int, SchemaItem], Named] = {}
        alike = [] if meanings is None else self._alike(words, meanings)
        for one in [*self._same(words, stems, typed), *alike]:
            key = (one.start, one.end, one.thing)
            if key not in best or best[key].quality < one.quality:
                best[key] = one
        return list(best.values())

    def _spelt(self, words: Sequence[Word]) -> tuple[list[str], list[float]]:
        """The stems of the words, with unknown ones spelt as the name that they are closest to."""
        stems, typed = [], []
        for word in words:
            if word.stem not in self._with and (full := self._in_full(word)):
                stems.append(full)
                typed.append(1.0)
                continue
            known = word.stem in self._with or _says(word)
            meant, well = (word.stem, 1.0) if known else self._spellings.meant(word)
            stems.append(meant)
            typed.append(well)
        return stems, typed

    def _in_full(self, word: Word) -> str:
        """The stem of a name that a word is short for: "appts", "qty"; nothing if it is not."""
        if _says(word) or not word.plain.isalpha():
            return ""
        full = abbreviated(word.plain) or abbreviated(word.plain.removesuffix("s"))
        return stem(full) if stem(full) in self._with else ""

    def _same(
        self, words: Sequence[Word], stems: Sequence[str], typed: Sequence[float]
    ) -> Iterator[Named]:
        little = function_words()
        for start, first in enumerate(stems):
            if first not in self._with:
                continue
            for end in range(start + 1, min(len(words), start + LONGEST) + 1):
                if stems[end - 1] not in self._with:
                    continue
                if any(one in little and one not in INSIDE for one in stems[start + 1 : end - 1]):
                    break
                for name, share in self._shared(stems, start, end):
                    yield _named(start, end, name, share, min(typed[start:end]))

    def _shared(self, stems: Sequence[str], start: int, end: int) -> Iterator[tuple[_Name, float]]:
        """The names that some words are part of, with the share of each that they are."""
        little = function_words()
        span = {one for one in stems[start:end] if one not in little or one in self._with}
        # "When did Ann first pay" is about no first name.
        apart = PLACED.issuperset(span) and not _name_follows(stems, end)
        for name in self._with[stems[start]]:
            if apart and {*(name.own or name.stems)} in NAMED:
                continue
            if span <= set(name.stems) and (share := _share(span, name)):
                yield name, share

    def _alike(self, words: Sequence[Word], meanings: Similarity) -> Iterator[Named]:
        for start in range(len(words)):
            for end in (start + 1, start + 2):
                if not _may_mean(words, start, end):
                    continue
                row = meanings.alike(start, end)
                if end == start + 2:
                    alone = np.maximum(
                        meanings.alike(start, start + 1), meanings.alike(end - 1, end)
                    )
                    row = np.where(row > alone + LONGER, row, -1.0).astype(np.float32)
                small = words[start].stem in function_words()
                room = dict.fromkeys(CLOSEST, 1) if small else dict(CLOSEST)
                for number in np.argsort(-row)[:20]:
                    alike = float(row[number])
                    if alike < ALIKE:
                        break
                    thing = self.things[number]
                    if room[thing.kind] > 0:
                        room[thing.kind] -= 1
                        first = self._first[number]
                        yield Named(start, end, thing, False, 0.0, first, 1.0, alike)


def _says(word: Word) -> bool:
    """Whether a word is part of what says an operation, or a function word."""
    return word.stem in operation_words() or word.stem in function_words()


def _operates(word: Word) -> bool:
    """Whether a word says an operation, or a part of a date, on its own."""
    # A word for a time, as "duration", and one with nouns, as "paid", may name a column as well.
    some = [said for said in operations().get((word.stem,), ()) if said.name != "elapsed"]
    return any(not said.nouns for said in some) or word.plain in PARTS


def _may_mean(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether one or two words may mean a name that they do not spell."""
    if end > len(words) or not all(one.plain.isalpha() for one in words[start:end]):
        return False
    little = function_words()
    if end > start + 1:
        return all(one.stem not in little for one in words[start:end])
    first = words[start]
    return first.plain in ASKING or not (first.stem in little or _operates(first))


def _named(start: int, end: int, name: _Name, share: float, typed: float) -> Named:
    whole = share == 1
    return Named(start, end, name.thing, whole, share, name.first, typed, share)


def _name_follows(stems: Sequence[str], at: int) -> bool:
    """ "First and last names": what is said of the last is said of both."""
    later = next((one for one in stems[at:] if one not in PLACED | BETWEEN), "")
    return later == "name"


def _share(said: set[str], name: _Name) -> float:
    """Which share of a name's words some words are.

    Function words do not count, but for a name that has no others, such as "state". Words that
    name a table alone are no part of a column's name behind its table's.
    """
    if name.whole:
        return float(said == set(name.stems))
    if name.own and not said & name.own:
        return 0.0
    little = function_words()
    content = set(name.stems) - little
    if content and name.stems[-1] == "state":
        # "Invoice" is no "invoice state", although "state" is "tell me", too.
        content |= {"state"}
    if content:
        return len(said & content) / len(content)
    return float(said == set(name.stems) and max(map(len, said - INSIDE), default=0) >= TELLING)


def _numbers(layer: SemanticLayer, table: TableInfo) -> Iterator[_Name]:
    """ "Invoice numbers", which are ids where the table has no other number."""
    key = layer.schema.table(table.name).key
    known = {name for one in table.columns if not one.private for name in one.names}
    if key is None or table.column(key).private or {"number", f"{table.label} number"} & known:
        return
    for name in table.names:
        said = f"{name} number"
        yield _Name(
            SchemaItem("column", table.name, key), stems_of(said), False, said, False, whole=True
        )


def _beside_other(table: TableInfo, column: ColumnInfo) -> str:
    """ "Details" of "other details", where the table has no others."""
    other, _, rest = column.label.partition(" ")
    known = {name for one in table.columns for name in one.names}
    return rest if other == "other" and rest not in known else ""


def _names(layer: SemanticLayer) -> Iterator[_Name]:
    tables = {one.label: stems_of(one.label) for one in layer.tables}
    for table in layer.tables:
        if table.private:
            continue
        for number, name in enumerate(table.names):
            yield _Name(SchemaItem("table", table.name), stems_of(name), number == 0, name)
        yield from _numbers(layer, table)
        for column in table.columns:
            if column.private:
                continue
            thing = SchemaItem("column", table.name, column.name)
            if rest := _beside_other(table, column):
                yield _Name(thing, stems_of(rest), True, rest, False, frozenset(stems_of(rest)))
            for number, name in enumerate(column.names):
                if number and name not in tables and stems_of(name) in tables.values():
                    # "Located" is an address, and "locations" are a table.
                    continue
                yield _Name(thing, stems_of(name), number == 0, name)
                longer = stems_of(f"{table.label} {name}")
                yield _Name(thing, longer, number == 0, name, False, frozenset(stems_of(name)))
    for measure in layer.measures:
        for number, name in enumerate(measure.names):
            yield _Name(SchemaItem("measure", measure.name), stems_of(name), number == 0, name)

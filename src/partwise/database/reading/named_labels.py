"""Labels of words that name tables, columns, parts and measures."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.frame import Ref, own_name
from partwise.database.reading.kinds import sorts
from partwise.database.reading.label import COVERED, WEAK, Label
from partwise.database.reading.links import is_unnamed
from partwise.database.reading.literals import counts_before, units_at
from partwise.database.spans.names import Named, SchemaItem
from partwise.database.spans.text import Word

DIFFERENT = {"different", "distinct", "unique", "various"}
PER_SPAN = 6
"""The most names that one span is taken for."""
_OfSpan = Mapping[tuple[int, int, str], list[Named]]
"""Begin, end and kind -> what the words there may name."""


class NamedLabels:
    """Finds the labels of names.

    Args:
        plans: columns of what was planned, which are asked for by their whole name alone.
        anybody: words for people of any kind.
    """

    def __init__(
        self, layer: SemanticLayer, plans: Container[SchemaItem], anybody: Container[str]
    ) -> None:
        self.layer, self._plans, self._anybody = layer, plans, anybody

    def find(self, words: Sequence[Word], found: Sequence[Named]) -> Iterator[Label]:
        """The labels of what was found."""
        of_span = _of_spans(words, found)
        said = {
            one.thing.table
            for some in of_span.values()
            for one in some
            if one.thing.kind == "table"
        }
        for at, table, column in sorts(self.layer, words, said):
            thing = SchemaItem("column", table, column)
            if thing not in {one.thing for one in of_span.get((at, at + 1, "column"), ())}:
                yield Label(at, at + 1, "column", thing, "sort", match=WEAK)
        for at, ref in different_names(self.layer, words, said):
            yield Label(
                at, at + 1, "column", SchemaItem("column", *ref[:2]), "names", match=COVERED
            )
        whole = {(start, end) for (start, end, _), some in of_span.items() if _exact(some)}
        for (start, end, _), some in of_span.items():
            meant = self._meant(words, (start, end), some, whole)
            # An "id" is sooner one of a table that is said.
            best = sorted(meant, key=lambda one: (-one.quality, one.thing.table not in said))
            for one in best[:PER_SPAN]:
                match = (float(one.exact), one.covered, float(one.first), one.typed, one.alike)
                yield Label(one.start, one.end, one.thing.kind, one.thing, match=(*match, 0.0, 0.0))

    def _meant(
        self,
        words: Sequence[Word],
        span: tuple[int, int],
        some: Sequence[Named],
        whole: Collection[tuple[int, int]],
    ) -> list[Named]:
        """What the words of a span may well name.

        Args:
            whole: spans that are just a name.
        """
        start, end = span
        kept = list(some)
        if span in whole:
            # Where words are just a name, nothing has to be guessed by their meaning.
            kept = [one for one in kept if one.covered > 0]
        if _is_exact(words, start, end, () if span in whole else whole):
            kept = [one for one in kept if one.exact]
        if end == start + 1 and words[start].plain in self._anybody:
            kept = [one for one in kept if one.thing.kind != "table" or one.first]
        return self._things([one for one in kept if one.exact or one.thing not in self._plans])

    def _things(self, some: list[Named]) -> list[Named]:
        """Tables that words may name in part, without those of rows that have no name where others
        have one: of a shop, what it sells and not each sale."""
        parts = {one.covered for one in some if one.thing.kind == "table" and 0 < one.covered < 1}
        if len(parts) != 1:
            return some
        part = [one for one in some if one.covered in parts]
        named = [one for one in part if not is_unnamed(self.layer, one.thing.table)]
        return [one for one in some if one not in part or one in named] if named else some


def _of_spans(words: Sequence[Word], found: Iterable[Named]) -> _OfSpan:
    made: dict[tuple[int, int, str], list[Named]] = {}
    for one in found:
        # "How many minutes" asks for no quantity.
        if not (words[one.end - 1].plain == "many" and units_at(words, one.end)):
            made.setdefault((one.start, one.end, one.thing.kind), []).append(one)
    return made


def different_names(
    layer: SemanticLayer, words: Sequence[Word], said: Collection[str]
) -> Iterator[tuple[int, Ref]]:
    """The columns that are counted in "how many different names", of the tables that are said."""
    for at, word in enumerate(words[1:], 1):
        if word.stem == "name" and words[at - 1].plain in DIFFERENT:
            for table in layer.tables:
                for ref in own_name(layer, table.name) if table.name in said else ():
                    yield at, ref


def _is_exact(
    words: Sequence[Word], start: int, end: int, names: Iterable[tuple[int, int]]
) -> bool:
    """Whether words name nothing that they do not spell out: "10 kg" is no column that is
    called by the unit in part, nor "date of" another date in "date of enrollment".

    Args:
        names: spans that are just a name; those of several words count.
    """
    if end == start + 1 and counts_before(words, start):
        return True
    return any(first <= start and end <= last and last - first > 1 for first, last in names)


def _exact(some: Sequence[Named]) -> bool:
    return any(one.exact and one.typed == 1 for one in some)

"""Countries and states that a question names and no row has: "any customers in Japan?"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.label import COVERED, Label
from partwise.database.reading.names import Thing
from partwise.database.reading.text import Word
from partwise.database.source.lexicon import place_columns, places_called

SHORTEST = 4
"""The fewest letters of a name; shorter ones may be codes of anything."""
LONGEST = 3
"""The most words of a name."""


class AbsentPlaces:
    """Finds the places that columns of places do not hold."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._columns = [
            (sort, Thing("column", table.name, column.name))
            for table in layer.tables
            for column in table.columns
            for sort in ("countries", "states")
            if column.kind == "text" and place_columns(sort) & {*column.label.split()}
            if not (table.private or column.private)
        ]

    def find(self, words: Sequence[Word], stored: Collection[int]) -> Iterator[Label]:
        """The places that a question names, as values of each column that could hold them.

        Args:
            stored: numbers of the words of stored values.
        """
        if not self._columns:
            return
        plain = [word.plain for word in words]
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + LONGEST) + 1):
                named = tuple(plain[start:end])
                if len("".join(named)) < SHORTEST or any(at in stored for at in range(start, end)):
                    continue
                for place in places_called().get(named, ()):
                    for sort, thing in self._columns:
                        if sort == place.sort:
                            name = place.names[0]
                            yield Label(start, end, "value", thing, value=name, match=COVERED)

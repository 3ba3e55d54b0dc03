"""The same column of two tables: "a shop in their own town", "from the same city"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.text import Word, stems_of

_OWN = {"own", "same"}
MOST = 6
"""The most pairs of columns that are tried."""
Pair = tuple[str, str, tuple[str, str]]


class Owned:
    """Pairs of columns with one name, in tables that are linked, of which the first one's rows are
    of people."""

    def __init__(self, layer: SemanticLayer) -> None:
        named: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        for table in layer.tables:
            for column in table.columns:
                if column.kind == "text" and not (table.private or column.private):
                    for called in column.names:
                        if column.name not in table.display:
                            named[stems_of(called)].append((table.name, column.name))
        self._of: dict[tuple[str, ...], list[Pair]] = {}
        for name, places in named.items():
            pairs = [
                (*far, mine)
                for mine in places
                for far in places
                if far[0] != mine[0]
                and layer.table(mine[0]).person
                and layer.schema.relation(mine[0], far[0]) is not None
            ]
            if pairs:
                self._of[name] = pairs[:MOST]

    def find(self, words: Sequence[Word]) -> Iterator[tuple[int, int, str, str, tuple[str, str]]]:
        """Where a question says that both are the same."""
        for start, word in enumerate(words[:-1]):
            if word.plain in _OWN:
                for table, column, other in self._of.get((words[start + 1].stem,), ()):
                    yield start, start + 2, table, column, other

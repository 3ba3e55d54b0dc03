"""Whom "who" asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.label import WEAK, Label
from partwise.database.reading.people import ANYBODY, is_role
from partwise.database.spans.names import LayerNames, SchemaItem
from partwise.database.spans.text import Word

WHO = {"who", "whos", "whom", "whose"}


class Who:
    """Finds words for people whose table is not named.

    Attributes:
        anybody: words for any people, as "people"; none where one table of people is called so, or
            where there is only one.
    """

    def __init__(self, layer: SemanticLayer, names: LayerNames) -> None:
        self.names = names
        self._tables = [
            one.name
            for one in layer.tables
            if one.person and not (one.private or is_role(layer, one))
        ]
        called = {layer.table(one).label for one in self._tables}
        self.anybody = ANYBODY if len(called) > 1 and "person" not in called else set[str]()

    def find(self, words: Sequence[Word], at: int) -> Iterator[Label]:
        """A word for people, of each of their tables that may be meant."""
        word = words[at].plain
        if word not in WHO and word not in self.anybody:
            return
        if at and self.names.of_table(words[at - 1].stem):
            # "Students who": nobody else.
            return
        for name in self._tables:
            yield Label(at, at + 1, "table", SchemaItem("table", name), "who", match=WEAK)

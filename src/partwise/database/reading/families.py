"""Words for rows that lead to others of their own table: offspring, subcategories, referrals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.text import Word, stem, stems_of

_PARENTS = frozenset(map(stem, ("parent", "mother", "father", "dam", "sire", "main", "super")))
_CHILDREN = (
    *("child", "children", "offspring", "kids", "young", "descendants", "daughters", "sons"),
    *("calves", "calf", "lambs", "foals", "puppies", "kittens", "litter"),
)
_ROOTS = (
    *("top level", "top-level", "toplevel", "highest level", "uppermost", "root", "main", "parent"),
    *("first level", "upper level"),
)
_BROUGHT = (
    *("brought in", "bring in", "referred", "refer", "referrals", "introduced", "recommended"),
    *("recruited", "invited", "brought along", "got to join"),
)
_LED = {"mentor": ("mentees", "mentee", "mentored"), "predecessor": ("successor", "replaced")}
_BY = "by"
LONGEST = 3
"""The most words of such a phrase."""
Said = tuple[str, ...]


class Family(NamedTuple):
    """Words for rows of a table, by a link to the table itself.

    Attributes:
        op: ``team`` for the rows that lead to one, ``root`` for those that lead to none.
    """

    start: int
    end: int
    table: str
    column: str
    op: str


class Families:
    """The links of a database from a table to itself, and words for what they say."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._of: dict[Said, list[tuple[str, str, str]]] = {}
        for one in layer.schema.links:
            if one.table != one.target or layer.table(one.table).private:
                continue
            label = layer.column(one.table, one.column).label.split()
            for op, phrase in _words(label, layer.table(one.table).names):
                said = self._of.setdefault(_key(phrase), [])
                if (one.table, one.column, op) not in said:
                    said.append((one.table, one.column, op))

    def find(self, words: Sequence[Word]) -> Iterator[Family]:
        """All such words of a question."""
        if not self._of:
            return
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + LONGEST) + 1):
                key = _key(" ".join(word.plain for word in words[start:end]))
                if key and words[start].plain[:1].isalpha() and words[end - 1].plain[:1].isalpha():
                    for table, column, op in self._of.get(key, ()):
                        yield Family(start, end, table, column, op)


def _key(phrase: str) -> Said:
    """The stems of a phrase; a word with a hyphen has two."""
    return stems_of(phrase.replace("-", " "))


def _words(label: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is said of a link: operations and phrases."""
    stems = {*map(stem, label)}
    if stems & _PARENTS:
        yield from (("team", one) for one in _CHILDREN)
        yield from (("root", one) for one in _ROOTS)
        for name in names:
            yield from (("team", f"{sub}{name}") for sub in ("sub", "sub ", "sub-", "child "))
    if label[-1:] == [_BY]:
        yield "team", " ".join(label[:-1])
        if stems & {*map(stem, ("referred", "introduced", "recommended", "invited", "recruited"))}:
            yield from (("team", one) for one in _BROUGHT)
    for led, said in _LED.items():
        if stem(led) in stems:
            yield from (("team", one) for one in said)

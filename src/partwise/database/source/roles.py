"""What columns are for: which ones name a row, which are enumerations, which are private."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from partwise.database.source.keys import has_names
from partwise.database.source.lexicon import names_of, value_words, word_set
from partwise.database.source.reading import ReadTable
from partwise.database.source.sampling import FEW

FIRST, LAST = names_of("first names"), names_of("last names")
LONGEST_NAME = 80
"""The most characters, on average, of what names a row."""
LONGEST_KIND = 40
"""The same of a description that is as good as a name."""
_FIRMS = {"company", "firm", "organization", "organisation", "business"}
_PLACES = (("city",), ("town",), ("place",), ("location",), ("address",))
APART = 0.8
"""The least share of distinct values of a text that names a row and is not called a name."""
_YES = {"1", "t", "true", "y", "yes"}
_NO = {"0", "f", "false", "n", "no"}


@dataclass(frozen=True)
class TableKeys:
    """Which columns of a table are its key and its links.

    Attributes:
        links: column -> the tables that it points to.
    """

    key: str | None
    links: Mapping[str, tuple[str, ...]]

    def is_id(self, column: str) -> bool:
        """Whether a column is a key or a link."""
        return column == self.key or column in self.links


def display(
    table: ReadTable, places: TableKeys, enumerations: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], str]:
    """The columns that together name a row, and why."""
    texts = [
        name
        for name in table.column_words
        if table.meant[name].kind == "text"
        and name not in places.links
        and not private(table, name)
    ]
    words = table.column_words
    first = [name for name in texts if words[name] in FIRST]
    last = [name for name in texts if words[name] in LAST]
    if first and last:
        person = (first[0], last[0])
        others = _of_nameless(table, person, texts)
        why = "they are first and last name"
        return (*others, *person), f"{why}, and the name of who has none" if others else why
    if (found := _naming_text(table, places, enumerations, texts)) is not None:
        return (found[0],), found[1]
    return ((places.key,) if places.key else ()), "nothing else names a row"


def _naming_text(
    table: ReadTable,
    places: TableKeys,
    enumerations: Mapping[str, tuple[str, ...]],
    texts: Sequence[str],
) -> tuple[str, str] | None:
    """The text that names a row best, and why."""
    for rule, why in _RULES:
        for name in texts:
            if rule(table, table.column_words[name]) and _short(table, name):
                return name, why
    for name in texts:
        if name not in (*enumerations, places.key) and _names_rows(table, name):
            return name, "it is the first text that tells the rows apart"
    for name in texts:
        if _tells_kinds(table, places, name):
            return name, "nothing else tells these kinds of things apart"
    return None


def _of_nameless(
    table: ReadTable, person: tuple[str, str], texts: Sequence[str]
) -> tuple[str, ...]:
    """The column with the names of rows that have neither first nor last name: companies among
    customers; none if there are no such rows."""
    columns = table.sample.columns
    rows = zip(*(columns[one] for one in person), strict=True)
    nameless = [number for number, names in enumerate(rows) if not any(names)]
    return tuple(
        name
        for name in texts
        if nameless
        and (_named(table, table.column_words[name]) or _FIRMS & {*table.column_words[name][-2:]})
        and all(columns[name][number] for number in nameless)
    )[:1]


def _tells_kinds(table: ReadTable, places: TableKeys, column: str) -> bool:
    """Whether a short description, or a place, names rows that are no events: each kind of room,
    each office."""
    last = table.column_words[column][-1:]
    values = [str(one) for one in table.values(column)]
    if places.links or not values or any(one.kind == "date" for one in table.meant.values()):
        return False
    short = sum(map(len, values)) / len(values) <= LONGEST_KIND
    apart = APART if last == ("description",) else 1.0
    known = last == ("description",) or table.column_words[column] in _PLACES
    return known and short and len(set(values)) >= apart * table.sample.rows


def _called(*endings: tuple[str, ...]) -> Callable[[ReadTable, tuple[str, ...]], bool]:
    def rule(table: ReadTable, words: tuple[str, ...]) -> bool:
        return any(words in (one, (*table.words, *one)) for one in endings)

    return rule


def _named(table: ReadTable, words: tuple[str, ...]) -> bool:
    return words[-1:] == ("name",) and not set(words[:-1]) & word_set("other names")


def _titled(table: ReadTable, words: tuple[str, ...]) -> bool:
    return words[-1:] == ("title",) and not is_person(table)


def _detailed(table: ReadTable, words: tuple[str, ...]) -> bool:
    return words in (("details",), (*table.words, "details"))


_RULES = (
    (_called(("name",), ("full", "name"), ()), "it is called its name"),
    (_titled, "it is called its title"),
    (_named, "it is called a name"),
    (_called(("label",), ("caption",), ("subject",), ("headline",)), "it is called its label"),
    (_detailed, "it is called its details, which are short"),
)


def _short(table: ReadTable, column: str) -> bool:
    values = table.values(column)
    return not values or sum(len(str(one)) for one in values) / len(values) <= LONGEST_NAME


def _names_rows(table: ReadTable, column: str) -> bool:
    values = table.values(column)
    words = table.column_words[column]
    telling = not set(words[-1:]) & word_set("no names")
    apart = bool(values) and len(set(values)) >= APART * table.sample.rows
    return telling and apart and _short(table, column)


def is_person(table: ReadTable) -> bool:
    """Whether the rows are people: what has a user name is somebody's account."""
    users = any(words in names_of("user names") for words in table.column_words.values())
    return users or has_names(table) or bool(set(table.words[-1:]) & word_set("people"))


def private(table: ReadTable, column: str) -> bool:
    """Whether a column is named like a secret."""
    return "-".join(table.column_words[column]) in word_set("private")


def enumeration(table: ReadTable, column: str, places: TableKeys) -> bool:
    """Whether the values that were seen are few and repeat."""
    if places.is_id(column) or private(table, column):
        return False
    values = table.values(column)
    distinct = len(set(values))
    if table.meant[column].kind == "number":
        return set(map(str, values)) == {"0", "1"}
    if table.meant[column].kind != "text" or not 0 < distinct <= FEW:
        return False
    return distinct * 3 <= len(values) and _short(table, column)


def value_names(column: tuple[str, ...], values: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """What people call values that are stored as signs or in short: F for women.

    Args:
        column: its words.
    """
    plain = {one.lower() for one in values}
    if plain & _YES and plain & _NO and plain <= _YES | _NO:
        return {one: ("yes", "true") if one.lower() in _YES else ("no", "false") for one in values}
    called = {
        stored: said for of, stored, said in value_words() if of & set(column) and stored in plain
    }
    made = {one: called.get(one.lower(), ()) for one in values}
    return {
        one: kept
        for one, some in made.items()
        if (kept := tuple(name for name in some if name not in plain))
    }


def is_bridge(table: ReadTable, places: TableKeys) -> bool:
    """Whether a table does nothing but link others."""
    others = [one for one in table.meant if not places.is_id(one)]
    return len(places.links) >= 2 and len(others) <= 1

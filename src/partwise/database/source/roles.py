"""What columns are for, and what they and their tables are called.

Which ones name a row, which are enumerations, which are private, which says when a row happened,
and what the numbers of the others count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from partwise.database.source.keys import has_names
from partwise.database.source.lexicon import names_of, usual_synonyms, value_words, word_set
from partwise.database.source.names import words_of_name
from partwise.database.source.tables import FEW, ReadTable
from partwise.database.units import MONEY, UNITS

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


def _of_people(words: tuple[str, ...]) -> bool:
    """Whether a column is about who works there: the title of a contact."""
    return not (word_set("people") | word_set("roles")).isdisjoint(words[:-1])


_RULES: tuple[tuple[Callable[[ReadTable, tuple[str, ...]], object], str], ...] = (
    (_called(("name",), ("full", "name"), ()), "it is called its name"),
    (
        lambda t, words: words[-1:] == ("title",) and not (is_person(t) or _of_people(words)),
        "it is called its title",
    ),
    (_named, "it is called a name"),
    (
        lambda t, words: words[-1:] == ("name",) and _FIRMS & {*words} and not is_person(t),
        "it is the name of a firm",
    ),
    (_called(("label",), ("caption",), ("subject",), ("headline",)), "it is called its label"),
    (_called(("details",)), "it is called its details, which are short"),
)


def _short(table: ReadTable, column: str) -> bool:
    values = table.values(column)
    return not values or sum(len(str(one)) for one in values) / len(values) <= LONGEST_NAME


def _names_rows(table: ReadTable, column: str) -> bool:
    values = table.values(column)
    words = table.column_words[column]
    telling = not set(words[-1:]) & word_set("no names") and not _of_people(words)
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
    """What people call values that are stored as signs or in short: F for women. `column`: its
    words."""
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


_LARGE = {
    **dict.fromkeys(("k", "thousand", "thousands", "tsd"), "thousand"),
    **dict.fromkeys(("mio", "mn", "mln", "million", "millions"), "million"),
}
"""Words at the end of a name whose numbers are in thousands or millions."""
_VAGUE = {"length", "value", "amount", "number", "total", "quantity", "per"}
STEM, ENDING = 4, 4
"""The fewest characters that alike words begin with, and the most that one of them ends with."""
_SPELT_OUT = {"days", "hours"}
"""Units without which a name says something else: "lead days"."""


def without_unit(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words of a number without the unit at their end; all of them if none is there."""
    *first, last = words
    # "Watched" says that something was watched, "value" what any number says, and a "length" may be
    # one of time.
    telling = first and not first[-1].endswith("ed") and first[-1] not in _VAGUE
    cut = last in _unit_words() if telling else first and last in _LARGE
    return tuple(first) if cut else words


def unit(words: tuple[str, ...], comment: str) -> str | None:
    """What the numbers of a column count, by its name or its comment; None if they do not say."""
    if len(words) > 1 and words[-1] in _LARGE:
        return _LARGE[words[-1]]
    said = {*words, *(word for word in re.findall(r"[a-z]+", comment.lower()))}
    found = [code for code, unit in UNITS.items() if unit.columns & said]
    if found:
        return found[-1]
    if words and words[-1] in UNITS and UNITS[words[-1]].behind & {*words}:
        return words[-1]
    return MONEY if words and words[-1] in word_set("money") else None


def default_date(table: ReadTable, places: TableKeys) -> str | None:
    """The column that says when a row happened: the only one that may, or the one called so."""
    dates = [name for name, meant in table.meant.items() if meant.kind == "date"]
    state = word_set("dates of state")
    if not is_person(table):
        state |= word_set("dates of endings")
    events = [name for name in dates if not state & set(table.column_words[name])]
    for name in events:
        words = set(words_of_name(name)) - {"date", "time", "at", "on"}
        if words <= set(table.words):
            return name
    if len(events) == 1:
        return events[0]
    for name in events:
        # An inspection is of the day that it was inspected on, not that its fine was paid on.
        if any(_alike(one, of) for one in table.column_words[name] for of in table.words):
            return name
    called = [
        name for name in events if set(table.column_words[name]) & word_set("dates of events")
    ]
    return called[0] if called else None


def _alike(one: str, other: str) -> bool:
    """Whether two words are the same but for their endings: "inspected", "inspection"."""
    begin = len([*takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))])
    return begin >= STEM and max(len(one), len(other)) - begin <= ENDING


@lru_cache(maxsize=1)
def _unit_words() -> frozenset[str]:
    """Words that say a unit, and nothing else, at the end of a name."""
    listed = {word for unit in UNITS.values() for word in unit.columns}
    letters = {code for code, unit in UNITS.items() if unit.behind}
    return frozenset((listed | letters | _LARGE.keys()) - _SPELT_OUT)


DATES = {"exp": "expiry", "experience": "expiry", "term": "termination", "dep": "departure"}
"""What words of dates stand for, in place of what they mean elsewhere."""
_WHEN = ("date", "on", "at")
"""How names of dates end."""


def called(label: str, others: Sequence[str], people: bool) -> tuple[str, tuple[str, ...]]:
    """The name of a table's rows, and what else they may be called, by whether they are people: a
    ``doc`` with first and last names is a doctor, and a ``rep`` without any is a repair."""
    known = word_set("people") | word_set("roles")
    if not others or (label.split()[-1] in known) == people:
        return label, tuple(others)
    fits = [one for one in others if (one.split()[-1] in known) == people]
    if not fits:
        return label, tuple(others)
    return fits[0], (label, *(one for one in others if one != fits[0]))


def _date_words(words: Sequence[str], taken: Collection[Sequence[str]]) -> Sequence[str]:
    """The words of a date as the list of synonyms has them: "hire date" for ``dt_hire``, "expiry
    date" for ``lic_exp``, and "paid date" for ``paid_on`` where only the one is listed. `taken`:
    the words of the columns beside it."""
    if not words:
        # A name without a letter, as "_" is one.
        return words
    made = (*words[1:], "date") if words[0] == "date" and words[1:2] not in ((), ("of",)) else words
    made = tuple(DATES.get(one, one) for one in made)
    listed = usual_synonyms("columns")
    if made[-1] not in _WHEN:
        made = (*made, "date") if made != tuple(words) else made
    elif " ".join(made) not in listed:
        others = ((*made[:-1], one) for one in _WHEN)
        made = next((one for one in others if " ".join(one) in listed), made)
    return words if made in taken else made


def meant_by(table: ReadTable, column: str) -> str:
    """A column's label as the list of synonyms has it: the title of a person is of a job, and a
    height in centimetres is a height."""
    words = table.column_words[column]
    label = " ".join(words)
    if label == "title" and is_person(table):
        return "job title"
    if table.meant[column].kind == "date":
        return " ".join(_date_words(words, table.column_words.values()))
    if table.meant[column].kind != "number" or label in usual_synonyms("columns"):
        return label
    short = without_unit(words)
    return label if short in table.column_words.values() else " ".join(short)

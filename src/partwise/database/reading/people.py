"""What is asked about people: who they are, how many work here, and who did what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import product

from partwise.database.layer.model import SemanticLayer, TableInfo
from partwise.database.reading.filling import Step
from partwise.database.reading.frame import Frame, Ref
from partwise.database.reading.label import EXACT, Label
from partwise.database.spans.text import Word

PEOPLE = {"who", "whos", "people", "person", "persons"} | {
    *("everybody", "everyone", "anyone", "anybody")
}
"""Words that speak of people, whatever their table is called."""
ANYBODY = PEOPLE - {"who", "whos"}
"""Those that may be people of any table."""
HEADCOUNTS = {"headcount", "head-count", "workforce", "headcounts", "manpower"}
_STAFF = {"salary", "wage", "hired", "hire", "job", "position", "employed", "manager", "pay"}
"""Words of columns that people have who work here."""
_WORKERS = {"employee", "staff", "worker", "personnel", "colleague", "employees"}
AGES = {"how", "old", "born", "birthday", "age"}
"""Words that labels of an age or a birth begin with."""
PARTIES = {"buyer", "customer", "client", "seller", "supplier", "member", "guest", "owner"}
"""Words of tables of people or firms that do something."""
TITLES = {"mr", "mrs", "ms", "miss", "mister", "dr", "doctor", "prof", "professor", "sir"}
"""Words before the name of a person."""
FULL_NAME = 0.9
"""The least score of a value that is the whole name of a row."""
MOST_PAIRS = 4
"""The most pairs of links that are tried."""


def headcounts(layer: SemanticLayer, words: Sequence[Word]) -> Iterator[tuple[int, int, str]]:
    """Where the number of people who work here is asked for, and their table."""
    for at, word in enumerate(words):
        pair = at + 1 < len(words) and (word.plain, words[at + 1].plain)
        two = pair in {("head", "count"), ("staff", "count"), ("staff", "numbers")}
        if not two and word.plain not in HEADCOUNTS:
            continue
        for table in layer.tables:
            if works_here(table) and not table.private:
                yield at, at + 1 + two, table.name


def works_here(table: TableInfo) -> bool:
    """Whether rows are people who work here."""
    said = {one for column in table.columns for one in column.label.split()}
    return bool(_WORKERS & {*table.label.split()} or (table.person and _STAFF & said))


def is_role(layer: SemanticLayer, table: TableInfo) -> bool:
    """Whether rows are parts that people play, who are rows of another table: a cast member has the
    name of a character, and the actor is the person that it links."""
    key = layer.schema.table(table.name).key
    actors = [
        link
        for link in layer.schema.leaving(table.name)
        if link.column != key and link.target != table.name and layer.table(link.target).person
    ]
    own = {"name", "full name", "first name", "last name", "surname", f"{table.label} name"}
    shown = {layer.column(table.name, one).label for one in table.display}
    return len(actors) == 1 and not shown & own


def of_people_said(
    layer: SemanticLayer, people: Set[str], words: Sequence[Word], labels: Sequence[Label]
) -> list[Label]:
    """Labels without the ages and births of people whom the question does not speak of: how old a
    customer is cannot be told by when the seller was born.

    Args:
        people: the tables of people.
    """
    said = {
        one.thing.table
        for one in labels
        if one.thing is not None and one.thing.table in people and _names(layer, one)
    }
    if not said:
        return list(labels)
    left = people - said
    return [
        one
        for one in labels
        if not (one.kind == "column" and _table_of(one) in left and _is_age(words, one))
    ]


def _table_of(label: Label) -> str:
    return "" if label.thing is None else label.thing.table


def _is_age(words: Sequence[Word], label: Label) -> bool:
    """Whether a label is of words that ask for an age or a birth."""
    first = words[label.start].plain
    return first in AGES and (first != "how" or words[label.end - 1].plain == "old")


def titled(people: Set[str], words: Sequence[Word], values: Sequence[Label]) -> Iterator[Label]:
    """Names of people with the title before them: "Dr. Keane" is all of a last name."""
    for one in values:
        at = one.start - 1
        at -= at > 0 and words[at].plain == "."
        if at >= 0 and words[at].plain in TITLES and one.thing and one.thing.table in people:
            yield replace(one, start=at, match=(*EXACT[:-1], one.match[-1]))


def _names(layer: SemanticLayer, label: Label) -> bool:
    """Whether a label is just the name of a table or of one of its rows."""
    assert label.thing is not None
    if label.kind == "value" and label.thing.column in layer.table(label.thing.table).display:
        return label.match[3] >= FULL_NAME
    return label.kind == "table" and bool(label.match) and label.match[0] == 1.0


def who_what(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Where "who bought what" and the like stand."""
    for at in range(1, len(words) - 2):
        if words[at].plain == "who" and words[at + 2].plain in {"what", "which"}:
            yield at, at + 3


def parties(frame: Frame, layer: SemanticLayer) -> list[Step]:
    """The names of who and what each row links, in place of its own."""
    if not frame.head or frame.shown or frame.figures or frame.keys:
        return []
    links = [one for one in layer.schema.leaving(frame.head) if layer.table(one.target).display]
    who = [
        one
        for one in links
        if layer.table(one.target).person or PARTIES & set(layer.table(one.target).label.split())
    ]
    what = [one for one in links if one not in who]
    made = []
    for pair in list(product(who, what))[:MOST_PAIRS]:
        shown = tuple(
            Ref(one.target, name, (one.table, one.column))
            for one in pair
            for name in layer.table(one.target).display
        )
        made.append(Step(frame._replace(shown=shown), "who_what"))
    return made

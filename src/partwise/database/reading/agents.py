"""People by what they do: "donors" are patrons with donations, "our biggest spenders" customers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import Step, add, figure_steps, ordered
from partwise.database.reading.frame import Cond, Fig, Frame
from partwise.database.reading.label import Label
from partwise.database.reading.names import Names
from partwise.database.reading.people import PARTIES, works_here
from partwise.database.reading.text import Word
from partwise.database.reading.totals import totals_below

SPENDERS = {"spender", "spenders", "buyer", "buyers", "shopper", "shoppers", "payer", "payers"}
"""Words for who pays, whatever for."""
_BUYERS = {"customer", "client", "buyer", "guest", "member", "shopper", "donor", "user", "account"}
"""Words of tables of those who pay, if anybody does."""
_DOERS = ("ators", "ator", "ers", "ors", "er", "or")
_DONE = ("", "ation", "ion", "ing", "al", "ment", "e", "ance")
"""Endings of what somebody does, in place of those of who does it."""
SHORTEST = 3
"""The fewest letters before an ending."""


class Doer(NamedTuple):
    """A word for people by what they do.

    Attributes:
        people: their table.
        event: the table of what they do.
    """

    at: int
    people: str
    event: str


class Agents:
    """The people of a database by what they do."""

    def __init__(self, layer: SemanticLayer, names: Names) -> None:
        self._names = names
        people = {
            one.name
            for one in layer.tables
            if not one.private and (one.person or PARTIES & {*one.label.split()})
        }
        self._of: dict[str, list[tuple[str, str]]] = {}
        for table in layer.tables:
            linked = {one.target for one in layer.schema.leaving(table.name)} & people
            if table.private or table.name in people or len(linked) != 1:
                continue
            pair = (linked.pop(), table.name)
            for noun in {name.split()[-1] for name in table.names}:
                self._of.setdefault(noun, []).append(pair)
        paying = [
            (one, measure.table)
            for one in sorted(people)
            if not works_here(layer.table(one))
            for measure in totals_below(layer, one, 3)
            # What goods are worth is not what somebody paid.
            if "spent" in measure.names
        ]
        buyers = [one for one in paying if _BUYERS & {*layer.table(one[0]).label.split()}]
        self._paying = buyers or paying

    def find(self, words: Sequence[Word]) -> Iterator[Doer]:
        """All such words of a question that name nothing else."""
        for at, word in enumerate(words):
            if self._names.known(word.stem):
                continue
            pairs = self._paying if word.plain in SPENDERS else []
            for noun in nouns_of(word.plain):
                pairs = [*pairs, *self._of.get(noun, ())]
            for people, event in dict.fromkeys(pairs):
                yield Doer(at, people, event)


def nouns_of(doer: str) -> Iterator[str]:
    """What somebody may do, of a word for who does it: "donation" for "donor"."""
    for ending in _DOERS:
        base = doer.removesuffix(ending)
        if base != doer and len(base) >= SHORTEST:
            yield from (f"{base}{one}" for one in _DONE)


def agent_steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """People who do something, and in order of what they did where an order waits."""
    assert label.thing is not None
    people, event = label.thing.table, label.value
    if frame.head not in {"", people} or frame.sign or frame.per or frame.num is not None:
        return []
    done, some = frame._replace(head=people), Cond(event, "some")
    if frame.agg:
        counted = figure_steps(add(frame, some), Fig("count", people), "agents_counted")
        return counted if frame.agg == "count" else []
    made = [Step(add(done, some), "agents")]
    if frame.way:
        totals = [Fig("", event, measure=one.name) for one in layer.measures if one.table == event]
        by = [*totals, Fig("count", event)][0]
        made.append(Step(ordered(done, by), "agents_ordered"))
    return made

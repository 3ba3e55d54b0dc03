"""What can be said of each thing of the graph: with which verbs and roles, and of whom."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from partwise.domains.films.domain import GENDER, NATIONALITY
from partwise_papers.films.knowledge import Knowledge
from partwise_papers.films.lexicon import ADJECTIVES, NOUNS, ROLES, VERBS
from partwise_papers.films.matcher import Matcher

Item = TypeVar("Item")
VALUES = {GENDER: "gender", NATIONALITY: "country"}
"""Predicates whose objects are no things that a question could name, and what kind they are."""


def choose(rng: random.Random, items: Sequence[Item]) -> Item:
    """One of the items; faster than `random.choice`."""
    return items[int(rng.random() * len(items))]


@dataclass
class Links:
    """What holds between one thing and others, by word.

    Attributes:
        others: word -> those of whom it holds.
    """

    others: dict[str, list[str]] = field(default_factory=dict)

    @cached_property
    def words(self) -> list[str]:
        """The words, each once."""
        return list(self.others)

    @cached_property
    def words_of(self) -> dict[str, list[str]]:
        """Other -> the words that hold of it."""
        found: dict[str, list[str]] = {}
        for word, others in self.others.items():
            for other in others:
                found.setdefault(other, []).append(word)
        return found

    def common(self, words: Iterable[str]) -> list[str]:
        """Those of whom all the words hold, in the order of the first one's."""
        first, *rest = words
        found = self.others.get(first, [])
        for word in rest:
            holds = set(self.others.get(word, ()))
            found = [other for other in found if other in holds]
        return found


Table = Mapping[str, Links]
"""Thing -> what can be said of it in one way."""
NONE = Links()


class World:
    """The graph by what can be said in it.

    Attributes:
        does, done: what a thing does to others by an active verb; what others do to it.
        done_by, agent: the same for verbs that have a passive.
        bears, owns: roles that a thing has for others; that others have for it.
        nouns, adjectives: words that hold of a thing.
        kinds: what kind of thing each is.
    """

    def __init__(self, graph: Knowledge) -> None:
        self.matcher = matcher = Matcher(graph.facts)
        self.kinds = dict(graph.kinds)
        for predicate, kind in VALUES.items():
            self.kinds |= dict.fromkeys(sorted(matcher.sides(predicate)[1]), kind)
        self.does: dict[str, Links] = {}
        self.done: dict[str, Links] = {}
        self.agent: dict[str, Links] = {}
        self.done_by: dict[str, Links] = {}
        self.bears: dict[str, Links] = {}
        self.owns: dict[str, Links] = {}
        for verb in VERBS:
            sides = matcher.sides(verb.predicate)
            _enter((self.does, self.done), verb.base, sides, verb.subject_first)
            if verb.passive:
                _enter((self.agent, self.done_by), verb.base, sides, verb.subject_first)
        for role in ROLES:
            sides = matcher.sides(role.predicate)
            _enter((self.bears, self.owns), role.word, sides, role.bearer_first)
        types, nothing = matcher.sides("a")[0], frozenset[str]()
        self.nouns = {
            name: [n.word for n in NOUNS if n.type in types.get(name, nothing)]
            for name in self.kinds
        }
        self.adjectives = {
            name: [
                a.word
                for a in ADJECTIVES
                if a.value in matcher.sides(a.predicate)[0].get(name, nothing)
            ]
            for name in self.kinds
        }
        self.inverse = ((self.does, self.done), (self.done_by, self.agent))


def _enter(
    tables: tuple[dict[str, Links], dict[str, Links]],
    word: str,
    sides: tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]],
    in_order: bool,
) -> None:
    """Enter a word's pairs in the tables of those before it and of those after it."""
    for table, side in zip(tables, sides if in_order else reversed(sides), strict=True):
        for name in sorted(side):
            table.setdefault(name, Links()).others[word] = sorted(side[name])

"""Chance: which words, things and adjectives a question takes, and how often."""

from __future__ import annotations

import random
from collections.abc import Sequence

from partwise_papers.films.grammar import Tree, entity, list_phrases
from partwise_papers.films.links import Links, World, choose

SIZES = (1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6)
"""How often a question says something of a pair of things; drawn from these."""
WORDS_SHARE = 0.35
"""How often several verbs (or roles) are drawn on where several hold."""
ENTITIES_SHARE = 0.45
"""How often several entities are named where the same holds of several."""
MORE_SHARE = 0.5
"""How often one more is added to these."""
ENTITY_SHARE = 0.58
"""How often a thing is named that could be described as well."""
ADJECTIVE_SHARE = 0.32
"""How often a noun or role gets an adjective; half as often, a second one."""
MAX_LISTED = 5


class Stuck(Exception):
    """A phrase for which the facts do not suffice; another question is tried."""


class Chooser:
    """What is drawn for one question.

    Attributes:
        used: the entities that it names so far.
        left: how often it may still say something of a pair of things.
    """

    def __init__(self, world: World, rng: random.Random) -> None:
        self.world, self.rng = world, rng
        self.used: set[str] = set()
        self.left = 0

    def begin(self) -> None:
        """Begin another question."""
        self.used = set()
        self.left = choose(self.rng, SIZES)

    def namable(self, n: str) -> bool:
        """Whether it is a thing that a question may name, which a gender is not."""
        return bool(self.world.nouns[n])

    def free(self, n: str) -> bool:
        """Whether it may be named and is not yet."""
        return n not in self.used and self.namable(n)

    def named(self, n: str) -> Tree:
        """A phrase that names it."""
        self.used.add(n)
        return entity(n)

    def entities(self, names: list[str]) -> Tree:
        """Entities in any order."""
        self.rng.shuffle(names)
        return list_phrases("DP", [self.named(name) for name in names])

    def true_adjectives(self, n: str) -> list[str]:
        """None, one or two that hold of n."""
        words = self.world.adjectives[n]
        if not words or self.rng.random() > ADJECTIVE_SHARE:
            return []
        if len(words) > 1 and self.rng.random() < ADJECTIVE_SHARE / 2:
            return self.rng.sample(words, 2)
        return [choose(self.rng, words)]

    def pick(self, links: Links) -> tuple[list[str], str]:
        """Words and another of whom they hold."""
        self.left -= 1
        word = choose(self.rng, links.words)
        other = choose(self.rng, links.others[word])
        words = links.words_of[other]
        if len(words) > 1 and self.rng.random() < WORDS_SHARE:
            return self.some(words, MAX_LISTED, least=2), other
        return [word], other

    def some(self, items: Sequence[str], most: int, least: int = 1) -> list[str]:
        """Some of the items in any order, fewer more often."""
        count = least
        while count < min(most, len(items)) and self.rng.random() < MORE_SHARE:
            count += 1
        return self.rng.sample(items, count)

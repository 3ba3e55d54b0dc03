"""The relations of meanings, by which cases are alike, and questions without their entities."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import torch
from torch import Tensor

from partwise.language.program import Term
from partwise.language.query_graph import QueryGraph
from partwise.language.text import Words, split

PLACEHOLDER = re.compile(r"m\d+")
BLANK = "[blank]"
"""What stands for an entity, as in the paper."""
Names = Collection[tuple[str, ...]]
"""Names of entities, by their words."""


def relations(meaning: QueryGraph | Term) -> frozenset[str]:
    """What a meaning says, without the entities.

    Of a query its relations, and its attributes with their constants, which MCWQ's questions
    spell ("Spanish") as others spell relations. Of a program its predicates and constants.
    """
    if isinstance(meaning, Term):
        return frozenset(part.symbol for part in meaning.walk() if not part.quoted)
    attributes = (f"{one.predicate} {one.object}" for one in meaning.attributes)
    return frozenset([*(one.predicate for one in meaning.edges), *attributes])


def overlap(some: Sequence[Collection[str]]) -> Tensor:
    """``[meanings, meanings]``: F1 of the relations of each two (Das et al. 2021, section 2.1)."""
    numbers = {name: number for number, name in enumerate(sorted(set().union(*some)))}
    there = torch.zeros(len(some), max(1, len(numbers)))
    for row, names in enumerate(some):
        there[row, [numbers[name] for name in names]] = 1.0
    sizes = there.sum(1)
    return 2 * there @ there.T / (sizes[:, None] + sizes[None]).clamp(min=1)


def names_of(meanings: Sequence[QueryGraph | Term]) -> list[tuple[str, ...]]:
    """The names in programs, by their words, in order; queries have placeholders."""
    terms = (one for one in meanings if isinstance(one, Term))
    found = {split(part.symbol) for term in terms for part in term.walk() if part.quoted}
    return sorted(one for one in found if one)


def masked(words: Sequence[str], names: Names) -> Words:
    """A question whose placeholders and names of entities are blanks; the longest name counts."""
    longest = max(map(len, names), default=0)
    made: list[str] = []
    place = 0
    while place < len(words):
        sizes = range(min(longest, len(words) - place), 0, -1)
        found = (size for size in sizes if tuple(words[place : place + size]) in names)
        size = next(found, 1 if PLACEHOLDER.fullmatch(words[place]) else 0)
        made.append(BLANK if size else words[place])
        place += max(1, size)
    return joined(made)


def joined(words: Sequence[str]) -> Words:
    """Words as a text with blanks between."""
    offsets: list[tuple[int, int]] = []
    place = 0
    for word in words:
        offsets.append((place, place + len(word)))
        place += len(word) + 1
    return Words(" ".join(words), tuple(words), tuple(offsets))

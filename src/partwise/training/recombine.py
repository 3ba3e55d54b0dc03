"""New training pairs from parts of given ones: a phrase and its program in another's place.

The parts are nodes of the best trees of gold programs, so that no rule is written by hand: where a
question names a state, the phrase for a state in another question may stand (compare Jia and
Liang 2016, whose grammar came from a lexicon). Both sides are checked by the domain's types.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from partwise.algebra.type import TypeAlgebra
from partwise.datasets.base import Example
from partwise.errors import PartwiseError
from partwise.meaning import read_tree
from partwise.program import Term
from partwise.tokenizer import tokenize
from partwise.tree import SpanTree

MARKS = frozenset("?.!,;")
TRIES = 8


@dataclass(frozen=True)
class Fragment:
    """A phrase with its program."""

    words: tuple[str, ...]
    term: Term


@dataclass(frozen=True)
class Site:
    """Where a phrase stands in a question."""

    start: int
    end: int
    term: Term


class Recombination:
    """Collects phrases from trees and puts them into other questions.

    Args:
        longest: most words of a new question.
        deepest: most levels of a new program.
    """

    def __init__(self, types: TypeAlgebra, longest: int = 24, deepest: int = 14) -> None:
        self.types, self.longest, self.deepest = types, longest, deepest
        self.sites: dict[str, list[Site]] = {}
        self.fragments: dict[str, list[Fragment]] = {}
        self.learned = 0

    @property
    def ready(self) -> bool:
        """Whether every question was seen a few times, so that its tree is no first guess."""
        return self.learned >= 3 * len(self.sites) > 0

    def learn(self, example: Example, tree: SpanTree) -> None:
        """Take the parts of an example's tree; a later tree replaces an earlier one."""
        words = tokenize(example.question).words
        whole = str(self.types.domain.normalize(example.program))
        sites: list[Site] = []
        for node in read_tree(tree, self.types).walk():
            end = node.end
            while end > node.start and words[end - 1] in MARKS:
                end -= 1
            if node.term is None or whole.count(str(node.term)) != 1:
                continue
            if node.start < end and (node.start, end) != (0, len(words)):
                sites.append(Site(node.start, end, node.term))
        key = example.source + example.question
        # Of nodes that differ by φ words only, the smallest is the phrase itself.
        smallest = {site.term: site for site in sorted(sites, key=lambda s: s.start - s.end)}
        self.sites[key] = list(smallest.values())
        self.fragments[key] = [
            Fragment(tuple(words[site.start : site.end]), site.term)
            for site in smallest.values()
            if site.term.size > 2
        ]
        self.learned += 1

    def __call__(self, example: Example, draw: random.Random) -> Example:
        """The example with one phrase replaced, or as it was if nothing fits."""
        sites = self.sites.get(example.source + example.question, [])
        keys = list(self.fragments)
        for _ in range(TRIES if sites and keys else 0):
            site = draw.choice(sites)
            fragments = self.fragments[draw.choice(keys)]
            if not fragments:
                continue
            made = self._graft(example, site, draw.choice(fragments))
            if made is not None:
                return made
        return example

    def _graft(self, example: Example, site: Site, fragment: Fragment) -> Example | None:
        words = list(tokenize(example.question).words)
        words[site.start : site.end] = fragment.words
        normal = self.types.domain.normalize(example.program)
        program = normal.map(lambda part: fragment.term if part == site.term else part)
        if site.term == fragment.term or len(words) > self.longest:
            return None
        if program.depth > self.deepest or program == normal:
            return None
        try:
            self.types.check(program)
        except PartwiseError:
            return None
        return replace(example, question=" ".join(words), program=program)

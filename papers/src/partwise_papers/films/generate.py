"""Questions about films without end: distinct, with queries, rules, and answers that are known.

Open questions have an answer; of those that ask whether, half have "yes". A question for "no" is
made for "yes" first, then other entities take the place of one or two of its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import blake2b
from itertools import count, islice

from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph, canonical
from partwise_papers.films.choices import Stuck
from partwise_papers.films.grammar import Tree, rule_graph, words
from partwise_papers.films.knowledge import iri, knowledge
from partwise_papers.films.links import World, choose
from partwise_papers.films.making import Maker
from partwise_papers.films.semantics import query_graph

ASK_SHARE = 0.55
"""How many questions ask whether."""
MAX_WORDS = 32
"""Of a question; a term of several words counts once."""
NO_TRIES = 8
"""How often other entities are tried for a "no"."""
MOST_TRIES = 20_000
"""So many tries in a row without a new question end the work."""


@cache
def world() -> World:
    """The graph of the tables by what can be said in it."""
    return World(knowledge())


def generate(number: int, seed: int) -> list[Example[QueryGraph]]:
    """So many questions; see `questions`."""
    return list(islice(questions(seed), number))


def questions(seed: int) -> Iterator[Example[QueryGraph]]:
    """Questions without end, the same for the same seed.

    No two have the same text up to the numbers of their entities. All that is kept of those given
    is eight bytes each, so that a question may be taken for a repeated one by mere chance: one in
    a million questions with a probability of 3e-8.

    Raises:
        DataError: when there are no new ones to be found.
    """
    making = _Making(random.Random(f"films {seed}"))
    for number in count(1):
        yield making.example(f"films.{seed}:{number}")


class _Making:
    """Makes questions that were not made before, with their queries."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.world = rng, world()
        self.maker = Maker(self.world, rng)
        self.seen: set[int] = set()
        self.surplus = 0
        self.of_kind: dict[str, list[str]] = {}
        for name, kind in self.world.kinds.items():
            if self.maker.namable(name):
                self.of_kind.setdefault(kind, []).append(name)

    def example(self, source: str) -> Example[QueryGraph]:
        """A new example."""
        for _ in range(MOST_TRIES):
            try:
                found = self.attempt(self.maker.make(self.rng.random() < ASK_SHARE), source)
            except Stuck:
                continue
            if found is not None:
                return found
        raise DataError(
            f"found no new question about films in {MOST_TRIES} tries, after {len(self.seen)}; "
            "ask for fewer"
        )

    def attempt(self, tree: Tree, source: str) -> Example[QueryGraph] | None:
        """The example of a tree; None if it names nothing, is too long, known, or never false."""
        names: dict[str, str] = {}
        spelled = words(tree, names)
        pattern = " ".join(spelled)
        key = int.from_bytes(blake2b(pattern.encode(), digest_size=8).digest(), "little")
        if not names or len(spelled) > MAX_WORDS or key in self.seen:
            return None
        placeholders = list(names.values())
        self.rng.shuffle(placeholders)
        names = dict(zip(names, placeholders, strict=True))
        graph = query_graph(tree, names)
        bindings = {placeholder: name for name, placeholder in names.items()}
        if graph.head == "ask":
            if self.surplus > 0:
                denied = self.denied(graph, bindings)
                if denied is None:
                    return None
                bindings = denied
            self.surplus += 1 if self.surplus <= 0 else -1
        self.seen.add(key)
        return Example(
            " ".join(words(tree, names)),
            canonical(graph),
            source,
            official=False,
            context=tuple((m, iri(bindings[m])) for m in sorted(bindings, key=_number)),
            rules=rule_graph(tree),
        )

    def denied(self, graph: QueryGraph, bindings: dict[str, str]) -> dict[str, str] | None:
        """Other entities of the same kinds, of which the question does not hold."""
        placeholders = list(bindings)
        for _ in range(NO_TRIES):
            changed = dict(bindings)
            for _ in range(1 + (self.rng.random() < 0.3)):
                placeholder = choose(self.rng, placeholders)
                other = choose(self.rng, self.of_kind[self.world.kinds[bindings[placeholder]]])
                if other not in changed.values():
                    changed[placeholder] = other
            if not self.world.matcher.ask(graph, changed):
                return changed
        return None


def _number(placeholder: str) -> int:
    return int(placeholder[1:])


GENERATORS: Mapping[str, Callable[[int], Iterator[Example[QueryGraph]]]] = {"films": questions}
"""Name -> different questions without end, always the same for the same seed."""

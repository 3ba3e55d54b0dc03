"""Types of predicates from the programs that use them: what may stand where.

What a predicate returns is known by where it stands, and what an argument takes by what stands
there. A predicate whose place depends on what it is applied to, as ``largest`` in
``capital(largest(state))``, returns what it is given. What never stood together in the examples may
still do so where others like it do; how far that goes is chosen on examples that are held out.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.language.program_spelling import WHOLE, CallNode, Slot, Uses
from partwise.language.text import split

ODD = 3.0
"""Nats that a use costs which speaks against a type variable."""
SURE = 1.5
"""Nats that must speak for it."""
SAYS, OFTEN = 0.8, 0.6
"""The shares of a word's uses with a constant, and of the constant's with it, if it says it."""
RARE = 0.1
"""Added to how often something would stand somewhere by chance."""
Array = NDArray[np.float64]


def find_defaults(
    examples: Sequence[Example[Term]], constants: Mapping[str, str]
) -> dict[tuple[str, int], str]:
    """Which constant says at which place that nothing is there, as ``all`` in ``city(all)``.

    It is a word without quotes, the only one at its place, and no word of questions says it.

    Args:
        examples: with programs in terms of methods.
        constants: method -> what programs write.
    """
    counts: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    said: defaultdict[str, Counter[str]] = defaultdict(Counter)
    words = Counter[str]()
    for example in examples:
        question = set(split(example.question))
        words.update(question)
        leaves = set()
        for place, arg in _arguments(example.meaning):
            leaf = arg.symbol if arg.args == () else ""
            plain = constants.get(leaf, "").replace("_", "a").isalpha()
            counts[place][leaf if plain else ""] += 1
            leaves |= {leaf} if plain else set()
        for leaf in leaves:
            said[leaf].update((*question, ""))
    wordless = {
        leaf
        for leaf, seen in said.items()
        if not any(seen[w] >= max(SAYS * words[w], OFTEN * seen[""]) for w in seen if w)
    }
    kept: dict[tuple[str, int], str] = {}
    # From the last argument on, as those after one that may be left out may be, too.
    for method, slot in sorted(counts, key=lambda place: -place[1]):
        leaves = counts[method, slot].keys() - {""}
        last = (method, slot + 1) not in counts or (method, slot + 1) in kept
        if len(leaves) == 1 and leaves <= wordless and last:
            kept[method, slot] = next(iter(leaves))
    return kept


def _arguments(term: Term) -> Iterator[tuple[tuple[str, int], Term]]:
    """All arguments in a program with their places, names left out."""
    for part in term.walk():
        for slot, arg in enumerate(part.operands):
            yield (part.symbol, slot), arg


class Types:
    """What may stand where, by what stood where.

    Args:
        uses: which methods return what they are given.
        programs: whose calls are counted.
    """

    def __init__(self, uses: Uses, programs: Sequence[CallNode]) -> None:
        seen: defaultdict[Slot, Counter[str]] = defaultdict(Counter)
        self._calls: defaultdict[tuple[str, int], list[tuple[Slot, CallNode]]] = defaultdict(list)
        for slot, node in uses.of(programs):
            seen[slot][uses.returned(node)] += 1
            self._calls[node.method, len(node.args)].append((slot, node))
        self.uses = replace(uses, seen=dict(seen))

    @classmethod
    def of(
        cls, programs: Sequence[CallNode], defaults: Mapping[tuple[str, int], str] | None = None
    ) -> Types:
        """The types of programs, with type variables where most uses speak for them."""
        types = cls(Uses(defaults=defaults or {}), programs)
        tried = sorted((*call, slot) for call in types._calls for slot in range(call[1]))
        while True:
            through = types.uses.through
            gains = {slot: types._gain(slot) for slot in tried if slot[:2] not in through}
            best = max(gains, key=lambda slot: gains[slot], default=None)
            if best is None or gains[best] < SURE:
                return types
            types = cls(replace(types.uses, through={**through, best[:2]: best[2]}), programs)

    def _gain(self, slot: Slot) -> float:
        """What speaks for returning the type of an argument: where a call stands, its argument
        stands, too, and other arguments of it would not."""
        places: Counter[Slot] = Counter()
        given: list[tuple[Slot, str]] = []
        for place, node in self._calls[slot[:2]]:
            arg = node.args[slot[2]]
            if arg is None:
                return 0.0
            places[place] += 1
            given.append((place, self.uses.returned(arg)))
        if len({kind for _, kind in given}) < 2:
            return 0.0
        gain = 0.0
        for place, kind in given:
            if kind in self.uses.seen[place] and kind != slot[0]:
                share = sum(n for other, n in places.items() if kind in self.uses.seen[other])
                gain -= math.log(share / places.total())
            else:
                gain -= ODD
        return gain

    @cached_property
    def _table(self) -> tuple[list[Slot], list[str], Array, Array, Array]:
        """Places, what stands at them, how often, how often it would by chance, and what speaks for
        what did not.

        For a thing at a place speaks each other one that stood there, by the places that both stood
        at; the fewer things stand at such a place, the more it says. Against it speaks that it
        would have stood there by now.
        """
        slots = sorted(self.uses.seen)
        kinds = sorted({kind for seen in self.uses.seen.values() for kind in seen})
        counts = np.array(
            [[self.uses.seen[slot].get(kind, 0) for kind in kinds] for slot in slots], float
        )
        stood = (counts > 0).astype(float)
        weight = np.log(len(kinds) / stood.sum(1))
        alike = stood.T @ (stood * weight[:, None])
        np.fill_diagonal(alike, 0.0)
        chance = np.array([[self.uses.chance(slot, kind) for kind in kinds] for slot in slots])
        return slots, kinds, counts, chance, stood @ alike / np.sqrt(chance + RARE)

    def allowed(self, reach: float) -> dict[Slot, set[str]]:
        """What may stand where: what stood there, and then what most speaks for.

        Args:
            reach: how often, as a share of all uses, anything would by chance stand where it never
                did and yet may; 1 for anything anywhere.
        """
        slots, kinds, counts, chance, evidence = self._table
        may = (counts > 0) | (reach >= 1)
        rest = [place for place in zip(*np.nonzero(~may), strict=True) if evidence[place] > 0]
        left = reach * counts.sum()
        for place in sorted(rest, key=lambda place: -evidence[place]):
            left -= chance[place]
            if left < 0:
                break
            may[place] = True
        may |= self._inside(slots, kinds)
        return {
            slot: {kind for kind, one in zip(kinds, row, strict=True) if one}
            for slot, row in zip(slots, may, strict=True)
        }

    def _inside(self, slots: Sequence[Slot], kinds: Sequence[str]) -> NDArray[np.bool_]:
        """Where that may stand which was only ever a whole program without arguments.

        Nothing tells where it belongs but its like: the others that were whole programs without
        arguments. It may stand where at least half of them did that stood anywhere else.
        """
        alone = {
            method
            for (method, arity), calls in self._calls.items()
            if not arity and any(slot == WHOLE for slot, _ in calls)
        }
        placed = {kind for slot in slots if slot != WHOLE for kind in self.uses.seen[slot]}
        like, lost = alone & placed, alone - placed
        return np.array(
            [
                [
                    kind in lost and 0 < len(like) <= 2 * len(like & self.uses.seen[slot].keys())
                    for kind in kinds
                ]
                for slot in slots
            ],
            bool,
        ).reshape(len(slots), len(kinds))

    def fits(self, program: CallNode, allowed: Mapping[Slot, set[str]]) -> bool:
        """Whether everything in a program stands where it may."""
        return all(
            self.uses.returned(node) in allowed.get(slot, ())
            for slot, node in self.uses.of([program])
        )

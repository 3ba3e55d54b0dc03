"""The predicates and entity types of a domain, and how its types let them compose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from partwise.chart.algebra.open_types import closed_type
from partwise.chart.algebra.type import TypeAlgebra
from partwise.language.domain import Constant
from partwise.language.types import Pattern, match

Dependency = tuple[str, int, str]
"""A composition: a predicate, the number of its argument (from 0), and the head of that."""


@dataclass(frozen=True)
class Head:
    """A predicate, or all names that one method makes.

    Attributes:
        sample: the predicate, or the first of the names.
        state: what it is in the type algebra.
    """

    name: str
    sample: Constant
    state: int

    @property
    def is_entity(self) -> bool:
        """Whether it makes names."""
        return self.sample.is_entity

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"names of {self.name}" if self.is_entity else f"predicate {self.name}"


class Heads:
    """The heads of a domain, and how the type algebra lets them compose.

    All is read off the states and compositions of the algebra, which are closed: what no sequence
    of compositions comes to, no program has.
    """

    def __init__(self, types: TypeAlgebra) -> None:
        self.types = types

    @cached_property
    def all(self) -> dict[str, Head]:
        """The heads by name; of names that only a pattern gives, if any was met in a program."""
        known = self.types.domain.vocabulary
        samples = list(known[: known.n_predicates])
        samples += [c for place in range(len(known.types)) for c in known.samples(place)[:1]]
        return {c.head: Head(c.head, c, int(self.types.start[c.number])) for c in samples}

    @cached_property
    def closed(self) -> tuple[Pattern, ...]:
        """The types that complete programs can have, in a fixed order."""
        kinds = {kind for need in self.types.open_types if (kind := closed_type(need)) is not None}
        return tuple(sorted(kinds, key=str))

    @cached_property
    def used(self) -> frozenset[int]:
        """States that some whole program has in it."""
        parts: dict[int, set[int]] = {}
        both = {**self.types.outer_compositions, **self.types.compositions}
        for pair, how in both.items():
            parts.setdefault(how.state, set()).update(pair)
        return _closure((s for s in range(self.types.n_states) if self.types.final[s]), parts)

    def results(self, head: Head) -> tuple[Pattern, ...]:
        """The types that a head with all its arguments can have."""
        states = _closure([head.state], self._applied)
        kinds = {closed_type(self.types.open_types[state]) for state in states}
        return tuple(sorted((kind for kind in kinds if kind is not None), key=str))

    @cached_property
    def _applied(self) -> dict[int, set[int]]:
        """State of a function -> the states that it comes to with one argument more."""
        applied: dict[int, set[int]] = {}
        for (left, right), how in self.types.compositions.items():
            if how.shift_function is None:
                function = left if how.left_is_function else right
                applied.setdefault(function, set()).add(how.state)
        return applied

    def produced(self, pattern: Pattern) -> bool:
        """Whether any complete program has a type that a hint takes."""
        return any(match(pattern, kind) is not None for kind in self.closed)

    @cached_property
    def dependencies(self) -> frozenset[Dependency]:
        """All compositions that the types allow, in programs that can be whole."""
        usable = [head for head in self.all.values() if head.state in self.used]
        results = {head.name: self.results(head) for head in usable}
        return frozenset(
            (parent.name, slot, child)
            for parent in usable
            for signature in parent.sample.signatures
            for slot, pattern, _ in signature.params
            for child, kinds in results.items()
            if any(match(pattern, kind) is not None for kind in kinds)
        )


def _closure(states: Iterable[int], after: Mapping[int, set[int]]) -> frozenset[int]:
    """The states, and all that come after them in any number of steps."""
    seen = set(states)
    ahead = list(seen)
    while ahead:
        new = after.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return frozenset(seen)

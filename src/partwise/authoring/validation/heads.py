"""The predicates and entity types of a domain: how they compose, and what of it programs use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from partwise.authoring.validation.places import place_of
from partwise.chart.type_algebra import TypeAlgebra
from partwise.language.constants import Application, Constant
from partwise.language.open_types import closed_type
from partwise.language.types import Pattern, match

Dependency = tuple[str, int, str]
"""A composition: a predicate, the number of its argument (from 0), and the head of that."""


@dataclass(frozen=True)
class Head:
    """A predicate, or all names that one method makes.

    Attributes:
        sample: the predicate, or the first of the names.
        state: what it is in the type algebra.
        where: ``file:line`` of its method; "" if that cannot be told.
    """

    name: str
    sample: Constant
    state: int
    where: str

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"{'names of' if self.sample.is_entity else 'predicate'} {self.name}"

    @property
    def params(self) -> Iterator[tuple[int, Pattern, bool]]:
        """Slot, type and whether it may be left out, of all arguments in all signatures."""
        return (param for signature in self.sample.signatures for param in signature.params)


class Heads:
    """The heads of a domain, and how the type algebra lets them compose.

    All is read off the states and compositions of the algebra, which are closed: what no sequence
    of compositions comes to, no program has.
    """

    def __init__(self, types: TypeAlgebra) -> None:
        self.types, self.domain = types, types.domain

    @cached_property
    def all(self) -> dict[str, Head]:
        """The heads by name; of names that only a pattern gives, if any was met in a program."""
        known = self.domain.vocabulary
        samples = list(known.predicates)
        samples += [c for place in range(len(known.types)) for c in known.samples(place)[:1]]
        return {
            c.head: Head(c.head, c, self.types.start[c.number], place_of(self.domain, c.method))
            for c in samples
        }

    @cached_property
    def closed(self) -> tuple[Pattern, ...]:
        """The types that complete programs can have, in a fixed order."""
        return self._closed(range(self.types.n_states))

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
        return self._closed(_closure([head.state], self._applied))

    def _closed(self, states: Iterable[int]) -> tuple[Pattern, ...]:
        kinds = {closed_type(self.types.open_types[state]) for state in states}
        return tuple(sorted((kind for kind in kinds if kind is not None), key=str))

    @cached_property
    def _applied(self) -> dict[int, set[int]]:
        """State of a function -> the states that it comes to with one argument more."""
        applied: dict[int, set[int]] = {}
        for (left, right), how in self.types.compositions.items():
            if how.shift_function is None:
                applied.setdefault(left if how.left_is_function else right, set()).add(how.state)
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
            for slot, pattern, _ in parent.params
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


def dependencies_of(program: Application) -> Iterator[Dependency]:
    """What is in which argument of what, in a program."""
    for part in program.walk():
        for slot, arg in enumerate(part.args):
            if arg is not None:
                yield part.constant.head, slot, arg.constant.head


class Coverage:
    """What programs use of a language.

    Attributes:
        heads, dependencies: the predicates and entity types, and the compositions, that the
            programs have.
    """

    def __init__(self, known: Heads, programs: Iterable[Application] = ()) -> None:
        self.known = known
        self.heads: set[str] = set()
        self.dependencies: set[Dependency] = set()
        for program in programs:
            self.heads |= {part.constant.head for part in program.walk()}
            self.dependencies.update(dependencies_of(program))

    def to_json(self) -> dict[str, int]:
        """How much is used, of how much there is."""
        return {
            "predicates": len(self.heads),
            "of_predicates": len(self.known.all.keys() | self.heads),
            "compositions": len(self.dependencies),
            "of_compositions": len(self.known.dependencies | self.dependencies),
        }

    def __str__(self) -> str:
        return (
            "{predicates} of {of_predicates} predicates and kinds of names, "
            "{compositions} of {of_compositions} compositions"
        ).format(**self.to_json())

"""Uses of a domain's constants, and the types of the programs that are made of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import ProgramTypeError
from partwise.language.constants import Application, Constant, Signature
from partwise.language.domain import Domain
from partwise.language.types import Pattern, Type, match, substitute

Kinds = frozenset[Type]
"""What may stand somewhere."""
Row = tuple[Type, ...]
"""Types of the arguments that are given."""


class Shape(NamedTuple):
    """A use of a constant: which of its arguments are given.

    Attributes:
        key: the head of a predicate, or the place in `Vocabulary.types` of an entity's type.
        slots: those of the arguments given; parts of a conjunction are all of slot 0.
        name: of an entity that has a rule of its own.
    """

    key: str | int
    slots: tuple[int, ...] = ()
    name: str = ""


def shape_of(domain: Domain, program: Application) -> Shape:
    """That of a program's outermost constant."""
    constant, args = program.constant, program.args
    if constant.variadic:
        return Shape(constant.head, (0,) * len(args))
    slots = tuple(slot for slot, arg in enumerate(args) if arg is not None)
    if not constant.is_entity:
        return Shape(constant.head, slots)
    place = domain.vocabulary.type_of(constant.number)
    one = domain.vocabulary.types[place]
    # Words of the language, such as colours, have rules of their own.
    own = one.blank.bare and one.pattern is None
    return Shape(place, slots, str(constant.name) if own else "")


def constant_of(domain: Domain, shape: Shape, name: str = "") -> Constant:
    """The constant of a shape.

    Args:
        name: of an entity that has no rule of its own; without one it is a blank.

    Raises:
        LookupError: if the domain lacks it.
    """
    known = domain.vocabulary
    if isinstance(shape.key, str):
        found = known.find(shape.key, None)
        if found is None:
            raise LookupError(f"{domain.name} has no predicate {shape.key}")
        return found
    name = shape.name or name
    return known[known.meet(shape.key, name)] if name else known.types[shape.key].blank


class ShapeTypes:
    """What programs of some shapes return, whatever they are made of.

    Attributes:
        kinds: all types that programs may have.
        returns: shape -> types of its arguments -> its type. A conjunction has two of its parts.
        start: what a whole program may return.
        alike: type -> the first of those that are alike: no program around them can tell which of
            them it is, so that rules need not, either.
    """

    def __init__(self, domain: Domain, shapes: Iterable[Shape]) -> None:
        self.domain = domain
        self.constants = {one: constant_of(domain, one) for one in sorted(set(shapes), key=str)}
        self.kinds: dict[Type, None] = {}
        self.returns: dict[Shape, dict[Row, Type]] = {one: {} for one in self.constants}
        while self._grow():
            pass
        wanted = domain.root_type
        self.start: Kinds = frozenset(
            kind for kind in self.kinds if wanted is None or match(wanted, kind) is not None
        )
        self.alike = self._alike()

    @cached_property
    def _algebra(self) -> TypeAlgebra:
        return TypeAlgebra(self.domain)

    def _grow(self) -> bool:
        """Apply everything to the types known so far; whether there are more then."""
        before = len(self.kinds)
        for shape, known in self.returns.items():
            constant = self.constants[shape]
            for row in self._candidates(constant, shape.slots):
                if row not in known and (kind := self._type(constant, shape.slots, row)):
                    known[row] = kind
                    self.kinds[kind] = None
        return len(self.kinds) > before

    def _candidates(self, constant: Constant, slots: Sequence[int]) -> Iterator[Row]:
        # Parts of a conjunction are alike, so two of them say what more of them return.
        slots = slots[:2] if constant.variadic else slots
        fitting = [
            [kind for kind in self.kinds if _fits(patterns_of(constant, slot), kind)]
            for slot in slots
        ]
        return itertools.product(*fitting)

    def _type(self, constant: Constant, slots: Sequence[int], row: Row) -> Type | None:
        given: list[Application | None] = [_typed(kind) for kind in row]
        if not constant.variadic:
            filled = dict(zip(slots, given, strict=True))
            given = [filled.get(slot) for slot in range(len(constant.defaults))]
        try:
            open_type = self._algebra.open_type_of(Application(constant, tuple(given)))
        except ProgramTypeError:
            return None
        closed = next((one.returns for one in open_type if one.closed), None)
        return closed if isinstance(closed, Type) else None

    def _alike(self) -> dict[Type, Type]:
        """Partition refinement, as for the states of a minimal automaton."""
        groups = {kind: int(kind in self.start) for kind in self.kinds}
        uses: dict[Type, list[tuple[object, Type]]] = {kind: [] for kind in self.kinds}
        for shape, rows in self.returns.items():
            for row, kind in rows.items():
                for place, arg in enumerate(row):
                    beside = (shape, place, row[:place], row[place + 1 :])
                    uses[arg].append((beside, kind))
        while True:
            seen: dict[object, int] = {}
            after = {
                kind: seen.setdefault(
                    (groups[kind], frozenset((one, groups[whole]) for one, whole in uses[kind])),
                    len(seen),
                )
                for kind in self.kinds
            }
            if len(seen) == len(set(groups.values())):
                break
            groups = after
        first: dict[int, Type] = {}
        return {kind: first.setdefault(groups[kind], kind) for kind in self.kinds}

    def named(self, kinds: Kinds, patterns: Iterable[Pattern]) -> str:
        """The first of some declared types that stands for just these; else they themselves."""
        for pattern in patterns:
            bound = {kind: match(pattern, kind) for kind in self.kinds}
            if kinds == {kind for kind, bindings in bound.items() if bindings is not None}:
                return str(pattern)
            for bindings in filter(None, map(bound.get, kinds)):
                if kinds == {one for one in self.kinds if bound[one] == bindings}:
                    return str(substitute(pattern, bindings))
        return " | ".join(sorted(map(str, kinds)))


def patterns_of(constant: Constant, slot: int) -> list[Pattern]:
    """What signatures say of an argument."""
    params = (param for signature in constant.signatures for param in signature.params)
    return [pattern for number, pattern, _ in params if number == slot]


def _fits(patterns: Iterable[Pattern], kind: Type) -> bool:
    return any(match(pattern, kind) is not None for pattern in patterns)


def _typed(kind: Type) -> Application:
    """Something of a type."""
    constant = Constant(str(kind), str(kind), None, (Signature((), kind),), (), ())
    return Application(constant, ())

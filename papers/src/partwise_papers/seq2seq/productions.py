"""Production rules of a domain's typed programs (Krishnamurthy, Dasigi and Gardner 2017).

A rule ``Noun[State] -> lake(Related[InState])`` says that a predicate over arguments of some types
makes a program of the type on the left. The types are the domain's own. What an argument may be is
a set of them: with subtypes, unions and type variables there may be several.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from partwise.language.constants import Constant
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.types import Type
from partwise_papers.seq2seq.shapes import Kinds, Row, Shape, ShapeTypes, patterns_of

ANY_NAME = "..."
"""What rules show in the place of a name."""


@dataclass(frozen=True)
class Rule:
    """A production rule.

    Attributes:
        text: itself, as a token.
        returns: one of the types on its left side, which are all alike.
        takes: what may stand at each argument given.
        named: whether the words of a name come before the arguments.
    """

    text: str
    shape: Shape
    returns: Type
    takes: tuple[Kinds, ...]
    named: bool


class Productions:
    """The rules of some shapes: every derivation types, and every typed program has one.

    Attributes:
        start: what a whole program may return.
        rules: rules by their texts.
    """

    def __init__(self, domain: Domain, shapes: Iterable[Shape]) -> None:
        self.domain, self._types = domain, ShapeTypes(domain, shapes)
        self.start = self._types.start
        constants = self._types.constants
        self._declared = [
            pattern
            for one in constants.values()
            for slot in range(len(one.defaults))
            for pattern in patterns_of(one, slot)
        ]
        members: dict[Type, set[Type]] = {}
        for kind, first in self._types.alike.items():
            members.setdefault(first, set()).add(kind)
        self._names = {
            first: str(first)
            if len(alike) == 1
            else self._types.named(frozenset(alike), self._declared)
            for first, alike in members.items()
        }
        self._of_shape = {shape: tuple(self._rules(shape)) for shape in constants}
        self.rules = {rule.text: rule for some in self._of_shape.values() for rule in some}

    def rule(self, shape: Shape, args: Row) -> Rule | None:
        """The rule of a shape over arguments of some types; None if there is none."""
        for rule in self._of_shape.get(shape, ()):
            if all(one in kinds for one, kinds in zip(args, rule.takes, strict=True)):
                return rule
        return None

    def _rules(self, shape: Shape) -> Iterator[Rule]:
        constant = self._types.constants[shape]
        by_result: dict[Type, set[Row]] = {}
        for row, kind in self._types.returns[shape].items():
            by_result.setdefault(self._types.alike[kind], set()).add(row)
        named = constant.is_entity and not shape.name
        for kind, rows in by_result.items():
            for takes in products(rows):
                if constant.variadic:
                    takes = (takes[0] & takes[1],) * len(shape.slots)
                if all(takes):
                    text = f"{self._names[kind]} -> {self._shown(constant, shape, takes)}"
                    yield Rule(text, shape, kind, takes, named)

    def _shown(self, constant: Constant, shape: Shape, takes: Sequence[Kinds]) -> str:
        shown = [
            Term(self._types.named(kinds, [*patterns_of(constant, slot), *self._declared]))
            for slot, kinds in zip(shape.slots, takes, strict=True)
        ]
        if constant.variadic:
            return constant.term(shown).text()
        if constant.is_entity and not shape.name:
            constant = self.domain.vocabulary.types[int(shape.key)].named(ANY_NAME, -1)
        given = dict(zip(shape.slots, shown, strict=True))
        return constant.term([given.get(slot) for slot in range(len(constant.defaults))]).text()


def products(rows: Iterable[Row]) -> list[tuple[Kinds, ...]]:
    """Rows as sets for each column, any choice from which is one of them.

    Those with the same rest are taken together, from the first column on.
    """
    rows = set(rows)
    columns = tuple(frozenset(column) for column in zip(*rows, strict=True))
    if math.prod(map(len, columns)) == len(rows):
        return [columns]
    rests: dict[Type, set[Row]] = {}
    for first, *rest in rows:
        rests.setdefault(first, set()).add(tuple(rest))
    alike: dict[frozenset[Row], set[Type]] = {}
    for first, some in rests.items():
        alike.setdefault(frozenset(some), set()).add(first)
    return [(frozenset(firsts), *more) for some, firsts in alike.items() for more in products(some)]

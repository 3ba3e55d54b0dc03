"""The rows of a call, found by typing it over one argument of each sort that it can tell apart.

The type of a call is found as `partwise.language.domain` places its arguments, and as
`partwise.language.open_types` fills its slots.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Protocol

from partwise.language.constants import Application, Constant, Signature, default_term
from partwise.language.domain import is_optional, places
from partwise.language.open_types import apply_all, closed_type
from partwise.language.program import Term
from partwise.language.types import Pattern, is_concrete, match
from partwise_papers.constrained.calls import Bound, Call, Conjunction, Item, Parts, Row, Rows
from partwise_papers.constrained.kinds import Kind, Leaves, skips

Key = Hashable
Number = Callable[[Kind], int]
"""The number of a kind, which may be a new one."""


class Maker(Protocol):
    """Finds the kinds of calls of one head from those of arguments."""

    def grow(self, kinds: Sequence[Kind], number: Number) -> None:
        """Number the kinds that calls may have, by the kinds known so far."""

    def call(self) -> Call:
        """The automaton, once all kinds are known."""


class Slots:
    """The rows of one constant; of an entity, after a name of its type.

    Args:
        name_of: the place of the type of an entity; -1 for a predicate.
    """

    def __init__(self, constant: Constant, leaves: Leaves, name_of: int = -1) -> None:
        self.constant, self.leaves, self.name_of = constant, leaves, name_of
        self._defaults = [default_term(text) for text in constant.defaults]
        self._ordered = len(self._defaults) - len(constant.keywords)
        self._skips = skips(constant)
        self._params = [param for one in constant.signatures for param in one.params]
        self._known = 0
        self._slots: list[dict[Key, int]] = [{} for _ in self._defaults]
        """Of each slot, key -> the kinds that it cannot tell apart."""
        self._names: dict[Term | None, int] = {}
        self._example: dict[Key, Kind] = {}
        self._typed: dict[tuple[Key, ...], Kind | None] = {}

    def rows(self, kinds: Sequence[Kind], number: Number) -> Iterator[Row]:
        """All rows by the kinds known so far."""
        for place in range(self._known, len(kinds)):
            self._sort(place, kinds[place])
        self._known = len(kinds)
        for name, *keys in itertools.product(*self._choices()):
            if (name, *keys) not in self._typed:
                self._typed[name, *keys] = self._result(name, keys)
            result = self._typed[name, *keys]
            if result is not None:
                yield Row(tuple(self._items(name, keys)), number(result))

    def _choices(self) -> Iterator[Sequence[Key]]:
        """Keys for the name and for each slot; None for an argument left out."""
        yield [None] if self.name_of < 0 else [(literal,) for literal in self._names]
        for slot, classes in enumerate(self._slots):
            left_out = not self._defaults[slot] and is_optional(self.constant, slot)
            yield [*([None] if left_out else []), *classes]

    def _items(self, name: Key, keys: Sequence[Key]) -> Iterator[Item]:
        if isinstance(name, tuple):
            yield Item("", self._names[name[0]])
        for slot, key in enumerate(keys):
            if key is not None:
                yield Item(self._keyword(slot), self._slots[slot][key])

    def _keyword(self, slot: int) -> str:
        return "" if slot < self._ordered else self.constant.keywords[slot - self._ordered]

    def _sort(self, place: int, kind: Kind) -> None:
        """Put a kind to those that it cannot be told from, in each slot where it may stand."""
        if self.name_of >= 0 and kind.name_of == self.name_of:
            self._names[kind.literal] = self._names.get(kind.literal, 0) | 1 << place
        matches = [match(p, kind.type) if kind.type and kind.usable else None
                   for _, p, _ in self._params]  # fmt: skip
        bound = tuple(None if one is None else tuple(sorted(one.items())) for one in matches)
        key = (kind.literal, bound, kind.returns if self._skips else ())
        self._example.setdefault(key, kind)
        for slot, default in enumerate(self._defaults):
            fits = any(
                one is not None
                for one, (n, _, _) in zip(matches, self._params, strict=True)
                if n == slot
            )
            if fits or (default is not None and kind.literal == default):
                self._slots[slot][key] = self._slots[slot].get(key, 0) | 1 << place

    def _result(self, name: Key, keys: Sequence[Key]) -> Kind | None:
        given = [(slot, self._example[key]) for slot, key in enumerate(keys) if key is not None]
        literal = self._literal(name, given)
        kind = self._type(given)
        if kind is None:
            return None if literal is None else Kind(literal=literal)
        returns = self.leaves.returns(self.constant)
        return Kind(kind, literal, returns, inside=self.constant.inside)

    def _literal(self, name: Key, given: Sequence[tuple[int, Kind]]) -> Term | None:
        """The call itself, if it is a part of what stands for an argument left out."""
        parts = [*(name if isinstance(name, tuple) else ()), *(kind.literal for _, kind in given)]
        terms = tuple(part for part in parts if isinstance(part, Term))
        if len(terms) < len(parts):
            return None
        keywords = tuple(filter(None, (self._keyword(slot) for slot, _ in given)))
        term = Term(self.constant.head, terms, keywords=keywords)
        return term if term in self.leaves.literals else None

    def _type(self, given: Sequence[tuple[int, Kind]]) -> Pattern | None:
        ordered = [(slot, kind) for slot, kind in given if slot < self._ordered]
        terms = [kind.literal or Term("") for _, kind in ordered]
        parts = [self._part(kind) for _, kind in ordered]
        if list(places(self.constant, terms, parts)) != [slot for slot, _ in ordered]:
            return None
        filled = {}
        for slot, kind in given:
            if kind.literal is None or kind.literal != self._defaults[slot]:
                if not kind.usable or kind.type is None:
                    return None
                filled[slot] = (Signature((), kind.type),)
        open_type = apply_all(self.constant.signatures, filled)
        returned = None if open_type is None else closed_type(open_type)
        return returned if returned is not None and is_concrete(returned) else None

    def _part(self, kind: Kind) -> Application | None:
        if kind.literal is not None and kind.literal in self._defaults:
            return None
        signatures = tuple(Signature((), one) for one in kind.returns)
        return Application(Constant("", "", None, signatures, (), ()), ())


class Whole:
    """Rows of one argument, whatever call makes it: that of a root, or of what stands around names.

    Args:
        result: the kind of the whole for a kind of its argument; None if that cannot stand there.
    """

    def __init__(self, result: Callable[[Kind], Kind | None]) -> None:
        self.result = result

    def rows(self, kinds: Sequence[Kind], number: Number) -> Iterator[Row]:
        """All rows by the kinds known so far."""
        found: dict[Kind, int] = {}
        for place, kind in enumerate(kinds):
            made = self.result(kind)
            if made is not None:
                found[made] = found.get(made, 0) | 1 << place
        for made, places_of in found.items():
            yield Row((Item("", places_of),), number(made))


class Literal:
    """The row of a call that stands for an argument left out, where it is no program as well."""

    def __init__(self, term: Term) -> None:
        self.term = term

    def rows(self, kinds: Sequence[Kind], number: Number) -> Iterator[Row]:
        """The row, once its arguments are known."""
        if any(kind.literal == self.term and kind.type is not None for kind in kinds):
            return
        args, names = self.term.args or (), self.term.keywords
        keywords = ("",) * (len(args) - len(names)) + names
        items = [
            Item(keyword, sum(1 << n for n, kind in enumerate(kinds) if kind.literal == arg))
            for arg, keyword in zip(args, keywords, strict=True)
        ]
        if all(item.kinds for item in items):
            yield Row(tuple(items), number(Kind(literal=self.term)))


class RowMaker:
    """All rows of a head, from one or several constants."""

    def __init__(self, sources: Sequence[Slots | Whole | Literal]) -> None:
        self.sources = sources
        self.rows: list[Row] = []

    def grow(self, kinds: Sequence[Kind], number: Number) -> None:
        """See `Maker`."""
        self.rows = [row for one in self.sources for row in one.rows(tuple(kinds), number)]

    def call(self) -> Rows:
        """See `Maker`; rows that differ in one argument only are made one."""
        last: dict[tuple[tuple[Item, ...], str, int], int] = {}
        rows = []
        for items, result in self.rows:
            if not items:
                rows.append(Row((), result))
                continue
            key = (items[:-1], items[-1].keyword, result)
            last[key] = last.get(key, 0) | items[-1].kinds
        rows += [Row((*f, Item(word, last[f, word, r])), r) for f, word, r in last]
        return Rows(rows)


class PartsMaker:
    """A conjunction of any number of parts."""

    def __init__(self, constant: Constant, leaves: Leaves) -> None:
        self.constant = constant
        self.returns = leaves.returns(constant)
        self.types = Conjunction([(one.params[0][1], one.returns) for one in constant.signatures])
        self._steps: dict[Bound, dict[int, Bound]] = {}
        self._kinds: dict[Bound, int] = {}

    def grow(self, kinds: Sequence[Kind], number: Number) -> None:
        """See `Maker`."""
        kinds = tuple(kinds)
        self._steps, waiting = {}, [self.types.start]
        while waiting:
            bound = waiting.pop()
            if bound in self._steps:
                continue
            self._steps[bound] = dict(self._after(bound, kinds))
            waiting += set(self._steps[bound].values())
            returned = self.types.type(bound)
            if is_concrete(returned):
                head = self.constant.head
                made = Kind(returned, None, self.returns, conjunction=head)
                self._kinds[bound] = number(made)

    def _after(self, bound: Bound, kinds: Sequence[Kind]) -> Iterator[tuple[int, Bound]]:
        for place, kind in enumerate(kinds):
            if kind.type and kind.usable and kind.conjunction != self.constant.head:
                after = self.types.step(bound, kind.type)
                if after is not None:
                    yield place, after

    def call(self) -> Parts:
        """See `Maker`."""
        return Parts(self.types.start, self._steps, self._kinds)

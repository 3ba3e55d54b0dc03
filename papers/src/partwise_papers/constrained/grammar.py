"""TypeGrammar: which calls, of which kinds of arguments, make the well-typed programs of a domain.

It is a tree grammar whose symbols are the kinds of parts of programs, found from the leaves up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from partwise.errors import DomainError
from partwise.language.domain import Domain
from partwise.language.open_types import MAX_NESTING
from partwise.language.types import match, nesting
from partwise_papers.constrained.calls import Call, bits
from partwise_papers.constrained.examples import Examples
from partwise_papers.constrained.kinds import Kind, Leaves
from partwise_papers.constrained.makers import (
    Literal,
    Maker,
    PartsMaker,
    RowMaker,
    Slots,
    Whole,
)

MAX_KINDS = 4000
"""Kinds of parts; more come from a predicate that returns ever larger types."""
_WHOLE = Kind(whole=True)


class TypeGrammar:
    """The grammar of a domain's programs.

    Attributes:
        kinds: all kinds of parts, by number.
        calls: head -> the automaton of its arguments.
        start: the kinds of whole programs, as a set of bits.

    Raises:
        DomainError: for a domain with ever larger types, or without any program.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.leaves = Leaves(domain)
        self.kinds: list[Kind] = []
        self._numbers: dict[Kind, int] = {}
        for kind in self._leaf_kinds():
            self.number(kind)
        makers = dict(self._makers())
        known = -1
        while known < len(self.kinds):
            known = len(self.kinds)
            for maker in makers.values():
                maker.grow(self.kinds, self.number)
        if type(domain).canonical is not Domain.canonical:
            self._leave_out_wrong(makers)
        self.calls: dict[str, Call] = {head: maker.call() for head, maker in makers.items()}
        whole = (n for n, kind in enumerate(self.kinds) if self._is_whole(kind))
        self.start = sum(1 << number for number in whole) & self.reach[-1]
        if not self.start:
            raise DomainError(
                f"{domain.name}: no program can be asked; let a predicate or a name return what "
                "`answers` or the parameter of `root` take"
            )

    def number(self, kind: Kind) -> int:
        """The number of a kind, which may be a new one."""
        if kind not in self._numbers:
            if len(self.kinds) == MAX_KINDS or (kind.type and nesting(kind.type) > MAX_NESTING):
                raise DomainError(
                    f"{self.domain.name}: a predicate returns an ever larger type, as "
                    f"{str(kind.type)[:80]}; let it return a type of bounded size"
                )
            self._numbers[kind] = len(self.kinds)
            self.kinds.append(kind)
        return self._numbers[kind]

    def _leave_out_wrong(self, makers: Mapping[str, Maker]) -> None:
        rows = {head: one for head, one in makers.items() if isinstance(one, RowMaker)}
        examples = Examples(self.domain, self.leaves, self.kinds)
        wrong = examples.wrong({head: one.rows for head, one in rows.items()})
        for head, maker in rows.items():
            maker.rows = [row for row in maker.rows if (head, row) not in wrong]

    def find(self, kind: Kind | None) -> int | None:
        """The number of a kind; None for one that no part has."""
        return None if kind is None else self._numbers.get(kind)

    def _leaf_kinds(self) -> Iterator[Kind]:
        leaves = self.leaves
        for head in (None, *leaves.constructors):
            yield from (kind for _, kind in leaves.listed(head))
        yield from (kind for _, kind in leaves.words())
        yield from leaves.patterned()

    def _makers(self) -> Iterator[tuple[str, Maker]]:
        domain, leaves = self.domain, self.leaves
        constants = {one.head: one for one in leaves.constants if not one.is_entity}
        inside = {one.blank.inside for one in domain.vocabulary.types} - {""}
        calls = [one for one in leaves.literals if one.args is not None]
        root = [domain.root_name] if domain.root_name else []
        heads = (*constants, *leaves.constructors, *inside, *(t.symbol for t in calls), *root)
        for head in dict.fromkeys(heads):
            if head in constants and constants[head].variadic:
                yield head, PartsMaker(constants[head], leaves)
                continue
            sources: list[Slots | Whole | Literal] = []
            if head in constants:
                sources.append(Slots(constants[head], leaves))
            sources += [Slots(one.blank, leaves, n) for n, one in leaves.constructed(head)]
            if head in inside:
                sources.append(Whole(partial(_taken_out, head)))
            sources += [Literal(term) for term in calls if term.symbol == head]
            if head == domain.root_name:
                sources.append(Whole(self._root))
            yield head, RowMaker(sources)

    def _root(self, kind: Kind) -> Kind | None:
        return _WHOLE if self._answers(kind) else None

    def _answers(self, kind: Kind) -> bool:
        wanted = self.domain.root_type
        if not kind.usable or kind.type is None:
            return False
        return wanted is None or match(wanted, kind.type) is not None

    def _is_whole(self, kind: Kind) -> bool:
        return kind.whole if self.domain.root_name else self._answers(kind)

    @cached_property
    def reach(self) -> Sequence[int]:
        """Height -> the kinds that parts of at most this height have; the last is for any."""
        leaves = sum({1 << self._numbers[kind] for kind in self._leaf_kinds()})
        # A call without arguments is no higher than a name.
        levels = [leaves | self._made(0)]
        while (higher := levels[-1] | self._made(levels[-1])) != levels[-1]:
            levels.append(higher)
        return levels

    def _made(self, within: int) -> int:
        """The kinds of calls whose arguments are of some kinds."""
        made = 0
        for call in self.calls.values():
            opened = (k for k in bits(call.results()) if call.open(1 << k, within) is not None)
            made |= sum(1 << kind for kind in opened)
        return made


def _taken_out(head: str, kind: Kind) -> Kind | None:
    return replace(kind, inside="", literal=None) if kind.inside == head else None

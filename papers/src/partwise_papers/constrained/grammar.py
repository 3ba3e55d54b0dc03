"""Which calls, of which kinds of arguments, make the well-typed programs of a domain.

This is a tree grammar whose symbols are the kinds of parts of programs, found from the leaves up.
Sets of kinds are whole numbers, a bit for each kind. The rows of a call are found by typing it over
one argument of each sort that it can tell apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from partwise.errors import DomainError, PartwiseError
from partwise.language.constants import Application, Constant, EntityType, Signature, default_term
from partwise.language.domain import Domain, interpret, is_optional, places
from partwise.language.open_types import MAX_NESTING, apply_all, close_type, open_type_of
from partwise.language.program import Term, is_leaf
from partwise.language.types import Pattern, is_concrete, match, nesting


class Item(NamedTuple):
    """An argument: its name, if it is written with one, and the kinds that it may have."""

    keyword: str
    kinds: int


class Row(NamedTuple):
    """Arguments that may follow each other, and the number of the kind of the whole call."""

    items: tuple[Item, ...]
    result: int


def bits(kinds: int) -> Iterator[int]:
    """The numbers of the kinds in a set."""
    while kinds:
        lowest = kinds & -kinds
        yield lowest.bit_length() - 1
        kinds ^= lowest


Place = tuple[int, int]
"""The number of arguments that are there, and the set of rows still possible."""


class Rows:
    """The automaton of one head: how its arguments may follow each other."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)
        self._items: dict[tuple[Place, int], Mapping[str, int]] = {}

    def open(self, wanted: int, within: int) -> Place | None:
        """The place after ``head(``, if the call can be of a kind that is wanted (`within`: kinds
        that arguments may have, which are those of limited depth)."""
        alive = sum(
            1 << number
            for number, row in enumerate(self.rows)
            if wanted >> row.result & 1 and all(item.kinds & within for item in row.items)
        )
        return (0, alive) if alive else None

    def items(self, place: Place, within: int) -> Mapping[str, int]:
        """Name of the next argument ("" for none) -> the kinds that it may have."""
        if (place, within) not in self._items:
            found: dict[str, int] = {}
            for row in map(self.rows.__getitem__, bits(place[1])):
                if len(row.items) > place[0]:
                    keyword, kinds = row.items[place[0]]
                    found[keyword] = found.get(keyword, 0) | kinds & within
            self._items[place, within] = found
        return self._items[place, within]

    def push(self, place: Place, keyword: str, kind: int) -> Place:
        """The place after an argument."""
        at, kept = place[0], 0
        for number in bits(place[1]):
            items = self.rows[number].items
            if len(items) > at and items[at].keyword == keyword and items[at].kinds >> kind & 1:
                kept |= 1 << number
        return at + 1, kept

    def result(self, place: Place) -> int | None:
        """The kind of the call if it may end here."""
        rows = map(self.rows.__getitem__, bits(place[1]))
        return next((row.result for row in rows if len(row.items) == place[0]), None)

    def results(self) -> int:
        """All kinds that the call may have."""
        return sum({1 << row.result for row in self.rows})


Returns = tuple[Pattern, ...]


@dataclass(frozen=True)
class Kind:
    """All that the rest of a program depends on, of one of its parts.

    Attributes:
        type: what it returns; None for what only stands for an argument left out.
        literal: itself, where it is a part of what stands for an argument left out.
        returns: what its predicate declares to return, where places of arguments hang on that.
        name_of: the place in `Vocabulary.types` of what it is a quoted name of, within the call
            of a constructor; -1 for all else.
        whole: whether it is a program with its root predicate.
    """

    type: Pattern | None = None
    literal: Term | None = None
    returns: Returns = ()
    name_of: int = -1
    whole: bool = False

    @property
    def usable(self) -> bool:
        """Whether it is a meaning that may be an argument."""
        return self.type is not None and not self.whole and self.name_of < 0


class Leaves:
    """The kinds of what has no parts: names, numbers, and what stands for arguments left out."""

    def __init__(self, domain: Domain) -> None:
        self.vocabulary = domain.vocabulary
        self.constants = tuple(_constants(domain))
        self.placed = any(map(skips, self.constants))
        """Whether places of arguments hang on what predicates declare to return."""
        defaults = {text for constant in self.constants for text in constant.defaults}
        self.literals = {
            part for text in defaults if (term := default_term(text)) for part in term.walk()
        }
        types = self.vocabulary.types
        self._bare = [n for n, entity_type in enumerate(types) if entity_type.blank.bare]
        self._heads: dict[str, list[int]] = {}
        for number, entity_type in enumerate(types):
            if not entity_type.blank.bare:
                self._heads.setdefault(entity_type.head, []).append(number)

    def returns(self, constant: Constant) -> Returns:
        """What tells where a call of a constant may stand."""
        return tuple(signature.returns for signature in constant.signatures) if self.placed else ()

    def bare(self, name: str, quoted: bool) -> Kind | None:
        """The kind of a name or number alone; None if there is none."""
        term = Term(name, quoted=quoted)
        literal = term if term in self.literals else None
        owner = self._owner(self._bare, name)
        if owner is None or quoted == is_leaf(name):
            return None if literal is None else Kind(literal=literal)
        blank = self.vocabulary.types[owner].blank
        kind = close_type(blank.signatures)
        if kind is None or not is_concrete(kind):
            return None if literal is None else Kind(literal=literal)
        return Kind(kind, literal, self.returns(blank))

    def named(self, head: str | None, name: str) -> Kind | None:
        """The kind of a quoted name that is the first argument of a call, or any other one."""
        owner = self._owner(self._heads.get(head or "", ()), name)
        if owner is None:
            return self.bare(name, quoted=True)
        term = Term(name, quoted=True)
        return Kind(literal=term if term in self.literals else None, name_of=owner)

    def has_listed(self, head: str | None, name: str) -> bool:
        """Whether a quoted name that has a kind has it without a pattern."""
        owner = self._owner(self._heads.get(head or "", ()), name)
        owner = self._owner(self._bare, name) if owner is None else owner
        return owner is None or name in self.vocabulary.types[owner].numbers

    def types_built_by(self, head: str) -> list[tuple[int, EntityType]]:
        """The types of entities that a predicate constructs, with their places."""
        return [(n, self.vocabulary.types[n]) for n in self._heads.get(head, ())]

    @property
    def constructors(self) -> Collection[str]:
        """The heads of entities."""
        return self._heads

    def listed(self, head: str | None = None) -> Iterator[tuple[str, Kind]]:
        """The listed names that a constructor takes, or that stand in quotes alone (for None).

        Names that no program can spell are left out.
        """
        types = self._bare if head is None else self._heads.get(head, ())
        for number in types:
            for name in self.vocabulary.types[number].names:
                kind = self.bare(name, True) if head is None else self.named(head, name)
                if kind is not None and name.strip() == name:
                    yield name, kind
        yield from self._literal_names(head)

    def words(self) -> Iterator[tuple[str, Kind]]:
        """The names, numbers and symbols that stand alone and without quotes."""
        names = (name for number in self._bare for name in self.vocabulary.types[number].names)
        alone = (
            literal.symbol
            for literal in self.literals
            if literal.args is None and not literal.quoted
        )
        for name in dict.fromkeys((*names, *alone)):
            kind = self.bare(name, False)
            if kind is not None:
                yield name, kind

    def kinds_of_patterns(self) -> Iterator[Kind]:
        """The kinds of what patterns give."""
        for entity_type in self.vocabulary.types:
            yield from self.of_pattern(entity_type)

    def of_pattern(self, entity_type: EntityType) -> Iterator[Kind]:
        """The kind of what the pattern of a type gives, if it has one."""
        if entity_type.pattern is None:
            return
        kind = close_type(entity_type.blank.signatures)
        if not entity_type.blank.bare:
            yield Kind(name_of=self.vocabulary.types.index(entity_type))
        elif kind is not None:
            yield Kind(kind, None, self.returns(entity_type.blank))

    def _literal_names(self, head: str | None) -> Iterator[tuple[str, Kind]]:
        for literal in self.literals:
            if literal.quoted:
                kind = (
                    self.bare(literal.symbol, True)
                    if head is None
                    else self.named(head, literal.symbol)
                )
                if kind is not None and (head is None) == (kind.name_of < 0):
                    yield literal.symbol, kind

    def _owner(self, types: Iterable[int], name: str) -> int | None:
        return next((n for n in types if name in self.vocabulary.types[n]), None)


def skips(constant: Constant) -> bool:
    """Whether an argument may be left out without a trace, so that others move up."""
    ordered = len(constant.defaults) - len(constant.keywords)
    return any(not constant.defaults[n] and is_optional(constant, n) for n in range(ordered))


def _constants(domain: Domain) -> Iterator[Constant]:
    """One constant of each head, entities without their names."""
    known = domain.vocabulary
    heads = dict.fromkeys(constant.head for constant in (*known.predicates, *domain.type_shifts))
    yield from filter(None, (known.find(head, None) for head in heads))
    yield from (entity_type.blank for entity_type in known.types)


Key = Hashable
Number = Callable[[Kind], int]
"""The number of a kind, which may be a new one."""
WHOLE = Kind(whole=True)


class Slots:
    """The rows of one constant; of an entity, after a name of its type (`name_of`: the place of the
    type of an entity; -1 for a predicate)."""

    def __init__(self, constant: Constant, leaves: Leaves, name_of: int = -1) -> None:
        self.constant, self.leaves, self.name_of = constant, leaves, name_of
        self._defaults = [default_term(text) for text in constant.defaults]
        self._ordered = len(self._defaults) - len(constant.keywords)
        self._skips = skips(constant)
        self._params = [param for signature in constant.signatures for param in signature.params]
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
        bound = tuple(
            None if bindings is None else tuple(sorted(bindings.items())) for bindings in matches
        )
        key = (kind.literal, bound, kind.returns if self._skips else ())
        self._example.setdefault(key, kind)
        for slot, default in enumerate(self._defaults):
            fits = any(
                bindings is not None
                for bindings, (n, _, _) in zip(matches, self._params, strict=True)
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
        return Kind(kind, literal, returns)

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
        returned = None if open_type is None else close_type(open_type)
        return returned if returned is not None and is_concrete(returned) else None

    def _part(self, kind: Kind) -> Application | None:
        if kind.literal is not None and kind.literal in self._defaults:
            return None
        signatures = tuple(Signature((), one) for one in kind.returns)
        return Application(Constant("", "", None, signatures, (), ()), ())


class Whole:
    """The row of the root: one argument that may be asked for, whatever call makes it."""

    def __init__(self, answers: Callable[[Kind], bool]) -> None:
        self.answers = answers

    def rows(self, kinds: Sequence[Kind], number: Number) -> Iterator[Row]:
        """The row by the kinds known so far."""
        asked = sum(1 << place for place, kind in enumerate(kinds) if self.answers(kind))
        if asked:
            yield Row((Item("", asked),), number(WHOLE))


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
        """Number the kinds that calls may have, by the kinds known so far."""
        self.rows = [row for source in self.sources for row in source.rows(tuple(kinds), number)]

    def call(self) -> Rows:
        """The automaton; rows that differ in the last argument alone are one."""
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


class Examples:
    """Programs for kinds, as far as rows come to them."""

    def __init__(self, domain: Domain, leaves: Leaves, kinds: Sequence[Kind]) -> None:
        self.domain, self.kinds = domain, kinds
        self._terms: dict[int, Term] = {}
        numbers = {kind: number for number, kind in enumerate(kinds)}
        for head in (None, *leaves.constructors):
            for name, kind in leaves.listed(head):
                self._terms.setdefault(numbers[kind], Term(name, quoted=True))
        for word, kind in leaves.words():
            self._terms.setdefault(numbers[kind], Term(word))

    def wrong(self, rows: Mapping[str, Sequence[Row]]) -> set[tuple[str, Row]]:
        """The rows, by their head, whose canonical form is of another type.

        Those without an example are right as far as one can tell.
        """
        waiting = [(head, row) for head, some in rows.items() for row in some]
        wrong: set[tuple[str, Row]] = set()
        while True:
            left = []
            for head, row in waiting:
                term = self._example(head, row)
                if term is None:
                    left.append((head, row))
                elif self._is_right(term, self.kinds[row.result]):
                    self._terms.setdefault(row.result, term)
                else:
                    wrong.add((head, row))
            if len(left) == len(waiting):
                return wrong
            waiting = left

    def _example(self, head: str, row: Row) -> Term | None:
        args = []
        for item in row.items:
            known = (self._terms[kind] for kind in bits(item.kinds) if kind in self._terms)
            args.append(next(known, None))
        found = tuple(arg for arg in args if arg is not None)
        keywords = tuple(item.keyword for item in row.items if item.keyword)
        return Term(head, found, keywords=keywords) if len(found) == len(args) else None

    def _is_right(self, term: Term, kind: Kind) -> bool:
        if not kind.usable:
            return True
        try:
            program = interpret(self.domain, self.domain.canonical(term))
            return close_type(open_type_of(program)) == kind.type
        except PartwiseError:
            return False


MAX_KINDS = 4000
"""Kinds of parts; more come from a predicate that returns ever larger types."""


class TypeGrammar:
    """The grammar of a domain's programs; raises DomainError for a domain with ever larger types,
    or without any program.

    Attributes:
        kinds: all kinds of parts, by number.
        calls: head -> the automaton of its arguments.
        start: the kinds of whole programs, as a set of bits.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.leaves = Leaves(domain)
        unlike = [
            constant.head
            for constant in self.leaves.constants
            if constant.variadic or constant.inside
        ]
        if unlike:
            raise DomainError(
                f"{domain.name}: {unlike[0]} takes any number of parts, or stands in another "
                "predicate, which no grammar here can say"
            )
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
        self.calls: dict[str, Rows] = {head: maker.call() for head, maker in makers.items()}
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

    def _leave_out_wrong(self, makers: Mapping[str, RowMaker]) -> None:
        examples = Examples(self.domain, self.leaves, self.kinds)
        wrong = examples.wrong({head: source.rows for head, source in makers.items()})
        for head, maker in makers.items():
            maker.rows = [row for row in maker.rows if (head, row) not in wrong]

    def find(self, kind: Kind | None) -> int | None:
        """The number of a kind; None for one that no part has."""
        return None if kind is None else self._numbers.get(kind)

    def _leaf_kinds(self) -> Iterator[Kind]:
        leaves = self.leaves
        for head in (None, *leaves.constructors):
            yield from (kind for _, kind in leaves.listed(head))
        yield from (kind for _, kind in leaves.words())
        yield from leaves.kinds_of_patterns()

    def _makers(self) -> Iterator[tuple[str, RowMaker]]:
        domain, leaves = self.domain, self.leaves
        constants = {
            constant.head: constant for constant in leaves.constants if not constant.is_entity
        }
        calls = [literal for literal in leaves.literals if literal.args is not None]
        root = [domain.root_name] if domain.root_name else []
        heads = (*constants, *leaves.constructors, *(t.symbol for t in calls), *root)
        for head in dict.fromkeys(heads):
            sources: list[Slots | Whole | Literal] = []
            if head in constants:
                sources.append(Slots(constants[head], leaves))
            sources += [
                Slots(entity_type.blank, leaves, n)
                for n, entity_type in leaves.types_built_by(head)
            ]
            sources += [Literal(term) for term in calls if term.symbol == head]
            if head == domain.root_name:
                sources.append(Whole(self._answers))
            yield head, RowMaker(sources)

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
        levels = [leaves | self._kinds_of_calls(0)]
        while (higher := levels[-1] | self._kinds_of_calls(levels[-1])) != levels[-1]:
            levels.append(higher)
        return levels

    def _kinds_of_calls(self, within: int) -> int:
        """The kinds of calls whose arguments are of some kinds."""
        made = 0
        for call in self.calls.values():
            opened = (k for k in bits(call.results()) if call.open(1 << k, within) is not None)
            made |= sum(1 << kind for kind in opened)
        return made

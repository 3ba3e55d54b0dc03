"""All constants of a domain by number, those of a hundred thousand names made when asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import overload

from partwise.errors import DomainError, PartwiseError
from partwise.language.declare import Constant
from partwise.language.program import parse_program

MET = 1 << 16
"""How many entities given by a pattern are remembered at a time."""


@dataclass(frozen=True, eq=False)
class EntityType:
    """All entities of one constructor.

    Attributes:
        blank: an entity of this type without a name.
        first: the number of the first listed one.
        names: the listed ones, in order.
        aliases: name -> its other phrases.
        pattern: what the names of those that are not listed look like; None if there are none.
        typos: whether small errors of spelling are forgiven.
    """

    blank: Constant
    first: int
    names: tuple[str, ...]
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pattern: re.Pattern[str] | None = None
    typos: bool = False

    @property
    def head(self) -> str:
        """The constructor's name."""
        return self.blank.head

    @property
    def label(self) -> str:
        """How one category for all of them is written: ``book(*)``."""
        return f"{self.head}(*)"

    def named(self, name: str, number: int) -> Constant:
        """The entity of a name."""
        made = replace(self.blank, name=name, number=number)
        category = name if made.bare else made.term([None] * len(made.defaults)).text()
        return replace(made, category=category, phrases=(name, *self.aliases.get(name, ())))


class Vocabulary(Sequence[Constant]):
    """The constants of a domain: predicates, listed entities, type shifts, in this order.

    Entities that a pattern gives (any number, any date) get numbers beyond these as they are met.
    The last `MET` of them are known; a number may then stand for another one, and `generation`
    has grown.

    Args:
        owner: the domain's name, for messages.
        extra: more phrases of categories.

    Raises:
        DomainError: for categories that are declared twice, or phrases of unknown ones.
    """

    def __init__(
        self,
        owner: str,
        predicates: Sequence[Constant],
        types: Sequence[EntityType],
        shifts: Sequence[Constant],
        extra: Mapping[str, Sequence[str]],
    ) -> None:
        self.owner, self.types = owner, tuple(types)
        self.n_predicates = len(predicates)
        self.n_listed = self.n_predicates + sum(len(one.names) for one in types)
        self.generation = 0
        self._fixed = {number: replace(c, number=number) for number, c in enumerate(predicates)}
        for number, constant in enumerate(shifts, self.n_listed):
            self._fixed[number] = replace(constant, number=number)
        self._size = self.n_listed + len(shifts)
        self._predicates = {c.head: c.number for c in self._fixed.values()}
        self._places = [
            {name: number for number, name in enumerate(one.names, one.first)} for one in types
        ]
        self._check([c.category for c in predicates], [c.category for c in shifts])
        self._met: dict[int, Constant] = {}
        self._met_keys: dict[int, tuple[int, str]] = {}
        self._met_numbers: dict[tuple[int, str], int] = {}
        self._turn, self._lock = 0, Lock()
        self.extra: dict[int, tuple[str, ...]] = {}
        self.extra = self._extra(extra)
        # Those made on the way lack what the lexicon adds.
        self._forget(self.extra)

    def _check(self, predicates: Sequence[str], shifts: Sequence[str]) -> None:
        taken = list(predicates)
        for one, places in zip(self.types, self._places, strict=True):
            taken += one.names if one.blank.bare else ()
            if len(places) != len(one.names):
                again = sorted({name for name in one.names if one.names.count(name) > 1}, key=str)
                twice = ", ".join(one.named(name, -1).category for name in again[:5])
                raise DomainError(f"{self.owner}: declared twice: {twice}")
        if len(set(taken)) != len(taken):
            again = sorted({category for category in taken if taken.count(category) > 1})
            raise DomainError(f"{self.owner}: declared twice: {', '.join(again[:5])}")
        if set(shifts) & set(taken):
            raise DomainError(f"{self.owner}: a type-shifting operator has the name of another")

    def _extra(self, given: Mapping[str, Sequence[str]]) -> dict[int, tuple[str, ...]]:
        known = {category: self._of_category(category) for category in given}
        unknown = sorted(category for category, number in known.items() if number is None)
        if unknown:
            raise DomainError(f"{self.owner}: lexicon entries for unknown categories: {unknown}")
        return {n: tuple(given[category]) for category, n in known.items() if n is not None}

    def _of_category(self, category: str) -> int | None:
        if category in self._predicates:
            return self._predicates[category]
        try:
            term = parse_program(category)
        except PartwiseError:
            return None
        named = term.args is not None and term.args and term.args[0].quoted
        known = self.find(term.symbol, term.args[0].symbol) if named and term.args else None
        known = known or self.find("", category)
        return known.number if known is not None and known.category == category else None

    def _forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if self.is_entity(number):
                self._fixed.pop(number, None)

    # --- a sequence ------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Constant]:
        return (self[number] for number in range(self._size))

    @overload
    def __getitem__(self, index: int) -> Constant: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Constant]: ...

    def __getitem__(self, index: int | slice) -> Constant | Sequence[Constant]:
        if isinstance(index, slice):
            return Constants(self, range(*index.indices(self._size)))
        index = int(index)
        known = self._fixed.get(index) or self._met.get(index)
        if known is None:
            known = self._listed(index)
        return known

    def _listed(self, number: int) -> Constant:
        if not self.n_predicates <= number < self.n_listed:
            raise IndexError(f"{self.owner} has no constant {number}")
        one = self.types[self.type_of(number)]
        made = one.named(one.names[number - one.first], number)
        made = replace(made, phrases=made.phrases + self.extra.get(number, ()))
        self._fixed[number] = made
        return made

    # --- what is what ----------------------------------------------------------------------

    def is_entity(self, number: int) -> bool:
        """Whether a number is an entity's."""
        return self.n_predicates <= number < self.n_listed or number >= self._size

    def type_of(self, number: int) -> int:
        """The place in `types` of an entity's type."""
        if number >= self._size:
            return self._met_keys[number][0]
        places = range(len(self.types))
        return max(p for p in places if self.types[p].first <= number and self.types[p].names)

    def listed(self, place: int) -> Sequence[Constant]:
        """The listed entities of a type."""
        one = self.types[place]
        return Constants(self, range(one.first, one.first + len(one.names)))

    def samples(self, place: int) -> Sequence[Constant]:
        """The listed entities of a type, or where it has a pattern and no list, those met."""
        if self.types[place].names:
            return self.listed(place)
        return [self._met[number] for (at, _), number in self._met_numbers.items() if at == place]

    def find(self, symbol: str, name: str | None) -> Constant | None:
        """A constant by the symbol of its calls ("" for a bare word) and its name, if any."""
        if name is None:
            number = self._predicates.get(symbol)
            return None if number is None else self[number]
        for place, one in enumerate(self.types):
            if symbol == ("" if one.blank.bare else one.head):
                number = self._places[place].get(name)
                if number is None and one.pattern is not None and one.pattern.fullmatch(name):
                    number = self.meet(place, name)
                if number is not None:
                    return self[number]
        return None

    def meet(self, place: int, name: str) -> int:
        """The number of an entity that a pattern gives, of the type at `place`."""
        listed = self._places[place].get(name)
        if listed is not None:
            return listed
        with self._lock:
            known = self._met_numbers.get((place, name))
            if known is not None:
                return known
            number = self._size + self._turn
            self._met_numbers.pop(self._met_keys.get(number, (-1, "")), None)
            self._met_numbers[place, name] = number
            self._met_keys[number] = place, name
            self._met[number] = self.types[place].named(name, number)
            self._turn = (self._turn + 1) % MET
            self.generation += self._turn == 0
            return number


class Constants(Sequence[Constant]):
    """Some constants of a vocabulary, made when they are asked for."""

    def __init__(self, vocabulary: Vocabulary, numbers: range) -> None:
        self.vocabulary, self.numbers = vocabulary, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Constant]:
        return map(self.vocabulary.__getitem__, self.numbers)

    @overload
    def __getitem__(self, index: int) -> Constant: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Constant]: ...

    def __getitem__(self, index: int | slice) -> Constant | Sequence[Constant]:
        if isinstance(index, slice):
            return Constants(self.vocabulary, self.numbers[index])
        return self.vocabulary[self.numbers[index]]

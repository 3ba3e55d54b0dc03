"""All constants of a domain by number, those of a hundred thousand names made when asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import overload

from partwise.errors import DomainError, ProgramSyntaxError
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
        aliases: name -> its other phrases.
        pattern: what the names of those that are not listed look like.
        typos: whether small errors of spelling are forgiven.
        guess: whether what only the pattern gives may well be no name.
        normal: the name for a text that the pattern finds.
    """

    blank: Constant
    first: int
    names: tuple[str, ...]
    aliases: Mapping[str, Sequence[str]]
    pattern: re.Pattern[str] | None = None
    typos: bool = False
    guess: bool = False
    normal: Callable[[str], str] = str

    @property
    def head(self) -> str:
        """The constructor's name."""
        return self.blank.head

    @property
    def label(self) -> str:
        """One category for all of them: ``book(*)``."""
        return f"{self.head}(*)"

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The listed names with their numbers."""
        return {name: number for number, name in enumerate(self.names, self.first)}

    def __contains__(self, name: str) -> bool:
        if name in self.numbers:
            return True
        given = self.pattern is not None and self.pattern.fullmatch(name) is not None
        return given and self.named_by(name) == name

    def named_by(self, text: str) -> str | None:
        """The name for a text that the pattern finds; None if it is none after all."""
        try:
            return self.normal(text)
        except ValueError:
            return None

    def phrases(self, name: str) -> tuple[str, ...]:
        """What names an entity in a question."""
        return name, *self.aliases.get(name, ())

    def named(self, name: str, number: int) -> Constant:
        """The entity of a name."""
        made = replace(self.blank, name=name, number=number, phrases=self.phrases(name))
        term = made.term([None] * len(made.defaults))
        return replace(made, category=name if term.args is None else term.text())

    def name_of(self, category: str) -> str | None:
        """The name of the listed entity that is a category; None if it is not of this type."""
        name = category
        if not self.blank.bare:
            try:
                parts = parse_program(category).walk()
            except ProgramSyntaxError:
                return None
            name = next((part.symbol for part in parts if part.quoted), "")
        return name if name in self.numbers and self.named(name, -1).category == category else None


class Vocabulary:
    """The constants of a domain: predicates, listed entities, type shifts, in this order.

    Entities that a pattern gives (any number, any date) get numbers beyond these as they are met.
    The last `MET` of them are known; a number may then stand for another one, and `generation`
    has grown.

    Args:
        owner: the domain's name, for messages.

    Raises:
        DomainError: for categories that are declared twice.
    """

    def __init__(
        self,
        owner: str,
        predicates: Sequence[Constant],
        types: Sequence[EntityType],
        shifts: Sequence[Constant],
    ) -> None:
        self.owner, self.types = owner, tuple(types)
        self.n_predicates = len(predicates)
        self.n_listed = self.n_predicates + sum(len(one.names) for one in types)
        self.generation = 0
        numbered = (*enumerate(predicates), *enumerate(shifts, self.n_listed))
        self._fixed = {number: replace(one, number=number) for number, one in numbered}
        self.predicates = tuple(self._fixed[number] for number in range(self.n_predicates))
        self._size = self.n_listed + len(shifts)
        # Of a predicate that needs no word, too, programs have the predicate.
        self._heads = {one.head: one.number for one in reversed(self._fixed.values())}
        _check(owner, predicates, types, shifts)
        self._met: dict[int, tuple[int, Constant]] = {}
        self._met_numbers: dict[tuple[int, str], int] = {}
        self._turn, self._lock = 0, Lock()

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Constant]:
        return map(self.__getitem__, range(self._size))

    def __getitem__(self, number: int) -> Constant:
        number = int(number)
        if number in self._met:
            return self._met[number][1]
        if number not in self._fixed:
            if not self.n_predicates <= number < self.n_listed:
                raise IndexError(f"{self.owner} has no constant {number}")
            one = self.types[self.type_of(number)]
            self._fixed[number] = one.named(one.names[number - one.first], number)
        return self._fixed[number]

    def is_entity(self, number: int) -> bool:
        """Whether a number is an entity's."""
        return self.n_predicates <= number < self.n_listed or number >= self._size

    def is_guess(self, number: int) -> bool:
        """Whether a number is that of an entity which may well be no name."""
        return number >= self._size and self.types[self.type_of(number)].guess

    def type_of(self, number: int) -> int:
        """The place in `types` of an entity's type."""
        if number >= self._size:
            return self._met[number][0]
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
        return [self[number] for (at, _), number in self._met_numbers.items() if at == place]

    def find(self, symbol: str, name: str | None) -> Constant | None:
        """A constant by the symbol of its calls ("" for a bare word) and its name, if any."""
        if name is None:
            return self[self._heads[symbol]] if symbol in self._heads else None
        for place, one in enumerate(self.types):
            if symbol == ("" if one.blank.bare else one.head) and name in one:
                return self[self.meet(place, name)]
        return None

    def meet(self, place: int, name: str) -> int:
        """The number of an entity that a pattern gives, of the type at `place`."""
        with self._lock:
            known = self.types[place].numbers.get(name, self._met_numbers.get((place, name)))
            if known is not None:
                return known
            number = self._size + self._turn
            if number in self._met:
                old_place, old = self._met[number]
                del self._met_numbers[old_place, str(old.name)]
            self._met_numbers[place, name] = number
            self._met[number] = place, self.types[place].named(name, number)
            self._turn = (self._turn + 1) % MET
            self.generation += self._turn == 0
            return number


class Constants(Sequence[Constant]):
    """Some constants of a vocabulary, made when they are asked for."""

    def __init__(self, vocabulary: Vocabulary, numbers: range) -> None:
        self.vocabulary, self.numbers = vocabulary, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Constant: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Constant]: ...

    def __getitem__(self, index: int | slice) -> Constant | Sequence[Constant]:
        if isinstance(index, slice):
            return Constants(self.vocabulary, self.numbers[index])
        return self.vocabulary[self.numbers[index]]


def _check(
    owner: str,
    predicates: Sequence[Constant],
    types: Sequence[EntityType],
    shifts: Sequence[Constant],
) -> None:
    """Check that each name is declared once.

    Raises:
        DomainError: if one is declared twice.
    """
    taken = [one.category for one in predicates]
    taken += [name for one in types if one.blank.bare for name in one.names]
    twice = [one.named(name, -1).category for one in types for name in _twice(one.names)]
    twice = sorted(twice or _twice(taken))
    if twice:
        raise DomainError(f"{owner}: declared twice: {', '.join(twice[:5])}")
    methods = {one.category: one.method for one in predicates}
    if any(one.category in taken and methods.get(one.category) != one.method for one in shifts):
        raise DomainError(f"{owner}: a type-shifting operator has the name of another")


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]

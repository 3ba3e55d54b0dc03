"""What domains are made of: constants with signatures, the decorators that declare them, and all
constants of a domain by number, those of a hundred thousand names made when asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, TypeVar, overload

from partwise.errors import DomainError, ProgramSyntaxError
from partwise.language.program import Term, is_leaf, parse_program
from partwise.language.types import Pattern

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Default:
    """The default of an optional argument; `text` is how a program writes it, "" if not at all."""

    text: str


@lru_cache(maxsize=1024)
def default_term(text: str) -> Term | None:
    """How a program writes an argument that is left out, as ``all`` or ``scene()``."""
    return parse_program(text) if text else None


def default(text: str = "") -> Any:
    """An optional argument's default value (typed Any, so that any hint may take it)."""
    return Default(text)


@dataclass(frozen=True)
class Signature:
    """One way to use a constant: open slots (number, type, optional) and the result's type. The
    argument of the slot `extracted` may stand in front, those of the slots `directional` only
    follow, and those of `preceding` only stand before; see these names in `Domain`."""

    params: tuple[tuple[int, Pattern, bool], ...]
    returns: Pattern
    extracted: int | None = None
    directional: frozenset[int] = frozenset()
    preceding: frozenset[int] = frozenset()

    @property
    def closed(self) -> bool:
        return all(optional for _, _, optional in self.params)

    @property
    def waits_for_extracted(self) -> bool:
        """Whether it lacks one argument only, which may stand in front."""
        return [slot for slot, _, _ in self.params] == [self.extracted] and not self.closed

    def __str__(self) -> str:
        shown = (f"{pattern}{'?' if optional else ''}" for _, pattern, optional in self.params)
        return f"({', '.join(shown)}) -> {self.returns}"


@dataclass(frozen=True)
class Constant:
    """A category of the parser: a predicate, or an entity (a constructor with its name).

    Attributes:
        type_shift: whether no word names it, so that it is no category; see `type_shift`.
        commutes: slots whose arguments may be swapped; a program has them sorted by text.
        number: its place in the vocabulary of its domain.
        method: the method that declares it.
        parameters: the names of all slots.
        variadic, of_phrases: see `type_shift`.
        inside: see `entities`.
        keywords: the names of the last slots, if programs write these arguments with names.
    """

    category: str
    head: str
    name: str | None
    signatures: tuple[Signature, ...]
    defaults: tuple[str, ...]
    phrases: tuple[str, ...]
    bare: bool = False
    type_shift: bool = False
    commutes: tuple[int, ...] = ()
    number: int = -1
    method: str = ""
    keywords: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    variadic: bool = False
    of_phrases: bool = False
    inside: str = ""

    @property
    def is_entity(self) -> bool:
        return self.name is not None

    def term(self, args: Sequence[Term | None]) -> Term:
        """The program of this constant over `args`; None stands for an argument left open."""
        made = self._term(args)
        return Term(self.inside, (made,)) if self.inside else made

    def _term(self, args: Sequence[Term | None]) -> Term:
        if self.bare:
            name = str(self.name)
            return Term(name, quoted=not is_leaf(name))
        if self.variadic:
            return Term(self.head, tuple(arg for arg in args if arg is not None))
        named = (Term(self.name, quoted=True),) if self.name is not None else ()
        names = ("",) * (len(args) - len(self.keywords)) + self.keywords
        filled = (arg or default_term(text) for arg, text in zip(args, self.defaults, strict=True))
        given = [(arg, name) for arg, name in zip(filled, names, strict=True) if arg is not None]
        keywords = tuple(name for _, name in given if name)
        return Term(self.head, named + tuple(arg for arg, _ in given), keywords=keywords)


@dataclass(frozen=True)
class Application:
    """A program seen as constants applied to applications; None for an argument left out."""

    constant: Constant
    args: tuple[Application | None, ...]

    def term(self) -> Term:
        return self.constant.term([arg.term() if arg else None for arg in self.args])

    def walk(self) -> Iterator[Application]:
        yield self
        for arg in self.args:
            if arg is not None:
                yield from arg.walk()


Names = Iterable[str] | Callable[[Any], Iterable[str]]
Aliases = Mapping[str, Sequence[str]] | Callable[[Any], Mapping[str, Sequence[str]]] | None


@dataclass(frozen=True)
class Mark:
    kind: str
    phrases: tuple[str, ...] = ()
    names: Names = ()
    aliases: Aliases = None
    bare: bool = False
    commutes: tuple[str, ...] = ()
    pattern: str | None = None
    typos: bool = False
    name: str = ""
    guess: bool = False
    of_phrases: bool = False
    normal: Callable[[str], str] = str
    inside: str = ""

    def __call__(self, function: F) -> F:
        function.__dict__["__partwise__"] = (self, *function.__dict__.get("__partwise__", ()))
        return function


def predicate(*phrases: str, commutes: tuple[str, ...] = (), name: str = "") -> Callable[[F], F]:
    """Declare a method as a predicate; `phrases` are words that name it.

    Programs write its keyword-only parameters with their names, in any order; ``with_`` is called
    ``with``. A phrase may be interrupted: with ``"take ... off"`` the predicate stands on "off"
    where "take" is before it. Several decorators with names declare predicates of the same types,
    which do the same when they are run.

    Args:
        commutes: names of parameters of one type whose arguments may be swapped, as those of
            "and"; programs that differ in their order only are the same.
        name: what programs call it, where that is not the method's name, as ``_<=``.
    """
    return Mark("predicate", phrases, commutes=commutes, name=name)


@overload
def type_shift(function: F, /) -> F: ...


@overload
def type_shift(*phrases: str, name: str = "", of_phrases: bool = False) -> Callable[[F], F]: ...


def type_shift(*given: Any, name: str = "", of_phrases: bool = False) -> Any:
    """Declare a method as a type-shifting operator: a predicate that no word names.

    It stands wherever a name that it takes meets something that the name alone cannot compose
    with: under ``filter(self, color: Color = default(), shape: Shape = default(), ...)`` the words
    "red cube" mean ``filter(red, cube, ...)``, and so does "cube" alone where a set is wanted.

    With a parameter ``*parts`` it is a conjunction: phrases beside each other that it takes
    compose to ``both(first, second, third)``, in any order and however they are nested.

    With `phrases` it is a predicate as well, which these words name where they stand.

    Args:
        name: as of `predicate`.
        of_phrases: whether it takes phrases, too, and not only names; also that of a whole
            question. Words that compose without it always do.
    """
    mark = Mark("type_shift", name=name, of_phrases=of_phrases)
    if given and isinstance(given[0], str):
        worded = Mark("predicate", given, name=name)
        return lambda function: mark(worded(function))
    return mark(*given) if given else mark


def entities(
    names: Names = (),
    aliases: Aliases = None,
    bare: bool = False,
    pattern: str | None = None,
    typos: bool = False,
    *,
    name: str = "",
    guess: bool = False,
    normal: Callable[[str], str] = str,
    inside: str = "",
) -> Callable[[F], F]:
    r"""Declare a method ``f(self, name: str, ...)`` as the constructor of entities.

    The names are looked for in questions word by word, whatever their case and diacritics, so
    there may be a hundred thousand of them, and new ones need no training. `names` and `aliases`
    may be functions of the domain.

    Args:
        aliases: name -> more phrases for it; with a pattern also for names without a list, as
            ``{"5": ("five",)}``.
        bare: whether a program writes the name alone, as for numbers.
        pattern: a regular expression of names that need no list, such as ``r"\d+"`` for numbers.
        typos: whether a word of a name may be misspelt: one error (a letter too many, too few,
            wrong, or two swapped) in words from four letters on, two from eight on, the first
            letter right. Words of the language and of other names are never taken for misspelt.
        name: what programs call the constructor, where that is not the method's name.
        guess: whether what only the pattern gives may well be no name, so that a parser decides by
            what stands around it.
        normal: what programs write for a text that the pattern finds, as "5000" for "$5,000"; it
            may raise ValueError for a text that is none. The pattern takes what it gives, too.
        inside: a predicate without words of its own that programs always write around the names,
            as "day" for ``day(weekday('monday'))``; the method returns what that predicate gives.
    """
    return Mark(
        "entities",
        names=names,
        aliases=aliases,
        bare=bare,
        pattern=pattern,
        typos=typos,
        name=name,
        guess=guess,
        normal=normal,
        inside=inside,
    )


def root(function: F) -> F:
    """Declare the method that wraps a whole program; its parameter says what may be asked for."""
    return Mark("root")(function)


MET = 1 << 16
"""How many entities given by a pattern are remembered at a time."""


@dataclass(frozen=True, eq=False)
class EntityType:
    """All entities of one constructor: `blank` is one without a name, `first` the number of the
    first listed one, and `aliases` has the other phrases of a name. `pattern`: what names look like
    that are not listed; `guess`: whether what only it gives may well be no name; `normal`: the name
    for a text that it finds; `typos`: whether small errors of spelling are forgiven."""

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
        return self.blank.head

    @property
    def label(self) -> str:
        """One category for all of them: ``book(*)``."""
        return f"{self.head}(*)"

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names, self.first)}

    def __contains__(self, name: str) -> bool:
        if name in self.numbers:
            return True
        given = self.pattern is not None and self.pattern.fullmatch(name) is not None
        return given and self.find_name(name) == name

    def find_name(self, text: str) -> str | None:
        try:
            return self.normal(text)
        except ValueError:
            return None

    def phrases(self, name: str) -> tuple[str, ...]:
        return name, *self.aliases.get(name, ())

    def named(self, name: str, number: int) -> Constant:
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
    """The constants of a domain: predicates, listed entities, type shifts, in this order. Entities
    that a pattern gives (any number, any date) get numbers beyond these as they are met. The last
    `MET` of them are known; a number may then stand for another one, and `generation` has grown.
    Raises DomainError for categories that are declared twice."""

    def __init__(
        self,
        owner: str,
        predicates: Sequence[Constant],
        types: Sequence[EntityType],
        shifts: Sequence[Constant],
    ) -> None:
        self.owner, self.types = owner, tuple(types)
        self.n_predicates = len(predicates)
        self.n_listed = self.n_predicates + sum(len(entity_type.names) for entity_type in types)
        self.generation = 0
        numbered = (*enumerate(predicates), *enumerate(shifts, self.n_listed))
        self._fixed = {number: replace(constant, number=number) for number, constant in numbered}
        self.predicates = tuple(self._fixed[number] for number in range(self.n_predicates))
        self._size = self.n_listed + len(shifts)
        # Of a predicate that needs no word, too, programs have the predicate.
        self._heads = {
            constant.head: constant.number for constant in reversed(self._fixed.values())
        }
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
            entity_type = self.types[self.type_of(number)]
            self._fixed[number] = entity_type.named(
                entity_type.names[number - entity_type.first], number
            )
        return self._fixed[number]

    def is_entity(self, number: int) -> bool:
        return self.n_predicates <= number < self.n_listed or number >= self._size

    def is_guess(self, number: int) -> bool:
        """Whether a number is that of an entity which may well be no name."""
        return number >= self._size and self.types[self.type_of(number)].guess

    def type_of(self, number: int) -> int:
        if number >= self._size:
            return self._met[number][0]
        places = range(len(self.types))
        return max(p for p in places if self.types[p].first <= number and self.types[p].names)

    def listed(self, place: int) -> Sequence[Constant]:
        entity_type = self.types[place]
        return Constants(self, range(entity_type.first, entity_type.first + len(entity_type.names)))

    def samples(self, place: int) -> Sequence[Constant]:
        """The listed entities of a type, or where it has a pattern and no list, those met."""
        if self.types[place].names:
            return self.listed(place)
        return [self[number] for (at, _), number in self._met_numbers.items() if at == place]

    def find(self, symbol: str, name: str | None) -> Constant | None:
        """A constant by the symbol of its calls ("" for a bare word) and its name, if any."""
        if name is None:
            return self[self._heads[symbol]] if symbol in self._heads else None
        for place, entity_type in enumerate(self.types):
            if (
                symbol == ("" if entity_type.blank.bare else entity_type.head)
                and name in entity_type
            ):
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
    def __init__(self, vocabulary: Vocabulary, numbers: range) -> None:
        self.vocabulary, self.numbers = vocabulary, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Constants(self.vocabulary, self.numbers[index])
        return self.vocabulary[self.numbers[index]]


def _check(
    owner: str,
    predicates: Sequence[Constant],
    types: Sequence[EntityType],
    shifts: Sequence[Constant],
) -> None:
    taken = [constant.category for constant in predicates]
    taken += [name for entity_type in types if entity_type.blank.bare for name in entity_type.names]
    twice = [
        entity_type.named(name, -1).category
        for entity_type in types
        for name in _twice(entity_type.names)
    ]
    twice = sorted(twice or _twice(taken))
    if twice:
        raise DomainError(f"{owner}: declared twice: {', '.join(twice[:5])}")
    methods = {constant.category: constant.method for constant in predicates}
    if any(
        shift.category in taken and methods.get(shift.category) != shift.method for shift in shifts
    ):
        raise DomainError(f"{owner}: a type-shifting operator has the name of another")


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]

"""What there is to know of a part of a program, and the numbered kinds of a domain's parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from partwise.language.constants import Constant, EntityType, default_term
from partwise.language.domain import Domain, is_optional
from partwise.language.open_types import closed_type
from partwise.language.program import Term, is_leaf
from partwise.language.types import Pattern, is_concrete

Returns = tuple[Pattern, ...]


@dataclass(frozen=True)
class Kind:
    """All that the rest of a program depends on, of one of its parts.

    Attributes:
        type: what it returns; None for what only stands for an argument left out.
        literal: itself, where it is a part of what stands for an argument left out.
        returns: what its predicate declares to return, where places of arguments hang on that.
        conjunction: the predicate of which it is a conjunction, whose part it cannot be.
        inside: the predicate that must stand around it.
        name_of: the place in `Vocabulary.types` of what it is a quoted name of, within the call
            of a constructor; -1 for all else.
        whole: whether it is a program with its root predicate.
    """

    type: Pattern | None = None
    literal: Term | None = None
    returns: Returns = ()
    conjunction: str = ""
    inside: str = ""
    name_of: int = -1
    whole: bool = False

    @property
    def usable(self) -> bool:
        """Whether it is a meaning that may be an argument."""
        return self.type is not None and not self.inside and not self.whole and self.name_of < 0


class Leaves:
    """The kinds of what has no parts: names, numbers, and what stands for arguments left out."""

    def __init__(self, domain: Domain) -> None:
        self.vocabulary = domain.vocabulary
        self.constants = tuple(_constants(domain))
        self.placed = any(map(skips, self.constants))
        """Whether places of arguments hang on what predicates declare to return."""
        defaults = {text for one in self.constants for text in one.defaults}
        self.literals = {
            part for text in defaults if (term := default_term(text)) for part in term.walk()
        }
        types = self.vocabulary.types
        self._bare = [n for n, one in enumerate(types) if one.blank.bare]
        self._heads: dict[str, list[int]] = {}
        for number, one in enumerate(types):
            if not one.blank.bare:
                self._heads.setdefault(one.head, []).append(number)

    def returns(self, constant: Constant) -> Returns:
        """What tells where a call of a constant may stand."""
        return tuple(one.returns for one in constant.signatures) if self.placed else ()

    def bare(self, name: str, quoted: bool) -> Kind | None:
        """The kind of a name or number alone; None if there is none."""
        term = Term(name, quoted=quoted)
        literal = term if term in self.literals else None
        owner = self._owner(self._bare, name)
        if owner is None or quoted == is_leaf(name):
            return None if literal is None else Kind(literal=literal)
        blank = self.vocabulary.types[owner].blank
        kind = closed_type(blank.signatures)
        if kind is None or not is_concrete(kind):
            return None if literal is None else Kind(literal=literal)
        return Kind(kind, literal, self.returns(blank), inside=blank.inside)

    def named(self, head: str | None, name: str) -> Kind | None:
        """The kind of a quoted name that is the first argument of a call, or any other one."""
        owner = self._owner(self._heads.get(head or "", ()), name)
        if owner is None:
            return self.bare(name, quoted=True)
        term = Term(name, quoted=True)
        return Kind(literal=term if term in self.literals else None, name_of=owner)

    def is_listed(self, head: str | None, name: str) -> bool:
        """Whether a quoted name that has a kind has it without a pattern."""
        owner = self._owner(self._heads.get(head or "", ()), name)
        owner = self._owner(self._bare, name) if owner is None else owner
        return owner is None or name in self.vocabulary.types[owner].numbers

    def constructed(self, head: str) -> list[tuple[int, EntityType]]:
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
        alone = (one.symbol for one in self.literals if one.args is None and not one.quoted)
        for name in dict.fromkeys((*names, *alone)):
            kind = self.bare(name, False)
            if kind is not None:
                yield name, kind

    def patterned(self) -> Iterator[Kind]:
        """The kinds of what patterns give."""
        for one in self.vocabulary.types:
            yield from self.of_pattern(one)

    def of_pattern(self, one: EntityType) -> Iterator[Kind]:
        """The kind of what the pattern of a type gives, if it has one."""
        if one.pattern is None:
            return
        kind = closed_type(one.blank.signatures)
        if not one.blank.bare:
            yield Kind(name_of=self.vocabulary.types.index(one))
        elif kind is not None:
            yield Kind(kind, None, self.returns(one.blank), inside=one.blank.inside)

    def _literal_names(self, head: str | None) -> Iterator[tuple[str, Kind]]:
        for one in self.literals:
            if one.quoted:
                kind = self.bare(one.symbol, True) if head is None else self.named(head, one.symbol)
                if kind is not None and (head is None) == (kind.name_of < 0):
                    yield one.symbol, kind

    def _owner(self, types: Iterable[int], name: str) -> int | None:
        return next((n for n in types if name in self.vocabulary.types[n]), None)


def skips(constant: Constant) -> bool:
    """Whether an argument may be left out without a trace, so that others move up."""
    ordered = len(constant.defaults) - len(constant.keywords)
    return any(not constant.defaults[n] and is_optional(constant, n) for n in range(ordered))


def _constants(domain: Domain) -> Iterator[Constant]:
    """One constant of each head, entities without their names."""
    known = domain.vocabulary
    heads = dict.fromkeys(one.head for one in (*known.predicates, *domain.type_shifts))
    yield from filter(None, (known.find(head, None) for head in heads))
    yield from (one.blank for one in known.types)

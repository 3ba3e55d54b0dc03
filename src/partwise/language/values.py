"""Ready-made values for a domain of one's own: sets of things, single things, numbers, yes and no.

The hints of a domain's methods are the types of its language. With these classes the methods really
return values of the hinted classes, so that a type checker follows both::

    class Book: ...                                   # a sort: an empty class

    class Library(SetDomain):
        @predicate("author", "wrote")
        def author(self, of: Some[Book]) -> Many[Author]:
            return Many(AUTHOR_OF[title] for title in of)

        @predicate("price", "cost")
        def price(self, of: Some[Book]) -> Amounts[Price]:
            return Amounts(PRICE_OF[title] for title in of)

`Some[Book]` takes one book or many, `Many[Book]` several only, as what "the newest" or "how many"
is asked of, and `One[Book]` is a single book, as a name is.

Things form a set: an author of three books counts once. Three books of the same price have three
prices, which a sum or an average needs. So a value that is no key (a float, a decimal, a `Number`)
is kept each time that it comes. Whole numbers may be keys, or years; where they are amounts, say so
with `Amounts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from partwise.language.domain import Domain

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Number:
    value: float

    def __str__(self) -> str:
        return f"{self.value:g}" if self.value % 1 else str(int(self.value))


@dataclass(frozen=True)
class Truth:
    value: bool

    def __str__(self) -> str:
        return "yes" if self.value else "no"


class Some(Generic[T_co]):
    """Things of a sort, by what names them (a title, a key); each once, in a fixed order. Two of
    these are equal if they hold the same things, in any order, and amounts as often. Raises
    TypeError for a text in place of a collection of them."""

    amounts: ClassVar[tuple[type, ...]] = (float, Decimal, Fraction, Number)
    """Classes of values that name no thing, of which equal ones are kept."""

    def __init__(self, items: Iterable[Any]) -> None:
        if isinstance(items, str):
            raise TypeError(f"{type(self).__name__} takes a collection, as [{items!r}], not a text")
        seen: set[Any] = set()
        kept: list[Any] = []
        for item in items:
            if isinstance(item, self.amounts) or item not in seen:
                kept.append(item)
                seen.add(item)
        self.items: tuple[Any, ...] = tuple(kept)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Some) and Counter(self.items) == Counter(other.items)

    def __hash__(self) -> int:
        return hash(frozenset(self.items))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.items)!r})"


class Many(Some[T_co]):
    """Several things, or however many there are: none and a single one, too."""


class Amounts(Many[T_co]):
    """Numbers that were measured, one for each thing; equal ones are kept, whatever their class."""

    amounts: ClassVar[tuple[type, ...]] = (object,)


class One(Some[T_co]):
    """A single thing, as a name or a superlative gives it; empty where there is none. Raises
    ValueError for several things."""

    amounts: ClassVar[tuple[type, ...]] = ()

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__(items)
        if len(self.items) > 1:
            raise ValueError(f"One takes a single thing, not {len(self.items)}")


class SetDomain(Domain):
    """A domain whose programs give the values of this module."""

    def is_empty(self, value: Any) -> bool:
        return isinstance(value, Some) and not value.items

    def show(self, value: Any) -> list[str]:
        return [str(item) for item in value] if isinstance(value, Some) else [str(value)]

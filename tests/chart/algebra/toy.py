"""A small domain about pets that uses every kind of signature."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar, overload

from partwise.language.domain import Domain, default, entities, predicate, root

T = TypeVar("T")
ALL = default("all")
ANY = default("_")


class Pet: ...


class Dog(Pet): ...


class Cat(Pet): ...


class Toy: ...


class Number: ...


class One(Generic[T]): ...


class Many(Generic[T]): ...


class Noun(Many[T]): ...


class Relation(Generic[T]): ...


Animal = TypeVar("Animal", bound=Pet)


class Pets(Domain):
    """Types only; nothing runs."""

    name: ClassVar[str] = "pets"
    infix: ClassVar = ("most", "count", "gift", "dogs")
    scope_raising: ClassVar = ("most",)

    @root
    def tell(self, value: Many[object] | Number) -> Any: ...

    @entities(("rex", "fido"))
    def dog(self, name: str) -> One[Dog]: ...

    @entities(("tom",))
    def cat(self, name: str, friend: One[Dog] = ANY) -> One[Cat]: ...

    @entities(("ball",))
    def toy(self, name: str) -> One[Toy]: ...

    @overload
    def dogs(self) -> Many[Dog]: ...

    @overload
    def dogs(self, x: Relation[Dog]) -> Noun[Dog]: ...

    @predicate("dogs")
    def dogs(self, x: Any = ALL) -> Any: ...

    @predicate("pets")
    def pets(self) -> Many[Dog] | Many[Cat]: ...

    @predicate("friends")
    def friends(self, x: One[Animal]) -> Many[Animal]: ...

    @predicate("chased by")
    def chases(self, x: One[Pet] | Many[Dog]) -> Relation[Dog]: ...

    @predicate("kin of")
    def kin(self, x: One[Dog]) -> Relation[Dog]: ...

    @predicate("gift")
    def gift(self, to: One[Pet], what: One[Toy]) -> Many[Toy]: ...

    @predicate("without")
    def without(self, x: Many[T], y: Many[T]) -> Many[T]: ...

    @predicate("most")
    def most(self, x: Noun[T]) -> Noun[T]: ...

    @predicate("how many")
    def count(self, x: Many[object]) -> Number: ...

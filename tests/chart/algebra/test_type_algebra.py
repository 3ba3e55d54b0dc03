"""The automaton of types: what composes, what may stand alone, and what is told of the rest."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar, TypeVar

import pytest
from toy import Cat, Dog, Many, Number, One, Pets, Toy

from partwise.chart.algebra import NONE
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DomainError, ProgramTypeError, UnknownConstantError
from partwise.language.constants import Signature
from partwise.language.domain import Domain, entities, predicate, root
from partwise.language.open_types import apply, closed_type
from partwise.language.program import parse_program
from partwise.language.types import from_hint

S = TypeVar("S")


@pytest.fixture(scope="module")
def types() -> TypeAlgebra:
    return TypeAlgebra(Pets())


def state(types: TypeAlgebra, category: str) -> int:
    return int(types.start[types.domain.categories[category]])


def join(types: TypeAlgebra, left: int, right: int) -> int:
    return int(types.table[left, right])


def joined(types: TypeAlgebra, *categories: str) -> str | None:
    """The name of the state of parts that join from left to right."""
    states = [state(types, category) for category in categories]
    now = states[0]
    for other in states[1:]:
        now = join(types, now, other)
        if now == NONE:
            return None
    return types.name(now)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("friends", "dog('rex')"), "Many[Dog]"),
        (("dog('rex')", "friends"), "Many[Dog]"),
        (("friends", "cat('tom', _)"), "Many[Cat]"),
        (("friends", "toy('ball')"), None),
        (("friends", "dogs"), None),
        (("friends", "friends"), None),
        (("count", "dogs"), "Number"),
        (("count", "pets"), "Number"),
        (("count", "friends"), None),
        (("chases", "dogs"), "Relation[Dog]"),
        (("chases", "pets"), None),
        (("chases", "dog('rex')", "dogs"), "Noun[Dog]"),
        (("chases", "dog('rex')", "dogs", "most"), "Noun[Dog]"),
        (("most", "dogs"), None),
        (("cat('tom', _)", "dog('rex')"), "One[Cat]"),
        (("cat('tom', _)", "dog('rex')", "dog('rex')"), None),
        (("gift", "toy('ball')"), "(One[Pet]) -> Many[Toy]"),
        (("gift", "toy('ball')", "dog('rex')"), "Many[Toy]"),
        (("dog('rex')", "gift", "toy('ball')"), "Many[Toy]"),
        (("gift", "toy('ball')", "toy('ball')"), None),
        (("without", "dogs"), "(Many[Dog]) -> Many[Dog]"),
        (("without", "dogs", "dogs"), "Many[Dog]"),
        (("friends", "cat('tom', _)", "without", "dogs"), None),
    ],
)
def test_what_composes(types: TypeAlgebra, parts: tuple[str, ...], expected: str | None) -> None:
    assert joined(types, *parts) == expected


def test_the_left_part_is_the_function_where_both_may_be(types: TypeAlgebra) -> None:
    class Both(Domain):
        @predicate("f")
        def f(self, x: Toy | None = None) -> Toy: ...  # type: ignore[empty-body]

        @predicate("g")
        def g(self, x: Toy | None = None) -> Toy: ...  # type: ignore[empty-body]

    both = TypeAlgebra(Both())
    f = int(both.start[0])
    assert both.start[1] == f
    assert both.compositions[f, f].left_is_function
    friends, rex = state(types, "friends"), state(types, "dog('rex')")
    assert types.compositions[friends, rex].left_is_function
    assert not types.compositions[rex, friends].left_is_function


def test_constants_alike_share_a_state(types: TypeAlgebra) -> None:
    assert state(types, "dog('rex')") == state(types, "dog('fido')")
    assert state(types, "dog('rex')") != state(types, "cat('tom', _)")


def test_an_incomplete_meaning_is_never_final(types: TypeAlgebra) -> None:
    for number, need in enumerate(types.open_types):
        if closed_type(need) is None:
            assert not types.final[number]
            assert not types.is_closed(number)
    finals = {
        constant.category
        for constant in types.domain.constants
        if types.final[types.start[constant.number]]
    }
    # A single dog may not be told of, only many; `pets` returns a union that fits.
    assert finals == {"dogs", "pets"}


def test_a_polymorphic_result_is_never_closed() -> None:
    class Loose(Domain):
        @predicate("nothing")
        def nothing(self) -> Many[S]: ...  # type: ignore[empty-body]

    types = TypeAlgebra(Loose())
    assert not types.final.any()


def test_of_overloads_the_first_that_is_complete_decides() -> None:
    one, number = from_hint(One[Dog]), from_hint(Number)
    first = Signature(((0, one, False),), number)
    second = Signature(((0, one, False),), one)
    assert apply((first, second), (Signature((), one),)) == ((Signature((), number),), 0)
    more = Signature(((0, one, False), (1, one, False)), one)
    left = apply((more, first, second), (Signature((), one),))
    assert left is not None
    assert [str(signature) for signature in left[0]] == ["(One[Dog]) -> One[Dog]", "() -> Number"]


def test_alternatives_that_fill_another_slot_are_dropped() -> None:
    dog, cat = from_hint(One[Dog]), from_hint(One[Cat])
    by_first = Signature(((0, dog, False), (1, cat, False)), dog)
    by_second = Signature(((0, cat, False), (1, dog, False)), cat)
    found = apply((by_first, by_second), (Signature((), dog),))
    assert found is not None
    assert found[1] == 0
    assert [str(signature) for signature in found[0]] == ["(One[Cat]) -> One[Dog]"]


def test_middles_are_those_declared(types: TypeAlgebra) -> None:
    middles = {
        constant.category
        for constant in types.domain.constants
        if types.middle[types.start[constant.number]]
    }
    assert middles == {"most", "count", "gift", "dogs"}

    class Every(Pets):
        infix = None

    class No(Pets):
        infix = ()

    every = TypeAlgebra(Every())
    assert not every.middle[state(every, "dog('rex')")]
    assert every.middle[state(every, "friends")]
    assert not TypeAlgebra(No()).middle.any()
    assert len(TypeAlgebra(No()).triples) == 0


def test_pairs_and_triples_list_the_tables(types: TypeAlgebra) -> None:
    states = range(types.n_states)
    table, outer = types.table, types.outer_table
    assert {tuple(map(int, row)) for row in types.sum_rules.pairs} == {
        (a, b, int(table[a, b])) for a, b in itertools.product(states, states) if table[a, b] >= 0
    }
    wanted = {
        (a, m, b, int(table[m, outer[a, b]]))
        for a, m, b in itertools.product(states, states, states)
        if types.middle[m] and outer[a, b] >= 0 and table[m, outer[a, b]] >= 0
    }
    assert {tuple(map(int, row)) for row in types.triples} == wanted
    assert len(types.triples) == len(wanted)
    assert len(types.without_ternary().triples) == 0


def test_a_floating_predicate_takes_scope_over_the_phrase_around_it(types: TypeAlgebra) -> None:
    dogs, most = state(types, "dogs"), state(types, "most")
    kin, rex = state(types, "kin"), state(types, "dog('rex')")
    # "dogs kin of rex": the noun and the open relation compose first ...
    opened = join(types, dogs, kin)
    assert opened != NONE
    assert not types.final[opened]
    # ... but only as an outer part of a ternary join may they take their argument.
    assert join(types, opened, rex) == NONE
    raised = int(types.outer_table[opened, rex])
    assert types.name(raised) == "Noun[Dog]"
    assert not types.final[raised]
    taken = join(types, most, raised)
    assert types.final[taken]
    assert (opened, most, rex, taken) in {tuple(map(int, row)) for row in types.triples}

    class Still(Pets):
        scope_raising = ()

    still = TypeAlgebra(Still())
    assert join(still, state(still, "dogs"), state(still, "kin")) == NONE
    assert still.n_states < types.n_states


@pytest.mark.parametrize(
    "text",
    [
        "tell(dogs(all))",
        "tell(pets())",
        "tell(count(pets()))",
        "tell(friends(cat('tom', dog('fido'))))",
        "tell(gift(dog('rex'), toy('ball')))",
        "tell(without(dogs(all), friends(dog('rex'))))",
        "tell(most(dogs(chases(dogs(all)))))",
    ],
)
def test_typed_programs_pass(types: TypeAlgebra, text: str) -> None:
    program = types.check(parse_program(text))
    assert types.domain.wrap(program.term()).text() == text
    assert closed_type(types.open_type_of(program)) is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tell(friends(toy('ball')))", "friends takes .*, not One.Toy.: in friends"),
        ("tell(count(friends(dogs(all))))", r"not Many\[Dog\]: in friends\(dogs\(all\)\)$"),
        ("tell(gift(toy('ball'), dog('rex')))", r"gift takes .* in gift\(toy\('ball'\), dog"),
        (
            "tell(without(dogs(all), friends(cat('tom', _))))",
            r"not Many\[Dog\], Many\[Cat\]: in w",
        ),
        ("tell(dog('rex'))", r"a whole program may not be One\[Dog\]: dog\('rex'\)"),
        ("tell(chases(dogs(all)))", r"may not be Relation\[Dog\]"),
        ("tell(most(dogs(all)))", r"most takes \(Noun\[T\]\) -> Noun\[T\], not Many\[Dog\]"),
    ],
)
def test_ill_typed_programs_say_where(types: TypeAlgebra, text: str, message: str) -> None:
    with pytest.raises(ProgramTypeError, match=message):
        types.check(parse_program(text))


@pytest.mark.parametrize("text", ["tell(count())", "tell(gift(dog('rex')))", "tell(friends())"])
def test_a_missing_argument_is_told(types: TypeAlgebra, text: str) -> None:
    with pytest.raises((ProgramTypeError, UnknownConstantError)):
        types.check(parse_program(text))


def test_checking_leaves_the_automaton_alone(types: TypeAlgebra) -> None:
    before = len(types.open_types)
    for text in ("tell(friends(toy('ball')))", "tell(count(pets()))"):
        try:
            types.check(parse_program(text))
        except ProgramTypeError:
            continue
    assert len(types.open_types) == before == types.n_states


def test_a_type_without_end_is_told() -> None:
    class Endless(Domain):
        name: ClassVar[str] = "endless"

        @root
        def tell(self, value: object) -> Any: ...

        @entities(("rex",))
        def dog(self, name: str) -> Dog: ...  # type: ignore[empty-body]

        @predicate("box")
        def box(self, x: S) -> Many[S]: ...  # type: ignore[empty-body]

    with pytest.raises(DomainError, match="ever larger type"):
        TypeAlgebra(Endless())

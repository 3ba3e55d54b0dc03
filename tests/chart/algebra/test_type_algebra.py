"""The automata of types and programs: what composes, what sentences mean, which trees there are."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
import pytest
from blocks import Blocks
from brute import Enumerator, TooMany, score_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy import Cat, Dog, Many, Number, One, Pets, Toy
from trips import Trips

from cases import cases, rows
from partwise.chart import compiled, recurrence
from partwise.chart.algebra import NONE
from partwise.chart.scores import JOIN, SpanScores, SpanTree
from partwise.chart.semantics import program, read_tree
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DomainError, ProgramTypeError, UnknownConstantError
from partwise.language import values
from partwise.language.constants import Signature
from partwise.language.domain import Domain, entities, predicate, root, type_shift
from partwise.language.open_types import MAX_PARTS, apply, close_type, open_type_of  # noqa: F401
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


@cases("parts, expected")
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
        if close_type(need) is None:
            assert not types.final[number]
            assert not types.closed[number]
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


@cases("text")
def test_typed_programs_pass(types: TypeAlgebra, text: str) -> None:
    program = types.check(parse_program(text))
    assert types.domain.wrap(program.term()).text() == text
    assert close_type(open_type_of(program)) is not None


@cases("text, message")
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


PETS = TypeAlgebra(Pets())
WORDS = {"many": "count", "same": "like", "or": "union", "what": "query", "thing": "world"}
"""Words of sentences about blocks -> categories of other names."""


def target(text: str, types: TypeAlgebra = PETS) -> TargetAlgebra:
    return TargetAlgebra(types, types.check(parse_program(text)))


def programs(
    words: str | Sequence[str], types: TypeAlgebra = PETS, over: TargetAlgebra | None = None
) -> list[str]:
    """Programs of all trees over words each of which is one constant and none is φ."""
    words = words.split() if isinstance(words, str) else words
    n, categories = len(words), types.domain.categories
    constants = np.full((n + 1, n + 1, len(types.domain.constants)), -np.inf)
    for place, word in enumerate(words):
        constants[place, place + 1, categories[WORDS.get(word, word)]] = 0.0
    join, gap = np.zeros((n + 1, n + 1)), np.full((n + 1, n + 1), -np.inf)
    found = recurrence.kbest(SpanScores.of(constants, join, gap), over or types, 3000)
    return sorted(program(one.tree, types).text() for one in found)


class Ordered(Blocks):
    """Blocks whose descriptions stand before the places that they are at."""

    directional: ClassVar = {"filter": ("things",), "count": ("things",)}


BLOCKS = Blocks()
FREE, ORDERED = TypeAlgebra(BLOCKS), TypeAlgebra(Ordered())
BESIDE = "count(filter(ball, beside(left, filter(red, world()))))"
ORDERS = 40
OF_PETS, OF_BLOCKS = rows(globals(), "pets"), rows(globals(), "blocks")


@pytest.mark.parametrize(
    ("types", "text", "sentence"),
    [
        *((PETS, *case) for case in OF_PETS),
        *((FREE, *case) for case in OF_BLOCKS if len(case[1]) < 7),
        (ORDERED, BESIDE, ["many", "ball", "left", "red"]),
    ],
)
def test_every_order_of_words_gives_the_trees_of_the_types_that_spell_it(
    types: TypeAlgebra, text: str, sentence: list[str]
) -> None:
    algebra = target(text, types)
    total = 0
    orders = sorted(set(itertools.permutations(sentence)) - {tuple(sentence)})
    # Of long sentences some of the orders.
    for words in (tuple(sentence), *orders[:: 1 + len(orders) // ORDERS]):
        wanted = [found for found in programs(words, types) if found == text]
        assert programs(words, types, algebra) == wanted
        total += len(wanted)
    assert total > 0


@pytest.mark.parametrize(("text", "words"), OF_PETS)
def test_only_the_programs_own_constants_are_usable(text: str, words: list[str]) -> None:
    algebra = target(text)
    usable = algebra.used
    assert {PETS.domain.constants[number].category for number in usable} == set(words)
    others = [[word] for word in PETS.domain.categories if word not in words]
    assert all(not programs(words, PETS, algebra) for words in others)


def test_equal_subterms_are_shared() -> None:
    small = target("tell(without(dogs(all), dogs(all)))")
    assert [meaning.constant for meaning in small.meanings].count(
        PETS.domain.categories["dogs"]
    ) == 1
    assert len(small.meanings) == len(set(small.meanings))


def test_an_argument_left_out_stays_out() -> None:
    words = ["friends", "cat('tom', _)", "dog('rex')"]
    assert programs(words, PETS, target("tell(friends(cat('tom', _)))")) == []
    # Nor may it be left out where the program has it.
    full = target("tell(friends(cat('tom', dog('rex'))))")
    assert programs(words[:2], PETS, full) == []
    assert programs(words, PETS, full) != []


def test_a_repeated_constant_may_not_pile_up() -> None:
    algebra = target("tell(dogs(chases(dog('rex'))))")
    assert programs(["dogs", "chases", "dogs", "chases", "dog('rex')"], PETS, algebra) == []


def test_a_part_of_the_program_is_not_the_whole() -> None:
    algebra = target("tell(count(friends(dog('rex'))))")
    assert programs(["friends", "dog('rex')"], PETS, algebra) == []
    assert programs(["count", "friends", "dog('rex')"], PETS, algebra) != []


@pytest.mark.parametrize(("text", "sentence"), OF_BLOCKS)
def test_what_sentences_can_mean(text: str, sentence: list[str]) -> None:
    assert text in programs(sentence, FREE)
    assert FREE.check(parse_program(text)).term().text() == text


def test_swapped_arguments_are_one_program() -> None:
    either = {programs(words, FREE)[0] for words in ("many red or blue", "many blue or red")}
    assert len(either) == 1
    swapped = parse_program("count(union(filter(red, world()), filter(blue, world())))")
    assert FREE.check(swapped).term().text() == either.pop()
    assert BLOCKS.run(swapped) == 3


def test_left_and_right_branching_filters_mean_the_same() -> None:
    # Every bracketing of "red cube" within "many red cube" and no other program.
    assert set(programs(["many", "red", "cube"], FREE)) == {"count(filter(red, cube, world()))"}


def test_a_kind_is_filtered_by_once() -> None:
    assert programs(["many", "red", "blue"], FREE) == []
    with pytest.raises(ProgramTypeError):
        FREE.check(parse_program("count(filter(red, blue, world()))"))


def test_a_relation_takes_what_follows_or_what_stands_in_front() -> None:
    # "cube left" alone is not a set of things: the argument would have to follow.
    assert programs(["many", "cube", "left"], FREE) == []
    front = programs(["ball", "many", "cube", "left"], FREE)
    assert front == ["count(filter(cube, beside(left, filter(ball, world()))))"]


def test_implied_predicates_are_no_categories() -> None:
    assert not {"filter", "beside"} & set(BLOCKS.categories)
    assert [constant.category for constant in BLOCKS.type_shifts] == ["filter", "beside"]
    assert all(FREE.start[constant.number] != NONE for constant in BLOCKS.constants)


def test_whole_programs_are_answers() -> None:
    with pytest.raises(ProgramTypeError, match="may not be"):
        FREE.check(parse_program("filter(red, world())"))
    assert BLOCKS.run(parse_program("filter(red, world())")) == {0, 2}


def test_open_parts_are_shown_with_their_gap() -> None:
    # "cube how-many ball left"
    word = {
        name: BLOCKS.categories[WORDS.get(name, name)] for name in ("cube", "many", "ball", "left")
    }
    leaves = [
        SpanTree(i, i + 1, word[name]) for i, name in enumerate(("cube", "many", "ball", "left"))
    ]
    inner = SpanTree(2, 4, JOIN, (leaves[2], leaves[3]))
    phrase = SpanTree(1, 4, JOIN, (leaves[1], inner))
    whole = read_tree(SpanTree(0, 4, JOIN, (leaves[0], phrase)), FREE)
    shown = {(node.start, node.end): node.program_text for node in whole.walk()}
    assert shown[2, 4] == "filter(ball, beside(left, ·))"
    assert shown[1, 4] == "count(filter(ball, beside(left, ·)))"
    assert shown[0, 4] == "count(filter(ball, beside(left, filter(cube, world()))))"


def test_arguments_are_read_into_the_slot_of_their_type() -> None:
    only_shape = BLOCKS.interpret(parse_program("filter(cube, beside(left, filter(red, world())))"))
    assert [arg is not None for arg in only_shape.args] == [False, True, True]
    assert BLOCKS.run(parse_program("count(filter(ball, world()))")) == 2


def test_an_argument_that_follows_does_not_stand_before() -> None:
    assert BESIDE in programs("many ball left red", ORDERED)
    assert BESIDE in programs("many left red ball", FREE)
    assert BESIDE not in programs("many left red ball", ORDERED)


def test_other_arguments_stand_on_either_side() -> None:
    for sentence in ("many red ball", "many ball red"):
        assert "count(filter(red, ball, world()))" in programs(sentence, ORDERED)


def test_what_stands_in_front_of_the_whole_still_may() -> None:
    assert BESIDE in programs("red many ball left", ORDERED)


def test_a_direction_only_takes_readings_away() -> None:
    fewer = 0
    for words in itertools.permutations(["many", "ball", "left", "red"]):
        free, ordered = programs(words, FREE), programs(words, ORDERED)
        assert set(ordered) <= set(free)
        fewer += len(ordered) < len(free)
    assert fewer > 0


def test_an_unknown_parameter_is_named() -> None:
    class Wrong(Blocks):
        directional: ClassVar = {"filter": ("stuff",)}

    with pytest.raises(DomainError, match="no parameter 'stuff'; there are color, shape, things"):
        TypeAlgebra(Wrong())


def test_an_unknown_predicate_is_named() -> None:
    class Wrong(Blocks):
        directional: ClassVar = {"filters": ("things",)}

    with pytest.raises(DomainError, match=r"directional: unknown predicates: \['filters'\]"):
        TypeAlgebra(Wrong())

    class Fronted(Blocks):
        extraction: ClassVar = ("filters",)

    with pytest.raises(DomainError, match=r"extraction: unknown predicates: \['filters'\]"):
        TypeAlgebra(Fronted())


TRIPS = TypeAlgebra(Trips())
PARTS = ("flight", "from boston", "to denver", "day monday")
WHOLE = "and(day(monday), flight(), from(boston), to(denver))"


def test_a_conjunction_has_one_tree_in_any_order() -> None:
    for order in itertools.permutations(PARTS):
        assert programs(" ".join(order), TRIPS).count(WHOLE) == 1
        assert programs(" ".join(order), TRIPS, target(WHOLE, TRIPS)) == [WHOLE]


def test_order_and_nesting_do_not_matter() -> None:
    nested = parse_program("and(to(denver), and(flight(), from(boston)), day(monday))")
    assert TRIPS.domain.canonical(nested).text() == WHOLE
    assert TRIPS.check(nested).term().text() == WHOLE
    assert TRIPS.domain.canonical(parse_program("and(flight())")).text() == "flight()"


def test_what_applies_applies() -> None:
    assert programs("cheapest flight to denver", TRIPS) == [
        "and(cheapest(flight()), to(denver))",
        "cheapest(and(flight(), to(denver)))",
    ]
    assert programs("flight to denver fare", TRIPS) == ["fare(and(flight(), to(denver)))"]


def test_a_part_may_stand_twice() -> None:
    assert programs("to denver to denver", TRIPS) == ["and(to(denver), to(denver))"]
    assert (
        programs("to denver to denver", TRIPS, target("and(to(denver), to(denver))", TRIPS)) != []
    )
    assert (
        programs("to denver to denver", TRIPS, target("and(to(boston), to(denver))", TRIPS)) == []
    )
    assert programs("to denver", TRIPS, target("and(to(denver), to(denver))", TRIPS)) == []


def test_a_phrase_within_a_type_shift() -> None:
    shifted = "and(flight(), serves(capital(boston)))"
    assert shifted in programs("flight capital boston", TRIPS)
    assert shifted in programs("capital boston flight", TRIPS)
    assert programs("capital boston flight", TRIPS, target(shifted, TRIPS)) == [shifted]
    # A whole question may be such a phrase, too.
    assert programs("capital boston", TRIPS) == ["serves(capital(boston))"]
    assert programs("boston", TRIPS, target("serves(boston)", TRIPS)) == ["serves(boston)"]


@cases("text, why")
def test_conjunctions_that_do_not_type(text: str, why: str) -> None:
    with pytest.raises(ProgramTypeError, match=why):
        TRIPS.check(parse_program(text))


def test_any_number_of_arguments_is_for_type_shifts() -> None:
    class Worded(Domain):
        @predicate("and")
        def both(self, *parts: values.Many[values.Number]) -> values.Many[values.Number]: ...  # type: ignore[empty-body]

    class Mixed(Domain):
        @type_shift
        def both(self, one: values.Number, *parts: values.Number) -> values.Number: ...  # type: ignore[empty-body]

    for cls in (Worded, Mixed):
        with pytest.raises(DomainError, match=r"\*parts is for a @type_shift without other"):
            TypeAlgebra(cls())


def test_a_conjunction_runs() -> None:
    class Sums(Domain):
        @type_shift
        def plus(self, *parts: values.Number) -> values.Number:
            return values.Number(sum(part.value for part in parts))

        @predicate("one")
        def one(self) -> values.Number:
            return values.Number(1)

    assert Sums().run(parse_program("plus(one(), plus(one(), one()))")).value == 3


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.booleans())
def test_charts_agree_with_the_list_of_all_trees(seed: int, n: int, of_program: bool) -> None:
    rng = np.random.default_rng(seed)
    algebra = target("fare(and(serves(capital(boston)), flight(), to(denver)))", TRIPS)
    over = algebra if of_program else TRIPS
    columns = algebra.used if of_program else np.arange(len(TRIPS.domain.constants))
    constants = rng.normal(0, 1, (n + 1, n + 1, len(columns)))
    constants[rng.random(constants.shape) < (0.2 if of_program else 0.7)] = -np.inf
    scores = SpanScores.of(constants, rng.normal(0, 1, (n + 1, n + 1)), columns=columns)
    try:
        trees = Enumerator(scores, over, 1500).complete()
    except TooMany:
        return
    wanted = sorted((score_of(tree, scores) for tree in trees), reverse=True)
    for chart in (compiled, recurrence):
        listed = chart.kbest(scores, over, 8)
        assert [one.score for one in listed] == pytest.approx(wanted[:8], abs=1e-9)
    for tree in trees:
        spelled = program(tree, TRIPS)
        assert TRIPS.check(spelled).term() == spelled
        if of_program:
            assert spelled.text() == "fare(and(flight(), serves(capital(boston)), to(denver)))"

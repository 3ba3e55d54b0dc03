"""What counts as right, and splits: sizes, no overlap, the promised property, a seed's result."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from cases import cases, rows
from partwise.domains.geography.domain import Geography
from partwise.errors import DataError
from partwise.evaluation import splits
from partwise.evaluation.metrics import NO_PARSE, Outcome, score
from partwise.evaluation.splits import (
    KINDS,
    Halves,
    by_length,
    by_template,
    inner_split,
    length,
    shuffle_apart,
    some_of,
    template,
)
from partwise.interface.data import Example
from partwise.language.program import Term, parse_program
from partwise.language.query_graph import QueryGraph, Triple

# Split makers: sizes, no overlap, the promised property, and the same result for a seed.


STATES = ("ohio", "iowa", "utah", "texas", "maine")
SHAPES = tuple(rows(globals(), "SHAPES"))
EXAMPLES = [
    Example(f"{shape} {state}", parse_program(shape.format(state)))
    for state in STATES
    for shape in SHAPES
]


def key(example: Example[Term]) -> Hashable:
    return template(example.meaning)


def whole(parts: Halves[Example[Term]]) -> bool:
    """Whether every example is in exactly one part."""
    return sorted(e.question for part in parts for e in part) == sorted(
        e.question for e in EXAMPLES
    )


def templates(examples: list[Example[Term]]) -> set[Hashable]:
    return set(map(key, examples))


@cases("program, expected")
def test_a_template_names_the_types_of_entities(program: str, expected: str) -> None:
    assert template(parse_program(program)) == expected


def test_a_domain_tells_which_bare_names_are_entities() -> None:
    term = parse_program("answer(place(elevation_2(0)))")
    assert template(term, Geography()) == "answer(place(elevation_2(number)))"


def test_a_part_is_always_the_same_and_a_larger_one_has_a_smaller_one() -> None:
    small, large = some_of(EXAMPLES, 5), some_of(EXAMPLES, 12)
    assert small == some_of(EXAMPLES, 5)
    assert [one for one in large if one in small] == small
    assert len(large) == 12
    assert some_of(EXAMPLES, len(EXAMPLES)) == EXAMPLES
    for size in (0, len(EXAMPLES) + 1):
        with pytest.raises(DataError, match="choose another size"):
            some_of(EXAMPLES, size)


def test_random_split() -> None:
    halves = shuffle_apart(EXAMPLES, 10, 3)
    assert [len(half) for half in halves] == [20, 10]
    assert whole(halves)
    assert halves == shuffle_apart(EXAMPLES, 10, 3)
    assert halves != shuffle_apart(EXAMPLES, 10, 4)


def test_template_split_tests_on_new_templates() -> None:
    halves = by_template(EXAMPLES, key, 10, 3)
    assert [len(half) for half in halves] == [20, 10]
    assert whole(halves)
    assert not templates(halves[0]) & templates(halves[1])
    assert halves == by_template(EXAMPLES, key, 10, 3)


def test_template_split_takes_whole_templates() -> None:
    assert [len(half) for half in by_template(EXAMPLES, key, 12, 3)] == [20, 10]


def test_length_split_tests_on_the_longest() -> None:
    halves = by_length(EXAMPLES, length, 10)
    assert [len(half) for half in halves] == [20, 10]
    assert whole(halves)
    assert max(map(length, halves[0])) <= min(map(length, halves[1]))


def test_length_split_keeps_the_order_of_equals() -> None:
    assert by_length(EXAMPLES, lambda example: 1, 7)[1] == EXAMPLES[-7:]


@pytest.mark.parametrize("kind", KINDS)
def test_inner_split(kind: str) -> None:
    inner, held = inner_split(EXAMPLES, kind, Geography(), share=1 / 3, seed=1)
    assert whole((inner, held))
    assert len(held) == 10
    if kind == "template":
        assert not templates(inner) & templates(held)


def test_impossible_sizes_are_errors() -> None:
    with pytest.raises(DataError, match="1 examples cannot be parted with 1 for test"):
        inner_split(EXAMPLES[:1], "random")
    with pytest.raises(DataError, match="1 templates over 5 examples"):
        by_template(EXAMPLES[::6], key, 1, 0)
    with pytest.raises(DataError, match="there are random, template, length"):
        inner_split(EXAMPLES, "odd")
    with pytest.raises(DataError, match="takes no unused"):
        inner_split(EXAMPLES, "random", unused=0.5)


def query(predicate: str, entity: str, variable: str) -> QueryGraph:
    return QueryGraph("ask", frozenset({Triple(entity, predicate, variable)}))


QUERIES = [
    Example(
        f"{number} " + "word " * (number % 17),
        query(f"p{number % 12}", f"M{number % 3}", f"?x{number % 2}"),
        f"made:{number}",
    )
    for number in range(400)
]


def test_a_template_of_a_query_has_one_entity_and_its_variables_in_order() -> None:
    assert template(query("p", "M4", "?x3")) == query("p", "M", "?x0")
    two = QueryGraph("ask", frozenset({Triple("M1", "p", "?x1"), Triple("?x1", "q", "M0")}))
    other = QueryGraph("ask", frozenset({Triple("M0", "p", "?x0"), Triple("?x0", "q", "M2")}))
    assert template(two) == template(other)
    assert template(two) != template(query("p", "M1", "?x1"))
    assert template("a text") == "a text"


@pytest.mark.parametrize("kind", KINDS)
def test_inner_splits_of_queries(kind: str) -> None:
    inner, held_out = inner_split(QUERIES, kind, share=0.25, seed=2)
    assert sorted(e.source for e in inner + held_out) == sorted(e.source for e in QUERIES)
    assert 60 <= len(held_out) <= 101
    if kind == "length":
        assert max(map(length, inner)) <= min(map(length, held_out))
    if kind == "template":
        new = {template(example.meaning) for example in held_out}
        assert new.isdisjoint(template(example.meaning) for example in inner)


def test_plug_ins_are_kinds_of_split(monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(train: list[int], domain: object, *, share: float, seed: int) -> object:
        return train[1:], train[:1]

    monkeypatch.setitem(splits.SPLITS._loaded, "odd", odd)  # type: ignore[arg-type]
    inner, held_out = inner_split(QUERIES, "odd")
    assert (len(inner), held_out) == (399, QUERIES[:1])


# What counts as right, and the confidence interval.


GOLD = "answer(capital(loc_2(stateid('ohio'))))"
EMPTY = "answer(river(loc_2(placeid('death valley'))))"


def outcome(gold: str, guess: str | None) -> Outcome:
    prediction = None if guess is None else parse_program(guess)
    example = Example("?", parse_program(gold), "test.jsonl:1")
    return score(Geography(), [example], [prediction]).outcomes[0]


def test_exact_match_and_denotation() -> None:
    assert outcome(GOLD, GOLD) == Outcome(True, True)
    assert outcome(GOLD, "answer(capital_1(stateid('ohio')))") == Outcome(False, True)
    assert outcome(GOLD, "answer(capital(loc_2(stateid('iowa'))))") == Outcome(False, False)


def test_programs_are_compared_in_canonical_form() -> None:
    short = "answer(population_1(cityid('austin', 'tx')))"
    assert outcome(short, "answer(population_1(cityid('austin', stateid('texas'))))").exact_match


def test_no_parse_and_a_failed_run_are_wrong_even_where_gold_is_empty() -> None:
    assert score(Geography(), [Example("?", parse_program(EMPTY))], [parse_program(EMPTY)]).n == 1
    assert outcome(EMPTY, None) == Outcome(False, False, NO_PARSE)
    failed = outcome(EMPTY, "answer(planet(all))")
    assert (failed.exact_match, failed.denotation) == (False, False)
    assert "no predicate planet" in str(failed.error)


def test_a_gold_program_that_fails_is_an_error_of_the_data() -> None:
    with pytest.raises(DataError, match=r"test\.jsonl:1: the gold program fails to run"):
        outcome("answer(planet(all))", None)


def test_means_and_counts() -> None:
    guesses: list[Term | None] = [parse_program(GOLD), None, parse_program("answer(planet(all))")]
    guesses.append(parse_program("answer(capital_1(stateid('ohio')))"))
    metrics = score(Geography(), [Example("?", parse_program(GOLD))] * 4, guesses)
    assert metrics.to_json() == {
        "exact_match": 0.25,
        "denotation": 0.5,
        "n": 4,
        "no_parse": 1,
        "failed": 1,
    }


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="0 predictions for 1 examples"):
        score(Geography(), [Example("?", parse_program(GOLD))], [])
    with pytest.raises(ValueError, match="0 predictions for 0 examples"):
        score(Geography(), [], [])

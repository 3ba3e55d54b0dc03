"""What may stand for a noun phrase, whether graphs agree, and the patterns that are left."""

from __future__ import annotations

import itertools
from typing import Any

from garden import CLASSES, graph, pattern, patterns, tokens
from hypothesis import given, settings
from hypothesis import strategies as st
from languages import parts_of

from cases import cases
from partwise.graph.induction.patterns import (
    LONGEST,
    THING,
    Pattern,
    Patterns,
    read_patterns,
    where,
)
from partwise.graph.induction.substitution import (
    WAYS,
    Agrees,
    CutVertexTest,
    Reducer,
    Use,
    find_roots,
    nest,
    smallest,
    substitutes,
    variables_within,
)
from partwise.interface.budget import Work
from partwise.language.query_graph import ANSWER, QueryGraph, Triple

FRAMES = ("did {} verb Thing", "was Thing {}", "who past {}")
"""Where an entity stands."""


def framed(*strings: str) -> Patterns:
    return patterns(*(frame.format(string) for string in (THING, *strings) for frame in FRAMES))


def yes(_: Use) -> bool:
    return True


def found(some: Patterns, agrees: Agrees = yes) -> set[str]:
    return {" ".join(string) for string in substitutes(some, agrees, Work())}


@cases("texts, found")
def test_strings_that_stand_for_a_thing(texts: list[str], found: list[str]) -> None:
    assert (
        sorted(" ".join(string) for string in substitutes(patterns(*texts), yes, Work())) == found
    )


def test_strings_that_are_too_long_are_not_looked_at() -> None:
    string = " ".join(["a"] + ["x"] * (LONGEST - 1))
    assert string in found(framed(string))
    assert f"{string} x" not in found(framed(f"{string} x"))


@cases("answers, accepted")
def test_graphs_must_agree(answers: list[bool | None], accepted: bool) -> None:
    left = {pattern(f"word{at} Thing"): answer for at, answer in enumerate(answers)}

    def agrees(use: Use) -> bool | None:
        assert use.string == ("a", "noun")
        assert use.context == (use.pattern[:1], ())
        return left[use.left]

    some = patterns(*(f"{word} {s}" for word, *_ in left for s in (THING, "a noun")))
    assert found(some, agrees=agrees) == ({"a noun"} if accepted else set())


strings_of_few_symbols = st.sets(
    st.lists(st.sampled_from([THING, "a", "b"]), min_size=1, max_size=5)
    .map(tuple)
    .filter(lambda string: string != (THING,)),
    max_size=8,
)


def derivable(rules: set[Pattern], longest: int) -> set[Pattern]:
    """All strings up to a length that replacing the symbol by rules makes, again and again."""
    made: set[Pattern] = {(THING,)}
    waiting = list(made)
    while waiting:
        string = waiting.pop()
        for at, rule in ((at, rule) for at in range(len(string)) for rule in rules):
            more = (*string[:at], *rule, *string[at + 1 :])
            if string[at] == THING and len(more) <= longest and more not in made:
                made.add(more)
                waiting.append(more)
    return made


@settings(max_examples=80)
@given(strings_of_few_symbols)
def test_the_smallest_make_all_others(strings: set[Pattern]) -> None:
    kept = set(smallest(dict.fromkeys(sorted(strings), 1)))
    assert kept <= strings
    assert strings <= derivable(kept, 5)
    # None of them can be made of a string and another one with the symbol in its place.
    for string in kept:
        for start in range(len(string)):
            for end in range(start + 1, len(string) + 1):
                if end - start < len(string) and string[start:end] in strings:
                    assert (*string[:start], THING, *string[end:]) not in strings


NODES = ("M0", "M1", "M2", "?x0", "?x1", "?x2", "?x3")


@st.composite
def graphs(draw: st.DrawFn) -> QueryGraph:
    """Graphs whose edges may part them into several fragments."""
    pairs = list(itertools.permutations(NODES, 2))
    edges = draw(st.lists(st.sampled_from(pairs), max_size=7))
    alone = draw(st.sets(st.sampled_from(NODES[3:]), max_size=2))
    triples = frozenset(Triple(one, "planted", other) for one, other in edges)
    attributes = frozenset(Triple(name, "is", "tree") for name in alone)
    nodes = {end for edge in edges for end in edge} | alone
    selects = ANSWER in nodes and draw(st.booleans())
    return QueryGraph("select" if selects else "ask", triples, attributes)


def brute(made: QueryGraph, inside: frozenset[str], outside: frozenset[str]) -> set[int]:
    """Take each variable away, with any of the parts beside it that could be the phrase's."""
    selects = made.head == "select"
    kept = outside | ({ANSWER} if selects else set())
    found = set()
    for head in made.variables:
        if selects and head == ANSWER:
            continue
        beside = {end for edge in made.edges for end in edge[::2] if head in edge[::2]}
        edges = [edge[::2] for edge in made.edges if head not in edge[::2]]
        parts = [part for part in parts_of(edges, made.nodes - {head}) if part & beside]
        for size in range(len(parts) + 1):
            for phrase in itertools.combinations(parts, size):
                rest = [part for part in parts if part not in phrase]
                mine = {head}.union(*phrase)
                if mine & kept or any(part & inside for part in rest):
                    continue
                found.add(len(set(made.variables) - mine))
    return found


@settings(max_examples=200)
@given(graphs(), st.tuples(*(st.sampled_from(["inside", "outside", "no"]) for _ in range(3))))
def test_variables_left_as_by_taking_each_away(made: QueryGraph, places: tuple[str, ...]) -> None:
    sides = {
        side: frozenset(name for name, place in zip(NODES, places, strict=False) if place == side)
        for side in ("inside", "outside")
    }
    assert variables_within(made, **sides) == brute(made, **sides)


def asked(rows: list[tuple[str, QueryGraph]], use: str, string: tuple[int, int]) -> bool | None:
    """What the graphs of questions say of a string of a pattern."""
    questions = [tokens(question) for question, _ in rows]
    parting = CutVertexTest(
        read_patterns(questions, CLASSES), questions, [made for _, made in rows]
    )
    start, end = string
    whole: Pattern = pattern(use)
    return parting(Use(whole, start, end, (*whole[:start], THING, *whole[end:])))


@cases("rows, use, string, said")
def test_graphs_agree_or_say_nothing(
    rows: list[list[Any]], use: str, string: list[int], said: bool | None
) -> None:
    """Of questions with the edges of their graphs."""
    read = [(question, graph(*edges)) for question, *edges in rows]
    assert asked(read, use, (string[0], string[1])) is said


def strings(*texts: str) -> dict[Pattern, str]:
    """``strings("a noun", "noun: noun past Thing")``; of no category named, of `THING`."""
    parted = [text.rpartition(": ") for text in texts]
    return {pattern(text): name or THING for name, _, text in parted}


def test_not_all_ways_are_looked_at_where_there_are_very_many() -> None:
    reducer = Reducer(strings("x"))
    whole = ("x",) * 12
    found = reducer.all(whole)
    assert WAYS <= len(found) < WAYS + len(whole)
    assert whole in found


SYMBOLS = (THING, "a", "b", "c")
some_strings = st.dictionaries(
    st.lists(st.sampled_from(SYMBOLS), min_size=2, max_size=3).map(tuple),
    st.sampled_from([THING, "a"]),
    max_size=5,
)
some_patterns = st.lists(st.sampled_from(SYMBOLS), max_size=7).map(tuple)


def naive(pattern: Pattern, strings: dict[Pattern, str]) -> set[Pattern]:
    """All that a pattern reduces to: itself, and all that it does after any one step."""
    found = {pattern}
    for start in range(len(pattern)):
        for string, symbol in strings.items():
            if pattern[start : start + len(string)] == string:
                less = (*pattern[:start], symbol, *pattern[start + len(string) :])
                found |= naive(less, strings) if less != (THING,) else set()
    return found


@settings(max_examples=150)
@given(some_patterns, some_strings)
def test_all_ways_to_reduce_are_found(pattern: Pattern, strings: dict[Pattern, str]) -> None:
    expected = naive(pattern, strings)
    assert len(expected) < WAYS
    reducer = Reducer(strings)
    assert reducer.all(pattern) == expected
    least = reducer.one(pattern)
    assert least in expected | {(THING,)}
    assert not list(where(least, reducer.strings))


@cases("texts, times, given, kept, roots")
def test_the_fewest_patterns_that_questions_reduce_to(
    texts: list[str], times: int, given: list[str], kept: list[str], roots: list[str]
) -> None:
    """Each text is the pattern of so many questions."""
    reducer, found = find_roots(patterns(*texts, times=times), strings(*given))
    assert found == [pattern(root) for root in roots]
    assert reducer.strings == strings(*kept)


@cases("things, texts, phrases")
def test_what_stands_outside_of_noun_phrases_too_is_a_category(
    things: list[str], texts: list[str], phrases: list[str]
) -> None:
    """The phrases of the category ``noun``, if it is one."""
    found = nest([pattern(text) for text in things], patterns(*texts))
    assert found == ({"noun": [pattern(text) for text in phrases]} if phrases else {})

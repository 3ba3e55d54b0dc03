"""Whether a gold graph agrees that a string stands for a node of its own."""

from __future__ import annotations

import itertools

import pytest
from garden import CLASSES, graph, pattern, tokens
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.graph.induction.cut_vertex import LOOKED_AT, CutVertexTest, variables_left
from partwise.graph.induction.patterns import THING, Pattern, read_patterns
from partwise.graph.induction.substitution import Use
from partwise.language.query_graph import ANSWER, QueryGraph, Triple


def left(made: QueryGraph, inside: str = "", outside: str = "") -> set[int]:
    return set(variables_left(made, frozenset(inside.split()), frozenset(outside.split())))


def test_a_variable_parts_what_a_phrase_mentions_from_all_else() -> None:
    # "did M0 's owner plant M1"
    made = graph("M0 owner ?x1", "?x1 planted M1")
    assert left(made, "M0", "M1") == {0}
    assert left(made, "M0 M1", "") == {0}
    # "did M0 's owner 's neighbour plant M1": the neighbour takes the owner along, and "M0 's
    # owner" leaves the neighbour.
    chain = graph("M0 owner ?x1", "?x1 neighbour ?x2", "?x2 planted M1")
    assert left(chain, "M0", "M1") == {0, 1}


def test_a_phrase_without_entities_takes_any_variable() -> None:
    # "did M0 plant a tree that watered a rose": the rose belongs to the tree, or to the rest.
    made = graph("M0 planted ?x1", "?x1 watered ?x2", attributes=("?x1 is tree", "?x2 is rose"))
    assert left(made, "", "M0") == {0, 1}


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


def components(made: QueryGraph, without: str) -> list[set[str]]:
    """What hangs together when a node is taken away, by union of what edges join."""
    parts = [{node} for node in made.nodes - {without}]
    for subject, _, other in made.edges:
        if without not in (subject, other):
            joined = [part for part in parts if part & {subject, other}]
            parts = [part for part in parts if part not in joined] + [set().union(*joined)]
    return parts


def brute(made: QueryGraph, inside: frozenset[str], outside: frozenset[str]) -> set[int]:
    """Take each variable away, with any of the parts beside it that could be the phrase's."""
    selects = made.head == "select"
    kept = outside | ({ANSWER} if selects else set())
    found = set()
    for head in made.variables:
        if selects and head == ANSWER:
            continue
        beside = {end for edge in made.edges for end in edge[::2] if head in edge[::2]}
        parts = [part for part in components(made, head) if part & beside]
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
    assert variables_left(made, **sides) == brute(made, **sides)


def asked(rows: list[tuple[str, QueryGraph]], use: str, string: tuple[int, int]) -> bool | None:
    """What the graphs of questions say of a string of a pattern."""
    questions = [tokens(question) for question, _ in rows]
    parting = CutVertexTest(
        read_patterns(questions, CLASSES), questions, [made for _, made in rows]
    )
    start, end = string
    whole: Pattern = pattern(use)
    return parting(Use(whole, start, end, (*whole[:start], THING, *whole[end:])))


OWNED = ("did M0 's owner plant M1", graph("M0 owner ?x0", "?x0 planted M1"))
SIMPLE = ("did M0 plant M1", graph("M0 planted M1"))
USE = "did Thing 's role verb Thing"


def test_graphs_agree() -> None:
    assert asked([OWNED, SIMPLE], USE, (1, 4)) is True


def test_graphs_do_not_agree() -> None:
    both = ("did M0 's owner plant M1", graph("M0 owner M1", "?x0 planted M1"))
    assert asked([both, SIMPLE], USE, (1, 4)) is False


def test_as_many_variables_must_be_left_as_the_rest_has() -> None:
    """Were "M0 's owner plant M1" a thing, "did M0" would be a question with a variable."""
    assert asked([OWNED, ("did M0", graph())], USE, (1, 6)) is True
    assert asked([OWNED, ("did M0", graph("?x0 planted M0"))], USE, (1, 6)) is False


def test_entities_inside_and_outside_say_nothing() -> None:
    twice = ("did M0 's owner plant M0", graph("M0 owner ?x0", "?x0 planted M0"))
    assert asked([twice, SIMPLE], USE, (1, 4)) is None
    # Coordinated ones too.
    some = ("did M1 and M0 's owner plant M0", graph("M0 owner ?x0", "?x0 planted M0"))
    assert asked([some, SIMPLE], USE, (1, 4)) is None
    assert asked([twice, OWNED, SIMPLE], USE, (1, 4)) is True


def test_entities_before_a_string_stand_outside() -> None:
    question, use = "did M1 plant M0 's owner", "did Thing verb Thing 's role"
    right = (question, graph("M1 planted ?x0", "M0 owner ?x0"))
    wrong = (question, graph("M1 planted ?x0", "M0 owner M1"))
    assert asked([right, SIMPLE], use, (3, 6)) is True
    assert asked([wrong, SIMPLE], use, (3, 6)) is False


@pytest.mark.parametrize(("right", "said"), [(0, False), (1, False), (2, True), (3, True)])
def test_most_of_the_questions_that_are_looked_at_decide(right: int, said: bool) -> None:
    wrong = (OWNED[0], graph("M0 planted M1"))
    rows = [OWNED] * right + [wrong] * (LOOKED_AT - right) + [OWNED] * 5
    assert asked([*rows, SIMPLE], USE, (1, 4)) is said

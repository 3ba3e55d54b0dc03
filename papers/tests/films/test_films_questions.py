"""The films domain: its graph, its matcher, and the questions that are generated about it."""

from __future__ import annotations

import random
import re
from collections import Counter
from importlib.resources import files
from itertools import islice, product

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import rows
from partwise.domains.films.domain import FILMS, NAMESPACE, TYPE
from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.language.query_graph import (
    ANSWER,
    QueryGraph,
    Triple,
    canonical,
    expected_head,
    with_filters,
)
from partwise.language.sparql import name_entities, parse_query, write_query
from partwise_papers.films import generate as generating
from partwise_papers.films.choices import Stuck
from partwise_papers.films.generate import MAX_WORDS, generate, questions, world
from partwise_papers.films.grammar import (
    ADJECTIVE_LEAVES,
    NOUN_LEAVES,
    ROLE_LEAVES,
    RULE_NAMES,
    VERB_LEAVES,
    Tree,
    entity,
    list_phrases,
    words,
)
from partwise_papers.films.knowledge import KINDS, Knowledge, iri, knowledge
from partwise_papers.films.lexicon import OBJECT_TYPES
from partwise_papers.films.making import Maker
from partwise_papers.films.matcher import Matcher
from partwise_papers.films.semantics import query_graph
from partwise_papers.films.turtle import to_turtle


@pytest.fixture(scope="session")
def sample() -> list[Example[QueryGraph]]:
    """Questions; not to be changed."""
    return generate(4000, 7)


@pytest.fixture(scope="session")
def turtle() -> str:
    """The Turtle file of the package."""
    return files("partwise.domains.films").joinpath("films.ttl").read_text(encoding="utf-8")


LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def test_the_turtle_file_is_that_of_the_tables(turtle: str) -> None:
    assert turtle == to_turtle(knowledge())


def test_a_store_reads_the_same_facts_from_the_turtle_file(turtle: str) -> None:
    found, labels = set(), {}
    for quad in ox.parse(turtle, format=ox.RdfFormat.TURTLE):
        subject, predicate = quad.subject.value, quad.predicate.value
        if predicate == LABEL:
            assert quad.object.language == "en"
            labels[subject] = quad.object.value
        else:
            found.add((subject, predicate, quad.object.value))
    graph = knowledge()
    assert found == {(iri(s), RDF_TYPE if p == TYPE else iri(p), iri(o)) for s, p, o in graph.facts}
    assert labels == {iri(name): label for name, label in graph.labels.items()}


def test_quotes_and_backslashes_in_labels_are_escaped() -> None:
    label = 'a "b" \\ c'
    text = to_turtle(Knowledge(frozenset({("film:A", "film:b", "film:C")}), {"film:A": label}, {}))
    values = {quad.object.value for quad in ox.parse(text, format=ox.RdfFormat.TURTLE)}
    assert values == {label, NAMESPACE + "C"}


def test_what_the_graph_holds() -> None:
    kinds = Counter(knowledge().kinds.values())
    assert set(kinds) == set(KINDS)
    assert all(kinds[kind] >= least for kind, least in zip(KINDS, (60, 25, 150, 40), strict=True))
    matcher = Matcher(knowledge().facts)
    for relation in FILMS.relations:
        assert len(matcher.sides(relation.predicate)[0]) >= 10, relation.predicate
    people = {name for name, kind in knowledge().kinds.items() if kind == "person"}
    assert people <= set(matcher.sides("film:gender")[0])


def test_the_domain_says_what_stands_where() -> None:
    matcher, kinds = Matcher(knowledge().facts), dict(knowledge().kinds)
    kinds = {name: "organization" if k == "company" else k for name, k in kinds.items()}
    kinds |= dict.fromkeys(matcher.sides("film:gender")[1], "gender")
    kinds |= dict.fromkeys(matcher.sides("film:nationality")[1], "country")
    for relation in FILMS.relations:
        for side, allowed in zip(
            matcher.sides(relation.predicate), (relation.subject, relation.object), strict=True
        ):
            assert {kinds[name] for name in side} <= allowed, relation.predicate
    for attribute in FILMS.attributes:
        having = matcher.sides(attribute.predicate)[1][attribute.constant]
        assert {kinds[name] for name in having} <= attribute.kinds, attribute.constant


def test_types_follow_from_predicates() -> None:
    facts = knowledge().facts
    implied = {(o, TYPE, OBJECT_TYPES[p]) for _, p, o in facts if p in OBJECT_TYPES}
    assert implied <= facts


def test_differing_predicates_hold_both_ways_and_never_of_oneself() -> None:
    assert FILMS.differing == {"film:spouse", "film:sibling"}
    for s, p, o in knowledge().facts:
        if p in FILMS.differing:
            assert s != o
            assert (o, p, s) in knowledge().facts


THINGS = ("a", "b", "c", "d")
PREDICATES = ("p", "q", "p|q")
NODES = ("?x0", "?x1", "?x2", "M0", "M1")

facts = st.frozensets(
    st.tuples(st.sampled_from(THINGS), st.sampled_from("pq"), st.sampled_from(THINGS)), max_size=10
)
triples = st.builds(
    Triple, st.sampled_from(NODES), st.sampled_from(PREDICATES), st.sampled_from(NODES)
)
attributes = st.builds(Triple, st.sampled_from(NODES), st.just("q"), st.sampled_from(THINGS))


@given(
    facts,
    st.frozensets(triples, max_size=4),
    st.frozensets(attributes, max_size=2),
    st.booleans(),
    st.tuples(st.sampled_from(THINGS), st.sampled_from(THINGS)),
    st.booleans(),
)
def test_answers_are_those_of_all_assignments(
    known: frozenset[tuple[str, str, str]],
    edges: frozenset[Triple],
    said: frozenset[Triple],
    select: bool,
    entities: tuple[str, str],
    differ: bool,
) -> None:
    if select:
        edges |= {Triple(ANSWER, "p|q", "?x1")}
    filters = frozenset((e.subject, e.object) for e in edges) if differ else frozenset()
    graph = QueryGraph("select" if select else "ask", edges, said, filters)
    bindings = dict(zip(("M0", "M1"), entities, strict=True))
    expected = set()
    for values in product(THINGS, repeat=len(graph.variables)):
        at = {**bindings, **dict(zip(graph.variables, values, strict=True))}
        holds = all(
            any((at[s], one, at.get(o, o)) in known for one in p.split("|"))
            for s, p, o in graph.triples
        )
        if holds and all(at[one] != at[other] for one, other in filters):
            expected.add(at.get(ANSWER, ""))
    matcher = Matcher(known)
    assert matcher.ask(graph, bindings) == bool(expected)
    if select:
        assert matcher.select(graph, bindings) == expected


def verb(*bases: str) -> Tree:
    return list_phrases("V", [VERB_LEAVES[base] for base in bases])


def by(*bases: str) -> Tree:
    return list_phrases("BY", [Tree("by", (VERB_LEAVES[base],)) for base in bases])


def role(*names: str) -> Tree:
    return list_phrases("ROLE", [ROLE_LEAVES[name] for name in names])


def entities(*names: str) -> Tree:
    return list_phrases("DP", [entity(name) for name in names])


def noun(word: str, *adjectives: str) -> Tree:
    tree = NOUN_LEAVES[word]
    for adjective in adjectives:
        tree = Tree("adjective noun", (ADJECTIVE_LEAVES[adjective], tree))
    return tree


def a(nbar: Tree) -> Tree:
    return Tree("a", (nbar,))


def that(nbar: Tree, rule: str, *parts: Tree) -> Tree:
    return Tree("relative", (nbar, Tree(rule, parts)))


ONE, TWO, THREE, FOUR = (entity(f"film:{name}") for name in "ABCD")
LIST = entities("film:A", "film:B", "film:C")
CASES = rows(globals(), "CASES")


@pytest.mark.parametrize(("tree", "text", "query"), CASES, ids=[case[1] for case in CASES])
def test_words_and_query(tree: Tree, text: str, query: str) -> None:
    names: dict[str, str] = {}
    assert " ".join(words(tree, names)) == text
    assert query_graph(tree, names) == parse_query(query)


def test_types_can_be_kept() -> None:
    tree, _, query = CASES[7]
    kept = query_graph(tree, {"film:A": "M0"}, implied={})
    assert kept == parse_query(query.replace("}", ". ?x0 a film:FilmDirector }"))


def bound(example: Example[QueryGraph]) -> dict[str, str]:
    return {m: value.replace(NAMESPACE, "film:") for m, value in example.context}


def test_every_rule_and_word_is_used(sample: list[Example[QueryGraph]]) -> None:
    used = Counter(rule for e in sample if e.rules for rule in set(e.rules.rules))
    # The rarest rule is in one of 3,000 questions.
    assert set(used) | {"gap was each", "gap were each"} == set(RULE_NAMES)
    text = "\n".join(f" {e.question} " for e in sample)
    for phrases in FILMS.words.values():
        for phrase in phrases:
            # Some stand at the beginning alone.
            assert f" {phrase} " in text or f"\n {phrase.capitalize()} " in text, phrase


def test_the_rarest_rules_come_too() -> None:
    rare = {"gap was each", "gap were each"}
    for example in islice(questions(0), 30_000):
        assert example.rules is not None
        rare -= set(example.rules.rules)
        if not rare:
            return
    pytest.fail(f"not used: {rare}")


def test_answers_are_as_promised(sample: list[Example[QueryGraph]]) -> None:
    matcher = world().matcher
    truths = Counter()
    for example in sample:
        assert example.meaning.entities == tuple(m for m, _ in example.context)
        if example.meaning.head == "ask":
            truths[matcher.ask(example.meaning, bound(example))] += 1
        else:
            assert matcher.select(example.meaning, bound(example)), example.question
    assert abs(truths[True] - truths[False]) <= 1
    assert 0.4 < truths.total() / len(sample) < 0.6


def test_a_store_gives_the_same_answers(sample: list[Example[QueryGraph]], turtle: str) -> None:
    store = ox.Store()
    store.load(turtle, format=ox.RdfFormat.TURTLE)
    matcher = world().matcher
    for example in sample[:400]:
        text = write_query(
            name_entities(example.meaning, dict(example.context)), "sparql", FILMS.prefixes
        )
        found = store.query(text)
        if example.meaning.head == "ask":
            assert bool(found) == matcher.ask(example.meaning, bound(example)), example.question
        else:
            values = {row[0].value.replace(NAMESPACE, "film:") for row in found}
            assert values == matcher.select(example.meaning, bound(example)), example.question


def test_no_pattern_comes_twice(sample: list[Example[QueryGraph]]) -> None:
    def pattern(question: str) -> str:
        names: dict[str, str] = {}
        return re.sub(r"M\d+", lambda m: names.setdefault(m[0], f"E{len(names)}"), question)

    assert len({pattern(example.question) for example in sample}) == len(sample)


def test_a_text_has_one_meaning() -> None:
    maker, known = Maker(world(), random.Random(3)), dict[str, QueryGraph]()
    again = 0
    for turn in range(8000):
        try:
            tree = maker.make(asks=turn % 2 == 0)
        except Stuck:
            continue
        names: dict[str, str] = {}
        text = " ".join(words(tree, names))
        graph = canonical(query_graph(tree, names))
        again += text in known
        assert known.setdefault(text, graph) == graph, text
    assert again > 1000


def test_questions_look_as_they_should(sample: list[Example[QueryGraph]]) -> None:
    for example in sample:
        tokens = example.question.split(" ")
        assert not {"an", "?", ""} & set(tokens)
        assert len(tokens) <= MAX_WORDS + 8
        mentioned = [token for token in tokens if re.fullmatch(r"M\d+", token)]
        assert sorted(set(mentioned)) == sorted(f"M{i}" for i in range(len(example.context)))
        assert example.meaning.head == expected_head(example.question, FILMS.asking)
        assert example.meaning == canonical(example.meaning)
        assert example.meaning == with_filters(example.meaning, FILMS.differing)
        assert parse_query(write_query(example.meaning, "sparql")) == example.meaning
        assert not example.official
    orders = Counter(re.findall(r"M\d+", e.question)[0] for e in sample if len(e.context) == 2)
    assert min(orders["M0"], orders["M1"]) > 0.4 * orders.total()


def test_queries_say_only_what_the_domain_declares(sample: list[Example[QueryGraph]]) -> None:
    relations = {relation.predicate for relation in FILMS.relations}
    attributes = {(a.predicate, a.constant) for a in FILMS.attributes}
    for example in sample:
        assert {edge.predicate for edge in example.meaning.edges} <= relations
        assert {(t.predicate, t.object) for t in example.meaning.attributes} <= attributes


def test_rules_form_a_tree_without_names(sample: list[Example[QueryGraph]]) -> None:
    for example in sample:
        assert example.rules is not None
        names, edges = example.rules
        assert set(names) <= set(RULE_NAMES)
        assert [child for _, child in sorted(edges, key=lambda edge: edge[1])] == list(
            range(1, len(names))
        )
        assert all(parent < child for parent, child in edges)


def test_the_same_seed_gives_the_same_questions(sample: list[Example[QueryGraph]]) -> None:
    assert generate(50, 7) == sample[:50]
    assert generate(50, 8) != sample[:50]


def test_running_out_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generating, "MOST_TRIES", 100)
    monkeypatch.setattr(generating, "MAX_WORDS", 4)
    with pytest.raises(DataError, match=r"no new question about films in 100 tries, after \d+"):
        for _ in questions(0):
            pass

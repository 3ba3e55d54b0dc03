"""Query graphs token by token: all that is complete is read and possible."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from derivation import Derivation
from hypothesis import given, settings
from hypothesis import strategies as st
from walks import accepts, walk

from partwise.domains.films.domain import FILMS
from partwise.errors import DomainError, QueryError
from partwise.language.graph_domain import Attribute, GraphDomain, Relation
from partwise.language.sparql import DIALECTS, Dialect
from partwise_papers.constrained.gbnf import to_gbnf
from partwise_papers.constrained.graphs import GraphConstraint
from partwise_papers.constrained.make import constraint_of

KINDS = ("film", "person", "company")


@cache
def films(dialect: Dialect) -> GraphConstraint:
    return GraphConstraint(replace(FILMS, dialect=dialect))


def random_graphs(rng: random.Random, dialect: Dialect) -> GraphDomain:
    """A domain of a few predicates with any kinds."""

    def kinds() -> frozenset[str]:
        return frozenset(rng.sample(KINDS, rng.choice((0, 1, 1, 2))))

    relations = tuple(
        Relation(f"r:{number}", rng.random() < 0.4, kinds(), kinds())
        for number in range(rng.randint(1, 3))
    )
    attributes = tuple(Attribute("a", f"k:{n}", kinds()) for n in range(rng.randint(0, 2)))
    return GraphDomain("random", dialect, relations, attributes)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(DIALECTS))
def test_walks_through_films_are_possible_queries(seed: int, dialect: Dialect) -> None:
    constraint = films(dialect)
    tokens = walk(constraint, random.Random(seed), "Did M0 marry M11 ?")
    graph = constraint.join(tokens)
    assert constraint.domain.is_possible(graph)
    assert graph.triples
    assert set(graph.entities) <= {"M0", "M11"}


@given(st.integers(0, 2**32 - 1), st.sampled_from(DIALECTS))
def test_queries_of_any_domain_are_possible_and_are_accepted(seed: int, dialect: Dialect) -> None:
    rng = random.Random(seed)
    constraint = GraphConstraint(random_graphs(rng, dialect), variables=2)
    graph = constraint.join(walk(constraint, rng, "M0"))
    assert constraint.domain.is_possible(graph)
    assert accepts(constraint, constraint.split(graph), "M0")


def test_kinds_forbid_what_cannot_be() -> None:
    relations = (
        Relation("r:directed", subject=frozenset({"person"}), object=frozenset({"film"})),
        Relation("r:sequel", subject=frozenset({"film"}), object=frozenset({"film"})),
    )
    constraint = GraphConstraint(GraphDomain("small", "wikidata", relations), variables=3)
    state = constraint.start({"M0"})
    for token in ["ASK", "WHERE", "{", "?x0", "r:directed", "?x1", ".", "?x0"]:
        state = constraint.advance(state, token)
    assert constraint.allowed(state).tokens == {"r:directed"}
    state = constraint.advance(state, "r:directed")
    assert constraint.allowed(state).tokens == {"?x1", "?x2", "M0"}
    with pytest.raises(QueryError, match=r"'\?x0' may not stand here"):
        constraint.advance(state, "?x0")


def test_filters_are_on_ends_that_must_differ() -> None:
    constraint = films("wikidata")
    state = constraint.start("M0")
    clauses = "?x0 film:spouse M0 . ?x1 film:sibling M0 . FILTER ( ?x0 !="
    for token in ("ASK", "WHERE", "{", *clauses.split()):
        state = constraint.advance(state, token)
    assert constraint.allowed(state).tokens == {"M0"}


def test_a_query_that_selects_must_say_something_of_the_answer() -> None:
    constraint = films("wikidata")
    text = "SELECT DISTINCT ?x0 WHERE { ?x1 film:spouse M0"
    state = constraint.start("M0")
    for token in text.split():
        state = constraint.advance(state, token)
    assert constraint.allowed(state).tokens == {"."}


def test_a_domain_that_declares_no_predicates_has_no_constraint() -> None:
    assert constraint_of(GraphDomain("empty", "sparql")) is None
    assert isinstance(constraint_of(FILMS), GraphConstraint)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from(DIALECTS))
def test_the_grammar_derives_what_is_allowed(seed: int, dialect: Dialect) -> None:
    rng = random.Random(seed)
    domain = random_graphs(rng, dialect)
    grammar = to_gbnf(domain)
    assert grammar is not None
    text = " ".join(walk(GraphConstraint(domain, variables=2), rng, "M0"))
    assert Derivation(grammar).derives(text), text


@pytest.mark.parametrize(
    "text",
    [
        "ASK WHERE { }",
        "ASK WHERE { M0 film:spouse M1",
        "ASK WHERE { M0 film:wife M1 }",
        "ASK WHERE { M0 film:spouse M1 . }",
        "SELECT DISTINCT ?x1 WHERE { ?x1 film:spouse M1 }",
        "ASK WHERE { FILTER ( ?x0 != M0 ) . ?x0 film:spouse M0 }",
    ],
)
def test_the_grammar_derives_no_other_query(text: str) -> None:
    grammar = to_gbnf(replace(FILMS, dialect="wikidata"))
    assert grammar is not None
    assert Derivation(grammar).derives("ASK WHERE { M0 film:spouse M1 }")
    assert not Derivation(grammar).derives(text)


def test_without_predicates_there_is_no_grammar() -> None:
    with pytest.raises(DomainError, match="declares no relations or attributes"):
        to_gbnf(GraphDomain("empty", "sparql"))

"""The graph of the tables, and the Turtle file of it."""

from __future__ import annotations

from collections import Counter

import pyoxigraph as ox

from partwise.domains.films.domain import FILMS, NAMESPACE, TYPE
from partwise_papers.films.knowledge import KINDS, Knowledge, iri, knowledge
from partwise_papers.films.lexicon import OBJECT_TYPES
from partwise_papers.films.matcher import Matcher
from partwise_papers.films.turtle import to_turtle

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


def test_known_facts() -> None:
    facts = knowledge().facts
    assert ("film:Jaws", "film:director", "film:Steven_Spielberg") in facts
    assert ("film:Steven_Spielberg", TYPE, "film:FilmDirector") in facts
    assert ("film:8_and_a_Half", "film:composer", "film:Nino_Rota") in facts
    assert ("film:Mark_Hamill", "film:plays", "film:Luke_Skywalker") in facts
    assert ("film:Leia_Organa", "film:sibling", "film:Luke_Skywalker") in facts
    # A character that is called as its film.
    assert ("film:Tom_Hanks", "film:plays", "film:Forrest_Gump_character") in facts
    assert knowledge().labels["film:Forrest_Gump_character"] == "Forrest Gump"


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

"""Revision of queries by hand: what is possible stays, what is not gets the nearest relation."""

from __future__ import annotations

from partwise.language.graph_domain import Attribute, GraphDomain, Relation
from partwise_papers.retrieval.revision import revised

FILM, PERSON = frozenset({"film"}), frozenset({"person"})
DOMAIN = GraphDomain(
    "films",
    "wikidata",
    relations=(
        Relation("wdt:P57", subject=FILM, object=PERSON),
        Relation("wdt:P58", subject=FILM, object=PERSON),
        Relation("wdt:P155", subject=FILM, object=FILM),
        Relation("wdt:P26", differ=True, subject=PERSON, object=PERSON),
    ),
    attributes=(
        Attribute("wdt:P31", "wd:Q5", PERSON),
        Attribute("wdt:P31", "wd:Q11424", FILM),
    ),
)
NEAR = {("wdt:P155", "wdt:P58"): 0.9, ("wdt:P26", "wdt:P57"): 0.8, ("wdt:P99", "wdt:P57"): 0.7}


def likeness(one: str, other: str) -> float:
    return NEAR.get((one, other), 0.1)


def after(text: str) -> str:
    return DOMAIN.write(revised(DOMAIN.read(text), DOMAIN, likeness))


def test_a_possible_query_stays() -> None:
    query = "ASK WHERE { ?x0 wdt:P26 M1 . M0 wdt:P57 ?x0 . FILTER ( ?x0 != M1 ) }"
    assert after(query) == query


def test_the_nearest_relation_that_makes_a_query_possible_replaces_another() -> None:
    # What is a person cannot be a film's predecessor.
    query = "ASK WHERE { ?x0 wdt:P31 wd:Q5 . M0 wdt:P155 ?x0 }"
    assert after(query) == "ASK WHERE { ?x0 wdt:P31 wd:Q5 . M0 wdt:P58 ?x0 }"


def test_filters_go_with_relations_whose_ends_differ() -> None:
    query = (
        "ASK WHERE { ?x0 wdt:P155 M1 . ?x0 wdt:P26 M0 . ?x0 wdt:P31 wd:Q11424 . "
        "FILTER ( ?x0 != M0 ) }"
    )
    assert after(query) == (
        "ASK WHERE { ?x0 wdt:P155 M1 . ?x0 wdt:P31 wd:Q11424 . ?x0 wdt:P57 M0 }"
    )


def test_what_the_domain_does_not_declare_is_replaced() -> None:
    query = "ASK WHERE { ?x0 wdt:P26 M1 . M0 wdt:P99 ?x0 . FILTER ( ?x0 != M1 ) }"
    assert after(query) == query.replace("P99", "P57")
    constant = "ASK WHERE { ?x0 wdt:P31 wd:Q7 . M0 wdt:P57 ?x0 }"
    assert after(constant) == constant.replace("Q7", "Q5")


def test_a_query_that_no_single_relation_mends_stays() -> None:
    query = (
        "ASK WHERE { ?x0 wdt:P155 M1 . ?x0 wdt:P155 M2 . ?x0 wdt:P31 wd:Q11424 . "
        "M0 wdt:P57 ?x0 . M3 wdt:P58 ?x0 }"
    )
    assert after(query) == query

"""What is alike: relations of meanings, their overlap, questions without entities."""

from __future__ import annotations

import pytest

from partwise.domains.geography import Geography
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.retrieval.relations import BLANK, masked, names_of, overlap, relations


def test_relations_of_a_query_are_its_predicates_and_its_attributes_with_constants() -> None:
    query = WIKIDATA.read("ASK WHERE { M0 wdt:P57 ?x0 . ?x0 wdt:P27 wd:Q29 . ?x0 wdt:P737 M1 }")
    assert relations(query) == {"wdt:P57", "wdt:P27 wd:Q29", "wdt:P737"}


def test_relations_of_a_program_are_its_symbols_without_names() -> None:
    program = Geography().read("answer(capital(loc_2(stateid('new york'))))")
    assert relations(program) == {"answer", "capital", "loc_2", "stateid"}
    assert names_of([program]) == [("new", "york")]


def test_overlap_is_f1_of_relations() -> None:
    found = overlap([{"a", "b"}, {"b", "c", "d", "e"}, set(), {"a", "b"}])
    assert found[0].tolist() == pytest.approx([1.0, 2 / 6, 0.0, 1.0])
    assert found[2].tolist() == [0.0, 0.0, 0.0, 0.0]


def test_placeholders_and_the_longest_names_are_masked() -> None:
    names = {("new", "york"), ("york",), ("new", "york", "city")}
    words = ["is", "m0", "in", "new", "york", "city", "or", "york", "or", "new", "m"]
    read = masked(words, names)
    assert read.words == tuple(f"is {BLANK} in {BLANK} or {BLANK} or new m".split())
    assert [read.span(n, n + 1) for n in range(len(read))] == list(read.words)

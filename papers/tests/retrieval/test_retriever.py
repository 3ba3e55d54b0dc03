"""Retrieval among cases by hand: what the relations teach, and what is read."""

from __future__ import annotations

import random

import pytest
import torch

from partwise.domains.geography import Geography
from partwise.encoders import BiLSTMEncoder
from partwise.errors import CheckpointError, PartwiseError
from partwise.language.text import tokenize
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.retrieval.parser import RetrievalConfig
from partwise_papers.retrieval.retriever import (
    BLANK,
    Case,
    Retriever,
    masked,
    names_of,
    overlap,
    read_cases,
    relations,
    with_cases,
    write_cases,
)

VERBS = {"direct": "P57", "make": "P57", "write": "P58", "script": "P58", "marry": "P26"}
ASKING = ("did m0 {} m1", "was it m1 that did {} m0", "who did {} m2")
PAIRS = [(tokenize(one.format(verb)).words, VERBS[verb]) for verb in VERBS for one in ASKING]
CASES = [Case(words, (relation, words[0])) for words, relation in PAIRS]


@pytest.fixture(scope="module")
def retriever() -> Retriever:
    torch.manual_seed(0)
    random.seed(0)
    read = [masked(case.words, ()) for case in CASES]
    encoder = BiLSTMEncoder(BiLSTMEncoder.words_of(read), size=32, layers=1, dropout=0.0)
    made = Retriever(encoder, CASES, ())
    made.learn([frozenset({relation}) for _, relation in PAIRS], 120)
    return made.eval()


def test_the_nearest_cases_have_the_relation_of_the_question(retriever: Retriever) -> None:
    for words, relation in PAIRS:
        (found,) = retriever.nearest([tokenize(" ".join(words))], 2)
        assert [case.output[0] for case in found] == [relation] * 2


def test_the_very_same_question_is_no_case(retriever: Retriever) -> None:
    question = tokenize("did m0 direct m1")
    found = retriever.nearest([question], len(CASES) + 5)[0]
    assert len(found) == len(CASES) - 1
    assert question.words not in {one.words for one in found}


def test_entities_do_not_matter(retriever: Retriever) -> None:
    one, other = retriever([("did", "m0", "marry", "m1"), ("did", "m7", "marry", "m3")])
    assert torch.allclose(one, other, atol=1e-6)
    assert not any(one.requires_grad for one in retriever.parameters())


def test_as_many_cases_are_read_as_fit() -> None:
    question = tokenize("Did M0 direct it")
    cases = [Case(("did", "m1"), ("ASK", "?x0")), Case(("was", "m2"), ("ASK", "M2"))]
    read = with_cases(question, cases, 15)
    assert read.words == (
        "did",
        "m0",
        "direct",
        "it",
        "<case>",
        "did",
        "m1",
        "<query>",
        "ASK",
        "?x0",
    )
    assert [read.span(n, n + 1) for n in range(len(read))] == list(read.words)
    assert len(with_cases(question, cases, 16)) == 16
    assert with_cases(question, cases, 9) is question


def test_cases_are_read_as_they_were_written(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "cases.json"
    write_cases(file, CASES, [("new", "york")])
    assert read_cases(file) == ([("new", "york")], CASES)
    for damaged in ("[]", '{"names": ["a"], "cases": []}', '{"names": [], "cases": [[["a"]]]}'):
        file.write_text(damaged)
        with pytest.raises(CheckpointError, match=r"cases\.json is damaged"):
            read_cases(file)


def test_a_stack_is_no_retriever() -> None:
    with pytest.raises(PartwiseError, match="choose bilstm or minilm"):
        RetrievalConfig(retriever="stack")


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

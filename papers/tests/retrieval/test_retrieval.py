"""The retriever of training pairs, and the parser that answers by the nearest ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch
from wikidata_examples import EXAMPLES

from partwise.domains.geography import Geography
from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.errors import CheckpointError, PartwiseError
from partwise.evaluation.metrics import evaluate
from partwise.interface.parser import TrainingReport
from partwise.language.graph_domain import Attribute, GraphDomain, Relation
from partwise.language.text import tokenize
from partwise.training.trainer import TrainingConfig
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.retrieval.parser import (
    RetrievalConfig,
    RetrievalParser,
    revise_query,
)
from partwise_papers.retrieval.retriever import (
    BLANK,
    Case,
    Retriever,
    mask,
    names_of,
    overlap,
    read_cases,
    relations,
    with_cases,
    write_cases,
)

# Retrieval among cases by hand: what the relations teach, and what is read.


VERBS = {"direct": "P57", "make": "P57", "write": "P58", "script": "P58", "marry": "P26"}
ASKING = ("did m0 {} m1", "was it m1 that did {} m0", "who did {} m2")
PAIRS = [(tokenize(one.format(verb)).words, VERBS[verb]) for verb in VERBS for one in ASKING]
CASES = [Case(words, (relation, words[0])) for words, relation in PAIRS]


@pytest.fixture(scope="module")
def retriever() -> Retriever:
    torch.manual_seed(0)
    random.seed(0)
    read = [mask(case.words, ()) for case in CASES]
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
    read = mask(words, names)
    assert read.words == tuple(f"is {BLANK} in {BLANK} or {BLANK} or new m".split())
    assert [read.span(n, n + 1) for n in range(len(read))] == list(read.words)


# The whole parser: it learns 50 examples by heart, is saved, reads its cases, and revises.


SMALL = {
    **{"decoder": "transformer", "encoder": "stack", "hidden": 64, "layers": 1, "dropout": 0.0},
    **{"feedforward": 128, "beam": 2, "longest": 40, "cases": 2, "retriever_epochs": 2},
}


def trained(epochs: int, **settings: object) -> tuple[RetrievalParser, TrainingReport]:
    config = RetrievalConfig(**(SMALL | settings))  # type: ignore[arg-type]
    parser = RetrievalParser.create(WIKIDATA, config)
    training = TrainingConfig(epochs=epochs, batch_size=10, head_rate=3e-3, keep="last")
    return parser, parser.fit(EXAMPLES, EXAMPLES[:2], training)


@pytest.fixture(scope="module")
def fitted() -> tuple[RetrievalParser, TrainingReport]:
    return trained(20)


def test_fifty_examples_are_learned_by_heart(
    fitted: tuple[RetrievalParser, TrainingReport],
) -> None:
    parser, report = fitted
    assert evaluate(parser, EXAMPLES, False).exact_match == 1.0
    assert report.usable == 50


def test_cases_are_read_behind_the_question(fitted: tuple[RetrievalParser, TrainingReport]) -> None:
    parser, _ = fitted
    first, question = EXAMPLES[0], parser.inputs([tokenize(EXAMPLES[0].question)])[0].words
    own = tuple(first.question.lower().split())
    assert question[: len(own)] == own
    assert question.count("<query>") == 2
    assert " ".join(own) not in " ".join(question[len(own) :])
    assert parser.parse([first.question])[0].words == own


def test_a_saved_parser_says_the_same(
    fitted: tuple[RetrievalParser, TrainingReport], tmp_path: Path
) -> None:
    parser, _ = fitted
    parser.save_pretrained(tmp_path / "saved")
    again = RetrievalParser.from_pretrained(tmp_path / "saved", WIKIDATA)
    questions = [one.question for one in EXAMPLES[:9]]
    assert again.parse(questions, 2) == parser.parse(questions, 2)
    assert again.retriever.cases == parser.retriever.cases
    assert torch.equal(again.retriever.vectors, parser.retriever.vectors)


def test_an_impossible_query_is_revised(fitted: tuple[RetrievalParser, TrainingReport]) -> None:
    parser, _ = fitted
    # A person cannot be followed by a film.
    output = [
        "ASK",
        "WHERE",
        "{",
        "?x0",
        "wdt:P21",
        "wd:Q6581097",
        ".",
        "M0",
        "wdt:P156",
        "?x0",
        "}",
    ]
    meaning = parser.meaning(output)
    assert WIKIDATA.is_possible(meaning)
    assert meaning != WIKIDATA.read(" ".join(output))
    assert parser.likeness("wdt:P57", "wdt:P57") == pytest.approx(1.0)


def test_variants_are_named_by_what_is_not_by_default() -> None:
    config = RetrievalConfig(decoder="transformer", encoder="stack", copy=False, cases=8)
    assert RetrievalParser.variant(WIKIDATA, config) == "cbr-no_copy-cases8"


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
    attributes=(Attribute("wdt:P31", "wd:Q5", PERSON), Attribute("wdt:P31", "wd:Q11424", FILM)),
)
NEAR = {("wdt:P155", "wdt:P58"): 0.9, ("wdt:P26", "wdt:P57"): 0.8, ("wdt:P99", "wdt:P57"): 0.7}


def likeness(one: str, other: str) -> float:
    return NEAR.get((one, other), 0.1)


def after(text: str) -> str:
    return DOMAIN.write(revise_query(DOMAIN.read(text), DOMAIN, likeness))


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

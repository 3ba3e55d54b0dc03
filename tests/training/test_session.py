"""A whole training run: killed and continued, a full disk, and which epoch is kept."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import torch
from torch import nn

from cases import cases
from partwise.domains.geography.domain import Geography
from partwise.encoders import tensors as checkpoint
from partwise.errors import CheckpointError, DataError, PartwiseError
from partwise.interface.data import Dataset, Example
from partwise.interface.parser import Tick
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.inference import Stopwatch
from partwise.training.neural import WATCHED, choose_watched
from partwise.training.session import Session
from partwise.training.session import train as train_parser
from partwise.training.trainer import LossReport, Trainer, TrainingConfig

CONFIG = SpanParserConfig(encoder="bilstm", hidden=32, entity_augmentation=0.5, objective="crf")
SETTINGS = TrainingConfig(epochs=3, batch_size=8)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """More threads than free cores wait for each other at every small product."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def some() -> Dataset[Term]:
    """Sixteen questions to train on."""
    full = load("geography", "iid")
    return Dataset("geography", "iid", full.train[:16], full.dev[:5], full.test[:5])


@pytest.fixture
def data() -> Dataset[Term]:
    """Some questions, for one test alone."""
    return some()


@pytest.fixture(scope="module")
def domain() -> Geography:
    """The language."""
    return Geography()


def run(
    data: Dataset[Term],
    domain: Geography,
    config: SpanParserConfig,
    settings: TrainingConfig,
    **more: Any,
) -> Session[Term]:
    """Train a span parser."""
    return train_parser(SpanParser, domain, data, config, settings, **{"progress": False, **more})


class Killed(Exception):
    """Stands for the signal."""


def killer(after: int) -> Tick:
    """A tick that kills the run after so many batches."""
    left = iter(range(after))

    def tick(seen: int, total: int) -> None:
        if next(left, None) is None:
            raise Killed

    return tick


def weights(session: Session[Term]) -> dict[str, torch.Tensor]:
    """All weights of a session's parser."""
    assert isinstance(session.parser, SpanParser)
    return session.parser.state_dict()


def history(session: Session[Term]) -> list[tuple[Any, ...]]:
    """The history, but for the time it took."""
    return [(e["epoch"], e["loss"], e["reached"], e["dev"]) for e in session.report.history]


def same(one: Session[Term], other: Session[Term]) -> None:
    """Two sessions gave exactly the same."""
    assert history(one) == history(other)
    assert one.dev == other.dev
    assert one.report.best_epoch == other.report.best_epoch
    for name, value in weights(one).items():
        assert torch.equal(value, weights(other)[name]), name


def test_killed_run_continues_to_the_same_end(
    data: Dataset[Term], domain: Geography, tmp_path: Path
) -> None:
    settings = TrainingConfig(epochs=3, batch_size=8)

    def train(folder: str, **more: Any) -> Session[Term]:
        place = tmp_path / folder
        return run(data, domain, CONFIG, settings, folder=place, **more)

    unbroken = train("unbroken")
    assert len(unbroken.report.history) == 3
    # Killed in the second epoch, then, continued from its start, in the third.
    for batches in (3, 3):
        with pytest.raises(Killed):
            train("killed", progress=killer(batches))
    assert (tmp_path / "killed" / "state" / "progress.json").exists()
    continued = train("killed")
    same(unbroken, continued)
    assert not (tmp_path / "killed" / "state").exists()
    log = (tmp_path / "killed" / "train.log").read_text()
    assert "continuing after epoch 1 from" in log
    line = r"epoch 3 of 3: loss \d\.\d{4}(; questions not reached: \d+)?; on held-out questions: \w"
    assert re.search(line, log)
    with pytest.raises(Killed):
        train("fresh", progress=killer(3))
    same(unbroken, train("fresh", resume=False))


def test_state_of_another_run_is_not_continued(
    data: Dataset[Term], domain: Geography, tmp_path: Path
) -> None:
    settings = TrainingConfig(epochs=2, batch_size=8)
    with pytest.raises(Killed):
        run(data, domain, CONFIG, settings, folder=tmp_path, progress=killer(3))
    other = SpanParserConfig(**{**asdict(CONFIG), "crf_weight": 0.5})
    session = run(data, domain, other, settings, folder=tmp_path)
    assert "is not continued: it is of another run" in (tmp_path / "train.log").read_text()
    assert len(session.report.history) == 2


def test_patience_counts_over_a_kill(
    data: Dataset[Term], domain: Geography, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is killed when it has just lost patience trains no further."""
    worse = iter(range(0, -100, -1))
    monkeypatch.setattr(SpanParser, "selection_metrics", lambda *_: {"dev": next(worse)})
    settings = TrainingConfig(epochs=6, patience=2, batch_size=16)
    with monkeypatch.context() as patch:
        patch.setattr(SpanParser, "save_pretrained", lambda *_: killer(0)(0, 0))
        with pytest.raises(Killed):
            run(data, domain, CONFIG, settings, folder=tmp_path)
    session = run(data, domain, CONFIG, settings, folder=tmp_path)
    assert [epoch["dev"]["dev"] for epoch in session.report.history] == [0, -1, -2]
    assert session.report.best_epoch == 0


def failing(*_: object, **__: object) -> None:
    """What a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(scope="module")
def trained(domain: Geography, tmp_path_factory: pytest.TempPathFactory) -> Session[Term]:
    """A session of one epoch; not to be changed."""
    folder = tmp_path_factory.mktemp("trained")
    return run(some(), domain, CONFIG, replace(SETTINGS, epochs=1), folder=folder)


@pytest.mark.parametrize("what", ["replace", "tensor_bytes", "write_text"])
def test_full_disk_leaves_the_old_files(
    trained: Session[Term],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    session = replace(trained, model=tmp_path / "model")
    copytree(trained.model, session.model)
    (session.model / "mine.txt").write_text("a note of the user")
    before = {f: f.read_bytes() for f in tmp_path.rglob("*") if f.is_file()}
    with monkeypatch.context() as patch:
        owner = {"replace": os, "tensor_bytes": checkpoint, "write_text": Path}[what]
        patch.setattr(owner, what, failing)
        with pytest.raises(CheckpointError, match="No space left"):
            session.parser.save_pretrained(session.model, {"note": "new"})
        assert {f: f.read_bytes() for f in tmp_path.rglob("*") if f.is_file()} == before
    session.parser.save_pretrained(session.model, {"note": "new"})
    after = json.loads((session.model / "config.json").read_text())
    assert after["training"] == {"note": "new"}
    assert (session.model / "mine.txt").exists()


def test_full_disk_in_training_can_be_continued(
    data: Dataset[Term], domain: Geography, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = TrainingConfig(epochs=2, batch_size=8)

    def train(folder: str, **more: Any) -> Session[Term]:
        place = tmp_path / folder
        return run(data, domain, CONFIG, settings, folder=place, **more)

    ticks = iter(range(100))
    with monkeypatch.context() as patch:

        def full_in_second_epoch(seen: int, total: int) -> None:
            if next(ticks) == 3:
                patch.setattr(checkpoint, "tensor_bytes", failing)

        with pytest.raises(CheckpointError, match="No space left"):
            train("full", progress=full_in_second_epoch)
    same(train("whole"), train("full"))


def test_an_empty_test_part_is_refused(
    data: Dataset[Term], domain: Geography, tmp_path: Path
) -> None:
    data.test = []
    with pytest.raises(DataError, match="no test questions"):
        run(data, domain, CONFIG, SETTINGS, folder=tmp_path, test=True)


def test_inner_dataset_holds_out_what_is_new(domain: Geography) -> None:
    from partwise.evaluation.splits import inner_dataset, length, template

    full = load("geography", "iid")
    lengths = inner_dataset(full, "length", domain)
    longest = max(map(length, lengths.train))
    assert longest <= min(map(length, lengths.test))
    assert max(map(length, lengths.dev)) <= longest
    templates = inner_dataset(full, "template", domain)
    new = {template(e.meaning, domain) for e in templates.test}
    assert not new & {template(e.meaning, domain) for e in (*templates.train, *templates.dev)}
    assert len(templates.train) + len(templates.test) == len(full.train)
    chosen = inner_dataset(full, "random", domain)
    assert chosen.dev == full.dev
    assert not {e.source for e in chosen.test} & {e.source for e in chosen.train}
    assert chosen.split == "iid-inner-random"


def test_others_may_read_saved_weights(trained: Session[Term], tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.touch()
    modes = {file.stat().st_mode for file in trained.model.rglob("*") if file.is_file()}
    assert modes == {plain.stat().st_mode}


class Line(nn.Module):
    """A parser of one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.clock = nn.Linear(1, 1), Stopwatch()

    def pretrained(self) -> list[nn.Parameter]:
        """None of them."""
        return []

    def begin_epoch(self, *_: object) -> None:
        """Nothing."""

    def loss(self, batch: list[int]) -> LossReport:
        """The weight itself, which so falls for ever."""
        return LossReport(self.encoder.weight.sum(), len(batch))


@cases("judged, shares, kept")
def test_the_latest_of_the_epochs_that_are_as_good_is_kept(
    judged: int, shares: list[float], kept: int
) -> None:
    parser: Any = Line()
    told, weights = iter(shares), list[float]()

    def evaluate() -> dict[str, float]:
        weights.append(float(parser.encoder.weight.detach()))
        return {"dev": next(told)}

    trainer = Trainer(parser, [1], evaluate, TrainingConfig(epochs=4), judged=judged)
    assert trainer.run().best_epoch == kept
    assert float(parser.encoder.weight.detach()) == weights[kept]
    assert len(set(weights)) == 4


def test_the_last_epoch_is_kept_if_asked_for() -> None:
    told = iter([0.9, 0.2])
    settings = TrainingConfig(epochs=2, keep="last")
    parser: Any = Line()
    assert Trainer(parser, [1], lambda: {"dev": next(told)}, settings).run().best_epoch == 1
    with pytest.raises(PartwiseError, match="keep = best"):
        TrainingConfig(keep="last", patience=2)


def test_questions_that_choose_nothing_are_asked_in_part() -> None:
    many = [Example(str(number), number) for number in range(WATCHED + 1)]
    assert choose_watched(many[:WATCHED]) == many[:WATCHED]
    assert len(set(map(id, choose_watched(many)))) == WATCHED
    assert choose_watched(many) == choose_watched(many)

"""A whole training run of a graph parser: killed and continued, and what epochs are chosen on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from partwise.domains.films.domain import FILMS
from partwise.errors import DataError, ExecutionError, PartwiseError
from partwise.graph import session as graph_session
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.graph.session import GraphSession, hold_out, train_graph_parser
from partwise.graph.usual import USUAL, usual_settings
from partwise.interface.data import Dataset
from partwise.language.query.answer import QueryStore
from partwise.language.query.graph import QueryGraph
from partwise.training.config import TrainingConfig
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.films.generate import generate

RULED = replace(FILMS, words=WIKIDATA.words, phrases=WIKIDATA.phrases)
"""The questions on films are put together as those of MCWQ are, so its phrase rules fit them."""
DOMAINS = {"flat": FILMS, "declared": RULED, "latent": FILMS}
TINY = {"dx": 8, "dh": 16, "layers": 1, "dropout": 0.1}
SETTINGS = TrainingConfig(epochs=3, batch_size=16, head_rate=5e-3)
COMPOSITIONS = ["flat", "declared"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """More threads than free cores wait for each other at every small product."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def data() -> Dataset[QueryGraph]:
    """Sixty questions to train on."""
    made = generate(80, 5)
    return Dataset("films", "small", made[:60], made[60:70], made[70:])


class Killed(Exception):
    """Stands for the signal."""


def killer(after: int) -> Callable[[int], None]:
    """A tick that kills the run after so many batches."""
    left = iter(range(after))

    def tick(count: int) -> None:
        if next(left, None) is None:
            raise Killed

    return tick


def train(
    data: Dataset[QueryGraph], folder: Path, composition: str = "flat", **more: Any
) -> GraphSession:
    """A quiet run with tiny settings."""
    config = GraphParserConfig(composition=composition, **TINY)
    settings = more.pop("settings", SETTINGS)
    domain = DOMAINS[composition]
    return train_graph_parser(data, domain, config, settings, folder=folder, progress=False, **more)


def same(one: GraphSession, other: GraphSession) -> None:
    """Two sessions gave exactly the same."""
    assert [(e.epoch, e.loss, e.dev) for e in one.report.history] == [
        (e.epoch, e.loss, e.dev) for e in other.report.history
    ]
    assert (one.held, one.dev, one.report.best_epoch) == (
        other.held,
        other.dev,
        other.report.best_epoch,
    )
    theirs = other.parser.state_dict()
    for name, value in one.parser.state_dict().items():
        assert torch.equal(value, theirs[name]), name


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_killed_run_continues_to_the_same_end(
    data: Dataset[QueryGraph], tmp_path: Path, composition: str
) -> None:
    unbroken = train(data, tmp_path / "unbroken", composition)
    assert len(unbroken.report.history) == 3
    batches: list[int] = []
    train(data, tmp_path / "counted", composition, tick=batches.append)
    an_epoch = len(batches) // 3
    # Killed in the second epoch, then, continued from its start, in the third.
    for _ in range(2):
        with pytest.raises(Killed):
            train(data, tmp_path / "killed", composition, tick=killer(an_epoch + 1))
    assert (tmp_path / "killed" / "state" / "progress.json").exists()
    continued = train(data, tmp_path / "killed", composition)
    same(unbroken, continued)
    assert not (tmp_path / "killed" / "state").exists()
    assert "continuing after epoch 1" in (tmp_path / "killed" / "train.log").read_text()
    whole = json.loads((tmp_path / "unbroken" / "history.json").read_text())
    parts = json.loads((tmp_path / "killed" / "history.json").read_text())
    for found in (whole, parts):
        found.pop("seconds")
        for line in found["history"]:
            line.pop("seconds")
    assert whole == parts


def test_state_of_another_run_is_not_continued(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    with pytest.raises(Killed):
        train(data, tmp_path, tick=killer(4))
    # What is held out is another part of the same questions.
    session = train(data, tmp_path, held=3)
    assert "is not continued: it is of another run" in (tmp_path / "train.log").read_text()
    assert len(session.report.history) == 3
    assert session.held_size == 3


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_a_saved_parser_says_the_same(
    data: Dataset[QueryGraph], tmp_path: Path, composition: str
) -> None:
    session = train(data, tmp_path, composition, test=True)
    assert session.test is not None
    loaded = GraphParser.from_pretrained(session.model, DOMAINS[composition])
    one = [(parse.graph, parse.probability) for parse in session.parser.parse_examples(data.test)]
    two = [(parse.graph, parse.probability) for parse in loaded.parse_examples(data.test)]
    assert repr(one) == repr(two)


PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_graph_session import train
from partwise.interface.data import Dataset
from partwise_papers.films.generate import generate
made = generate(80, 5)
data = Dataset("films", "small", made[:60], made[60:70], made[70:])
train(data, Path(sys.argv[2]), "declared")
"""


def test_another_process_gives_the_same(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    """Texts have other hashes in each process, and sets of them another order."""
    weights = []
    for seed in ("1", "2"):
        command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), str(tmp_path / seed)]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": "1"}
        subprocess.run(command, check=True, env=environment, timeout=120)
        weights.append((tmp_path / seed / "model" / "model.safetensors").read_bytes())
    assert weights[0] == weights[1]


def test_epochs_are_chosen_on_train_and_never_on_dev(
    data: Dataset[QueryGraph], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []
    evaluate = graph_session.evaluate

    def watched(parser: GraphParser, examples: Any, answers: Any = None) -> Any:
        seen.append({example.source for example in examples})
        return evaluate(parser, examples, answers)

    monkeypatch.setattr(graph_session, "evaluate", watched)
    session = train(data, tmp_path, held=6, test=True)
    _, apart = hold_out(data.train, 6)
    held, dev = {e.source for e in apart}, {e.source for e in data.dev}
    assert seen == [held] * 4 + [dev, {e.source for e in data.test}]
    assert (session.usable, session.held_size, session.train_size) == (54, 6, 60)
    assert "54 usable, 6 held out" in (tmp_path / "train.log").read_text()
    assert list(session.report.history[0].dev) == ["held_exact_match", "held_edges_match"]


def test_every_seed_holds_out_the_same_questions(data: Dataset[QueryGraph]) -> None:
    train_part, apart = hold_out(data.train, 500)
    assert hold_out(data.train, 500) == (train_part, apart)
    assert len(apart) == 12, "of small training sets a fifth"
    assert sorted([*train_part, *apart], key=data.train.index) == data.train
    assert hold_out(data.train, 0) == (data.train, [])


def test_the_last_epoch_is_kept_where_nothing_is_held_out(
    data: Dataset[QueryGraph], tmp_path: Path
) -> None:
    settings = TrainingConfig(epochs=2, batch_size=16, patience=1)
    session = train(data, tmp_path, settings=settings, held=0)
    assert session.held is None
    assert session.report.best_epoch == 1
    assert session.usable == 60


def test_the_papers_protocol_is_told_the_number_of_variables(
    data: Dataset[QueryGraph], tmp_path: Path
) -> None:
    config = GraphParserConfig(composition="flat", protocol="paper", **TINY)
    session = train_graph_parser(
        data, FILMS, config, SETTINGS, folder=tmp_path, progress=False, test=True
    )
    assert list(session.report.history[0].dev) == ["held_edges_match"]
    loaded = GraphParser.from_pretrained(session.model)
    assert loaded.config == config
    assert [p.graph for p in loaded.parse_examples(data.test)] == [
        p.graph for p in session.parser.parse_examples(data.test)
    ]
    with pytest.raises(PartwiseError, match="number of variables is given"):
        loaded.parse("Who directed M0")


def test_answers_are_compared_at_the_end(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    class Down(QueryStore):
        """A store that has gone."""

        def ask(self, query: str) -> bool:
            raise ExecutionError("gone")

        def select(self, query: str, limit: int) -> list[str]:
            raise ExecutionError("gone")

    with pytest.raises(DataError, match=r"the gold query fails to run.*gone"):
        train(data, tmp_path, store=Down())


def test_questions_that_cannot_be_used(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no dev questions"):
        train(replace(data, dev=[]), tmp_path / "a")
    with pytest.raises(DataError, match="no test questions"):
        train(replace(data, test=[]), tmp_path / "b", test=True)
    strange = [replace(e, question="Whence " + e.question) for e in data.train]
    half = replace(data, train=[*data.train[:30], *strange[30:]])
    session = train(half, tmp_path / "c", "declared", held=0)
    assert session.usable == 30
    assert len(session.unusable) == 30
    log = (tmp_path / "c" / "train.log").read_text()
    assert f"not usable: {data.train[30].source}: Whence" in log
    assert "no phrase rules fit the question" in log
    with pytest.raises(DataError, match="none of the 60 training questions is usable; the first"):
        train(replace(data, train=strange), tmp_path / "d", "declared", held=0)


def test_usual_settings() -> None:
    config, settings = usual_settings(FILMS, {"composition": "flat", "dx": 5, "seed": 3})
    assert (config.composition, config.dx, config.layers) == ("flat", 5, USUAL["flat"]["layers"])
    assert (settings.seed, settings.epochs) == (3, USUAL["flat"]["epochs"])
    assert usual_settings(WIKIDATA, {})[0].composition == "declared"
    of_data = {"flat": {"epochs": 77, "dx": 6}, "declared": {"epochs": 78}}
    config, settings = usual_settings(FILMS, {"composition": "flat", "dx": 5}, of_data)
    assert (config.dx, settings.epochs) == (5, 77)
    assert usual_settings(WIKIDATA, {"protocol": "paper"})[0].composition == "flat"
    for given, message in (
        ({"composition": "whole"}, "composition 'whole' is none of flat, declared, latent"),
        ({"composition": "declared"}, "declares no phrase rules"),
        ({"colour": "red"}, "no setting 'colour'"),
        ({"encoder": "bilstm"}, "graph parsers have lstm, gru, transformer"),
    ):
        with pytest.raises(PartwiseError, match=message):
            usual_settings(replace(FILMS, phrases=()), given)
    with pytest.raises(PartwiseError, match="reads phrases and not whole questions"):
        usual_settings(WIKIDATA, {"encoder": "minilm"})
    with pytest.raises(PartwiseError, match="of flat parsing"):
        usual_settings(WIKIDATA, {"composition": "declared", "protocol": "paper"})


@pytest.mark.parametrize(
    ("composition", "more"), [("latent", {}), ("flat", {"recombine": 0.7})], ids=["latent", "graft"]
)
def test_learned_rules_in_a_run(composition: str, more: dict, tmp_path: Path) -> None:
    """A run that learns phrase rules gives one parser in one process and in two."""
    made = generate(420, 5)
    data = Dataset("films", "small", made[:400], made[400:410], made[410:])
    config = GraphParserConfig(composition=composition, **TINY, **more)
    settings = replace(SETTINGS, epochs=2, batch_size=64)

    def run(name: str, **how: Any) -> GraphSession:
        folder = tmp_path / name
        return train_graph_parser(
            data, FILMS, config, settings, folder=folder, progress=False, held=10, **how
        )

    whole = run("whole")
    with pytest.raises(Killed):
        run("killed", tick=killer(9))
    again = run("killed")
    for one, other in zip(whole.parser.parameters(), again.parser.parameters(), strict=True):
        assert torch.equal(one, other)
    questions = [example.question for example in made[410:]]
    loaded = GraphParser.from_pretrained(whole.model, FILMS)
    assert [p.graph for p in loaded.parse(questions)] == [
        p.graph for p in whole.parser.parse(questions)
    ]
    if composition == "latent":
        rules = loaded.reading.vocabularies.rules
        assert any(rule.startswith("Thing: a ") for rule in rules)
        assert rules != FILMS.phrases
    else:
        plain = replace(config, recombine=0.0)
        other = train_graph_parser(
            data, FILMS, plain, settings, folder=tmp_path / "plain", progress=False, held=10
        )
        assert whole.report.history[0].loss != other.report.history[0].loss


def test_too_few_questions_for_rules(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no phrase rules can be learned from"):
        train(replace(data, train=data.train[:4]), tmp_path, "latent", held=0)

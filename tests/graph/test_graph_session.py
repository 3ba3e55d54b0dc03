"""A whole training run of a graph parser: killed and continued, and what epochs are chosen on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import run_python

from partwise.domains.films.domain import FILMS
from partwise.errors import DataError, ExecutionError, PartwiseError
from partwise.graph.config import PRESETS, GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Dataset
from partwise.language.graph_domain import GraphDomain, QueryStore
from partwise.language.query_graph import QueryGraph
from partwise.span.parser import SpanParser
from partwise.training.session import Session, hold_out
from partwise.training.session import train as train_parser
from partwise.training.trainer import TrainingConfig, settings_for
from partwise_papers.films.generate import generate

LEARNING = replace(FILMS, phrases=())
"""Without phrase rules of its own."""
TINY = {"dx": 8, "dh": 16, "layers": 1, "dropout": 0.1}
SETTINGS = TrainingConfig(epochs=3, batch_size=16, head_rate=5e-3)
ONE_EPOCH = replace(SETTINGS, epochs=1)
COMPOSITIONS = ["flat", "latent"]


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


def killer(after: int) -> Callable[[int, int], None]:
    """A tick that kills the run after so many batches."""
    left = iter(range(after))

    def tick(seen: int, total: int) -> None:
        if next(left, None) is None:
            raise Killed

    return tick


def train(
    data: Dataset[QueryGraph],
    folder: Path,
    composition: str = "flat",
    settings: TrainingConfig = SETTINGS,
    **more: Any,
) -> Session[QueryGraph]:
    """A quiet run with tiny settings."""
    domain = more.pop("domain", FILMS)
    config = GraphParserConfig(composition=composition, **TINY, **more.pop("config", {}))
    loop = replace(settings, held_out=more.pop("held_out", settings.held_out))
    how = {"progress": False, **more}
    return train_parser(GraphParser, domain, data, config, loop, folder=folder, **how)


def parser_of(session: Session[QueryGraph]) -> GraphParser:
    """What a session trained."""
    assert isinstance(session.parser, GraphParser)
    return session.parser


def history(session: Session[QueryGraph]) -> list[tuple[Any, ...]]:
    """The history, but for the time it took."""
    return [(e["epoch"], e["loss"], e["dev"]) for e in session.report.history]


def same(one: Session[QueryGraph], other: Session[QueryGraph]) -> None:
    """Two sessions gave exactly the same."""
    assert history(one) == history(other)
    assert (one.held_out, one.dev) == (other.held_out, other.dev)
    assert one.report.best_epoch == other.report.best_epoch
    theirs = parser_of(other).state_dict()
    for name, value in parser_of(one).state_dict().items():
        assert torch.equal(value, theirs[name]), name


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_a_saved_parser_says_the_same(
    data: Dataset[QueryGraph], tmp_path: Path, composition: str
) -> None:
    session = train(data, tmp_path, composition, test=True)
    assert session.test is not None
    loaded = GraphParser.from_pretrained(session.model)
    one = [(p.meaning, p.probability) for p in session.parser.parse_examples(data.test)]
    two = [(p.meaning, p.probability) for p in loaded.parse_examples(data.test)]
    assert repr(one) == repr(two)


PROGRAM = """
import sys
from pathlib import Path
from test_graph_session import ONE_EPOCH, train
from partwise.interface.data import Dataset
from partwise_papers.films.generate import generate
made = generate(80, 5)
data = Dataset("films", "small", made[:60], made[60:70], made[70:])
train(data, Path(sys.argv[1]), "latent", ONE_EPOCH)
"""


def test_another_process_gives_the_same(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    """Texts have other hashes in each process, and sets of them another order."""
    seed = 2 if hash("film") == int(run_python("print(hash('film'))", 1)) else 1
    run_python(PROGRAM, seed, tmp_path / "other")
    train(data, tmp_path / "here", "latent", ONE_EPOCH)
    weights = [tmp_path / name / "model" / "model.safetensors" for name in ("here", "other")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


def test_epochs_are_chosen_on_train_and_never_on_dev(
    data: Dataset[QueryGraph], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []
    parse_examples = GraphParser.parse_examples

    def watched(parser: GraphParser, examples: Any) -> Any:
        seen.append({example.source for example in examples})
        return parse_examples(parser, examples)

    monkeypatch.setattr(GraphParser, "parse_examples", watched)
    session = train(data, tmp_path, held_out=6, test=True)
    _, apart = hold_out(data.train, 6)
    held, dev = {e.source for e in apart}, {e.source for e in data.dev}
    assert seen == [held] * 4 + [dev, {e.source for e in data.test}]
    sizes = session.report.usable, session.held_out_size, session.train_size
    assert sizes == (54, 6, 60)
    log = (tmp_path / "train.log").read_text()
    assert "60 training questions, 6 of them held out" in log
    assert list(session.report.history[0]["dev"]) == ["exact_match", "edges_match"]


def test_every_seed_holds_out_the_same_questions(data: Dataset[QueryGraph]) -> None:
    train_part, apart = hold_out(data.train, 500)
    assert hold_out(data.train, 500) == (train_part, apart)
    assert len(apart) == 12, "of small training sets a fifth"
    assert sorted([*train_part, *apart], key=data.train.index) == data.train
    assert hold_out(data.train, 0) == (data.train, [])


def test_the_papers_protocol_is_told_the_number_of_variables(
    data: Dataset[QueryGraph], tmp_path: Path
) -> None:
    session = train(data, tmp_path, config={"protocol": "paper"}, test=True)
    assert list(session.report.history[0]["dev"]) == ["edges_match"]
    for scores in (session.held_out, session.dev, session.test):
        # What results of the protocol report.
        assert scores is not None
        assert 0 <= scores.to_json()["edges_match"] <= 1
    loaded = GraphParser.from_pretrained(session.model)
    assert loaded.config == parser_of(session).config
    assert [p.meaning for p in loaded.parse_examples(data.test)] == [
        p.meaning for p in session.parser.parse_examples(data.test)
    ]
    with pytest.raises(PartwiseError, match="number of variables is given"):
        loaded.parse(["Who directed M0"])


def test_answers_are_compared_at_the_end(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    class Down(QueryStore):
        """A store that has gone."""

        def ask(self, query: str) -> bool:
            raise ExecutionError("gone")

        def select(self, query: str, limit: int) -> list[str]:
            raise ExecutionError("gone")

    with pytest.raises(DataError, match=r"fails to run, so no answer can be compared.*gone"):
        train(data, tmp_path, domain=replace(FILMS, store=Down()))


def test_questions_that_cannot_be_used(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    assert train(replace(data, dev=[]), tmp_path / "a").dev is None
    with pytest.raises(DataError, match="no test questions"):
        train(replace(data, test=[]), tmp_path / "b", test=True)
    strange = [replace(e, question="Whence " + e.question) for e in data.train]
    half = replace(data, train=[*data.train[:30], *strange[30:]])
    session = train(half, tmp_path / "c", "latent", held_out=0)
    assert session.report.usable == 30
    assert len(session.report.unusable) == 30
    log = (tmp_path / "c" / "train.log").read_text()
    assert f"not usable: {data.train[30].source}: Whence" in log
    assert "no phrase rules fit the question" in log
    with pytest.raises(DataError, match="none of the 60 training questions is usable; the first"):
        train(replace(data, train=strange), tmp_path / "d", "latent", held_out=0)


def settings_of(domain: GraphDomain, given: dict[str, Any], of_data: Any = None) -> Any:
    """The settings for sixty questions; checked with the domain."""
    config, loop = settings_for(GraphParser, domain, 60, given, of_data)
    GraphParser.create(domain, config)
    return config, loop


def test_presets() -> None:
    config, loop = settings_of(FILMS, {"composition": "flat", "dx": 5, "seed": 3})
    assert (config.composition, config.dx, config.layers) == ("flat", 5, PRESETS["flat"]["layers"])
    assert (loop.seed, loop.epochs) == (3, PRESETS["flat"]["epochs"])
    assert settings_of(FILMS, {})[0].composition == "latent"
    assert settings_of(LEARNING, {})[0].composition == "flat"
    of_data = {"flat": {"epochs": 77, "dx": 6}, "latent": {"epochs": 78}}
    config, loop = settings_of(FILMS, {"composition": "flat", "dx": 5}, of_data)
    assert (config.dx, loop.epochs) == (5, 77)
    # What is of use to other parsers alone is left out.
    assert settings_for(SpanParser, None, 60, {}, of_data)[0] == SpanParser.Config()
    composed = {"composition": "latent"}
    assert settings_of(FILMS, {"protocol": "paper"}, composed)[0].composition == "flat"
    for given, message in (
        ({"composition": "whole"}, "composition 'whole' is none of flat, latent"),
        ({"colour": "red"}, "no setting 'colour'"),
        ({"encoder": "bilstm"}, "encoder 'bilstm' is none of lstm"),
    ):
        with pytest.raises(PartwiseError, match=message):
            settings_of(LEARNING, given)
    with pytest.raises(PartwiseError, match="of flat parsing"):
        settings_of(FILMS, {"composition": "latent", "protocol": "paper"})


@pytest.mark.parametrize(
    ("composition", "more"),
    [("latent", {}), ("flat", {"recombination": 0.7})],
    ids=["latent", "graft"],
)
def test_learned_rules_in_a_run(composition: str, more: dict, tmp_path: Path) -> None:
    """A run that learns phrase rules gives one parser in one process and in two."""
    made = generate(220, 5)
    data = Dataset("films", "small", made[:200], made[200:210], made[210:])
    settings = replace(SETTINGS, epochs=2, batch_size=32, held_out=10)

    def run(name: str, **how: Any) -> Session[QueryGraph]:
        how = {"config": more, "domain": LEARNING, **how}
        return train(data, tmp_path / name, composition, settings, **how)

    whole = run("whole")
    with pytest.raises(Killed):
        run("killed", progress=killer(8))
    same(whole, run("killed"))
    loaded = GraphParser.from_pretrained(whole.model, FILMS)
    test = made[210:]
    assert [p.meaning for p in loaded.parse_examples(test)] == [
        p.meaning for p in whole.parser.parse_examples(test)
    ]
    if composition == "latent":
        rules = loaded.strategy.vocabularies.rules
        assert any(rule.startswith("Thing: a ") for rule in rules)
        assert rules != FILMS.phrases
    else:
        assert history(whole)[0][1] != history(run("plain", config={}))[0][1]


def test_too_few_questions_for_rules(data: Dataset[QueryGraph], tmp_path: Path) -> None:
    few = replace(data, train=data.train[:4])
    with pytest.raises(DataError, match="no phrase rules can be learned from"):
        train(few, tmp_path, "latent", held_out=0, domain=LEARNING)

"""A tiny trained parser, made once by the command line itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import graph_helpers
import pytest
from cli_helpers import TINY, Files, make_files, run_cli

from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph
from partwise_papers.datasets import films
from partwise_papers.films.generate import generate


@pytest.fixture(autouse=True)
def few_films(monkeypatch: pytest.MonkeyPatch) -> None:
    """The data set films with a hundredth of its questions, as all of them take long to make."""
    parts = range(200), range(200, 220), range(220, 240)
    monkeypatch.setattr(films, "pool", lambda: _pool(240))
    monkeypatch.setattr(films, "SPLITS", dict.fromkeys(films.SPLITS, lambda: parts))


@cache
def _pool(size: int) -> tuple[Example[QueryGraph], ...]:
    return tuple(generate(size, films.SEED))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Fresh data files, nothing trained on them."""
    return make_files(tmp_path)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A tiny parser of the geography domain; not to be changed."""
    files = make_files(tmp_path_factory.mktemp("trained"))
    arguments = [*files.options, *TINY, "--out", str(files.run), "--test"]
    arguments += ["--test-file", str(files.test), "--results", str(files.run.parent / "results")]
    result = run_cli("train", *arguments)
    assert result.exit_code == 0, result.output
    return files


@dataclass(frozen=True)
class Graphs:
    """A tiny graph parser about films, and the folder of its results."""

    run: Path
    results: Path
    options: list[str]


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Graphs:
    """A graph parser that has learned a few questions by heart; not to be changed."""
    folder = tmp_path_factory.mktemp("graphs")
    options = graph_helpers.write(folder, graph_helpers.patterns(32), graph_helpers.patterns(1))
    found = Graphs(folder / "run", folder / "results", options)
    more = [*graph_helpers.SMALL, "--composition", "flat", "--batch-size", "16", "--epochs", "16"]
    places = ["--out", str(found.run), "--results", str(found.results)]
    result = run_cli("train", *options, *more, *places, "--test", "--held", "6")
    assert result.exit_code == 0, result.output
    assert "test   denotation 100.0  exact match 100.0" in result.stdout, result.output
    return found

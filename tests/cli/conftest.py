"""A tiny trained parser, made once by the command line itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from partwise.cli import app
from partwise.datasets.base import Example
from partwise.datasets.registry import load

TINY = ("--encoder", "bilstm", "--epochs", "2", "--set", "hidden=32", "--objective", "marginal")
OWN = ("--domain", "geography")


def write_examples(file: Path, examples: Iterable[Example]) -> Path:
    """A JSON Lines file of examples."""
    fields = ({"question": e.question, "program": str(e.program)} for e in examples)
    file.write_text("".join(json.dumps(line) + "\n" for line in fields), encoding="utf-8")
    return file


@dataclass(frozen=True)
class Files:
    """Data files, and the folder of a run on them."""

    train: Path
    dev: Path
    test: Path
    run: Path

    @property
    def options(self) -> list[str]:
        """Options that name the data."""
        return [*OWN, "--train", str(self.train), "--dev", str(self.dev)]


def run_cli(*arguments: str, **more: Any) -> Any:
    """Run a command; whatever happens, no traceback may come out of it."""
    result = CliRunner().invoke(app, list(arguments), **more)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def cli() -> Callable[..., Any]:
    """Runs a command."""
    return run_cli


def make_files(folder: Path) -> Files:
    """Forty questions to train on, a dozen for dev and for test."""
    data = load("geography", "iid")
    return Files(
        write_examples(folder / "train.jsonl", data.train[:40]),
        write_examples(folder / "dev.jsonl", data.dev[:12]),
        write_examples(folder / "test.jsonl", data.test[:12]),
        folder / "run",
    )


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

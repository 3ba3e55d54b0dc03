"""What the tests of the command line share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from partwise.cli import app
from partwise.interface.data import Example
from partwise.interface.registry import load
from partwise.language.program import Term

TINY = ("--encoder", "bilstm", "--epochs", "2", "--set", "hidden=32", "--objective", "marginal")
OWN = ("--domain", "geography")


def write_examples(file: Path, examples: Iterable[Example[Term]]) -> Path:
    """A JSON Lines file of examples."""
    fields = ({"question": e.question, "program": str(e.meaning)} for e in examples)
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


def make_files(folder: Path) -> Files:
    """Forty questions to train on, a dozen for dev and for test."""
    data = load("geography", "iid")
    return Files(
        write_examples(folder / "train.jsonl", data.train[:40]),
        write_examples(folder / "dev.jsonl", data.dev[:12]),
        write_examples(folder / "test.jsonl", data.test[:12]),
        folder / "run",
    )

"""What the tests of the command line share."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from partwise.cli import main
from partwise.interface.data import Example
from partwise.interface.registry import load
from partwise.language.program import Term

TINY = ("--encoder", "bilstm", "--epochs", "2", "--set", "hidden=32", "--objective", "marginal")
OWN = ("--domain", "geography")


@dataclass(frozen=True)
class Ran:
    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def run_cli(*arguments: str, input: str | None = None) -> Ran:
    """Run a command in this process; no error may come out of it but as a message."""
    out, err = io.StringIO(), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO((input or "").encode()), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", stdin):
        code = main([str(word) for word in arguments])
    assert "Traceback" not in err.getvalue()
    return Ran(code, out.getvalue(), err.getvalue())


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
        return [*OWN, "--train", str(self.train), "--dev", str(self.dev)]


def make_files(folder: Path) -> Files:
    """Forty questions to train on, a dozen for dev and for test."""
    data: Any = load("geography", "iid")
    return Files(
        write_examples(folder / "train.jsonl", data.train[:40]),
        write_examples(folder / "dev.jsonl", data.dev[:12]),
        write_examples(folder / "test.jsonl", data.test[:12]),
        folder / "run",
    )


def shown(*arguments: str, input: str | None = None) -> str:
    """What a command prints, which must succeed."""
    result = run_cli(*arguments, input=input)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str, input: str | None = None) -> str:
    """The message of a command that must be an error in use."""
    result = run_cli(*arguments, input=input)
    assert result.exit_code == 2, result.output
    return result.stderr

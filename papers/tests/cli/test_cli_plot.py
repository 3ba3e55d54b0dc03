"""`partwise plot`: what it draws is read back from the SVG's text."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Files

from cases import cases

matplotlib = pytest.importorskip("matplotlib")


def texts(file: Path) -> list[str]:
    """The texts of an SVG."""
    return [unescape(t) for t in re.findall(r"<text[^>]*>([^<]*)</text>", file.read_text("utf-8"))]


def wrong(file: Path) -> Path:
    """Three wrong questions."""
    shared = {"words": ["a", "b"], "tree": None, "predicted_tree": None, "right_answer": False}
    lines = [
        {"program_parts": [["largest", -1], ["state", 0]], "predicted_parts": guess}
        for guess in (
            [["smallest", -1], ["state", 0]],
            [["smallest", -1], ["state", 0]],
            [["state", -1], ["largest", 0]],
        )
    ]
    file.write_text("".join(json.dumps({**shared, **line}) + "\n" for line in lines))
    return file


def test_help_names_the_extra(cli: Any) -> None:
    assert "partwise[plots]" in cli("plot", "--help").output


def test_curve_of_a_run(trained: Files, cli: Any, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "curve.svg"
    result = cli("plot", "curve", str(trained.run), "--out", str(out))
    assert result.exit_code == 0, result.output
    found = texts(out)
    name = trained.run.name
    for label in ("epoch", "training loss", "dev, percent", name, f"{name}, exact match"):
        assert label in found
    assert found.count("1") >= 2
    first = out.read_bytes()
    cli("plot", "curve", str(trained.run / "history.json"), "--out", str(out))
    assert out.read_bytes() == first


@cases("content")
def test_runs_without_a_history(cli: Any, tmp_path: Path, content: str) -> None:
    result = cli("plot", "curve", str(tmp_path / "none"))
    assert result.exit_code == 2
    assert "no such file" in result.stderr
    (tmp_path / "history.json").write_text(content)
    result = cli("plot", "curve", str(tmp_path))
    assert result.exit_code == 2
    assert "holds no history of epochs" in result.stderr


def test_costs(cli: Any, tmp_path: Path) -> None:
    file, out = tmp_path / "cost.json", tmp_path / "cost.svg"
    ratios = {"latency": {"mean": 2.5, "ci95": None}}
    row = {"system": "seq2seq", "variant": "bert2seq", "metric": "denotation", "accuracy": 0.8}
    file.write_text(json.dumps({"rows": [{**row, "ratios": ratios}]}))
    result = cli("plot", "cost", str(file), "--out", str(out))
    assert result.exit_code == 0, result.output
    wanted = {"bert2seq", "denotation, percent", "latency, as a multiple of the first system's"}
    assert wanted <= set(texts(out))
    for content in ("{}", "x", '{"rows": []}', '{"rows": [{"system": "span"}]}'):
        file.write_text(content)
        refused = cli("plot", "cost", str(file), "--out", str(out))
        assert refused.exit_code == 2
        assert "cost.json" in refused.stderr


def test_confusion_of_constants_and_joins(cli: Any, tmp_path: Path) -> None:
    errors, out = str(wrong(tmp_path / "wrong.jsonl")), tmp_path / "c.svg"
    result = cli("plot", "confusion", errors, "--out", str(out))
    assert result.exit_code == 0, result.output
    assert "3 wrong questions" in result.stdout
    line = next(text for text in result.stdout.splitlines() if "smallest" in text)
    assert re.findall(r"\w+", line) == ["largest", "smallest", "2"]
    assert texts(out) == ["smallest", "predicted", "largest", "gold", "2", "constants"]
    assert cli("plot", "confusion", errors, "--what", "joins", "--out", str(out)).exit_code == 0
    assert {"missing joins", "wrong joins", "function", "state", "largest"} <= set(texts(out))


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_other_formats(cli: Any, tmp_path: Path, kind: str) -> None:
    errors, out = str(wrong(tmp_path / "wrong.jsonl")), tmp_path / f"c.{kind}"
    assert cli("plot", "confusion", errors, "--out", str(out)).exit_code == 0
    begin = {"png": b"\x89PNG", "pdf": b"%PDF"}[kind]
    assert out.read_bytes().startswith(begin)


def test_confusion_of_an_evaluation(trained: Files, cli: Any, tmp_path: Path) -> None:
    errors = tmp_path / "wrong.jsonl"
    cli("evaluate", str(trained.run), str(trained.dev), "--errors", str(errors))
    result = cli("plot", "confusion", str(errors), "--text", "--inexact")
    assert result.exit_code == 0, result.output
    assert f"{len(errors.read_text().splitlines())} wrong questions" in result.stdout


def test_nothing_to_draw_and_no_place_for_it(cli: Any, tmp_path: Path) -> None:
    errors = tmp_path / "wrong.jsonl"
    errors.write_text("")
    result = cli("plot", "confusion", str(errors), "--out", str(tmp_path / "c.svg"))
    assert result.exit_code == 2
    assert "nothing to plot" in result.stderr
    result = cli("plot", "confusion", str(wrong(errors)), "--out", "plot.bmp")
    assert result.exit_code == 2
    assert "ends in .svg, .png, .pdf" in result.stderr
    (tmp_path / "file").write_text("")
    result = cli("plot", "confusion", str(errors), "--out", str(tmp_path / "file" / "c.svg"))
    assert result.exit_code == 2
    assert "choose another place" in result.stderr


def test_without_matplotlib_the_tables_are_there(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = str(wrong(tmp_path / "wrong.jsonl"))
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = cli("plot", "confusion", errors, "--out", str(tmp_path / "c.svg"))
    assert result.exit_code == 2
    assert "pip install 'partwise[plots]'" in result.stderr
    result = cli("plot", "confusion", errors, "--text")
    assert result.exit_code == 0
    assert "smallest" in result.stdout

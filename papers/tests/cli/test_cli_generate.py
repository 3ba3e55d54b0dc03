"""``partwise generate``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from partwise.interface.jsonl import read_jsonl
from partwise.language.sparql import parse_query
from partwise_papers.films.generate import generate


def test_generate_writes_the_questions(cli: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "made" / "questions.jsonl.gz"
    result = cli("generate", "films", "--n", "120", "--seed", "5", "--out", str(file))
    assert result.exit_code == 0, result.output
    assert f"120 questions written to {file}" in result.output
    found, _ = read_jsonl(file, parse_query)
    expected = generate(120, 5)
    assert [(e.question, e.meaning, e.rules, e.context) for e in found] == [
        (e.question, e.meaning, e.rules, e.context) for e in expected
    ]


def test_errors_say_what_to_do(cli: Callable[..., Any], tmp_path: Path) -> None:
    unknown = cli("generate", "songs", "--out", str(tmp_path / "a.jsonl"))
    assert unknown.exit_code == 2
    assert "no generator 'songs'; there are films" in unknown.output
    folder = cli("generate", "films", "--out", str(tmp_path))
    assert folder.exit_code == 2
    assert "is a folder; name a file" in folder.output
    (tmp_path / "file").write_text("")
    nowhere = cli("generate", "films", "--n", "3", "--out", str(tmp_path / "file" / "a.jsonl"))
    assert nowhere.exit_code == 2
    assert "cannot be written" in nowhere.output
    assert cli("generate", "films", "--n", "0", "--out", str(tmp_path / "a")).exit_code == 2

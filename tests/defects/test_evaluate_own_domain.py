"""`partwise evaluate RUN FILE` failed for a domain of one's own, though the run knew its domain."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cli_helpers import TINY, run_cli

from partwise.authoring.new import write_domain


def test_a_run_is_evaluated_without_naming_its_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_domain("own_barn", "python", tmp_path)
    given = ["--domain", "own_barn", "--train", "own_barn/pairs.jsonl", *TINY, "--out", "run"]
    assert run_cli("train", *given).exit_code == 0
    result = run_cli("evaluate", "run", "own_barn/pairs.jsonl")
    assert result.exit_code == 0, result.stderr
    assert "questions        22" in result.stdout
    assert run_cli("parse", "who wrote Emma ?", "--model", "run").exit_code == 0
    # Elsewhere the message names the option, and not an argument of the library.
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    result = run_cli("evaluate", "../run", "../own_barn/pairs.jsonl")
    assert result.exit_code == 2
    assert "as own_barn.domain:OwnBarn when it was trained" in result.stderr
    assert "--domain MODULE:CLASS" in result.stderr
    for name in [name for name in sys.modules if name.split(".")[0] == "own_barn"]:
        del sys.modules[name]

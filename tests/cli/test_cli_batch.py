"""`partwise ask FILE --out FILE`: every row answered as a single question is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cli_helpers import Files

QUESTIONS = ("what is the capital of texas ?", "", "which states border ohio ?")


def test_a_file_is_answered_as_its_questions_are(trained: Files, cli: Any, tmp_path: Path) -> None:
    given, out = tmp_path / "in.csv", tmp_path / "out.jsonl"
    given.write_text("id,asked\n" + "".join(f"{i},{q}\n" for i, q in enumerate(QUESTIONS)))
    model = ("--model", str(trained.run))
    done = cli("ask", str(given), "--out", str(out), "--column", "asked", "--rows", "2", *model)
    assert done.exit_code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["asked"] for row in rows] == list(QUESTIONS)
    assert rows[1]["error"] == "no question in 'asked'"
    for row in (rows[0], rows[2]):
        alone = json.loads(cli("ask", row["asked"], "--json", *model).stdout)
        assert (row["meaning"], row["answer"]) == (alone["meaning"], alone["answer"])
    parsed = cli("parse", str(given), "--out", str(tmp_path / "p.csv"), "--column", "asked", *model)
    assert parsed.exit_code == 0
    assert (tmp_path / "p.csv").read_text().splitlines()[0].startswith("id,asked,meaning")


def test_what_is_missing_is_said(trained: Files, cli: Any, tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_text('{"question": "a"}\n')
    model = ("--model", str(trained.run))
    for words, message in [
        ((), "give one file of questions"),
        ((str(given), str(given)), "give one file of questions"),
        ((str(tmp_path / "none.csv"),), "cannot be read"),
    ]:
        done = cli("ask", *words, "--out", str(tmp_path / "out.csv"), *model)
        assert done.exit_code == 2
        assert message in done.stderr

"""How the findings of a check are shown."""

from __future__ import annotations

import io

from rich.console import Console

from partwise_papers.validation.findings import CheckReport, Failure, Finding


def test_the_table_has_each_count_under_its_split() -> None:
    some = Finding("of some splits")
    some.add("b", 7, [Failure("file:1", "q", "p", "why")])
    other = Finding("of none")
    other.add("answers.jsonl", 5, [])
    counts = {split: {"train": 1, "dev": 1, "test": 1} for split in ("a", "b", "c")}
    stream = io.StringIO()
    Console(file=stream, width=120).print(CheckReport("made", counts, [some, other]))
    rows = [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in stream.getvalue().splitlines()
        if line.startswith("│")
    ]
    assert rows == [["of some splits", "", "6/7", ""], ["of none", "5/5", "", ""]]
    assert "file:1: q | p | why" in stream.getvalue()

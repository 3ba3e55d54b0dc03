"""How the findings of a check are shown."""

from __future__ import annotations

from partwise_papers.validation.findings import CheckReport, Failure, Finding


def test_the_text_has_each_count_by_its_split() -> None:
    some = Finding("of some splits")
    some.add("b", 7, [Failure("file:1", "q", "p", "why")])
    other = Finding("of none")
    other.add("answers.jsonl", 5, [])
    counts = {split: {"train": 1, "dev": 1, "test": 1} for split in ("a", "b", "c")}
    assert CheckReport("made", counts, [some, other]).text().splitlines() == [
        "made: a 1/1/1; b 1/1/1; c 1/1/1",
        "of some splits: b 6/7",
        "  file:1: q | p | why",
        "of none: answers.jsonl 5/5",
    ]

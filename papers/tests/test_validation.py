"""The check finds what was broken, says where, and finds nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from partwise.authoring.validation import Reach
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.errors import DataError, ProgramTypeError
from partwise.interface.data import Example
from partwise.language.program import Term, parse_program
from partwise_papers.validation import CheckReport, Failure, Finding, check


def spoil(file: Path, line: int, question: str, program: str) -> None:
    """Replace a line (from 1)."""
    lines = file.read_text().splitlines()
    lines[line - 1] = json.dumps({"question": question, "program": program})
    file.write_text("\n".join(lines))


def example(question: str, program: str) -> Example[Term]:
    return Example(question, parse_program(program))


def test_reach() -> None:
    reach = Reach(TypeAlgebra(Geography()))
    named = example("rivers of ohio", "answer(river(loc_2(stateid('ohio'))))")
    unnamed = example("rivers of there", "answer(river(loc_2(stateid('ohio'))))")
    short = example("rivers here", "answer(river(loc_2(stateid('ohio'))))")
    assert [reach.reachable(e) for e in (named, unnamed, short)] == [True, True, False]
    assert [reach.reachable(e, by_phrase=True) for e in (named, unnamed)] == [True, False]
    with pytest.raises(ProgramTypeError):
        reach.reachable(example("how long is ohio", "answer(len(stateid('ohio')))"))


def test_a_sound_folder_has_no_exceptions(made_geoquery: Path) -> None:
    report = check("geoquery", made_geoquery)
    assert report.ok, report.text()
    assert report.counts["template"] == {"train": 12, "dev": 60, "test": 24}
    assert len(report.findings) == 9
    totals = {finding.what: finding.total["length"] for finding in report.findings}
    assert set(totals.values()) == {96}


def test_exceptions_are_listed_with_their_place(made_geoquery: Path) -> None:
    spoil(made_geoquery / "iid" / "test.jsonl", 3, "how long is ohio ?", "answer(len(state(all)))")
    spoil(made_geoquery / "iid" / "dev.jsonl", 2, "gone ?", "answer(")
    gold = [
        {"program": "answer(capital(loc_2(stateid('ohio'))))", "denotation": "[]"},
        {"program": "answer(count(state(all)))", "denotation": "[51]"},
    ]
    lines = "\n".join(json.dumps(line) for line in gold)
    (made_geoquery / "denotations.jsonl").write_text(lines)
    report = check("geoquery", made_geoquery)
    text = report.text()
    assert not report.ok
    assert "programs that type under geoquery: iid 94/95, template 96/96" in text
    assert "iid/test.jsonl:3: how long is ohio ? | answer(len(state(all))) | len takes" in text
    assert "iid/dev.jsonl:2: the program cannot be read" in text
    assert "denotations.jsonl:1: answer(capital(loc_2(stateid('ohio'))))" in text
    assert "answers equal to those of denotations.jsonl: denotations.jsonl 1/2" in text
    assert "the raw corpus gives geoFunql-en.corpus" in text
    assert "iid/dev.jsonl: 59 examples, the raw corpus gives 60" in text
    found = json.loads(json.dumps(report.to_json()))
    typed = next(f for f in found["findings"] if f["what"] == "programs that type under geoquery")
    assert typed["splits"]["iid"]["exceptions"][0]["where"] == "iid/test.jsonl:3"


def test_a_broken_file_of_answers_is_named(made_geoquery: Path) -> None:
    (made_geoquery / "denotations.jsonl").write_text('\n{"program": "answer(state(all))"}\n')
    with pytest.raises(DataError, match=r"denotations\.jsonl:2: not a program with its answer"):
        check("geoquery", made_geoquery)


def test_the_published_files(real_geoquery: Path) -> None:
    report = check("geoquery", real_geoquery)
    passed = {f.what: {f.passed(s) for s in f.total} for f in report.findings}
    assert passed == {
        "lines that can be read": {880},
        "programs that type under geoquery": {875},
        "typed programs that a chart of geoquery reaches": {875},
        "the same, entities only on their phrases (geoquery)": {875},
        "programs that type under geoquery-paper": {880},
        "typed programs that a chart of geoquery-paper reaches": {880},
        "the same, entities only on their phrases (geoquery-paper)": {880},
        "programs that run": {880},
        "answers equal to those of denotations.jsonl": {880},
        "examples equal, place by place, to the splits made from the raw corpus": {880},
    }


def test_the_shipped_questions() -> None:
    report = check("geography")
    by_name = {finding.what: finding for finding in report.findings}
    assert by_name["lines that can be read"].ok
    assert by_name["programs that run"].ok
    reached = by_name["typed programs that a chart of geography reaches"]
    # Of typed fragments a few have fewer words than their programs have predicates.
    assert not any(reached.failures[split] for split in ("iid", "compositional", "wide"))
    assert len(reached.failures["typed"]) < 10


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

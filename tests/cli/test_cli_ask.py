"""`partwise ask` and `partwise parse`."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Files

from partwise.domains.geography.domain import Geography
from partwise.errors import ExecutionError, PartwiseError
from partwise.interface.answering import answered
from partwise.interface.prediction import Prediction
from partwise.language.program import Term, parse_program
from partwise.span.parser import SpanParser
from partwise_papers.domains.scenes.domain import Scenes

CAPITAL = "what is the capital of texas ?"
BORDER = "which states border ohio ?"


def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A tree's nodes."""
    yield node
    for child in node["children"]:
        yield from walk(child)


def test_ask_gives_answer_meaning_tree_and_probability(trained: Files, cli: Any) -> None:
    result = cli("ask", CAPITAL, "--model", str(trained.run))
    assert result.exit_code == 0
    (best,) = SpanParser.from_pretrained(trained.run).parse([CAPITAL], k=2)
    lines = result.stdout.splitlines()
    assert any(str(best.meaning) in line and "%" in line for line in lines)
    # The tree ends with the last word.
    assert "texas" in lines[-1]
    bare = cli("ask", CAPITAL, "--model", str(trained.run), "--no-tree").stdout.splitlines()
    assert bare == lines[: len(bare)]
    assert len(bare) < len(lines)


def test_answered_doubtful_and_refused_are_told_apart(cli: Any) -> None:
    asked = {
        "what is the capital of texas": ("", "austin"),
        "what lakes are in hawaii": ("doubtful: ", "(nothing)"),
        "who is the mayor of marmalade": ("", "refused: "),
    }
    for question, (note, line) in asked.items():
        result = cli("ask", "--model", "geography", "--no-tree", question)
        assert result.stdout.startswith(line)
        assert ("doubtful: " in result.stderr) == bool(note)
        assert ("you can ask: " in result.stdout) == (line == "refused: ")


def test_json_lines(trained: Files, cli: Any) -> None:
    result = cli("ask", "--json", "-k", "3", CAPITAL, "", "--model", str(trained.run))
    assert result.exit_code == 1
    good, empty = map(json.loads, result.stdout.splitlines())
    assert good["question"] == CAPITAL
    assert good["reason"] is None
    assert isinstance(good["answer"], list)
    assert 0 < good["probability"] <= 1
    assert math.isfinite(good["score"])
    assert len(good["alternatives"]) == 2
    assert good["probability"] + sum(a["probability"] for a in good["alternatives"]) <= 1 + 1e-9
    assert len({a["meaning"] for a in [good, *good["alternatives"]]}) == 3
    root, *below = walk(good["derivation"])
    assert (root["start"], root["end"], root["words"]) == (0, 7, CAPITAL)
    assert good["meaning"] == f"answer({root['program']})"
    assert all(node["words"] in CAPITAL and node["category"] for node in below)
    assert empty["meaning"] is empty["answer"] is empty["derivation"] is empty["score"] is None
    assert empty["probability"] == 0
    assert empty["reason"] == "the question has no words"


def test_parse_gives_no_answer(trained: Files, cli: Any) -> None:
    result = cli("parse", CAPITAL, "--json", "--model", str(trained.run))
    assert result.exit_code == 0
    assert "answer" not in json.loads(result.stdout)


def test_a_program_that_fails_is_said_so(
    trained: Files, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from partwise.domains.geography.domain import Geography
    from partwise.errors import ExecutionError

    def fail(*_: object) -> None:
        raise ExecutionError("out of luck")

    monkeypatch.setattr(Geography, "run", fail)
    result = cli("ask", CAPITAL, "--model", str(trained.run), "--run-timeout", "0")
    assert result.exit_code == 1
    assert "it does not run: out of luck" in result.stdout
    result = cli("ask", CAPITAL, "--json", "--model", str(trained.run), "--run-timeout", "0")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["answer"] is None
    assert "out of luck" in json.loads(result.stdout)["reason"]


@pytest.mark.parametrize("how", ["file", "pipe", "dash"])
def test_questions_from_lines(trained: Files, cli: Any, tmp_path: Path, how: str) -> None:
    text = f"{CAPITAL}\n\n{BORDER}\r\n"
    (tmp_path / "q.txt").write_text(text)
    arguments = {"file": ["--file", str(tmp_path / "q.txt")], "pipe": [], "dash": ["-"]}[how]
    given = None if how == "file" else text
    model = ["--model", str(trained.run)]
    result = cli("parse", "--json", *model, *arguments, input=given)
    assert [json.loads(line)["question"] for line in result.stdout.splitlines()] == [
        CAPITAL,
        BORDER,
    ]


def test_svg(trained: Files, cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "tree.svg"
    model = ["--model", str(trained.run)]
    assert cli("ask", CAPITAL, "--svg", str(file), *model).exit_code == 0
    assert ET.fromstring(file.read_text()).tag.endswith("svg")
    result = cli("parse", CAPITAL, "", BORDER, "--svg", str(file), *model)
    assert result.exit_code == 1
    assert "tree-2.svg is not drawn: the question has no words" in result.stderr
    names = sorted(found.name for found in file.parent.iterdir())
    assert names == ["tree-1.svg", "tree-3.svg", "tree.svg"]
    result = cli("ask", CAPITAL, "--svg", str(tmp_path), *model)
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


@pytest.mark.parametrize(
    "question",
    [
        "ohio",
        "🤔🗺️",
        "какие штаты граничат с огайо ?",
        "どの州がオハイオに接していますか",
        "\u202eohio\u0000 \u200d\ud7ff",
        "'s 's 's",
        "what " * 40,
    ],
)
def test_odd_questions_get_a_parse_or_a_reason(trained: Files, cli: Any, question: str) -> None:
    result = cli("ask", question, "--json", "--model", str(trained.run))
    assert result.exit_code in (0, 1)
    found = json.loads(result.stdout)
    assert (found["meaning"] is None) == (found["reason"] is not None)
    assert result.exit_code == (0 if found["reason"] is None else 1)


def test_odd_questions_can_be_shown(trained: Files, cli: Any, tmp_path: Path) -> None:
    odd = "\u202eohio\u0000 🤔 州\x1b[31m"
    arguments = [odd, "--model", str(trained.run), "--svg", str(tmp_path / "tree.svg")]
    result = cli("ask", odd, *arguments)
    assert result.exit_code in (0, 1)
    assert not {"\u202e", "\u0000", "\x1b"} & set(result.stdout)
    for file in tmp_path.iterdir():
        ET.fromstring(file.read_text())


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("", "the question has no words"),
        (" \t ", "the question has no words"),
        ("state " * 300, "300 words; at most 80"),
    ],
)
def test_questions_without_a_parse(trained: Files, cli: Any, question: str, reason: str) -> None:
    result = cli("ask", question, "--model", str(trained.run))
    assert result.exit_code == 1
    assert "refused: " in result.stdout
    assert reason in result.stdout


def test_errors_in_use(trained: Files, cli: Any, tmp_path: Path) -> None:
    model = ["--model", str(trained.run)]
    (tmp_path / "latin.txt").write_bytes("ohio\ncapital of québec ?\n".encode("latin-1"))
    result = cli("ask", "--file", str(tmp_path / "latin.txt"), *model)
    assert result.exit_code == 2
    assert "latin.txt:2: not UTF-8 at byte 14" in result.stderr
    assert cli("ask", "--file", str(tmp_path / "gone.txt"), *model).exit_code == 2
    assert cli("ask", *model, input="\n \n").exit_code == 2
    assert cli("ask", "ohio\udcff", *model).exit_code == 2
    assert cli("ask", "ohio", "-k", "0", *model).exit_code == 2


def test_model_by_default_and_by_environment(
    trained: Files, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARTWISE_MODEL", raising=False)
    monkeypatch.setattr("partwise.training.store.shipped", dict)
    result = cli("ask", CAPITAL)
    assert result.exit_code == 2
    assert "make one with: partwise train geography" in result.stderr
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "geography").symlink_to(trained.run)
    by_default = cli("ask", CAPITAL)
    assert by_default.exit_code == 0
    (tmp_path / "runs" / "geography").unlink()
    monkeypatch.setenv("PARTWISE_MODEL", str(trained.run))
    assert cli("ask", CAPITAL).stdout == by_default.stdout


def test_a_new_process_gives_the_same(trained: Files, cli: Any) -> None:
    arguments = ["parse", "--json", "-k", "4", CAPITAL, BORDER, "--model", str(trained.run)]
    here = cli(*arguments)
    command = [sys.executable, "-m", "partwise", *arguments]
    there = subprocess.run(command, capture_output=True, text=True, check=True)
    assert there.stdout == here.stdout
    assert there.stderr == ""


def test_what_is_not_probable_enough_is_asked_back(trained: Files, cli: Any) -> None:
    model = ("--model", str(trained.run))
    (sure,) = map(json.loads, cli("ask", CAPITAL, "--json", *model).stdout.splitlines())
    result = cli("ask", CAPITAL, "--json", "-k", "2", "--at-least", "1", *model)
    (shy,) = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 1
    assert (shy["meaning"], shy["answer"]) == (None, None)
    assert "at least 100 % is asked for" in shy["reason"]
    assert shy["alternatives"][0]["meaning"] == sure["meaning"]
    assert cli("ask", CAPITAL, "--at-least", "2", *model).exit_code == 2


def test_alternatives_differ_in_their_answers(trained: Files, cli: Any) -> None:
    result = cli("ask", CAPITAL, "--json", "-k", "4", "--model", str(trained.run))
    found = json.loads(result.stdout)
    answers = [tuple(one["answer"]) for one in (found, *found["alternatives"])]
    assert len(answers) == len(set(answers)) > 1
    text = cli("ask", CAPITAL, "-k", "4", "--model", str(trained.run)).stdout
    told = [one for other in found["alternatives"] for one in other["differences"]]
    assert told
    for one in told:
        assert f"if you meant by {one['words']!r} " in text


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


ASKED = ("which states border texas?", "what is the capital of ohio?")


def test_a_chart_is_drawn_for_each_question(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "chart.svg"
    result = cli("parse", "--model", "geography", "--chart", str(file), "--no-tree", *ASKED)
    assert result.exit_code == 0, result.output
    for number, question in enumerate(ASKED, start=1):
        root = ET.parse(file.with_name(f"chart-{number}.svg")).getroot()
        assert root.findtext("{http://www.w3.org/2000/svg}title") == f"Chart of “{question}”"


def test_a_question_without_a_parse_has_none(cli: Any, tmp_path: Path) -> None:
    result = cli("parse", "--model", "geography", "--chart", str(tmp_path / "chart.svg"), "?" * 90)
    assert result.exit_code == 1
    assert "chart.svg is not drawn: the question has" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_graph_parsers_have_none(cli: Any, tmp_path: Path) -> None:
    result = cli("parse", "--model", "films", "--chart", str(tmp_path / "a.svg"), "Who directed M0")
    assert result.exit_code == 2
    assert "--chart: a parser of kind graph has none" in result.stderr


def reading(program: str) -> Prediction[Term]:
    return Prediction("-", meaning=parse_program(program), probability=math.nan)


def test_an_answer_needs_the_context_of_its_question() -> None:
    domain = Scenes()
    scene = domain.read_context("shipped:0")
    count = reading("count(scene())")
    assert answered(count, domain, context=scene).lines == (str(len(scene.objects)),)
    without = answered(count, domain)
    assert without.lines == ()
    assert "--context" in str(without.reason)


def test_a_domain_without_contexts_refuses_one() -> None:
    with pytest.raises(ExecutionError, match="takes no context"):
        Geography().read_context("shipped:0")
    refused = answered(reading("answer(state(all))"), Geography(), context=object())
    assert "takes no context" in str(refused.reason)


@pytest.mark.parametrize(
    "text", ["shipped:x", "shipped:99999999", "nowhere.json", "nowhere.json:3"]
)
def test_bad_contexts_are_named(text: str) -> None:
    with pytest.raises(PartwiseError, match=text.split(":")[0]):
        Scenes().read_context(text)

"""`partwise ask` and `partwise parse`, of programs and of query graphs."""

from __future__ import annotations

import json
import math
import shutil
import socket
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Files, refused, run_cli, shown
from graph_helpers import DOMAIN, FILM

from cases import cases
from library import without_manifest
from partwise.domains.geography.domain import Geography
from partwise.errors import ExecutionError, PartwiseError
from partwise.graph.parser import GraphParser
from partwise.interface.answering import answered
from partwise.interface.prediction import Prediction
from partwise.language.program import Term, parse_program
from partwise.span.parser import SpanParser
from partwise_papers.domains.scenes.domain import Scenes

CAPITAL = "what is the capital of texas ?"
BORDER = "which states border ohio ?"


def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node["children"]:
        yield from walk(child)


def test_ask_gives_answer_meaning_tree_and_probability(trained: Files) -> None:
    told = shown("ask", CAPITAL, "--model", str(trained.run))
    (best,) = SpanParser.from_pretrained(trained.run).parse([CAPITAL], k=2)
    lines = told.splitlines()
    assert any(str(best.meaning) in line and "%" in line for line in lines)
    # The tree ends with the last word.
    assert "texas" in lines[-1]
    bare = run_cli("ask", CAPITAL, "--model", str(trained.run), "--no-tree").stdout.splitlines()
    assert bare == lines[: len(bare)]
    assert len(bare) < len(lines)


def test_answered_doubtful_and_refused_are_told_apart() -> None:
    asked = {
        "what is the capital of texas": ("", "austin"),
        "what lakes are in hawaii": ("doubtful: ", "(nothing)"),
        "who is the mayor of marmalade": ("", "refused: "),
    }
    for question, (note, line) in asked.items():
        result = run_cli("ask", "--model", "geography", "--no-tree", question)
        assert result.stdout.startswith(line)
        assert ("doubtful: " in result.stderr) == bool(note)
        assert ("you can ask: " in result.stdout) == (line == "refused: ")


def test_json_lines(trained: Files) -> None:
    result = run_cli("ask", "--json", "-k", "3", CAPITAL, "", "--model", str(trained.run))
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


def test_parse_gives_no_answer(trained: Files) -> None:
    assert "answer" not in json.loads(
        shown("parse", CAPITAL, "--json", "--model", str(trained.run))
    )


def test_a_program_that_fails_is_said_so(trained: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ExecutionError("out of luck")

    monkeypatch.setattr(Geography, "run", fail)
    result = run_cli("ask", CAPITAL, "--model", str(trained.run), "--run-timeout", "0")
    assert result.exit_code == 1
    assert "it does not run: out of luck" in result.stdout
    result = run_cli("ask", CAPITAL, "--json", "--model", str(trained.run), "--run-timeout", "0")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["answer"] is None
    assert "out of luck" in json.loads(result.stdout)["reason"]


@pytest.mark.parametrize("how", ["file", "pipe", "dash"])
def test_questions_from_lines(trained: Files, tmp_path: Path, how: str) -> None:
    text = f"{CAPITAL}\n\n{BORDER}\r\n"
    (tmp_path / "q.txt").write_text(text)
    arguments = {"file": ["--file", str(tmp_path / "q.txt")], "pipe": [], "dash": ["-"]}[how]
    given = None if how == "file" else text
    model = ["--model", str(trained.run)]
    result = run_cli("parse", "--json", *model, *arguments, input=given)
    assert [json.loads(line)["question"] for line in result.stdout.splitlines()] == [
        CAPITAL,
        BORDER,
    ]


def test_svg(trained: Files, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "tree.svg"
    model = ["--model", str(trained.run)]
    assert run_cli("ask", CAPITAL, "--svg", str(file), *model).exit_code == 0
    assert ET.fromstring(file.read_text()).tag.endswith("svg")
    result = run_cli("parse", CAPITAL, "", BORDER, "--svg", str(file), *model)
    assert result.exit_code == 1
    assert "tree-2.svg is not drawn: the question has no words" in result.stderr
    names = sorted(found.name for found in file.parent.iterdir())
    assert names == ["tree-1.svg", "tree-3.svg", "tree.svg"]
    assert "cannot be written" in refused("ask", CAPITAL, "--svg", str(tmp_path), *model)


@cases("question")
def test_odd_questions_get_a_parse_or_a_reason(trained: Files, question: str) -> None:
    result = run_cli("ask", question, "--json", "--model", str(trained.run))
    assert result.exit_code in (0, 1)
    found = json.loads(result.stdout)
    assert (found["meaning"] is None) == (found["reason"] is not None)
    assert result.exit_code == (0 if found["reason"] is None else 1)


def test_odd_questions_can_be_shown(trained: Files, tmp_path: Path) -> None:
    odd = "\u202eohio\u0000 🤔 州\x1b[31m"
    arguments = [odd, "--model", str(trained.run), "--svg", str(tmp_path / "tree.svg")]
    result = run_cli("ask", odd, *arguments)
    assert result.exit_code in (0, 1)
    assert not {"\u202e", "\u0000", "\x1b"} & set(result.stdout)
    for file in tmp_path.iterdir():
        ET.fromstring(file.read_text())


@cases("question, reason")
def test_questions_without_a_parse(trained: Files, question: str, reason: str) -> None:
    result = run_cli("ask", question, "--model", str(trained.run))
    assert result.exit_code == 1
    assert "refused: " in result.stdout
    assert reason in result.stdout


def test_errors_in_use(trained: Files, tmp_path: Path) -> None:
    model = ["--model", str(trained.run)]
    (tmp_path / "latin.txt").write_bytes("ohio\ncapital of québec ?\n".encode("latin-1"))
    assert "latin.txt:2: not UTF-8 at byte 14" in refused(
        "ask", "--file", str(tmp_path / "latin.txt"), *model
    )
    assert run_cli("ask", "--file", str(tmp_path / "gone.txt"), *model).exit_code == 2
    assert run_cli("ask", *model, input="\n \n").exit_code == 2
    assert run_cli("ask", "ohio\udcff", *model).exit_code == 2
    assert run_cli("ask", "ohio", "-k", "0", *model).exit_code == 2


def test_model_by_default_and_by_environment(
    trained: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARTWISE_MODEL", raising=False)
    monkeypatch.setattr("partwise.training.store.find_shipped", dict)
    assert "make one with: partwise train geography" in refused("ask", CAPITAL)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "geography").symlink_to(trained.run)
    told = shown("ask", CAPITAL)
    (tmp_path / "runs" / "geography").unlink()
    monkeypatch.setenv("PARTWISE_MODEL", str(trained.run))
    assert run_cli("ask", CAPITAL).stdout == told


def test_a_new_process_gives_the_same(trained: Files) -> None:
    arguments = ["parse", "--json", "-k", "4", CAPITAL, BORDER, "--model", str(trained.run)]
    here = run_cli(*arguments)
    command = [sys.executable, "-m", "partwise", *arguments]
    there = subprocess.run(command, capture_output=True, text=True, check=True)
    # A terminal without the signs of a type has them escaped.
    told = [list(map(json.loads, run.stdout.splitlines())) for run in (there, here)]
    assert told[0] == told[1]
    assert there.stderr == ""


def test_what_is_not_probable_enough_is_asked_back(trained: Files) -> None:
    model = ("--model", str(trained.run))
    (sure,) = map(json.loads, run_cli("ask", CAPITAL, "--json", *model).stdout.splitlines())
    result = run_cli("ask", CAPITAL, "--json", "-k", "2", "--at-least", "1", *model)
    (shy,) = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 1
    assert (shy["meaning"], shy["answer"]) == (None, None)
    assert "at least 100 % is asked for" in shy["reason"]
    assert shy["alternatives"][0]["meaning"] == sure["meaning"]
    assert run_cli("ask", CAPITAL, "--at-least", "2", *model).exit_code == 2


def test_alternatives_differ_in_their_answers(trained: Files) -> None:
    result = run_cli("ask", CAPITAL, "--json", "-k", "4", "--model", str(trained.run))
    found = json.loads(result.stdout)
    answers = [tuple(one["answer"]) for one in (found, *found["alternatives"])]
    assert len(answers) == len(set(answers)) > 1
    text = run_cli("ask", CAPITAL, "-k", "4", "--model", str(trained.run)).stdout
    told = [one for other in found["alternatives"] for one in other["differences"]]
    assert told
    for one in told:
        assert f"if you meant by {one['words']!r} " in text


QUESTIONS = (CAPITAL, "", BORDER)


def test_a_file_is_answered_as_its_questions_are(trained: Files, tmp_path: Path) -> None:
    given, out = tmp_path / "in.csv", tmp_path / "out.jsonl"
    given.write_text("id,asked\n" + "".join(f"{i},{q}\n" for i, q in enumerate(QUESTIONS)))
    model = ("--model", str(trained.run))
    shown("ask", str(given), "--out", str(out), "--column", "asked", "--rows", "2", *model)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["asked"] for row in rows] == list(QUESTIONS)
    assert rows[1]["error"] == "no question in 'asked'"
    for row in (rows[0], rows[2]):
        alone = json.loads(run_cli("ask", row["asked"], "--json", *model).stdout)
        assert (row["meaning"], row["answer"]) == (alone["meaning"], alone["answer"])
    shown("parse", str(given), "--out", str(tmp_path / "p.csv"), "--column", "asked", *model)
    assert (tmp_path / "p.csv").read_text().splitlines()[0].startswith("id,asked,meaning")


def test_what_is_missing_is_said(trained: Files, tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_text('{"question": "a"}\n')
    model = ("--model", str(trained.run))
    for words, message in [
        ((), "give one file of questions"),
        ((str(given), str(given)), "give one file of questions"),
        ((str(tmp_path / "none.csv"),), "cannot be read"),
    ]:
        assert message in refused("ask", *words, "--out", str(tmp_path / "out.csv"), *model)


ASKED = ("which states border texas?", "what is the capital of ohio?")


def test_a_chart_is_drawn_for_each_question(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "chart.svg"
    shown("parse", "--model", "geography", "--chart", str(file), "--no-tree", *ASKED)
    for number, question in enumerate(ASKED, start=1):
        root = ET.parse(file.with_name(f"chart-{number}.svg")).getroot()
        assert root.findtext("{http://www.w3.org/2000/svg}title") == f"Chart of “{question}”"


def test_a_question_without_a_parse_has_none(tmp_path: Path) -> None:
    result = run_cli(
        "parse", "--model", "geography", "--chart", str(tmp_path / "chart.svg"), "?" * 90
    )
    assert result.exit_code == 1
    assert "chart.svg is not drawn: the question has" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_graph_parsers_have_none(tmp_path: Path) -> None:
    assert "--chart: a parser of kind graph has none" in refused(
        "parse", "--model", "films", "--chart", str(tmp_path / "a.svg"), "Who directed M0"
    )


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


@cases("text")
def test_bad_contexts_are_named(text: str) -> None:
    with pytest.raises(PartwiseError, match=text.split(":")[0]):
        Scenes().read_context(text)


ALIEN = "Who directed Alien?"


def test_the_answer_then_the_query_then_the_graph(graphs: Any) -> None:
    result = run_cli("ask", ALIEN, "--model", str(graphs.run))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "Ridley Scott"
    assert lines[1].startswith("PREFIX film:")
    assert f"  <{FILM}Alien> film:director ?x0 ." in lines
    assert any(line.endswith(" %)") for line in lines)
    assert "asks for ?x0, where" in lines
    (edge,) = (line for line in lines if "director──▶" in line.replace(" ", ""))
    assert "Alien" in edge
    assert result.stderr == ""


@cases("question, answer")
def test_ordinary_english(graphs: Any, question: str, answer: str) -> None:
    result = run_cli("ask", question, "--json", "--model", str(graphs.run))
    found = json.loads(result.stdout)
    assert result.exit_code == 0, result.output
    assert found["question"] == question
    assert found["answer"] == [answer]
    assert f"<{FILM}Alien>" in found["meaning"]


def test_json_says_all(graphs: Any) -> None:
    result = run_cli("ask", ALIEN, "Who directed Goldfinger?", "--json", "--model", str(graphs.run))
    assert result.exit_code == 1
    good, bad = map(json.loads, result.stdout.splitlines())
    assert good["answer"] == ["Ridley Scott"]
    assert good["words"] == ["who", "directed", "Alien"]
    assert {t["predicate"] for t in good["derivation"]["triples"]} == {"a", "film:director"}
    assert all(len(t["grounding"]) == 3 for t in good["derivation"]["triples"])
    assert 0 < good["probability"] <= 1
    assert good["reason"] is None
    assert bad["meaning"] is bad["answer"] is bad["derivation"] is None
    assert bad["unknown"] == ["Goldfinger"]
    assert bad["reason"] == "nothing in the knowledge graph is called 'Goldfinger'"


def test_unknown_words_are_told(graphs: Any) -> None:
    result = run_cli("ask", "Who skilfully directed Alien?", "--model", str(graphs.run))
    assert "words never met in training: skilfully" in result.stderr + result.stdout


@cases("question, reason")
def test_cli_graph_ask_questions_without_a_parse(graphs: Any, question: str, reason: str) -> None:
    result = run_cli("ask", question, "--model", str(graphs.run))
    assert result.exit_code == 1
    assert "refused: " in result.stdout
    assert reason in result.stdout


@cases("question")
def test_odd_questions_get_a_query_or_a_reason(graphs: Any, question: str) -> None:
    result = run_cli("ask", question, "--json", "--model", str(graphs.run))
    found = json.loads(result.stdout)
    assert result.exit_code == (0 if found["reason"] is None else 1)
    assert (found["answer"] is None) == (found["reason"] is not None)
    shown = run_cli("ask", question, "--model", str(graphs.run))
    assert shown.exit_code == result.exit_code
    assert not {"\u202e", "\u0000", "\x1b"} & set(shown.stdout)


def test_cli_graph_ask_svg(graphs: Any, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "graph.svg"
    questions = [ALIEN, "", "Did Ridley Scott direct Alien?"]
    result = run_cli("parse", *questions, "--svg", str(file), "--model", str(graphs.run))
    assert result.exit_code == 1
    assert "graph-2.svg is not drawn: the question has no words" in result.stderr
    assert sorted(found.name for found in file.parent.iterdir()) == ["graph-1.svg", "graph-3.svg"]
    root = ET.fromstring((tmp_path / "deep" / "graph-1.svg").read_text())
    assert "Alien" in "".join(root.itertext())


def test_cli_graph_ask_parse_gives_no_answer(graphs: Any) -> None:
    assert "answer" not in json.loads(shown("parse", ALIEN, "--json", "--model", str(graphs.run)))
    result = run_cli("parse", ALIEN, "--no-tree", "--model", str(graphs.run))
    assert "asks for" not in result.stdout
    assert "film:director" in result.stdout


def test_placeholders_that_are_bound(graphs: Any) -> None:
    arguments = ["Who directed M0", "--json", "--model", str(graphs.run)]
    result = run_cli("ask", *arguments, "--bind", f"M0={FILM}Jaws")
    assert json.loads(result.stdout)["answer"] == ["Steven Spielberg"]
    unbound = run_cli("ask", *arguments)
    assert unbound.exit_code == 1
    assert "M0 stands for no entity" in json.loads(unbound.stdout)["reason"]
    odd = run_cli("ask", *arguments, "--bind", "M0=no iri")
    assert odd.exit_code == 1
    assert "no absolute IRI" in json.loads(odd.stdout)["reason"]
    for text in ("M0", "M0=", "Jaws=https://x.example/"):
        assert "expected M0=IRI" in refused("ask", *arguments, "--bind", text)


def test_an_endpoint_that_is_down(graphs: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/sparql"
    asked = ["--endpoint", url, "--model", str(graphs.run)]
    result = run_cli("ask", ALIEN, *asked)
    assert result.exit_code == 1
    assert f"{url}: cannot be reached" in result.stdout
    bound = run_cli("ask", "Who directed M0", "--bind", f"M0={FILM}Alien", *asked)
    assert bound.exit_code == 1
    assert "it does not run" in bound.stdout
    assert "cannot be reached" in bound.stdout
    assert "film:director" in bound.stdout
    assert run_cli("ask", ALIEN, "--endpoint", "ftp://x", "--model", str(graphs.run)).exit_code == 2


def test_contexts_of_other_domains_are_refused(graphs: Any) -> None:
    assert run_cli("ask", ALIEN, "-k", "3", "--model", str(graphs.run)).exit_code == 0
    assert "expected M0=IRI" in refused(
        "ask", ALIEN, "--context", "shipped:1", "--model", str(graphs.run)
    )


def test_a_damaged_parser(graphs: Any, tmp_path: Path) -> None:
    shutil.copytree(graphs.run / "model", tmp_path / "model")
    (tmp_path / "model" / "vocabulary.json").write_text('{"tags": ')
    assert "vocabulary.json is damaged" in refused("ask", ALIEN, "--model", str(tmp_path))


def test_the_newest_run_is_asked_by_default(
    graphs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARTWISE_MODEL", raising=False)
    result = run_cli("ask", *DOMAIN, ALIEN)
    assert result.exit_code == 0
    assert "using the parser of films that comes with the package" in result.stderr
    result = run_cli("ask", "--domain", "wikidata", "Did M0 direct M1")
    assert "partwise train mcwq --data DIR" in result.stderr
    # What settings were tried on, and what is no parser, are passed over.
    for name in ("tried", "films-random-flat-0"):
        shutil.copytree(graphs.run / "model", tmp_path / "runs" / name / "model")
    config = tmp_path / "runs" / "tried" / "model" / "config.json"
    found = json.loads(config.read_text())
    found["training"]["split"] = "random-inner-mcd"
    config.write_text(json.dumps(found))
    (tmp_path / "runs" / "junk" / "model").mkdir(parents=True)
    (tmp_path / "runs" / "junk" / "model" / "config.json").write_text("[]")
    result = run_cli("ask", *DOMAIN, ALIEN)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "Ridley Scott"
    assert "comes with the package" not in result.stderr
    shutil.rmtree(tmp_path / "runs" / "films-random-flat-0")
    assert "comes with the package" in run_cli("ask", *DOMAIN, ALIEN).stderr


def test_a_graph_that_does_not_come_with_the_package(graphs: Any, tmp_path: Path) -> None:
    """Wikidata is asked over the network, and only where the user says so."""
    shutil.copytree(graphs.run / "model", tmp_path / "model")
    config = without_manifest(tmp_path / "model") / "config.json"
    config.write_text(config.read_text().replace('"films"', '"wikidata"'))
    assert "--endpoint URL" in refused("ask", "Who directed M0", "--model", str(tmp_path))
    assert run_cli("parse", "Who directed M0", "--model", str(tmp_path)).exit_code in (0, 1)


def test_the_library_answers_in_one_call(graphs: Any) -> None:
    parser = GraphParser.from_pretrained(graphs.run)
    reply = parser(ALIEN)
    assert reply.lines == ("Ridley Scott",)
    assert str(reply) == "Ridley Scott"
    asked = parser(["Did Ridley Scott direct Alien?", "Who directed Goldfinger?"])
    assert [one.lines for one in asked] == [("yes",), ()]
    assert str(asked[1]).startswith("no answer: nothing in the knowledge graph is called")


def test_what_is_not_probable_enough_is_not_answered(graphs: Any) -> None:
    model = ("--model", str(graphs.run))
    (sure,) = map(json.loads, run_cli("ask", ALIEN, "--json", *model).stdout.splitlines())
    assert 0 < sure["probability"] < 1
    result = run_cli("ask", ALIEN, "--json", "--at-least", "1", *model)
    assert result.exit_code == 1
    (shy,) = map(json.loads, result.stdout.splitlines())
    assert shy["answer"] is None
    assert "at least 100 % is asked for" in shy["reason"]

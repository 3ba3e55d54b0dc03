"""`partwise ask` and `partwise parse` with a graph parser about films."""

from __future__ import annotations

import json
import shutil
import socket
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from graph_helpers import DOMAIN, FILM

from library import without_manifest
from partwise.graph.parser import GraphParser

ALIEN = "Who directed Alien?"


def test_the_answer_then_the_query_then_the_graph(graphs: Any, cli: Any) -> None:
    result = cli("ask", ALIEN, "--model", str(graphs.run))
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


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who directed alien", "Ridley Scott"),
        ("WHO DIRECTED ALIEN?", "Ridley Scott"),
        ("Did Ridley Scott direct Alien?", "yes"),
        ("Did Joel Coen direct Alien?", "no"),
        ("Was Alien directed by Ridley Scott?", "yes"),
    ],
)
def test_ordinary_english(graphs: Any, cli: Any, question: str, answer: str) -> None:
    result = cli("ask", question, "--json", "--model", str(graphs.run))
    found = json.loads(result.stdout)
    assert result.exit_code == 0, result.output
    assert found["question"] == question
    assert found["answer"] == [answer]
    assert f"<{FILM}Alien>" in found["meaning"]


def test_json_says_all(graphs: Any, cli: Any) -> None:
    result = cli("ask", ALIEN, "Who directed Goldfinger?", "--json", "--model", str(graphs.run))
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


def test_unknown_words_are_told(graphs: Any, cli: Any) -> None:
    result = cli("ask", "Who skilfully directed Alien?", "--model", str(graphs.run))
    assert "words never met in training: skilfully" in result.stderr + result.stdout


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("", "the question has no words"),
        ("?", "the question has no words"),
        ("Who directed " * 70, "words; at most 120"),
        ("Who edited Zyx Abc", "called 'Zyx Abc'"),
    ],
)
def test_questions_without_a_parse(graphs: Any, cli: Any, question: str, reason: str) -> None:
    result = cli("ask", question, "--model", str(graphs.run))
    assert result.exit_code == 1
    assert "refused: " in result.stdout
    assert reason in result.stdout


@pytest.mark.parametrize(
    "question",
    [
        "Did " + " , ".join(f"M{i}" for i in range(29)) + " , and M29 direct Alien?",
        "who directed",
        "directed directed directed",
        "🤔 кто снял Alien ?",
        "\u202eAlien\u0000 \u200d\ud7ff M999999999999",
        "m0 M0 m1",
    ],
)
def test_odd_questions_get_a_query_or_a_reason(graphs: Any, cli: Any, question: str) -> None:
    result = cli("ask", question, "--json", "--model", str(graphs.run))
    found = json.loads(result.stdout)
    assert result.exit_code == (0 if found["reason"] is None else 1)
    assert (found["answer"] is None) == (found["reason"] is not None)
    shown = cli("ask", question, "--model", str(graphs.run))
    assert shown.exit_code == result.exit_code
    assert not {"\u202e", "\u0000", "\x1b"} & set(shown.stdout)


def test_svg(graphs: Any, cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "graph.svg"
    questions = [ALIEN, "", "Did Ridley Scott direct Alien?"]
    result = cli("parse", *questions, "--svg", str(file), "--model", str(graphs.run))
    assert result.exit_code == 1
    assert "graph-2.svg is not drawn: the question has no words" in result.stderr
    assert sorted(found.name for found in file.parent.iterdir()) == ["graph-1.svg", "graph-3.svg"]
    root = ET.fromstring((tmp_path / "deep" / "graph-1.svg").read_text())
    assert "Alien" in "".join(root.itertext())


def test_parse_gives_no_answer(graphs: Any, cli: Any) -> None:
    result = cli("parse", ALIEN, "--json", "--model", str(graphs.run))
    assert result.exit_code == 0
    assert "answer" not in json.loads(result.stdout)
    result = cli("parse", ALIEN, "--no-tree", "--model", str(graphs.run))
    assert "asks for" not in result.stdout
    assert "film:director" in result.stdout


def test_placeholders_that_are_bound(graphs: Any, cli: Any) -> None:
    arguments = ["Who directed M0", "--json", "--model", str(graphs.run)]
    result = cli("ask", *arguments, "--bind", f"M0={FILM}Jaws")
    assert json.loads(result.stdout)["answer"] == ["Steven Spielberg"]
    unbound = cli("ask", *arguments)
    assert unbound.exit_code == 1
    assert "M0 stands for no entity" in json.loads(unbound.stdout)["reason"]
    odd = cli("ask", *arguments, "--bind", "M0=no iri")
    assert odd.exit_code == 1
    assert "no absolute IRI" in json.loads(odd.stdout)["reason"]
    for text in ("M0", "M0=", "Jaws=https://x.example/"):
        wrong = cli("ask", *arguments, "--bind", text)
        assert wrong.exit_code == 2
        assert "expected M0=IRI" in wrong.stderr


def test_an_endpoint_that_is_down(graphs: Any, cli: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/sparql"
    asked = ["--endpoint", url, "--model", str(graphs.run)]
    result = cli("ask", ALIEN, *asked)
    assert result.exit_code == 1
    assert f"{url}: cannot be reached" in result.stdout
    bound = cli("ask", "Who directed M0", "--bind", f"M0={FILM}Alien", *asked)
    assert bound.exit_code == 1
    assert "it does not run" in bound.stdout
    assert "cannot be reached" in bound.stdout
    assert "film:director" in bound.stdout
    assert cli("ask", ALIEN, "--endpoint", "ftp://x", "--model", str(graphs.run)).exit_code == 2


def test_contexts_of_other_domains_are_refused(graphs: Any, cli: Any) -> None:
    assert cli("ask", ALIEN, "-k", "3", "--model", str(graphs.run)).exit_code == 0
    result = cli("ask", ALIEN, "--context", "shipped:1", "--model", str(graphs.run))
    assert result.exit_code == 2
    assert "expected M0=IRI" in result.stderr


def test_a_damaged_parser(graphs: Any, cli: Any, tmp_path: Path) -> None:
    shutil.copytree(graphs.run / "model", tmp_path / "model")
    (tmp_path / "model" / "vocabulary.json").write_text('{"tags": ')
    result = cli("ask", ALIEN, "--model", str(tmp_path))
    assert result.exit_code == 2
    assert "vocabulary.json is damaged" in result.stderr


def test_the_newest_run_is_asked_by_default(
    graphs: Any, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARTWISE_MODEL", raising=False)
    result = cli("ask", *DOMAIN, ALIEN)
    assert result.exit_code == 0
    assert "using the parser of films that comes with the package" in result.stderr
    result = cli("ask", "--domain", "wikidata", "Did M0 direct M1")
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
    result = cli("ask", *DOMAIN, ALIEN)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "Ridley Scott"
    assert "comes with the package" not in result.stderr
    shutil.rmtree(tmp_path / "runs" / "films-random-flat-0")
    assert "comes with the package" in cli("ask", *DOMAIN, ALIEN).stderr


def test_a_graph_that_does_not_come_with_the_package(graphs: Any, cli: Any, tmp_path: Path) -> None:
    """Wikidata is asked over the network, and only where the user says so."""
    shutil.copytree(graphs.run / "model", tmp_path / "model")
    config = without_manifest(tmp_path / "model") / "config.json"
    config.write_text(config.read_text().replace('"films"', '"wikidata"'))
    result = cli("ask", "Who directed M0", "--model", str(tmp_path))
    assert result.exit_code == 2
    assert "--endpoint URL" in result.stderr
    assert cli("parse", "Who directed M0", "--model", str(tmp_path)).exit_code in (0, 1)


def test_the_library_answers_in_one_call(graphs: Any) -> None:
    parser = GraphParser.from_pretrained(graphs.run)
    reply = parser(ALIEN)
    assert reply.lines == ("Ridley Scott",)
    assert str(reply) == "Ridley Scott"
    asked = parser(["Did Ridley Scott direct Alien?", "Who directed Goldfinger?"])
    assert [one.lines for one in asked] == [("yes",), ()]
    assert str(asked[1]).startswith("no answer: nothing in the knowledge graph is called")


def test_what_is_not_probable_enough_is_not_answered(graphs: Any, cli: Any) -> None:
    model = ("--model", str(graphs.run))
    (sure,) = map(json.loads, cli("ask", ALIEN, "--json", *model).stdout.splitlines())
    assert 0 < sure["probability"] < 1
    result = cli("ask", ALIEN, "--json", "--at-least", "1", *model)
    assert result.exit_code == 1
    (shy,) = map(json.loads, result.stdout.splitlines())
    assert shy["answer"] is None
    assert "at least 100 % is asked for" in shy["reason"]

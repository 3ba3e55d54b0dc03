"""A Turtle file, queried in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from partwise.errors import ExecutionError
from partwise.execution.sparql import LocalStore, check_reading
from partwise.language.graph_domain import QueryStore

F = "http://films.example/"
PREFIX = f"PREFIX : <{F}>\n"
# A product of six sets of triples, none of which passes.
ENDLESS = " ".join(f"?s{i} ?p{i} ?o{i} ." for i in range(9))
ENDLESS = f"ASK {{ {ENDLESS} FILTER ( STR(?s0) = CONCAT(STR(?s8), STR(?o7)) ) }}"


def test_a_store_asks_and_selects(store: LocalStore) -> None:
    kept: QueryStore = store
    assert kept.ask(PREFIX + "ASK { :p1 :directed :f1 }") is True
    assert kept.ask(PREFIX + "ASK { :p1 :directed :f3 }") is False
    query = PREFIX + "SELECT DISTINCT ?x0 WHERE { :p1 :directed ?x0 } ORDER BY ?x0"
    assert kept.select(query, 10) == [F + "f1", F + "f2"]
    assert kept.select(query, 1) == [F + "f1"]
    assert kept.select(query, 0) == []
    assert kept.select(PREFIX + "SELECT ?x0 { :f2 :year ?x0 }", 10) == ["1999"]
    assert kept.select(PREFIX + "SELECT ?y { :f2 :year ?y }", 10) == []
    assert kept.select("SELECT ?x0 { VALUES ?x0 { UNDEF 1 } }", 10) == ["1"]


def test_labels(store: LocalStore) -> None:
    iris = [F + name for name in ("f1", "f2", "f3", "p1", "p2")]
    expected = ["Night Ferry", "Salt", "Salt", "Zoë Ortega", "p2"]
    assert store.labels(iris) == dict(zip(iris, expected, strict=True))
    assert store.labels(["1999", "_:b0", "http://films.example/a#b/"]) == {
        "1999": "1999",
        "_:b0": "_:b0",
        "http://films.example/a#b/": "b",
    }
    assert store.labels([]) == {}
    many = [f"{F}n{i}" for i in range(250)] + iris
    assert store.labels(many)[F + "p1"] == "Zoë Ortega"


def test_labels_of_hostile_iris_are_no_queries(store: LocalStore) -> None:
    hostile = f"{F}f1> }} ?x0 ?y ?label {{ VALUES ?z {{ <{F}f2"
    assert store.labels([hostile]) == {hostile: hostile}


def test_labels_in_another_language(films: Path) -> None:
    with LocalStore(films, language="de") as german:
        assert german.labels([F + "f1", F + "f3"]) == {F + "f1": "Nachtfähre", F + "f3": "f3"}


def test_names_are_labels_and_aliases(store: LocalStore) -> None:
    assert store.names(100) == {
        "Night Ferry": [F + "f1"],
        "Salt": [F + "f2", F + "f3"],
        "The Ferry": [F + "f1"],
        "Zoë Ortega": [F + "p1"],
    }
    assert len(store.names(2)) <= 2


def test_a_slow_query_is_stopped_and_the_next_one_answered(films: Path) -> None:
    with LocalStore(films, timeout=0.3) as hurried:
        with pytest.raises(ExecutionError, match=r"longer than 0\.3 s"):
            hurried.ask(ENDLESS)
        hurried.timeout = 20.0
        assert hurried.ask("ASK { ?s ?p ?o }")


def test_a_closed_store_opens_again(films: Path) -> None:
    store = LocalStore(films)
    store.close()
    assert store.ask("ASK { ?s ?p ?o }")
    store.close()


@pytest.mark.parametrize("end", ["", "; del store", "; import os; os.kill(store_pid, 9)"])
def test_a_program_may_end_without_closing(films: Path, end: str) -> None:
    program = (
        "import sys; from partwise.execution.sparql import LocalStore; "
        "store = LocalStore(sys.argv[1]); store_pid = store._process.pid; "
        f"print(store.ask('ASK {{ ?s ?p ?o }}'), store_pid){end}"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(films)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    truth, pid = done.stdout.split()
    assert truth == "True"
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_a_crash_is_an_error(films: Path) -> None:
    with LocalStore(films) as store:
        deep = "{ " * 200_000 + "} " * 200_000
        with pytest.raises(ExecutionError):
            store.ask(f"ASK {deep}")
        assert store.ask("ASK { ?s ?p ?o }")


def test_answers_are_bounded(films: Path) -> None:
    with (
        LocalStore(films, max_characters=20) as small,
        pytest.raises(ExecutionError, match="larger than 20"),
    ):
        small.select("SELECT ?x0 { ?x0 ?p ?o }", 100)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT ?x0 {", "cannot be read"),
        ("ASK { ?s ?p }", "cannot be read"),
        ("DELETE WHERE { ?s ?p ?o }", "cannot be read"),
        ("INSERT DATA { <http://a.example/> <http://b.example/> 1 }", "cannot be read"),
        ("LOAD <file:///etc/passwd>", "cannot be read"),
        ("SELECT ?x0 { ?x0 ?p ?o }", "no ASK"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", "no ASK"),
    ],
)
def test_queries_that_are_no_question(store: LocalStore, query: str, message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        store.ask(query)
    assert store.ask("ASK { ?s ?p ?o }")


def test_an_ask_query_selects_nothing(store: LocalStore) -> None:
    with pytest.raises(ExecutionError, match="no SELECT"):
        store.select("ASK { ?s ?p ?o }", 3)


SERVICES = [
    "SELECT * { SERVICE <http://a.example/> { ?x0 ?p ?o } }",
    "SELECT * {SERVICE<http://a.example/>{?x0 ?p ?o}}",
    "SELECT * { ?s ?p 1 .service?x{ ?x0 ?p ?o } }",
    "SELECT * { ?s ?p 1SERVICE:{ ?x0 ?p ?o } }",
    "SELECT * { ?s ?p '#' SERVICE SILENT :a { ?x0 ?p ?o } }",
    "SELECT * { ?s ?p :a\\#b SERVICE :c {\n ?x0 ?p ?o } }",
    "SELECT * { FILTER(1<2)SERVICE :a{ ?x0 ?p ?o } FILTER(2>1) }",
    "SELECT * { SERVICE # why\n <http://a.example/> # {\n { ?x0 ?p ?o } }",
    "SELECT * { ?s ?p '\\'' SERVICE :a { ?x0 ?p '' } }",
]


@pytest.mark.parametrize("query", SERVICES)
def test_no_other_store_is_asked(query: str) -> None:
    with pytest.raises(ExecutionError, match="SERVICE"):
        check_reading(PREFIX + query)


@pytest.mark.parametrize(
    "query",
    [
        "ASK { :p1 :a.service :p2 }",
        "ASK { ?x :a.service ?y . ?x :directed ?service }",
        "ASK { ?x ?y <http://a.example/SERVICE> }",
        "ASK { ?x ?y 'SERVICE <http://a.example/> { }' }",
        "ASK { ?x ?y ?z } # SERVICE <http://a.example/> { }",
    ],
)
def test_the_word_alone_is_no_service(store: LocalStore, query: str) -> None:
    store.ask(PREFIX + query)


def test_the_process_cannot_reach_a_network(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("resource")
    monkeypatch.setattr("partwise.execution.sparql.check_reading", lambda query: None)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        port = server.getsockname()[1]
        with pytest.raises(ExecutionError, match="failed"):
            store.ask(f"ASK {{ SERVICE <http://127.0.0.1:{port}/> {{ ?s ?p ?o }} }}")
        with pytest.raises(TimeoutError):
            server.accept()


def test_files_that_are_no_graph(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="no such file"):
        LocalStore(tmp_path / "none.ttl")
    bad = tmp_path / "bad.ttl"
    bad.write_text("<http://a.example/> says nothing", encoding="utf-8")
    with pytest.raises(ExecutionError, match=r"bad\.ttl: cannot be read as Turtle: .*line 1"):
        LocalStore(bad)
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ExecutionError, match="cannot be read as Turtle"):
        LocalStore(bad)


def test_a_file_too_large_for_the_memory(tmp_path: Path, films: Path) -> None:
    pytest.importorskip("resource")
    large = tmp_path / "large.ttl"
    facts = (f"<{F}s{i}> <{F}p> '{i:0100}' ." for i in range(20_000))
    large.write_text("\n".join(facts), encoding="utf-8")
    with pytest.raises(ExecutionError, match=r"large\.ttl: loading needs too much"):
        LocalStore(large, max_memory=1 << 20)

"""Knowledge graphs: a Turtle file in its own process, endpoints, query graphs, filled queries."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cases import cases
from partwise.errors import DataError, ExecutionError
from partwise.evaluation.metrics import Runner
from partwise.execution.sparql import (
    LABEL,
    SPARQL,
    Endpoint,
    GraphValue,
    LocalStore,
    Row,
    RowStore,
    check_reading,
    literal,
)
from partwise.language.graph_domain import GraphDomain, QueryStore
from partwise.language.query_graph import QueryGraph, Triple
from partwise.language.values import Many, Number, One, Truth  # noqa: F401

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


@cases("query, message")
def test_queries_that_are_no_question(store: LocalStore, query: str, message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        store.ask(query)
    assert store.ask("ASK { ?s ?p ?o }")


def test_an_ask_query_selects_nothing(store: LocalStore) -> None:
    with pytest.raises(ExecutionError, match="no SELECT"):
        store.select("ASK { ?s ?p ?o }", 3)


@cases("query")
def test_no_other_store_is_asked(query: str) -> None:
    with pytest.raises(ExecutionError, match="SERVICE"):
        check_reading(PREFIX + query)


@cases("query")
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


Write = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    """Answers each path in its own way and keeps what was asked."""

    daemon_threads = True
    pages: dict[str, Write]
    asked: list[tuple[str, dict[str, list[str]], dict[str, str]]]
    stop: threading.Event


class Handler(BaseHTTPRequestHandler):
    """Keeps the request, then lets the page write."""

    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = urllib.parse.parse_qs(body, strict_parsing=True)
        self.server.asked.append((self.path, form, dict(self.headers)))
        try:
            self.server.pages[self.path](self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def says(body: bytes, status: int = 200, **headers: str) -> Write:
    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return write


def drips(server: Server, start: bytes) -> Write:
    """A byte every now and then, for ever."""

    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(start)
        while not server.stop.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    return write


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Handler)
    server.pages, server.asked, server.stop = {}, [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.stop.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def endpoint(server: Server, request: pytest.FixtureRequest) -> Callable[..., Endpoint]:
    """Serves a page of its own for each test."""

    def make(page: Write, **options: object) -> Endpoint:
        path = "/" + urllib.parse.quote(request.node.name, safe="")
        server.pages[path] = page
        server.asked.clear()
        url = f"http://127.0.0.1:{server.server_address[1]}{path}"
        return Endpoint(url, **({"timeout": 20.0} | options))  # type: ignore[arg-type]

    return make


Make = Callable[..., Endpoint]


def rows(*found: dict[str, object]) -> bytes:
    names = sorted({name for row in found for name in row})
    return json.dumps({"head": {"vars": names}, "results": {"bindings": found}}).encode()


def uri(text: str) -> dict[str, str]:
    return {"type": "uri", "value": text}


def test_ask(endpoint: Make, server: Server) -> None:
    for truth in (True, False):
        store: QueryStore = endpoint(says(json.dumps({"head": {}, "boolean": truth}).encode()))
        assert store.ask('ASK { ?s ?p "a&b=c\n" }') is truth
    [(_, form, headers)] = server.asked
    assert form == {"query": ['ASK { ?s ?p "a&b=c\n" }']}
    assert headers["Accept"] == "application/sparql-results+json"
    assert headers["User-Agent"].startswith("partwise")
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"


def test_the_agent_is_the_users(endpoint: Make, server: Server) -> None:
    endpoint(says(b'{"boolean": true}'), agent="films (films@a.example)").ask("ASK { }")
    assert server.asked[0][2]["User-Agent"] == "films (films@a.example)"
    with pytest.raises(ExecutionError, match="User-Agent"):
        Endpoint("http://a.example/", agent="films\r\nHost: b.example")


def test_select(endpoint: Make) -> None:
    literal = {"type": "literal", "value": "1999", "datatype": "http://a.example/year"}
    blank = {"type": "bnode", "value": "b0"}
    store = endpoint(says(rows({"x0": uri("http://a.example/f1")}, {"x0": literal}, {"x0": blank})))
    assert store.select("SELECT", 10) == ["http://a.example/f1", "1999", "_:b0"]
    assert store.select("SELECT", 2) == ["http://a.example/f1", "1999"]
    assert endpoint(says(rows({"y": literal}))).select("SELECT", 10) == []
    assert endpoint(says(rows())).select("SELECT", 10) == []


def test_endpoint_labels(endpoint: Make, server: Server) -> None:
    f1, f2 = "http://a.example/f1", "http://a.example/f2"

    def label(text: str, language: str) -> dict[str, str]:
        return {"type": "literal", "value": text, "xml:lang": language}

    found = rows(
        {"x0": uri(f1), "label": label("Colour", "en-GB")},
        {"x0": uri(f1), "label": label("Color", "EN")},
        {"x0": uri("http://a.example/other"), "label": label("Other", "en")},
    )
    assert endpoint(says(found)).labels([f1, f2]) == {f1: "Color", f2: "f2"}
    query = server.asked[0][1]["query"][0]
    assert f"<{f1}> <{f2}>" in query
    assert f"<{LABEL}>" in query
    with pytest.raises(ExecutionError, match="language"):
        Endpoint("http://a.example/", language='en"')


def test_nothing_is_sent_until_asked(endpoint: Make, server: Server) -> None:
    store = endpoint(says(b'{"boolean": true}'))
    assert store.labels([]) == {}
    assert store.labels(["1999"]) == {"1999": "1999"}
    assert server.asked == []


DEEP = b"[" * 300_000


@cases("body")
def test_what_is_no_result(endpoint: Make, body: bytes) -> None:
    store = endpoint(says(body))
    with pytest.raises(ExecutionError, match="no SPARQL result in JSON"):
        store.ask("ASK { ?s ?p ?o }")
    with pytest.raises(ExecutionError, match="no SPARQL result in JSON"):
        store.select("SELECT ?x0 { ?x0 ?p ?o }", 10)


@pytest.mark.parametrize("status", [204, 400, 403, 429, 500, 503])
def test_http_errors(endpoint: Make, status: int) -> None:
    store = endpoint(says(b"line 1:\x1b[2J\n bad   query" if status != 204 else b"", status))
    with pytest.raises(ExecutionError, match=f"HTTP status {status}") as caught:
        store.ask("ASK")
    assert status == 204 or str(caught.value).endswith("line 1: [2J bad query")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://a.example/", "https://a.example/"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirections_are_told_not_followed(
    endpoint: Make, server: Server, status: int, target: str
) -> None:
    with pytest.raises(ExecutionError, match=f"moved to {target}"):
        endpoint(says(b"", status, Location=target)).ask("ASK")
    assert len(server.asked) == 1


def test_a_store_that_says_nothing(endpoint: Make, server: Server) -> None:
    with pytest.raises(ExecutionError, match=r"no answer within 0\.2 s"):
        endpoint(lambda handler: server.stop.wait(5) and None, timeout=0.2).ask("ASK")


@cases("start")
def test_a_store_that_drips(endpoint: Make, server: Server, start: bytes) -> None:
    with pytest.raises(ExecutionError, match=r"no answer within 0\.3 s"):
        endpoint(drips(server, start), timeout=0.3).ask("ASK")
    # Its thread ends too: the socket is shut.
    for _ in range(200):
        if not [t for t in threading.enumerate() if t.name.endswith("(_run)")]:
            return
        time.sleep(0.02)
    raise AssertionError("the thread of the request lives on")


def test_endpoint_answers_are_bounded(endpoint: Make, server: Server) -> None:
    with pytest.raises(ExecutionError, match="larger than 1,000 bytes"):
        endpoint(says(b" " * 1001), max_bytes=1000).ask("ASK")
    body = b'{"boolean": true}'
    assert endpoint(says(body), max_bytes=len(body)).ask("ASK")

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not server.stop.is_set():
            handler.wfile.write(b" " * 65536)

    with pytest.raises(ExecutionError, match="larger than 100,000 bytes"):
        endpoint(endless, max_bytes=100_000).ask("ASK")


@cases("reply")
def test_broken_http(endpoint: Make, reply: bytes) -> None:
    with pytest.raises(ExecutionError, match=r"http://127\.0\.0\.1"):
        endpoint(lambda handler: handler.wfile.write(reply) and None).ask("ASK")


def test_a_store_that_is_down() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ExecutionError, match="cannot be reached"):
        Endpoint(f"http://127.0.0.1:{port}/sparql", timeout=5).ask("ASK")


@cases("url")
def test_urls_that_are_no_endpoint(url: str) -> None:
    with pytest.raises(ExecutionError, match="endpoint"):
        Endpoint(url)


DOMAIN = GraphDomain("films", "sparql", prefixes={"f": F})
DIRECTED = frozenset({Triple("M0", "f:directed", "?x0")})


def select(*edges: tuple[str, str, str]) -> QueryGraph:
    return QueryGraph("select", frozenset(Triple(*edge) for edge in edges))


@pytest.fixture
def domain(store: LocalStore) -> GraphDomain:
    return DOMAIN.with_store(store)


def test_yes_and_no(domain: GraphDomain) -> None:
    graph = QueryGraph("ask", frozenset({Triple("M0", "f:directed", "M1")}))
    one = {"M0": F + "p1", "M1": F + "f1"}
    assert f"<{F}p1> f:directed <{F}f1>" in domain.query(graph, one)
    yes, no = domain.run(graph, one), domain.run(graph, {"M0": "f:p2", "M1": "f:f1"})
    assert (yes, domain.show(yes)) == (True, ["yes"])
    assert (no, domain.show(no)) == (False, ["no"])


def test_names_in_order(domain: GraphDomain) -> None:
    films = domain.run(select(("M0", "f:directed", "?x0")), {"M0": F + "p1"})
    assert domain.show(films) == ["Night Ferry", "Salt"]
    assert domain.denotation(films) == {F + "f1", F + "f2"}


def test_the_query_runs_as_it_is_shown(domain: GraphDomain, store: LocalStore) -> None:
    query = domain.query(select(("?x0", "f:directed", "M0")), {"M0": F + "f1"})
    assert store.select(query, 10) == [F + "p1"]


def test_literals_are_their_own_names(domain: GraphDomain) -> None:
    years = domain.run(select(("M0", "f:year", "?x0")), {"M0": F + "f2"})
    assert (years, domain.show(years)) == (("1999",), ["1999"])


def test_a_limit(domain: GraphDomain) -> None:
    graph = select(("M0", "f:directed", "?x0"))
    cut, whole = replace(domain, limit=1), replace(domain, limit=2)
    value = cut.run(graph, {"M0": F + "p1"})
    assert len(cut.show(value)) == 1
    with pytest.raises(DataError, match="more than 1 values"):
        cut.denotation(value)
    assert len(whole.show(whole.run(graph, {"M0": F + "p1"}))) == 2


def test_more_values_are_compared_than_shown(domain: GraphDomain) -> None:
    graph = select(("M0", "f:directed", "?x0"))
    compared = Runner(replace(domain, limit=1)).denotation(graph, (("M0", F + "p1"),))
    assert compared == {F + "f1", F + "f2"}


def test_no_values(domain: GraphDomain) -> None:
    none = domain.run(select(("M0", "f:married", "?x0")), {"M0": F + "p1"})
    assert none == ()
    assert domain.show(none) == []


def test_a_filter_takes_away(domain: GraphDomain) -> None:
    edges = {Triple("?x0", "f:directed", "?x1"), Triple("?x2", "f:directed", "?x1")}
    differ = QueryGraph("ask", frozenset(edges), filters=frozenset({("?x0", "?x2")}))
    assert domain.run(QueryGraph("ask", frozenset(edges))) is True
    assert domain.run(differ) is False


@pytest.mark.parametrize("bindings", [{}, {"M0": "p1"}, {"M0": "http://a.example/> } #"}])
def test_what_cannot_be_bound_does_not_run(domain: GraphDomain, bindings: dict[str, str]) -> None:
    with pytest.raises(ExecutionError, match=r"^M0 "):
        domain.run(select(("M0", "f:directed", "?x0")), bindings)


def test_an_undeclared_prefix_does_not_run(domain: GraphDomain) -> None:
    with pytest.raises(ExecutionError, match="cannot be read"):
        domain.run(select(("M0", "g:directed", "?x0")), {"M0": F + "p1"})


class Down:
    """A store that is down, at once or when it comes to labels."""

    def __init__(self, values: list[str] | None) -> None:
        self.values = values

    def ask(self, query: str) -> bool:
        raise ExecutionError("down")

    def select(self, query: str, limit: int) -> list[str]:
        if self.values is None:
            raise ExecutionError("down")
        return self.values

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        raise ExecutionError("down")

    def names(self, limit: int) -> dict[str, list[str]]:
        raise ExecutionError("down")


@pytest.mark.parametrize("values", [None, [F + "f1"]])
def test_a_store_that_is_down_is_an_error(values: list[str] | None) -> None:
    domain = DOMAIN.with_store(Down(values))
    with pytest.raises(ExecutionError, match=r"^down$"):
        domain.show(domain.run(select(("M0", "f:p", "?x0")), {"M0": F + "p1"}))
    with pytest.raises(ExecutionError, match=r"^down$"):
        domain.run(QueryGraph("ask", DIRECTED), {"M0": F + "p1"})


TURTLE = """@prefix : <https://x.example/> .
:e :title "Emma" ; :year 1815 .
:d :title "Dracula" ; :year 1897 .
:q :title "say \\"$of\\"" ; :year 1900 .
"""


class Heard(RowStore):
    """Keeps the queries it is asked, and gives one row."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self.row, self.queries = row, list[str]()

    def ask(self, query: str) -> bool:
        raise AssertionError

    def rows(self, query: str, limit: int) -> Sequence[Row]:
        self.queries.append(query)
        return [self.row]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> SPARQL:
    file = tmp_path_factory.mktemp("graph") / "data.ttl"
    file.write_text(TURTLE, encoding="utf-8")
    return SPARQL(file, prefixes={"": "https://x.example/"})


def test_sets_and_values_fill_a_query(graph: SPARQL) -> None:
    query = "SELECT ?t { VALUES ?t $of ?b :title ?t ; :year ?y FILTER (?y > $year) } ORDER BY ?t"
    some = Many(["Emma", "Dracula", 'x" } ; DROP ALL', 'say "$of"'])
    assert graph.column(query, of=some, year=1820) == ("Dracula", 'say "$of"')
    assert graph.column(query, of=some, year=Number(1000)) == ("Dracula", "Emma", 'say "$of"')
    assert graph.column(query, of=One([]), year=0) == ()


def test_texts_and_comments_hold_no_parameters() -> None:
    store = Heard({"t": GraphValue("x")})
    query = "SELECT ?t { ?b ?p \"$of\", '$of', <x:$of> . # $of\n VALUES ?t $of }"
    assert SPARQL(store).column(query, of=Many(["a", 2])) == ("x",)
    assert store.queries == [query.replace("?t $of", '?t { "a" 2 }')]


def test_mistakes_are_told() -> None:
    one, two = Heard({"t": GraphValue("x")}), Heard({"t": GraphValue("x"), "y": GraphValue("z")})
    with pytest.raises(ExecutionError, match=r"nothing is given for \$of"):
        SPARQL(one).column("SELECT ?t { VALUES ?t $of }")
    with pytest.raises(ExecutionError, match="selects several variables"):
        SPARQL(two).column("SELECT ?t ?y { ?t ?p ?y }")
    with pytest.raises(ExecutionError, match="no such file"):
        SPARQL(Path("nix.ttl")).column("SELECT ?t { ?t ?p ?y }")


@cases("value, text")
def test_literals(value: object, text: str) -> None:
    assert literal(value) == text


def test_other_values_are_refused() -> None:
    with pytest.raises(ExecutionError, match="no text or number"):
        literal(None)

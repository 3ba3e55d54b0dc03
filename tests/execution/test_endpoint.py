"""A store behind HTTP: good answers, and all that can go wrong."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from partwise.errors import ExecutionError
from partwise.execution.sparql import LABEL, Endpoint
from partwise.language.graph_domain import QueryStore

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


def test_labels(endpoint: Make, server: Server) -> None:
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


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Welcome</html>",
        b"\xff\xfe\xfa",
        b'{"boolean": tru',
        DEEP,
        b'{"boolean": ' + DEEP,
        b"true",
        b"[]",
        b"{}",
        b'{"boolean": 1}',
        b'{"boolean": "true", "results": {}}',
        b'{"results": {"bindings": {}}}',
        b'{"results": {"bindings": ["x0"]}}',
        b'{"results": {"bindings": [{"x0": "http://a.example/"}]}}',
        b'{"results": {"bindings": [{"x0": {"type": "uri"}}]}}',
        b'{"results": {"bindings": [{"x0": {"value": 3}}]}}',
        b'{"results": []}',
        b'{"number": ' + b"1" * 5000 + b"}",
    ],
)
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


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX-Long:",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 500 Oh\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
    ],
)
def test_a_store_that_drips(endpoint: Make, server: Server, start: bytes) -> None:
    with pytest.raises(ExecutionError, match=r"no answer within 0\.3 s"):
        endpoint(drips(server, start), timeout=0.3).ask("ASK")
    # Its thread ends too: the socket is shut.
    for _ in range(200):
        if not [t for t in threading.enumerate() if t.name.endswith("(_run)")]:
            return
        time.sleep(0.02)
    raise AssertionError("the thread of the request lives on")


def test_answers_are_bounded(endpoint: Make, server: Server) -> None:
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


@pytest.mark.parametrize(
    "reply",
    [
        b"hello\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"",
    ],
)
def test_broken_http(endpoint: Make, reply: bytes) -> None:
    with pytest.raises(ExecutionError, match=r"http://127\.0\.0\.1"):
        endpoint(lambda handler: handler.wfile.write(reply) and None).ask("ASK")


def test_a_store_that_is_down() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ExecutionError, match="cannot be reached"):
        Endpoint(f"http://127.0.0.1:{port}/sparql", timeout=5).ask("ASK")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://a.example/",
        "data:application/json,{}",
        "a.example/sparql",
        "http://",
        "http:///sparql",
        "http://a.example:99999/",
        "http://a.example/ x",
        "http://a.example/\r\nX: y",
        "http://ä.example/",
        "http://me:secret@a.example/",
        "",
    ],
)
def test_urls_that_are_no_endpoint(url: str) -> None:
    with pytest.raises(ExecutionError, match="endpoint"):
        Endpoint(url)

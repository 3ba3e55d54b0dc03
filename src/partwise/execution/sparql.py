"""Knowledge graphs by SPARQL: a Turtle file in a process of its own, an endpoint, or either."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from importlib.resources import as_file, files
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from partwise.errors import ExecutionError
from partwise.execution.database import fill
from partwise.execution.process import WORKER, Process
from partwise.language.graph_domain import QueryStore
from partwise.language.sparql import is_iri, last_part
from partwise.language.values import Number, Some, Truth

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
BATCH = 100
"""IRIs whose labels one query asks for."""
PER_IRI = 50
"""Labels that are read of one IRI, all its languages together."""


class GraphValue(NamedTuple):
    """A value of a variable; `language` of a literal, in lower case, empty for none."""

    text: str
    language: str = ""


Row = Mapping[str, GraphValue]
"""Values by variable, without the question mark; unbound variables are not there."""


class RowStore(QueryStore):
    """A store that asks and gives rows; the rest follows. `language`: of labels; one without a
    language, then any variant, is next best."""

    def __init__(self, language: str = "en") -> None:
        if not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", language):
            raise ExecutionError(f"{language!r} is no language tag, such as 'en' or 'pt-BR'")
        self.language = language.lower()

    @abstractmethod
    def rows(self, query: str, limit: int) -> Sequence[Row]:
        """The first `limit` solutions of a ``SELECT`` query."""

    def select(self, query: str, limit: int) -> list[str]:
        return [row["x0"].text for row in self.rows(query, limit) if "x0" in row]

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        """What is no IRI (a literal, a blank node) is its own name."""
        names = {iri: last_part(iri) if is_iri(iri) else iri for iri in iris}
        known = sorted(iri for iri in names if is_iri(iri))
        for start in range(0, len(known), BATCH):
            names |= self._labels(known[start : start + BATCH])
        return names

    def _labels(self, iris: Sequence[str]) -> dict[str, str]:
        values = " ".join(f"<{iri}>" for iri in iris)
        where = f"VALUES ?x0 {{ {values} }} ?x0 <{LABEL}> ?label"
        order = {self.language: 0, "": 1}
        best: dict[str, tuple[int, str]] = {}
        for iri, label in self._with_labels(where, PER_IRI * len(iris)):
            rank = order.get(label.language, 2), label.text
            best[iri] = min(rank, best.get(iri, rank))
        return {iri: best[iri][1] for iri in iris if iri in best}

    def _with_labels(self, where: str, limit: int) -> Iterator[tuple[str, GraphValue]]:
        """The solutions that have an ``x0`` and a ``label`` in the store's language or in none."""
        query = (
            f"SELECT ?x0 ?label WHERE {{ {where} "
            f'FILTER ( LANG(?label) = "" || LANGMATCHES(LANG(?label), "{self.language}") ) }} '
            f"LIMIT {limit}"
        )
        for row in self.rows(query, limit):
            if "x0" in row and row.get("label", GraphValue("")).text:
                yield row["x0"].text, row["label"]

    def names(self, limit: int) -> dict[str, list[str]]:
        names: dict[str, set[str]] = {}
        for iri, label in self._with_labels(f"?x0 <{LABEL}>|<{ALIAS}> ?label", limit):
            if is_iri(iri):
                names.setdefault(label.text, set()).add(iri)
        return {name: sorted(names[name]) for name in sorted(names)}


_ASIDE = re.compile(
    r"(?P<blank>#[^\n\r]*)"
    r"|\\.|<[^\x00-\x20<>\"{}|^`\\]*>"
    r"|'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""
    r"|'(?:[^'\\\n\r]|\\.)*'|\"(?:[^\"\\\n\r]|\\.)*\"",
    re.DOTALL,
)
"""Comments; characters that a backslash marks, IRIs and strings."""
_BRACKET = re.compile(r"[{}()\[\]]")
_SERVICE = re.compile(r"SERVICE\s*(?:SILENT\s*)?[^\s{}();,]*\s*\{", re.IGNORECASE)
DEEPEST = 200
"""Brackets inside one another in a query."""


class LocalStore(RowStore):
    """A Turtle file in memory (pyoxigraph), in UTF-8. pyoxigraph cannot stop a query once it runs,
    so the graph lives in a process of its own, with `max_memory` bytes, which is ended after
    `timeout` seconds; the next query starts another. Queries wait for one another. They read only:
    pyoxigraph's query call knows no updates, and ``SERVICE`` is refused. Raises ExecutionError if
    the file is missing or is no Turtle; later, for a query that cannot be read, takes too long, or
    gives more than `max_characters`."""

    def __init__(
        self,
        path: str | Path,
        timeout: float = 10.0,
        load_timeout: float = 120.0,
        max_characters: int = 10_000_000,
        max_memory: int = 8 << 30,
        language: str = "en",
    ) -> None:
        super().__init__(language)
        self.path, self.timeout, self.load_timeout = Path(path), timeout, load_timeout
        self.max_characters, self.max_memory = max_characters, max_memory
        if not self.path.is_file():
            raise ExecutionError(f"{self.path}: there is no such file")
        place, memory = str(self.path.absolute()), str(max_memory)
        self._process = Process((str(WORKER), "turtle", place, memory), load_timeout, str(path))
        self._process.start()

    def ask(self, query: str) -> bool:
        return bool(self._call("ask", query))

    def rows(self, query: str, limit: int) -> Sequence[Row]:
        rows = self._call("rows", query, limit, self.max_characters)
        return [{name: GraphValue(*value) for name, value in row.items()} for row in rows]

    def close(self) -> None:
        self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _call(self, what: str, query: str, *limits: int) -> Any:
        check_reading(query)
        kind, value = self._process.call(self.timeout, what, query, *limits)
        if kind != "ok":
            failed = "cannot be read" if kind == "query" else "failed"
            raise ExecutionError(f"the query {failed}: {value}")
        return value


@contextmanager
def open_packaged_store(package: str, file: str, timeout: float = 10.0) -> Iterator[LocalStore]:
    """A Turtle file that stands in a package, as a `LocalStore`; it is closed with the context."""
    with as_file(files(package).joinpath(file)) as path, LocalStore(path, timeout) as store:
        yield store


def check_reading(query: str) -> None:
    """Let only queries through that ask no other store and are not deep, else raise ExecutionError.
    The process could not reach another store either, where the system lets it give up opening
    files. It has no limit of depth, and would go down."""
    plain = _ASIDE.sub(lambda match: " " if match["blank"] else "x", query)
    if _SERVICE.search(plain):
        raise ExecutionError("the query uses SERVICE: a local store asks no other")
    steps = ((mark in "{([") - (mark in "})]") for mark in _BRACKET.findall(plain))
    if max(accumulate(steps), default=0) > DEEPEST:
        raise ExecutionError(f"the query has more than {DEEPEST} brackets inside one another")


T = TypeVar("T")
JSON = "application/sparql-results+json"
AGENT = "partwise/0.1 (SPARQL client)"


class Endpoint(RowStore):
    """A store that speaks the SPARQL 1.1 protocol (query by URL-encoded POST, JSON results);
    redirections are not followed. `timeout`: seconds for a query in all; `agent`: the User-Agent
    header, as public stores ask for one that says whom to write to. Raises ExecutionError if the
    URL cannot be used; later, when the store fails or refuses."""

    def __init__(
        self,
        url: str,
        timeout: float = 30.0,
        max_bytes: int = 10_000_000,
        agent: str = AGENT,
        language: str = "en",
    ) -> None:
        super().__init__(language)
        _check_url(url)
        if not agent.isprintable() or not agent.isascii():
            raise ExecutionError(f"{agent!r} cannot be a User-Agent: plain ASCII on one line")
        self.url, self.timeout, self.max_bytes, self.agent = url, timeout, max_bytes, agent

    def ask(self, query: str) -> bool:
        return self._result(query, _truth)

    def rows(self, query: str, limit: int) -> Sequence[Row]:
        def read(answer: Any) -> list[Row]:
            rows = answer["results"]["bindings"][:limit]
            return [{name: _value(term) for name, term in row.items()} for row in rows]

        return self._result(query, read)

    def _result(self, query: str, read: Callable[[Any], T]) -> T:
        body = self._body(query)
        try:
            return read(json.loads(body))
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            shown = _line(body.decode("utf-8", "replace"), 80)
            raise ExecutionError(
                f"{self.url}: the answer is no SPARQL result in JSON: {shown!r}"
            ) from None

    def _body(self, query: str) -> bytes:
        # A thread asks, since neither looking up a host nor bytes that come one by one can be
        # bounded otherwise; when time is up its socket is shut, which ends it.
        sockets: list[socket.socket] = []
        answer: Future[bytes] = Future()

        def _run() -> None:
            try:
                answer.set_result(self._read(query, sockets))
            except Exception as error:  # told in the caller's thread
                answer.set_exception(error)

        threading.Thread(target=_run, daemon=True).start()
        try:
            body = answer.result(self.timeout)
        except Exception as error:
            for sock in sockets:
                # Not SSLSocket.shutdown, which would pull its state from under the reading thread.
                with suppress(OSError):
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)
            raise ExecutionError(f"{self.url}: {self._reason(error)}") from None
        if len(body) > self.max_bytes:
            raise ExecutionError(f"{self.url}: the answer is larger than {self.max_bytes:,} bytes")
        return body

    def _read(self, query: str, sockets: list[socket.socket]) -> bytes:
        form = urllib.parse.urlencode({"query": query}).encode()
        headers = {"Accept": JSON, "User-Agent": self.agent, "Accept-Encoding": "identity"}
        request = urllib.request.Request(self.url, form, headers, method="POST")
        opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.ProxyHandler(), _Http(sockets), _OnlyGood()):
            opener.add_handler(handler)
        with opener.open(request, timeout=self.timeout) as response:
            body: bytes = response.read(self.max_bytes + 1)
            return body

    def _reason(self, error: Exception) -> str:
        if isinstance(error, ExecutionError):
            return str(error)
        why = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(why, TimeoutError):
            return f"no answer within {self.timeout:g} s"
        if isinstance(error, urllib.error.URLError):
            return f"cannot be reached: {why}"
        return f"the connection broke: {_line(str(why)) or type(why).__name__}"


def _truth(answer: Any) -> bool:
    if not isinstance(answer["boolean"], bool):
        raise TypeError
    return answer["boolean"]


def _value(term: Any) -> GraphValue:
    text, language = term["value"], term.get("xml:lang", "")
    if not isinstance(text, str):
        raise TypeError
    return (
        GraphValue(f"_:{text}")
        if term.get("type") == "bnode"
        else GraphValue(text, language.lower())
    )


def _check_url(url: str) -> None:
    try:
        parts = urllib.parse.urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isascii() or not url.isprintable() or " " in url:
        raise ExecutionError(f"{url!r} is no URL of an endpoint: http://… or https://… in ASCII")
    if parts.username is not None:
        raise ExecutionError("the URL of an endpoint must hold no user name or password")


class _Http(urllib.request.HTTPSHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self.sockets = sockets

    http_request = urllib.request.AbstractHTTPHandler.do_request_

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._keep(http.client.HTTPConnection), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._keep(http.client.HTTPSConnection), req)

    def _keep(self, kind: type[http.client.HTTPConnection]) -> Any:
        def connect(connection: http.client.HTTPConnection) -> None:
            kind.connect(connection)
            self.sockets.append(connection.sock)

        return type("Connection", (kind,), {"connect": connect})


class _OnlyGood(urllib.request.HTTPErrorProcessor):
    def http_response(self, request: Any, response: Any) -> Any:
        if response.status == 200:
            return response
        with response:
            target = response.headers.get("Location")
            if 300 <= response.status < 400 and target:
                raise ExecutionError(f"moved to {_line(target)}: ask there if you trust it")
            told = ""
            with suppress(OSError, http.client.HTTPException):
                told = _line(response.read(2000).decode("utf-8", "replace"))
            status = f"HTTP status {response.status} {_line(response.reason)}"
            raise ExecutionError(f"{status}: {told}" if told else status)

    https_response = http_response


def _line(text: str, length: int = 200) -> str:
    line = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(line.split())[:length]


LIMIT = 100_000
"""Solutions that are read of one query."""
# Texts, IRIs and comments are passed over, so that only parameters are found.
_PARAMETER = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|<[^<>\s]*>|#[^\n]*|\$(?P<name>\w+)", re.S
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class SPARQL:
    """Reads a knowledge graph; a Turtle file or a store that is open. A file is opened when first
    asked. A ``$name`` in a query becomes the literal that is given for it, quoted as SPARQL has it,
    and for a set all of them: ``VALUES ?title $of`` with ``of=Many(["Emma", "Dracula"])``. The
    `prefixes` (-> IRI) are put in front of each query."""

    def __init__(
        self, store: str | Path | RowStore, prefixes: Mapping[str, str] | None = None
    ) -> None:
        self._store, self._lock = store, threading.Lock()
        prefixes = prefixes or {}
        self._head = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in prefixes.items())

    def column(self, query: str, **given: object) -> tuple[str, ...]:
        """The texts of a ``SELECT`` query's one variable, in its order. `given`: a text, a number
        or a set of them for each ``$name`` in the query. Raises ExecutionError if the store cannot
        be opened, the query fails, selects several variables or gives more than `LIMIT` solutions,
        or a value is of another kind."""
        with self._lock:
            if not isinstance(self._store, RowStore):
                self._store = LocalStore(self._store)
        rows = self._store.rows(self._head + _fill(query, given), LIMIT + 1)
        if len(rows) > LIMIT:
            raise ExecutionError(f"more than {LIMIT:,} solutions of {query!r}; narrow it")
        if any(len(row) > 1 for row in rows):
            raise ExecutionError(f"{query!r} selects several variables; column takes one")
        return tuple(value.text for row in rows for value in row.values())


def _fill(query: str, given: Mapping[str, object]) -> str:
    def write_value(name: str) -> str:
        value = given[name]
        return (
            f"{{ {' '.join(map(literal, value))} }}" if isinstance(value, Some) else literal(value)
        )

    return fill(_PARAMETER, query, given, write_value)


def literal(value: object) -> str:
    """A text, a number, or yes and no as SPARQL writes it. Raises ExecutionError for any other
    value."""
    if isinstance(value, Number | Truth):
        value = value.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return '"' + "".join(_ESCAPES.get(letter, letter) for letter in value) + '"'
    raise ExecutionError(f"{value!r:.80} is no text or number, which a query may be given")

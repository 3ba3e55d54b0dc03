"""Endpoint: a SPARQL 1.1 store behind HTTP. Nothing is sent until it is asked."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Never

from partwise.errors import ExecutionError
from partwise.execution.store import Row, RowStore, Value

JSON = "application/sparql-results+json"
AGENT = "partwise/0.1 (SPARQL client)"


class Endpoint(RowStore):
    """A store that speaks the SPARQL 1.1 protocol (query by URL-encoded POST, JSON results).

    Args:
        url: http or https; redirections are not followed, the error names their target.
        timeout: seconds for a query in all, from looking up the host to the last byte.
        max_bytes: of an answer.
        agent: the User-Agent header; public stores ask for one that says whom to write to.

    Raises:
        ExecutionError: if the URL cannot be used; later, when the store is down or slow, refuses
            the query, or answers with what is no result.
    """

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
        """Whether an ``ASK`` query has a match."""
        answer = self._json(query).get("boolean")
        if not isinstance(answer, bool):
            self._no_result("it has no yes or no")
        return answer

    def rows(self, query: str, limit: int) -> Sequence[Row]:
        """The first `limit` solutions of a ``SELECT`` query."""
        results = self._json(query).get("results")
        bindings = results.get("bindings") if isinstance(results, dict) else None
        if not isinstance(bindings, list):
            self._no_result("it has no bindings")
        return [self._row(binding) for binding in bindings[:limit]]

    def _row(self, binding: Any) -> Row:
        if not isinstance(binding, dict):
            self._no_result("a binding is no object")
        return {name: self._value(term) for name, term in binding.items()}

    def _value(self, term: Any) -> Value:
        if not isinstance(term, dict) or not isinstance(term.get("value"), str):
            self._no_result("a binding has no value")
        text, language = term["value"], term.get("xml:lang", "")
        if term.get("type") == "bnode":
            return Value(f"_:{text}")
        return Value(text, language.lower() if isinstance(language, str) else "")

    def _json(self, query: str) -> dict[str, Any]:
        body = _Call(self, query).answer()
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
            self._no_result("it is no JSON, or too deep")
        if not isinstance(answer, dict):
            self._no_result("it is no JSON object")
        return answer

    def _no_result(self, why: str) -> Never:
        raise ExecutionError(f"{self.url}: the answer is no SPARQL result in JSON: {why}")


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


class _Call:
    """One request. A thread makes it, since neither looking up a host nor bytes that come one by
    one can be bounded otherwise; when time is up its socket is shut, which ends it."""

    def __init__(self, endpoint: Endpoint, query: str) -> None:
        self.endpoint = endpoint
        form = urllib.parse.urlencode({"query": query}).encode()
        headers = {"Accept": JSON, "User-Agent": endpoint.agent, "Accept-Encoding": "identity"}
        self.request = urllib.request.Request(endpoint.url, form, headers, method="POST")
        self.sockets: list[socket.socket] = []
        self.body: bytes | None = None
        self.error: str | None = None

    def answer(self) -> bytes:
        """The body of the answer."""
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        thread.join(self.endpoint.timeout)
        if thread.is_alive():
            self._shut()
            raise self._failed(self._slow())
        if self.error is not None or self.body is None:
            raise self._failed(self.error or "no answer")
        if len(self.body) > self.endpoint.max_bytes:
            raise self._failed(f"the answer is larger than {self.endpoint.max_bytes:,} bytes")
        return self.body

    def _failed(self, why: str) -> ExecutionError:
        return ExecutionError(f"{self.endpoint.url}: {why}")

    def _slow(self) -> str:
        return f"no answer within {self.endpoint.timeout:g} s"

    def _run(self) -> None:
        try:
            opener = urllib.request.OpenerDirector()
            for handler in (urllib.request.ProxyHandler(), _Http(self), _Https(self), _NoMore()):
                opener.add_handler(handler)
            with opener.open(self.request, timeout=self.endpoint.timeout) as response:
                self.body = response.read(self.endpoint.max_bytes + 1)
        except Exception as error:  # told by `answer` in the caller's thread
            self.error = self._reason(error)

    def _reason(self, error: Exception) -> str:
        if isinstance(error, urllib.error.HTTPError):
            with error:
                return _status(error)
        why = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(why, TimeoutError):
            return self._slow()
        if isinstance(error, urllib.error.URLError):
            return f"cannot be reached: {why}"
        return f"the connection broke: {_line(str(why)) or type(why).__name__}"

    def _shut(self) -> None:
        for sock in self.sockets:
            # Not SSLSocket.shutdown, which would pull its state from under the reading thread.
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)


class _Http(urllib.request.HTTPHandler):
    """Keeps the sockets, so that they can be shut."""

    def __init__(self, call: _Call) -> None:
        super().__init__()
        self.call = call

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        sockets = self.call.sockets

        class Connection(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        return self.do_open(Connection, req)


class _Https(urllib.request.HTTPSHandler):
    """Keeps the sockets, so that they can be shut."""

    def __init__(self, call: _Call) -> None:
        super().__init__()
        self.call = call

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        sockets = self.call.sockets

        class Connection(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        return self.do_open(Connection, req)


class _NoMore(urllib.request.HTTPErrorProcessor):
    """Takes only 200; redirections are errors too."""

    def http_response(self, request: Any, response: Any) -> Any:
        if response.status != 200:
            raise urllib.error.HTTPError(
                request.full_url, response.status, response.reason, response.headers, response
            )
        return response

    https_response = http_response


def _status(error: urllib.error.HTTPError) -> str:
    target = error.headers.get("Location")
    if 300 <= error.code < 400 and target:
        return f"moved to {_line(target)}: ask there if you trust it"
    said = ""
    with suppress(OSError, http.client.HTTPException):
        said = _line(error.read(2000).decode("utf-8", "replace"))
    return f"HTTP status {error.code} {_line(error.reason)}" + (f": {said}" if said else "")


def _line(text: str, length: int = 200) -> str:
    """A text of the store's on one line, safe to show."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(line.split())[:length]

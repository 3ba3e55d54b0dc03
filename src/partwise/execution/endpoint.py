"""Endpoint: a SPARQL 1.1 store behind HTTP. Nothing is sent until it is asked."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from partwise.errors import ExecutionError
from partwise.execution.store import GraphValue, Row, RowStore

T = TypeVar("T")
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
        ExecutionError: if the URL cannot be used; later, when the store fails or refuses.
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
    """Opens http and https, and keeps the sockets, so that they can be shut."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self.sockets = sockets

    http_request = urllib.request.AbstractHTTPHandler.do_request_

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._kept(http.client.HTTPConnection), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._kept(http.client.HTTPSConnection), req)

    def _kept(self, kind: type[http.client.HTTPConnection]) -> Any:
        def connect(connection: http.client.HTTPConnection) -> None:
            kind.connect(connection)
            self.sockets.append(connection.sock)

        return type("Connection", (kind,), {"connect": connect})


class _OnlyGood(urllib.request.HTTPErrorProcessor):
    """Takes only 200; redirections are errors too."""

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
    """A text of the store's on one line, safe to show."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(line.split())[:length]

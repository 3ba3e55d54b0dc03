"""Middleware in front of the API: keys, bodies within limits, rates of clients, headers."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partwise.serve.limits import PAUSE, Limits, RateLimiter, client_name
from partwise.serve.problems import ProblemError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Nothing is loaded from elsewhere, nothing inline is run."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LARGE = 16_384
"""Bytes of a body that waits for its turn among others as large ..."""
PACE = 4_000_000
"""... of which so many a second are let through: many at once would hold up all other requests."""


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Attributes:
        keys: one of them must come with each question, and with a look at the metrics; none for
            everybody.
        origins: web sites whose pages may ask, as ``https://example.org``.
    """

    keys: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


def client_of(scope: Scope) -> str:
    """The name of the client that sent a request."""
    client = scope.get("client")
    return client_name(client[0]) if client else ""


async def charge(limiter: RateLimiter, scope: Scope, questions: int = 1) -> None:
    """Take questions from the rate of the client that sent a request.

    Raises:
        ProblemError: if it has asked too many; after a while, as who asks again at once would keep
            the server busy with saying no.
    """
    wait = limiter.take(client_of(scope), questions)
    if wait:
        await asyncio.sleep(min(wait, PAUSE))
        said = f"more than {limiter.rate} questions a minute; ask again in {max(1, round(wait))} s"
        raise ProblemError(429, said, wait)


class SafeHeaders:
    """Puts the headers of safety on each response; answers are not to be stored."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                page = scope["path"] == "/" or scope["path"].startswith("/page/")
                headers.setdefault("Cache-Control", "no-cache" if page else "no-store")
            await send(message)

        await self.app(scope, receive, safe if scope["type"] == "http" else send)


class Guard:
    """Sends requests away that are too large, too slow, or too many, by a `ProblemError`.

    A body is read here, whole: so it is counted as it arrives, whatever its header says.
    """

    def __init__(self, app: ASGIApp, limits: Limits, limiter: RateLimiter, access: Access) -> None:
        self.app, self.limits, self.limiter = app, limits, limiter
        self._large = asyncio.Lock()
        self._keys = [_digest(key.encode()) for key in access.keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        asks = scope["type"] == "http" and scope["method"] not in ("GET", "HEAD")
        if asks or scope.get("path") == "/metrics":
            self._check_key(scope)
        if asks:
            await charge(self.limiter, scope)
            try:
                async with asyncio.timeout(self.limits.seconds):
                    body = await self._body(scope, receive)
            except TimeoutError:
                said = f"the body took longer than {self.limits.seconds:g} s; send it at once"
                raise ProblemError(408, said) from None
            # To read a large body as JSON takes as long as many questions do.
            await charge(self.limiter, scope, len(body) // self.limits.weight)
            if len(body) > LARGE:
                async with self._large:
                    await asyncio.sleep(len(body) / PACE)
            receive = _given(body, receive)
        await self.app(scope, receive, send)

    def _check_key(self, scope: Scope) -> None:
        given = Headers(scope=scope).get("authorization", "").removeprefix("Bearer ")
        digest = _digest(given.encode())
        # Each is compared, and digests are, so that the time taken says nothing about a key.
        if self._keys and not sum(hmac.compare_digest(digest, key) for key in self._keys):
            said = "a key is needed here; send a header: Authorization: Bearer KEY"
            raise ProblemError(401, said)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The body, of which no more is read than is allowed."""
        told = Headers(scope=scope).get("content-length", "")
        parts: list[bytes] = []
        size, more, most = 0, True, self.limits.body_of(scope["path"])
        if told.isdecimal() and int(told) > most:
            size, more = int(told), False
        while more:
            message = await receive()
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            more = message.get("more_body", False) and size <= most
        if size > most:
            said = f"the body has more than {most} bytes; send fewer or shorter questions"
            raise ProblemError(413, said)
        return b"".join(parts)


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


def _given(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read before, then what else arrives."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay

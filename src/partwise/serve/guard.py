"""Middleware in front of the API: bodies within limits, rates of clients, headers of safety."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partwise.serve.limits import Limits, RateLimiter, client_name
from partwise.serve.problems import problem_response

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


def client_of(scope: Scope) -> str:
    """Who sent a request, for the rate limiter."""
    client = scope.get("client")
    return client_name(client[0]) if client else ""


def too_many(wait: float, rate: int) -> str:
    """What a client is told that asks too much."""
    return f"more than {rate} questions a minute; ask again in {max(1, round(wait))} s"


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
    """Sends requests away that are too large, too slow, or too many, as problems.

    A body is read here, whole: so it is counted as it arrives, whatever its header says.
    """

    def __init__(self, app: ASGIApp, limits: Limits, limiter: RateLimiter) -> None:
        self.app, self.limits, self.limiter = app, limits, limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        wait = self.limiter.take(client_of(scope))
        if wait:
            response = problem_response(scope, 429, too_many(wait, self.limiter.rate), wait)
            await response(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self.limits.seconds):
                body = await self._body(scope, receive)
        except TimeoutError:
            detail = f"the body took longer than {self.limits.seconds:g} s; send it at once"
            await problem_response(scope, 408, detail)(scope, receive, send)
            return
        if body is None:
            detail = f"the body has more than {self.limits.body} bytes; send fewer questions"
            await problem_response(scope, 413, detail)(scope, receive, send)
            return
        await self.app(scope, _given(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The body; None if it is too large."""
        told = Headers(scope=scope).get("content-length", "")
        if told.isdecimal() and int(told) > self.limits.body:
            return None
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            more = message.get("more_body", False)
            if size > self.limits.body:
                return None
        return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read before, then what else arrives."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay

"""Runs the app: takes the port, and passes the web server's own words on to the log."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from partwise.errors import ServeError
from partwise.serve.api import create_app
from partwise.serve.limits import Limits
from partwise.serve.logs import Log, ServerLines
from partwise.serve.service import Service

CONNECTIONS = 512
"""Open at once; further ones get a 503."""


def take_port(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any that is free.

    Raises:
        ServeError: if the address is not this machine's, or the port is in use or not allowed.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.create_server(address[:2], family=family, backlog=CONNECTIONS)
        # Else the second part of an answer waits until the first is acknowledged, which clients
        # put off for 40 ms. Connections have it from the socket that listens.
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return taken
    except OSError as error:
        why = error.strerror or str(error)
        raise ServeError(
            f"cannot listen on {host}, port {port}: {why}; choose another with --port or --host"
        ) from error


def address_of(taken: socket.socket) -> str:
    """Where a browser finds what listens on a socket."""
    host, port = taken.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    service: Service,
    taken: socket.socket,
    limits: Limits | None = None,
    log: Log | None = None,
    proxy: str | None = None,
    begun: Callable[[uvicorn.Server], None] = lambda _: None,
) -> None:
    """Answer requests until the process is told to end; then those that are under way.

    Args:
        proxy: address of a proxy whose X-Forwarded-For is believed, for the rates of clients.
        begun: is given the server before it starts, whose ``should_exit`` ends it.
    """
    log = log or Log()
    config = uvicorn.Config(
        create_app(service, limits, log),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=10,
        ws="none",
    )
    server = uvicorn.Server(config)
    begun(server)
    # The server ends in peace at Ctrl+C, and then tells it on.
    with _passed_on(log), suppress(KeyboardInterrupt):
        server.run(sockets=[taken])


@contextmanager
def _passed_on(log: Log) -> Iterator[None]:
    """The web server's own words go to the log meanwhile."""
    logger = logging.getLogger("uvicorn")
    before = logger.handlers, logger.propagate, logger.level
    logger.handlers, logger.propagate = [ServerLines(log)], False
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.handlers, logger.propagate, level = before
        logger.setLevel(level)

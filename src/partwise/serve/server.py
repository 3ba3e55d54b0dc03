"""Runs the app in worker processes behind one port: starts, watches and ends them."""

import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import set_start_method
from multiprocessing.util import Finalize
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.utils.proxies import wrap_asgi_with_proxy_headers

from partwise.errors import ServeError
from partwise.serve.api import create_app
from partwise.serve.guard import Access, Limits
from partwise.serve.logs import FOLDER, Log
from partwise.serve.service import Apart, Service, when_parent_ends

HEADERS = 5.0
"""Seconds within which a connection must have sent a request's headers, the first and the next."""
CONNECTIONS = 4096
"""Open at once in a worker; further ones wait in the system's queue."""
SWITCH = 0.0005
"""Seconds that one thread of a worker runs while another one waits to."""
GRACE = 10
"""Seconds that requests under way have when the server is told to end."""
FIRST = 100
"""Priority of what ends before queues between processes do."""


_LINES = {"class": "partwise.serve.logs.ServerLines"}


@dataclass(frozen=True)
class Settings:
    """How a server answers; goes to each worker, which calls `load`. `proxy`: address of a proxy
    whose X-Forwarded-For is believed; `questions`: whether their texts are logged."""

    load: Callable[[], Service]
    limits: Limits = field(default_factory=Limits)
    access: Access = field(default_factory=Access)
    proxy: str | None = None
    questions: bool = False


def take_port(host: str, port: int) -> socket.socket:
    """A socket that keeps a port for the workers; port 0 takes any that is free. Raises ServeError
    if the address is not this machine's, or the port is in use or not allowed."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # Workers share a port, which would let two servers share one as well: this one does not.
        with socket.create_server(address[:2], family=family) as alone:
            address = alone.getsockname()
        taken = socket.socket(family)
        if hasattr(socket, "SO_REUSEPORT"):
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            taken.bind(address)
        return taken
    except OSError as error:
        why = error.strerror or str(error)
        raise ServeError(
            f"cannot listen on {host}, port {port}: {why}; choose another with --port or --host"
        ) from error


def address_of(taken: socket.socket) -> str:
    host, port = _address(taken)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def web_options(taken: socket.socket) -> dict[str, Any]:
    host, port = taken.getsockname()[:2]
    return {
        **{"address": host, "port": port, "interface": Interfaces.ASGI, "websockets": False},
        # With another mode a connection that sends nothing would stay.
        "http": HTTPModes.http1,
        "http1_settings": HTTP1Settings(
            header_read_timeout=int(1000 * HEADERS), max_buffer_size=65_536
        ),
        **{"backlog": 1024, "backpressure": CONNECTIONS},
        "log_dictconfig": {"handlers": dict.fromkeys(("console", "access"), _LINES)},
    }


def serve(settings: Settings, taken: socket.socket, begun: Callable[[str], None]) -> None:
    """Answer requests until the process is told to end; then those that are under way. A worker
    that dies is replaced. `begun` is given the domain's name when the first one answers. Raises
    PartwiseError if what answers cannot be loaded."""
    _raise_open_files()
    loaded: Service | None = settings.load()
    assert loaded is not None
    loaded.warm_up()
    name = loaded.about()["domain"]
    # Workers that are forked share what is loaded. Other systems cannot, and torch has threads.
    if sys.platform == "linux" and "torch" not in sys.modules:
        set_start_method("fork", force=True)
    else:
        set_start_method("spawn", force=True)
        loaded = None
    with tempfile.TemporaryDirectory(prefix="partwise-") as folder:
        os.environ[FOLDER] = folder
        server = Granian(
            "partwise",
            workers=settings.limits.workers,
            respawn_failed_workers=True,
            workers_kill_timeout=GRACE,
            **web_options(taken),
        )

        def watch() -> None:
            wait_for(taken)
            begun(name)

        threading.Thread(target=watch, daemon=True).start()
        try:
            server.serve(target_loader=partial(_app, settings, loaded), wrap_loader=False)
        finally:
            del os.environ[FOLDER]


def _app(settings: Settings, loaded: Service | None) -> Any:
    """What a worker answers with: what was `loaded` before it was forked, or its own."""
    when_parent_ends(partial(_end, os.environ[FOLDER]))
    # The thread that parses waits no longer than this for the one that reads requests.
    sys.setswitchinterval(SWITCH)
    apart = Apart(settings.load, loaded)
    # At the end this process waits for that one, which waits to be told while it still can be.
    Finalize(None, apart.close, exitpriority=FIRST)
    service = loaded or settings.load()
    if loaded is None:
        service.warm_up()
    # A question that waits for the process to start would count as one that costs much.
    apart.wait()
    log = Log(questions=settings.questions)
    return make_app(service, settings, log, apart)


def make_app(service: Service, settings: Settings, log: Log, apart: Apart | None = None) -> Any:
    app: Any = create_app(service, settings.limits, log, settings.access, apart)
    return app if settings.proxy is None else wrap_asgi_with_proxy_headers(app, settings.proxy)


def _end(folder: str) -> None:
    """End this process with the server: if that was killed, its port and files would stay."""
    shutil.rmtree(folder, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)


def _address(taken: socket.socket) -> tuple[str, int]:
    host, port = taken.getsockname()[:2]
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port


def wait_for(taken: socket.socket) -> None:
    """Until the port is answered, for a minute at most."""
    for _ in range(1200):
        with suppress(OSError), closing(socket.create_connection(_address(taken), 1)):
            return
        time.sleep(0.05)


def _raise_open_files() -> None:
    """As many connections as the system allows; not on Windows."""
    with suppress(ImportError):
        import resource

        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

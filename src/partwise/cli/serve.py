"""``partwise serve``."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from partwise.cli.common import AtLeast, NotNegative, Positive, Threads
from partwise.cli.models import Source
from partwise.errors import ServeError


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where to listen, and what is let through.

    Attributes:
        host: Address to listen on: 127.0.0.1 for this machine alone, 0.0.0.0 for all.
        port: Port; 0 takes any that is free.
        rate: Questions that a client may ask in a minute; 0 for any number.
        max_length: Characters of a question.
        max_batch: Questions of one request.
        proxy: Address of a proxy in front, whose X-Forwarded-For tells clients apart.
        log_questions: Also log the texts of questions; they may be private.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8000
    rate: Annotated[int, Parameter(validator=NotNegative)] = 600
    max_length: Annotated[int, Parameter(validator=Positive)] = 500
    max_batch: Annotated[int, Parameter(validator=Positive)] = 64
    proxy: str | None = None
    log_questions: Annotated[bool, Parameter(negative=())] = False


def serve(
    *,
    source: Annotated[Source, Parameter(name="*")] = Source(),  # noqa: B008
    server: Annotated[Server, Parameter(name="*")] = Server(),
    at_least: AtLeast = 0.0,
    threads: Threads = 1,
) -> None:
    """Serve a page where one asks, and a JSON API; /openapi.json describes it.

    Logs are JSON, one object a line, on standard error.
    """
    missing = [name for name in ("fastapi", "uvicorn") if importlib.util.find_spec(name) is None]
    if missing:
        raise ServeError(f"serving needs {' and '.join(missing)}: pip install 'partwise[serve]'")
    import torch

    from partwise.serve.limits import Limits
    from partwise.serve.logs import Log
    from partwise.serve.server import address_of, take_port
    from partwise.serve.server import serve as run
    from partwise.serve.service import Service

    # In JSON a character takes up to six bytes.
    body = max(Limits.body, 6 * server.max_length * server.max_batch + 4096)
    limits = Limits(
        body=body, rate=server.rate, characters=server.max_length, batch=server.max_batch
    )
    torch.set_num_threads(threads)
    # The port first: a parser takes long to load.
    with take_port(server.host, server.port) as taken:
        parser, context = source.load()
        about = getattr(parser.domain, "about", None)
        if about is not None:
            # A wrong context is said now, and not to each one who asks.
            about(context)
        service = Service(parser, context, at_least)
        print(f"Serving {parser.domain.name} on {address_of(taken)} (Ctrl+C ends it)", flush=True)
        run(service, taken, limits, Log(questions=server.log_questions), server.proxy)

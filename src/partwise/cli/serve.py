"""``partwise serve``, for people and programs, and ``partwise mcp``, for assistants."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from partwise.cli.common import AtLeast, NotNegative, Positive, Threads
from partwise.cli.sources import Load, ParserSource
from partwise.errors import ServeError

if TYPE_CHECKING:
    from partwise.serve.service import Service

KEYS_VARIABLE = "PARTWISE_API_KEYS"


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where to listen, and what is let through.

    Attributes:
        host: Address to listen on: 127.0.0.1 for this machine alone, 0.0.0.0 for all.
        port: Port; 0 takes any that is free.
        workers: Processes, which share the parser in memory on Linux; one for each core.
        rate: Questions that a client may ask in a minute; 0 for any number.
        max_length: Characters of a question.
        max_batch: Questions of one request.
        max_wait: Seconds that a question may have to wait; further ones get status 503.
        keys: File of keys, one a line: a question must come with one of them. Without it the keys
            in the environment variable PARTWISE_API_KEYS, if any, with commas between.
        origin: Web site whose pages may ask, as https://example.org. May be repeated.
        proxy: Address of a proxy in front, whose X-Forwarded-For tells clients apart.
        log_questions: Also log the texts of questions; they may be private.
        confirm: Take what people confirm (POST /confirm) and what they say that words mean (POST
            /synonym), and write it into the folder of the database.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8000
    workers: Annotated[int, Parameter(validator=Positive)] = 1
    rate: Annotated[int, Parameter(validator=NotNegative)] = 600
    max_length: Annotated[int, Parameter(validator=Positive)] = 500
    max_batch: Annotated[int, Parameter(validator=Positive)] = 64
    max_wait: Annotated[float, Parameter(validator=Number(gt=0))] = 5.0
    keys: Path | None = None
    origin: Annotated[tuple[str, ...], Parameter(negative=())] = ()
    proxy: str | None = None
    log_questions: Annotated[bool, Parameter(negative=())] = False
    confirm: Annotated[bool, Parameter(negative=())] = False


PlacedDomain = Annotated[
    str | None,
    Parameter(help="What is asked about, as --domain: your domain's folder here, or a name."),
]


def with_domain(source: ParserSource, domain: str | None) -> ParserSource:
    """The source, about a domain that was named without ``--domain``. Raises ServeError if both
    name one."""
    if domain is None:
        return source
    if source.domain is not None:
        raise ServeError(f"{domain} and --domain {source.domain}: name one domain")
    return replace(source, domain=domain)


def serve(
    domain: PlacedDomain = None,
    /,
    *,
    source: Annotated[ParserSource, Parameter(name="*")] = ParserSource(),  # noqa: B008
    server: Annotated[Server, Parameter(name="*")] = Server(),
    at_least: AtLeast = None,
    threads: Threads = 1,
) -> None:
    """Serve a page where one asks, and a JSON API; /openapi.json describes it.

    Logs are JSON, one object a line, on standard error.
    """
    packages = ("fastapi", "granian", "prometheus_client")
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise ServeError(f"serving needs {' and '.join(missing)}: pip install 'partwise[serve]'")
    from partwise.serve.guard import Access, Limits
    from partwise.serve.server import Settings, address_of, take_port
    from partwise.serve.server import serve as run

    # In JSON a character takes up to twelve bytes.
    body = max(Limits.body, 12 * server.max_length * server.max_batch + 4096)
    limits = Limits(
        body=body,
        rate=server.rate,
        characters=server.max_length,
        batch=server.max_batch,
        wait=server.max_wait,
        workers=server.workers,
    )
    settings = Settings(
        load=partial(_check, Load(with_domain(source, domain), threads, at_least=at_least)),
        limits=limits,
        access=Access(_read_keys(server.keys), server.origin, server.confirm),
        proxy=server.proxy,
        questions=server.log_questions,
    )
    with take_port(server.host, server.port) as taken:

        def announce(name: str) -> None:
            print(f"Serving {name} on {address_of(taken)} (Ctrl+C ends it)", flush=True)

        run(settings, taken, announce)


def _check(load: Load) -> Service:
    service = load()
    about = getattr(service.parser.domain, "about", None)
    if about is not None:
        # A wrong context is said now, and not to each one who asks.
        about(service.context)
    return service


def _read_keys(file: Path | None) -> tuple[str, ...]:
    """The keys that are asked for; none if there is neither file nor variable. Raises ServeError if
    the file cannot be read, or nothing is in it."""
    if file is None:
        text = os.environ.get(KEYS_VARIABLE, "").replace(",", "\n")
    else:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ServeError(f"{file}: the keys cannot be read: {error}") from error
    keys = tuple(key.strip() for key in text.splitlines() if key.strip())
    if file is not None and not keys:
        raise ServeError(f"{file}: there is no key; write one a line")
    return keys


def mcp(
    domain: PlacedDomain = None,
    /,
    *,
    source: Annotated[ParserSource, Parameter(name="*")] = ParserSource(),  # noqa: B008
    threads: Threads = 1,
) -> None:
    """Serve tools that ask, go on and explain to an assistant, by the Model Context Protocol.

    The assistant starts this command itself and talks to it over standard input and output. The
    tools only read; a question that cannot be answered gives a result that says why.
    """
    if importlib.util.find_spec("mcp") is None:
        raise ServeError("this needs the package mcp: pip install 'partwise[mcp]'")
    from partwise.serve.assistant import assistant

    assistant(Load(with_domain(source, domain), threads)()).run("stdio")

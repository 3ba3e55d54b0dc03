"""``partwise serve``."""

from __future__ import annotations

import importlib.util
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from partwise.cli.asking import AtLeast, Context, EndpointUrl, Threads
from partwise.cli.common import Debug, DomainName, ModelFolder, load_any
from partwise.errors import DataError, ServeError

if TYPE_CHECKING:
    from partwise.graph.parser import GraphParser
    from partwise.serve.service import Service
    from partwise.span.parser import SpanParser

Host = Annotated[
    str,
    typer.Option(help="Address to listen on: 127.0.0.1 for this machine alone, 0.0.0.0 for all."),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any that is free.")]
Rate = Annotated[
    int, typer.Option(min=0, help="Questions that a client may ask in a minute; 0 for any number.")
]
MaxLength = Annotated[int, typer.Option(min=1, help="Characters of a question.")]
MaxBatch = Annotated[int, typer.Option(min=1, help="Questions of one request.")]
Proxy = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of a proxy in front, whose X-Forwarded-For tells clients apart.",
    ),
]
LogQuestions = Annotated[
    bool,
    typer.Option("--log-questions", help="Also log the texts of questions; they may be private."),
]


def serve(
    model: ModelFolder = None,
    domain: DomainName = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    endpoint: EndpointUrl = None,
    context: Context = None,
    at_least: AtLeast = 0.0,
    rate: Rate = 600,
    max_length: MaxLength = 500,
    max_batch: MaxBatch = 64,
    proxy: Proxy = None,
    log_questions: LogQuestions = False,
    threads: Threads = 1,
    debug: Debug = False,
) -> None:
    """Serve a page where one asks, and a JSON API; /openapi.json describes it.

    Logs are JSON, one object a line, on standard error.
    """
    needed = ("fastapi", "uvicorn")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        raise ServeError(f"serving needs {' and '.join(missing)}: pip install 'partwise[serve]'")
    import torch

    from partwise.serve.limits import Limits
    from partwise.serve.logs import Log
    from partwise.serve.server import address_of, take_port
    from partwise.serve.server import serve as run

    # In JSON a character takes up to six bytes.
    body = max(Limits.body, 6 * max_length * max_batch + 4096)
    limits = Limits(body=body, rate=rate, characters=max_length, batch=max_batch)
    torch.set_num_threads(threads)
    # The port first: a parser takes long to load.
    with ExitStack() as stack, take_port(host, port) as taken:
        service = _service(load_any(model, domain), endpoint, context, at_least, stack)
        about = service.about()["domain"]
        typer.echo(f"Serving {about} on {address_of(taken)} (Ctrl+C ends it)")
        run(service, taken, limits, Log(questions=log_questions), proxy)


def _service(
    parser: SpanParser | GraphParser,
    endpoint: str | None,
    context: str | None,
    at_least: float,
    stack: ExitStack,
) -> Service:
    from partwise.serve.service import SpanService
    from partwise.span.parser import SpanParser

    if not isinstance(parser, SpanParser):
        if context is not None:
            raise DataError("--context: none is needed for query graphs; leave it out")
        return _graph_service(parser, endpoint, at_least, stack)
    if endpoint is not None:
        raise DataError("--endpoint is for parsers of query graphs, and this one gives programs")
    about = None if context is None else parser.domain.read_context(context)
    # Said now, and not to each one who asks.
    parser.domain.about(about)
    return SpanService(parser, about, parser.domain.examples, at_least)


def _graph_service(
    parser: GraphParser, endpoint: str | None, at_least: float, stack: ExitStack
) -> Service:
    from partwise.cli.graph_showing import linker_of, open_store
    from partwise.serve.service import GraphService

    store = open_store(parser, endpoint, False, stack)
    linker = linker_of(parser, store, {})
    # They name things of the graph that comes with the package.
    examples = parser.domain.examples if endpoint is None else ()
    return GraphService(parser, linker, store, examples, at_least)

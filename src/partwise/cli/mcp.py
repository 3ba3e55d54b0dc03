"""``partwise mcp``."""

from __future__ import annotations

import importlib.util
from typing import Annotated

from cyclopts import Parameter

from partwise.cli.common import Threads
from partwise.cli.models import Load, ParserSource
from partwise.cli.serve import PlacedDomain, placed
from partwise.errors import ServeError


def mcp(
    domain: PlacedDomain = None,
    /,
    *,
    source: Annotated[ParserSource, Parameter(name="*")] = ParserSource(),  # noqa: B008
    threads: Threads = 1,
) -> None:
    """Serve the tools ask, explain and schema to an assistant, by the Model Context Protocol.

    The assistant starts this command itself and talks to it over standard input and output. The
    tools only read; a question that cannot be answered gives a result that says why.
    """
    if importlib.util.find_spec("mcp") is None:
        raise ServeError("this needs the package mcp: pip install 'partwise[mcp]'")
    from partwise.serve.assistant import assistant

    assistant(Load(placed(source, domain), threads)()).run("stdio")

"""What the commands share: errors in one line, finding models, domains and examples."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from partwise.errors import DataError, PartwiseError
from partwise.training.hub import find_pretrained

if TYPE_CHECKING:
    from partwise.graph.parser import GraphParser
    from partwise.language.domain import Domain
    from partwise.language.graph_domain import GraphDomain
    from partwise.span.parser import SpanParser

DEBUG = "partwise.debug"
MODEL_VARIABLE = "PARTWISE_MODEL"
RUNS = Path("runs")


class Commands(TyperGroup):
    """Shows an error that the user can mend as one message, and exits with 2."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except PartwiseError as error:
            if ctx.meta.get(DEBUG):
                raise
            typer.echo(f"partwise: {error}", err=True)
            raise typer.Exit(2) from error


def _remember(ctx: typer.Context, value: bool) -> bool:
    ctx.meta[DEBUG] = value
    return value


Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        callback=_remember,
        help="Show the whole traceback of an error. For reports of bugs in Partwise itself.",
    ),
]
DomainName = Annotated[
    str | None,
    typer.Option(
        "--domain",
        help="The language of the programs: a built-in domain (geography, or "
        "geoquery, which answers as the published evaluator; with -paper for its types) or your "
        "own: its folder here, as `partwise new` makes it, or MODULE:CLASS; of query graphs films, "
        "wikidata, freebase or MODULE:NAME. Needed for your own data and for parsers of your own "
        "domain.",
    ),
]
ModelFolder = Annotated[
    Path | None,
    typer.Option(
        "--model",
        envvar=MODEL_VARIABLE,
        help="Folder of a saved parser, as `partwise train` writes it, the name of one that comes "
        "with the package, or hf:OWNER/NAME of a Hugging Face repository. Without it, the newest "
        f"run in {RUNS} on the domain, or else the one that comes with the package.",
    ),
]
DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder of a data set that does not come with the package, or a folder that holds "
        "it under its name. The environment variable PARTWISE_DATA names the latter for good.",
    ),
]


def find_domain(name: str) -> Domain:
    """A built-in domain of programs, or one of the user's: ``module:Class``, or its folder here.

    Raises:
        DataError: if there is none of that name.
    """
    from partwise.cli.own import written_out
    from partwise.interface.registry import DOMAINS, domain
    from partwise.language.domain import Domain

    name = name if name in DOMAINS else written_out(name)
    if ":" not in name:
        if name not in DOMAINS:
            raise DataError(
                f"no domain {name!r}: no folder {name}/ with a domain.py is here, and built in are "
                f"{', '.join(DOMAINS)}; begin one of your own with: partwise new NAME"
            )
        return domain(name)
    found = own_domain(name)
    if not isinstance(found, Domain):
        raise DataError(f"{name} is no partwise.language.domain.Domain")
    return found


def find_graph_domain(name: str) -> GraphDomain:
    """A built-in domain of query graphs, or one of the user's as ``module:NAME``.

    Raises:
        DataError: if there is none of that name.
    """
    from partwise.interface.registry import GRAPH_DOMAINS
    from partwise.language.graph_domain import GraphDomain

    if ":" not in name and name not in GRAPH_DOMAINS:
        raise DataError(f"no domain {name!r} of query graphs; there are {', '.join(GRAPH_DOMAINS)}")
    found = GRAPH_DOMAINS[name] if name in GRAPH_DOMAINS else own_domain(name)
    if not isinstance(found, GraphDomain):
        raise DataError(f"{name} is no partwise.language.graph_domain.GraphDomain")
    return found


def own_domain(name: str) -> Domain | GraphDomain:
    """A domain of the user's: ``module:Class``, made without arguments, or ``module:NAME`` of a
    `GraphDomain`.

    Raises:
        DataError: if it cannot be made or is no domain.
    """
    from partwise.cli.own import importing_from_here
    from partwise.language.domain import Domain
    from partwise.language.graph_domain import GraphDomain

    module, _, attribute = name.partition(":")
    with importing_from_here():
        try:
            found = getattr(importlib.import_module(module), attribute)
            found = found if isinstance(found, GraphDomain) else found()
        except PartwiseError:
            raise
        except Exception as error:
            # The user's own code runs here, and may fail in any way.
            raise DataError(
                f"cannot make the domain {name!r} ({type(error).__name__}: {error}); give "
                "MODULE:CLASS, the class made without arguments"
            ) from error
    if not isinstance(found, Domain | GraphDomain):
        raise DataError(f"{name} is no partwise.language.domain.Domain")
    return found


def load_parser(model: Path | None, domain: str | None = None) -> SpanParser:
    """The span parser of ``--model``; a run's folder stands for the model inside.

    Raises:
        CheckpointError: if there is none, it is damaged, or of another kind.
    """
    folder = _folder(model, domain)
    quiet()
    from partwise.chart import warm_up
    from partwise.span.parser import SpanParser

    warm_up(wait=False)
    return SpanParser.from_pretrained(folder, find_domain(domain) if domain else None)


def _folder(model: Path | None, domain: str | None) -> Path:
    from partwise.cli.models import default_model

    return default_model(domain) if model is None else find_pretrained(model)


def load_any(model: Path | None, domain: str | None = None) -> SpanParser | GraphParser:
    """The parser of ``--model``, whichever kind it is of.

    Raises:
        CheckpointError: if there is none or it is damaged.
    """
    folder = _folder(model, domain)
    from partwise.graph.parser import GraphParser
    from partwise.training.store import kind_of

    if kind_of(folder) != GraphParser.kind:
        return load_parser(folder, domain)
    quiet()
    return GraphParser.from_pretrained(folder, find_graph_domain(domain) if domain else None)


def quiet() -> None:
    """Keep libraries from drawing bars of their own.

    By their variables, as importing them takes a second that small parsers have no need of.
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")


def warn(message: str) -> None:
    """A note on standard error."""
    typer.echo(f"partwise: {message}", err=True)


def write_text(file: Path, text: str) -> None:
    """Write a file that the user asked for.

    Raises:
        DataError: if it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{file}: cannot be written ({why}); choose another place") from error

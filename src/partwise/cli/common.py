"""What the commands share: errors in one line, finding models, domains and examples."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from partwise.errors import CheckpointError, DataError, PartwiseError
from partwise.parsers.pretrained import find_pretrained, shipped

if TYPE_CHECKING:
    from partwise.domain import Domain
    from partwise.graph_domain import GraphDomain
    from partwise.parsers.graph.parser import GraphParser
    from partwise.parsers.span import SpanParser

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
        "own as MODULE:CLASS; of query graphs films, wikidata, freebase or MODULE:NAME. Needed "
        "for your own data and for parsers of your own domain.",
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
    """A built-in domain of programs, or one of the user's as ``module:Class``.

    Raises:
        DataError: if there is none of that name.
    """
    from partwise.datasets.registry import domain
    from partwise.domain import Domain

    if ":" not in name:
        return domain(name)
    found = own_domain(name)
    if not isinstance(found, Domain):
        raise DataError(f"{name} is no partwise.domain.Domain")
    return found


def find_graph_domain(name: str) -> GraphDomain:
    """A built-in domain of query graphs, or one of the user's as ``module:NAME``.

    Raises:
        DataError: if there is none of that name.
    """
    from partwise.datasets.registry import GRAPH_DOMAINS
    from partwise.graph_domain import GraphDomain

    if ":" not in name and name not in GRAPH_DOMAINS:
        raise DataError(f"no domain {name!r} of query graphs; there are {', '.join(GRAPH_DOMAINS)}")
    found = GRAPH_DOMAINS[name] if name in GRAPH_DOMAINS else own_domain(name)
    if not isinstance(found, GraphDomain):
        raise DataError(f"{name} is no partwise.graph_domain.GraphDomain")
    return found


def own_domain(name: str) -> Domain | GraphDomain:
    """A domain of the user's: ``module:Class``, made without arguments, or ``module:NAME`` of a
    `GraphDomain`.

    Raises:
        DataError: if it cannot be made or is no domain.
    """
    from partwise.domain import Domain
    from partwise.graph_domain import GraphDomain

    module, _, attribute = name.partition(":")
    # Scripts are not found from where the user stands, unlike `python -m`.
    sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), attribute)
        found = found if isinstance(found, GraphDomain) else found()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise DataError(
            f"cannot make the domain {name!r} ({error}); give MODULE:CLASS, the class made "
            "without arguments"
        ) from error
    finally:
        sys.path.remove(os.getcwd())
    if not isinstance(found, Domain | GraphDomain):
        raise DataError(f"{name} is no partwise.domain.Domain")
    return found


def load_parser(model: Path | None, domain: str | None = None) -> SpanParser:
    """The span parser of ``--model``; a run's folder stands for the model inside.

    Raises:
        CheckpointError: if there is none, it is damaged, or of another kind.
    """
    folder = default_model(domain) if model is None else find_pretrained(model)
    quiet()
    from partwise.parsers.span import SpanParser

    return SpanParser.load(folder, find_domain(domain) if domain else None)


def load_any(model: Path | None, domain: str | None = None) -> SpanParser | GraphParser:
    """The parser of ``--model``, whichever kind it is of.

    Raises:
        CheckpointError: if there is none or it is damaged.
    """
    folder = default_model(domain) if model is None else find_pretrained(model)
    from partwise.parsers.folder import kind_of
    from partwise.parsers.graph.parser import GraphParser

    if kind_of(folder) != GraphParser.kind:
        return load_parser(folder, domain)
    quiet()
    return GraphParser.load(folder, find_graph_domain(domain) if domain else None)


def default_model(domain: str | None = None) -> Path:
    """Where a parser is looked for without ``--model``.

    That is the newest run in ``runs/`` that was trained on the domain, or else the parser that
    comes with the package. Without a domain it is geography.

    Raises:
        CheckpointError: if there is none; says how to make it.
    """
    from partwise.datasets.registry import DATASETS

    given = domain if domain is not None else "geography"
    name = own_domain(given).name if ":" in given else given
    found = [file.parent for file in RUNS.glob("*/model/config.json") if _is_of(file, name)]
    if found:
        return max(found, key=lambda folder: (folder / "config.json").stat().st_mtime)
    if name in shipped():
        introduce(shipped()[name])
        return shipped()[name]
    data = next((n for n, info in DATASETS.items() if info.domain == name), None)
    how = (
        f"partwise train {data}" if data else f"partwise train --domain {given} --train FILE.jsonl"
    )
    more = "" if data is None or DATASETS[data].shipped else " --data DIR"
    raise CheckpointError(
        f"no --model was given, {MODEL_VARIABLE} is not set, no parser of {name} is in {RUNS}, and "
        f"none comes with the package; make one with: {how}{more}"
    )


def introduce(folder: Path) -> None:
    """Say which parser of the package answers, and how often it is right."""
    from partwise.training.checkpoint import read_json

    tested = read_json(folder / "config.json")["training"].get("tested", {})
    known = "; ".join(
        f"{100 * share:.1f} % right on the test questions of {split}"
        for split, share in tested.items()
    )
    warn(f"using the parser of {folder.name} that comes with the package ({known or 'untested'})")


def _is_of(config: Path, domain: str) -> bool:
    """Whether a saved parser is of a domain, and trained on more than inner splits."""
    from partwise.training.checkpoint import read_json

    try:
        found = read_json(config)
        return found["domain"] == domain and "-inner-" not in str(found["training"].get("split"))
    except (CheckpointError, LookupError, TypeError, AttributeError):
        return False


def quiet() -> None:
    """Keep libraries from drawing bars of their own."""
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]


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

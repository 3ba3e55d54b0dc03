"""What the commands share: notes, files that the user asked for, and options of many commands."""

import json
import os
import sys
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from partwise.errors import DataError

typed: ContextVar[tuple[str, ...]] = ContextVar("typed", default=())
"""What was typed after ``partwise``, for the results that note it."""
STDIN = "/dev/stdin"
"""What a dash stands for, as it would be taken for an option."""
MODEL_VARIABLE = "PARTWISE_MODEL"
RUNS = Path("runs")


def print_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON, with escapes where the terminal has no sign for a character."""
    wide = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not wide, indent=indent, allow_nan=False))


def option(help: str, *names: str, **more: Any) -> Parameter:
    """An option with its help, and with names where they are not the parameter's."""
    return Parameter(name=names or None, help=help, **more)


def flag(help: str, *names: str) -> Parameter:
    return Parameter(name=names or None, help=help, negative=())


Positive = Number(gte=1)
NotNegative = Number(gte=0)
Share = Number(gte=0, lte=1)

DomainName = Annotated[
    str | None,
    option(
        "The language of the meanings: a built-in domain (geography, films, ...) or your own: its "
        "folder here, as `partwise new` makes it, or MODULE:CLASS. Needed for your own data.",
        "--domain",
    ),
]
ModelName = Annotated[
    str | None,
    option(
        "Folder of a saved parser, as `partwise train` writes it, the name of one that comes with "
        f"the package, or hf:OWNER/NAME. Without it, the newest run in {RUNS} on the domain, or "
        "else the one that comes with the package.",
        "--model",
        env_var=MODEL_VARIABLE,
    ),
]
DataFolder = Annotated[
    Path | None,
    option(
        "Folder of a data set that does not come with the package, or a folder that holds it "
        "under its name. The environment variable PARTWISE_DATA names the latter for good.",
        "--data",
    ),
]
Threads = Annotated[int, option("Processor threads.", "--threads", validator=Positive)]
Json = Annotated[bool, flag("JSON in place of text, for programs.", "--json")]
JsonVersion = Annotated[
    Literal[0, 1, 2],
    option("JSON in place of text, for programs; --json 1 for the form of 0.2.0.", "--json"),
]
AtLeast = Annotated[
    float | None,
    option(
        "Do not answer where the best meaning is less probable than this; as 0.6. Without it, the "
        "parser's own threshold, which was chosen on held-out questions; 0 answers everything.",
        "--at-least",
        validator=Share,
    ),
]
SkipBad = Annotated[bool, flag("Leave out lines that cannot be read.", "--skip-bad")]


def warn(message: str) -> None:
    print(f"partwise: {message}", file=sys.stderr)


def quiet() -> None:
    """Keep libraries from drawing bars of their own.

    By their variables, as importing them takes a second that small parsers have no need of.
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")


def write_text(file: Path, text: str) -> None:
    """Write a file that the user asked for. Raises DataError if it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{file}: cannot be written ({why}); choose another place") from error

"""What ``partwise parse`` and ``partwise ask`` take."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from partwise.errors import DataError

STDIN = "-"

Questions = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QUESTION...",
        help="Questions, each in quotes. Without any, or for -, one a line from standard input.",
    ),
]
QuestionFile = Annotated[
    Path | None, typer.Option("--file", help="Read questions from this file, one a line.")
]
Alternatives = Annotated[
    int,
    typer.Option(
        "-k",
        min=1,
        help="How many readings to show, the most probable first: with different programs, and "
        "from ask, different answers. Ask for more when the first looks wrong.",
    ),
]
AtLeast = Annotated[
    float,
    typer.Option(
        "--at-least",
        min=0.0,
        max=1.0,
        help="Do not answer where the best reading is less probable than this; as 0.6.",
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="One JSON object a line for each question, for programs."),
]
Svg = Annotated[
    Path | None,
    typer.Option(
        "--svg",
        help="Also draw the tree into this file; for several questions FILE-1.svg, FILE-2.svg...",
    ),
]
Chart = Annotated[
    Path | None,
    typer.Option(
        "--chart",
        help="Also draw how likely each label is on each span, over all trees, into this SVG file; "
        "of several questions as --svg does. Span parsers only.",
    ),
]
Tree = Annotated[
    bool,
    typer.Option("--tree/--no-tree", help="Whether to draw the tree in the terminal."),
]
Context = Annotated[
    str | None,
    typer.Option(
        "--context",
        help="What the questions are about, in a domain where that differs: for scenes FILE.json, "
        "FILE.json:NUMBER or shipped:NUMBER.",
    ),
]
EndpointUrl = Annotated[
    str | None,
    typer.Option(
        "--endpoint",
        metavar="URL",
        help="For query graphs: a SPARQL store to ask, in place of the knowledge graph that comes "
        "with the package.",
    ),
]
Bind = Annotated[
    list[str] | None,
    typer.Option(
        metavar="M0=IRI",
        help="For query graphs: what M0, M1 ... in the questions stand for. Names are then not "
        "looked for. May be repeated.",
    ),
]
Threads = Annotated[int, typer.Option(min=1, help="Processor threads.")]


def read_questions(given: Sequence[str] | None, file: Path | None) -> list[str]:
    """The questions from arguments, a file, and standard input; blank lines there are no questions.

    Raises:
        DataError: if there are none, or a file or text cannot be read.
    """
    questions: list[str] = []
    for text in given or ():
        questions += _stdin() if text == STDIN else [_checked(text)]
    if file is not None:
        questions += _file(file)
    if not given and file is None:
        if sys.stdin.isatty():
            raise DataError('give a question in quotes, as: partwise ask "what borders ohio ?"')
        questions += _stdin()
    if not questions:
        raise DataError("there are no questions to read; expected one a line")
    return questions


def _checked(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(f"the question {text!r:.80} is not UTF-8 text") from error
    return text


def _stdin() -> list[str]:
    return _lines(sys.stdin.buffer.read(), "standard input")


def _file(file: Path) -> list[str]:
    try:
        return _lines(file.read_bytes(), str(file))
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror or error})") from error


def _lines(data: bytes, where: str) -> list[str]:
    """Lines end with \\n alone, as other separators may stand inside a question."""
    found: list[str] = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            text = raw.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise DataError(f"{where}:{number}: not UTF-8 at byte {error.start + 1}") from error
        if text:
            found.append(text)
    return found

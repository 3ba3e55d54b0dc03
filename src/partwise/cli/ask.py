"""``partwise ask`` and ``partwise parse``: questions from a person to a saved parser."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from partwise.cli.batch import Files, answer_file
from partwise.cli.common import STDIN, Threads, option, warn
from partwise.cli.models import Load, ParserSource
from partwise.cli.showing import Wanted, respond
from partwise.errors import DataError
from partwise.language.program_spelling import SpelledDomain

Questions = Annotated[
    str,
    Parameter(
        help="Questions, each in quotes. Without any, or for -, one a line from standard input.",
        # A question may begin with a dash.
        allow_leading_hyphen=False,
    ),
]
QuestionFile = Annotated[Path | None, option("Read questions from this file, one a line.")]


def ask(
    *questions: Questions,
    file: QuestionFile = None,
    source: Annotated[ParserSource, Parameter(name="*")] = ParserSource(),  # noqa: B008
    wanted: Annotated[Wanted, Parameter(name="*")] = Wanted(),  # noqa: B008
    files: Annotated[Files, Parameter(name="*")] = Files(),  # noqa: B008
    threads: Threads = 1,
) -> int:
    """Answer questions, and show how the answers came about.

    Exits with 1 if a question has no parse or what it means fails to run.
    """
    return _respond(questions, file, source, wanted, files, threads, run=True)


def parse(
    *questions: Questions,
    file: QuestionFile = None,
    source: Annotated[ParserSource, Parameter(name="*")] = ParserSource(),  # noqa: B008
    wanted: Annotated[Wanted, Parameter(name="*")] = Wanted(),  # noqa: B008
    files: Annotated[Files, Parameter(name="*")] = Files(),  # noqa: B008
    threads: Threads = 1,
) -> int:
    """Show what questions mean, with the words that gave each part.

    That is the program or query, its tree or graph, and its probability. Exits with 1 if a question
    has no parse.
    """
    return _respond(questions, file, source, wanted, files, threads, run=False)


def _respond(
    given: Sequence[str],
    file: Path | None,
    source: ParserSource,
    wanted: Wanted,
    files: Files,
    threads: int,
    run: bool,
) -> int:
    load = Load(source, threads, run, wanted.at_least)
    if files.out is not None:
        answer_file([*given, *([str(file)] if file else [])], files, load)
        return 0
    questions = read_questions(given, file)
    service = load()
    domain = service.parser.domain
    if run and not domain.runnable:
        if not isinstance(domain, SpelledDomain):
            raise DataError(
                f"nothing comes with the domain {domain.name} that answers: give a store with "
                "--endpoint URL, or use `partwise parse` for the meaning alone"
            )
        warn(f"nothing runs programs of {domain.name} yet: here is what questions mean")
        run = False
    return 0 if respond(service, questions, wanted, run) else 1


def read_questions(given: Sequence[str], file: Path | None) -> list[str]:
    """The questions from arguments, a file, and standard input; blank lines there are no questions.

    Raises:
        DataError: if there are none, or a file or text cannot be read.
    """
    if not given and file is None:
        if sys.stdin.isatty():
            raise DataError('give a question in quotes, as: partwise ask "what borders ohio ?"')
        given = (STDIN,)
    questions: list[str] = []
    for text in given:
        if text == STDIN:
            questions += _lines(sys.stdin.buffer.read(), "standard input")
        else:
            questions.append(_checked(text))
    if file is not None:
        try:
            questions += _lines(file.read_bytes(), str(file))
        except OSError as error:
            raise DataError(f"{file}: cannot be read ({error.strerror or error})") from error
    if not questions:
        raise DataError("there are no questions to read; expected one a line")
    return questions


def _checked(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(f"the question {text!r:.80} is not UTF-8 text") from error
    return text


def _lines(data: bytes, where: str) -> list[str]:
    """Lines end with \\n alone, as other separators may stand inside a question."""
    lines: list[str] = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            text = raw.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise DataError(f"{where}:{number}: not UTF-8 at byte {error.start + 1}") from error
        if text:
            lines.append(text)
    return lines

"""``partwise ask`` and ``partwise parse``: questions of a person or of a file to a saved parser."""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from partwise.cli.common import (
    STDIN,
    AtLeast,
    JsonVersion,
    Positive,
    Threads,
    option,
    print_json,
    warn,
    write_text,
)
from partwise.cli.sources import Load, ParserSource, default_model, is_domain
from partwise.drawing import clean, draw_svg, draw_table, draw_text
from partwise.errors import DataError
from partwise.interface.answering import follow_up_of
from partwise.interface.clarification import NONE
from partwise.interface.prediction import Answer, ExplainingDomain
from partwise.language.program_spelling import SpelledDomain
from partwise.serve.service import After, Service

BATCH = 64
"""Questions are parsed and shown in portions of this many."""
SHOWN = 5
"""Lines of an alternative's answer."""
OFFERED = 0.1
"""Probability of an alternative that is shown though nobody asked for it."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be shown of questions.

    Attributes:
        k: How many interpretations to show, the most probable first: with different programs, and
            from ask, different answers. Ask for more when the first looks wrong. Without it one,
            or where the domain says meanings in words, those that are not improbable.
        svg: Also draw the tree or graph into this file; for several questions FILE-1.svg, ...
        chart: Also draw the answer of a database as a chart into this file: .png, .svg, .html or
            .json (Vega-Lite). Of a span parser, how likely each label is on each span, over all
            trees, as .svg. Of several questions as --svg does.
        save: Also write the rows of the answer into this file, .csv or .parquet.
        tree: Whether to draw the tree or graph in the terminal.
    """

    k: Annotated[int | None, Parameter(name="-k", validator=Positive)] = None
    at_least: AtLeast = None
    json: JsonVersion = 0
    svg: Path | None = None
    chart: Path | None = None
    save: Path | None = None
    tree: bool = True


def _answers(
    service: Service, questions: Sequence[str], wanted: Wanted, run: bool
) -> Iterator[Answer[Any]]:
    domain = service.parser.domain
    k = wanted.k or (domain.readings if isinstance(domain, ExplainingDomain) else 1)
    for begin in range(0, len(questions), BATCH):
        yield from service.answers(questions[begin : begin + BATCH], k, run)


def _offer(answer: Answer[Any], wanted: Wanted) -> Answer[Any]:
    if wanted.k is not None:
        return answer
    if answer.clarification is not None:
        # It offers them.
        return replace(answer, alternatives=())
    likely = (other for other in answer.alternatives if other.prediction.probability >= OFFERED)
    return replace(answer, alternatives=tuple(likely))


def _text(answer: Answer[Any], tree: bool, run: bool, named: bool) -> Iterator[str]:
    prediction = answer.prediction
    if named:
        yield clean(answer.question)
    if prediction.meaning is None:
        yield f"refused: {clean(answer.reason or '')}"
        for question in prediction.suggestions:
            yield f"you can ask: {clean(question)}"
    else:
        if run and answer.table is not None and answer.lines:
            yield draw_table(answer.table, color=sys.stdout.isatty(), wish=prediction.wish)
        elif run:
            yield from map(clean, answer.lines or (answer.reason or "(nothing)",))
        yield from _meaning(answer)
        if tree and prediction.derivation is not None:
            yield draw_text(prediction.derivation, color=sys.stdout.isatty())
    for other in answer.alternatives:
        yield from _alternative(other)
    if named:
        yield ""


def ask_back(
    service: Service, answer: Answer[Any], wanted: Wanted, after: After | None = None
) -> Answer[Any]:
    """Show what is asked back, and where a person types, the answer of what they choose. `after`:
    the question before."""
    for _ in NONE:
        back = answer.clarification
        if back is None:
            break
        print(clean(back.question))
        for number, choice in enumerate(back.options, start=1):
            print(f"  {number}  {clean(choice.text)}   → {clean(choice.preview)}")
        print("  0  none of these")
        if not is_typing():
            break
        typed = input("which one? ").strip()
        if not typed.isdecimal() or int(typed) > len(back.options):
            break
        picked = back.options[int(typed) - 1].id if int(typed) else back.none
        answer = service.choose(answer.question, picked, after)
        if answer.clarification is None:
            for line in _text(answer, wanted.tree, True, named=False):
                print(line)
    return answer


def is_typing() -> bool:
    """Whether a person types, and sees what is printed."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _warnings(answer: Answer[Any]) -> Iterator[str]:
    prediction = answer.prediction
    if answer.status == "doubtful":
        yield "doubtful: the answer may well be wrong"
    unknown = prediction.unknown if prediction.meaning is not None else ()
    if unknown:
        yield f"words never met in training: {', '.join(map(clean, unknown))}"
    unused = [prediction.words[number] for number in prediction.unused]
    if unused := [word for word in unused if word not in unknown]:
        yield f"not used for the answer: {', '.join(map(clean, unused))}"
    for typed, name in prediction.corrections:
        yield f"{clean(typed)!r} is taken for {clean(name)}"
    for name, (first, *others) in prediction.ambiguous.items():
        yield f"{clean(name)!r} is taken for {first}; it may also be {', '.join(others)}"


def _meaning(answer: Answer[Any], before: str = "") -> Iterator[str]:
    share = answer.prediction.probability
    note = "" if math.isnan(share) else f"   ({percent(share)})"
    if answer.explanation is None:
        yield f"{before}{_clean_lines(answer.text or '')}{note}"
        return
    verified = answer.prediction.verified
    note = f"   ({clean(verified)})" if verified else note
    yield f"{before or 'understood as: '}{clean(answer.explanation.restated)}{note}"
    if not before:
        yield _clean_lines(answer.explanation.sql)


def _clean_lines(text: str) -> str:
    return "\n".join(map(clean, text.splitlines()))


def _alternative(other: Answer[Any]) -> Iterator[str]:
    yield from _meaning(other, "or ")
    if other.lines:
        more = " ..." * (len(other.lines) > SHOWN)
        yield f"   {clean('; '.join(other.lines[:SHOWN]))}{more}"
    for difference in other.differences:
        mine, theirs = (
            " + ".join(names) or "nothing" for names in (difference.mine, difference.other)
        )
        yield f"   if you meant by {clean(difference.words)!r} {theirs}, not {mine}"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.001 else f"{100 * share:.1g} %"


def _draw(answer: Answer[Any], wanted: Wanted, parser: Any, number: int | None) -> bool:
    """Write the files that are wanted; whether none failed."""
    prediction, good = answer.prediction, True
    of_spans = wanted.chart if hasattr(parser, "chart") else None
    of_answer = None if of_spans else wanted.chart
    for file, write in ((of_answer, answer.save_chart), (wanted.save, answer.save)):
        try:
            if file is not None:
                write(number_file(file, number))
        except DataError as error:
            warn(str(error))
            good = False
    for file, charted in ((wanted.svg, False), (of_spans, True)):
        if file is None:
            continue
        place = number_file(file, number)
        if prediction.derivation is None:
            warn(f"{place} is not drawn: {answer.reason or 'the parser gives no derivation'}")
            continue
        drawn = parser.chart(answer.question) if charted else prediction.derivation
        write_text(place, draw_svg(drawn))
    return good


def number_file(file: Path, number: int | None) -> Path:
    """``tree-2.svg`` for ``tree.svg``; the file itself without a number."""
    if number is None:
        return file
    return file.with_name(f"{file.stem}-{number}{file.suffix}")


@dataclass(frozen=True, kw_only=True)
class Files:
    """A file of questions in place of single ones, and the file to write.

    Attributes:
        out: Answer a file, .jsonl, .csv or .parquet, and write this one in any of these formats:
            one row out for each row in. Give the file in place of questions. A run that was
            stopped continues if you give the same command again.
        column: Column with the questions.
        rows: Rows that are kept together when the run is stopped.
        workers: Processes, each with a parser of its own; 1 for this process alone.
        engine: Where the work is done: processes on this machine, or ray, for several machines.
        address: Address of a Ray cluster; without it one is started on this machine.
    """

    out: Path | None = None
    column: str = "question"
    rows: Annotated[int, Parameter(validator=Positive)] = 1000
    workers: Annotated[int, Parameter(validator=Positive)] = 1
    engine: Literal["process", "ray"] = "process"
    address: str | None = None


def answer_file(given: Sequence[str], files: Files, load: Load) -> None:
    """Parse the questions of a file, and answer them if they are to be run. Raises DataError if a
    file cannot be read or written, or there is not one file of questions."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from partwise.serve import files as batches

    assert files.out is not None
    if len(given) != 1:
        raise DataError(f"--out {files.out}: give one file of questions")
    source = load.source
    folder = Path(source.model or default_model(source.domain))
    asked = {"model": folder, "context": source.context, "bind": source.bind}
    batch = batches.BatchJob(
        *(Path(given[0]).absolute(), files.out.absolute(), files.column),
        *(load.run, load.at_least, files.rows),
        {**asked, "endpoint": source.endpoint},
    )
    worker = batches.Worker(batch, load)
    if files.engine == "ray":
        compute = partial(batches.run_on_ray, worker, files.workers, files.address)
    elif files.workers > 1:
        compute = partial(batches.run_in_processes, worker, files.workers)
    else:
        compute = partial(batches.run_here, worker)
    columns = (TextColumn("parts"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("parts", total=None)
        batches.run_batch(
            batch, compute, lambda done, of: bar.update(task, completed=done, total=of)
        )
    print(f"wrote  {files.out}")


Questions = Annotated[
    str,
    Parameter(
        help="Questions, each in quotes, after the name of a domain if you like. Without any, or "
        "for -, one a line from standard input.",
        # A question may begin with a dash.
        allow_leading_hyphen=False,
    ),
]
QuestionFile = Annotated[Path | None, option("Read questions from this file, one a line.")]


def ask(
    *questions: Questions,
    file: QuestionFile = None,
    source: Annotated[ParserSource, Parameter(name="*")] = ParserSource(),  # noqa: B008
    wanted: Annotated[Wanted, Parameter(name="*")] = Wanted(),
    files: Annotated[Files, Parameter(name="*")] = Files(),
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
    wanted: Annotated[Wanted, Parameter(name="*")] = Wanted(),
    files: Annotated[Files, Parameter(name="*")] = Files(),
    threads: Threads = 1,
) -> int:
    """Show what questions mean, with the words that gave each part.

    That is the program or query, its tree or graph, and its probability. Exits with 1 if a question
    has no parse.
    """
    return _respond(questions, file, source, wanted, files, threads, run=False)


def chat(
    domain: Annotated[str, Parameter(help="What is asked about, as --domain.")],
    /,
    *,
    source: Annotated[ParserSource, Parameter(name="*")] = ParserSource(),  # noqa: B008
    at_least: AtLeast = None,
    threads: Threads = 1,
) -> None:
    """Ask one question after the other, each of which may go on from the last.

    "and in 2023?", "only those from Canada", "show their emails": each answer says how the whole
    was understood. A full question begins anew, undo takes the last one back, and an empty line
    ends.
    """
    service = Load(replace(source, domain=domain), threads, True, at_least)()
    follow_up_of(service.parser)
    wanted = Wanted(tree=False)
    turns: list[After] = []
    while question := _next_line():
        if question.casefold() == UNDO:
            turns = turns[:-1]
            print(f"behind: {clean(turns[-1][0])}" if turns else "nothing was asked before")
            continue
        after = turns[-1] if turns else None
        (answer,) = service.answers([question], service.parser.domain.readings, True, after)
        for note in _warnings(answer):
            warn(note)
        for line in _text(_offer(answer, wanted), wanted.tree, run=True, named=False):
            print(line)
        answer = ask_back(service, answer, wanted, after)
        if answer.text is not None:
            turns.append((question, answer.text))


UNDO = "undo"


def _next_line() -> str:
    """What is typed next; nothing at the end."""
    try:
        return _check(input("> " if sys.stdin.isatty() else "")).strip()
    except EOFError:
        return ""


def _respond(
    given: Sequence[str],
    file: Path | None,
    source: ParserSource,
    wanted: Wanted,
    files: Files,
    threads: int,
    run: bool,
) -> int:
    given, source = _with_domain(given, source)
    load = Load(source, threads, run, wanted.at_least)
    if files.out is not None:
        answer_file([*given, *([str(file)] if file else [])], files, load)
        return 0
    questions = read_questions(given, file)
    service = load()
    parser: Any = service.parser
    domain = parser.domain
    if run and not domain.runnable:
        if not isinstance(domain, SpelledDomain):
            raise DataError(
                f"nothing comes with the domain {domain.name} that answers: give a store with "
                "--endpoint URL, or use `partwise parse` for the meaning alone"
            )
        warn(f"nothing runs programs of {domain.name} yet: here is what questions mean")
        run = False
    _check_chart(wanted, parser, run)
    good, several = True, len(questions) > 1
    for number, answer in enumerate(_answers(service, questions, wanted, run), start=1):
        if wanted.json:
            print_json(answer.to_json(run, wanted.json))
        else:
            for note in _warnings(answer):
                warn(note)
            for line in _text(_offer(answer, wanted), wanted.tree, run, named=several):
                print(line)
            answer = ask_back(service, answer, wanted)
        drawn = _draw(answer, wanted, parser, number if several else None)
        good = good and drawn and answer.reason is None
    return 0 if good else 1


def _check_chart(wanted: Wanted, parser: Any, run: bool) -> None:
    """Raises DataError for a chart where neither the parser nor its answers have any."""
    charted = hasattr(parser, "chart") or (run and isinstance(parser.domain, ExplainingDomain))
    if wanted.chart is not None and not charted:
        raise DataError(
            f"--chart: a parser of kind {parser.kind} has none; leave it out, or draw its "
            "derivation by --svg"
        )


def _with_domain(given: Sequence[str], source: ParserSource) -> tuple[Sequence[str], ParserSource]:
    """The questions, and whom they are for: the first of several arguments may name the domain."""
    if source.domain is None and source.model is None and len(given) > 1 and is_domain(given[0]):
        return given[1:], replace(source, domain=given[0])
    return given, source


def read_questions(given: Sequence[str], file: Path | None) -> list[str]:
    """The questions from arguments, a file, and standard input; blank lines there are no questions.
    Raises DataError if there are none, or a file or text cannot be read."""
    if not given and file is None:
        if sys.stdin.isatty():
            raise DataError('give a question in quotes, as: partwise ask "what borders ohio ?"')
        given = (STDIN,)
    questions: list[str] = []
    for text in given:
        if text == STDIN:
            questions += _lines(sys.stdin.buffer.read(), "standard input")
        else:
            questions.append(_check(text))
    if file is not None:
        try:
            questions += _lines(file.read_bytes(), str(file))
        except OSError as error:
            raise DataError(f"{file}: cannot be read ({error.strerror or error})") from error
    if not questions:
        raise DataError("there are no questions to read; expected one a line")
    return questions


def _check(text: str) -> str:
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

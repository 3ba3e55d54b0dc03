"""How ``partwise parse`` and ``partwise ask`` respond."""

from __future__ import annotations

import json as jsonlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import typer

from partwise.chart.derivation import TreeDerivation
from partwise.chart.tree import SpanTree
from partwise.cli.asking import read_questions
from partwise.cli.common import load_any, warn, write_text
from partwise.drawing import clean, draw_svg, draw_text
from partwise.errors import DataError
from partwise.span.asked import Asked, ask
from partwise.span.parse import Parse
from partwise.span.parser import SpanParser
from partwise.span.to_json import to_json

if TYPE_CHECKING:
    from partwise.graph.parser import GraphParser

BATCH = 64
"""Questions are parsed and shown in portions of this many."""
SHOWN = 5
"""Lines of an alternative's answer."""


@dataclass(frozen=True)
class Wanted:
    """What is to be shown of questions, and what they are asked of.

    Attributes:
        k: readings of each question.
        run: whether programs or queries are run.
        at_least: the probability that a reading must have.
        context: what the questions are about, as the user names it.
        endpoint, bind: of query graphs; see `partwise.cli.graph_showing`.
        chart: where the chart is drawn.
    """

    model: Path | None
    domain: str | None
    k: int = 1
    json: bool = False
    svg: Path | None = None
    tree: bool = True
    threads: int = 1
    run: bool = True
    at_least: float = 0.0
    context: str | None = None
    endpoint: str | None = None
    bind: Sequence[str] = ()
    chart: Path | None = None


def respond(given: Sequence[str] | None, file: Path | None, wanted: Wanted) -> bool:
    """Parse questions, answer them, and show it all.

    Returns:
        Whether every question had a parse (and an answer).

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    questions = read_questions(given, file)
    torch.set_num_threads(wanted.threads)
    parser = load_any(wanted.model, wanted.domain)
    if not isinstance(parser, SpanParser):
        return _graphs(parser, questions, wanted)
    if wanted.endpoint is not None or wanted.bind:
        what = "--endpoint" if wanted.endpoint is not None else "--bind"
        raise DataError(f"{what} is for parsers of query graphs, and this one gives programs")
    good = True
    for number, asked in enumerate(_asked(parser, questions, wanted), start=1):
        good = good and asked.reason is None
        if wanted.json:
            found = to_json(asked, parser.types, wanted.run)
            typer.echo(jsonlib.dumps(found, ensure_ascii=False))
        else:
            for line in _text(asked, parser, wanted, named=len(questions) > 1):
                typer.echo(line)
        several = number if len(questions) > 1 else None
        if wanted.svg is not None:
            _draw(asked.parse, parser, numbered(wanted.svg, several), _tree)
        if wanted.chart is not None:
            _draw(asked.parse, parser, numbered(wanted.chart, several), _chart)
    return good


def _graphs(parser: GraphParser, questions: Sequence[str], wanted: Wanted) -> bool:
    from partwise.cli.graph_showing import respond_graphs

    if wanted.chart is not None:
        raise DataError(
            "--chart: a graph parser has none; leave it out, or draw the graph by --svg"
        )
    if wanted.k > 1 or wanted.context is not None:
        what = "-k: a graph parser gives one reading"
        what = what if wanted.k > 1 else "--context: none is needed"
        raise DataError(f"{what}; leave it out")
    return respond_graphs(
        parser, questions, wanted.json, wanted.svg, wanted.tree, wanted.run, wanted.endpoint,
        wanted.bind, wanted.at_least,
    )  # fmt: skip


def _asked(parser: SpanParser, questions: list[str], wanted: Wanted) -> Iterator[Asked]:
    given = wanted.context
    about = None if given is None else parser.domain.read_context(given)
    for begin in range(0, len(questions), BATCH):
        some = questions[begin : begin + BATCH]
        yield from ask(parser, some, wanted.k, wanted.at_least, about, wanted.run)


def _text(asked: Asked, parser: SpanParser, wanted: Wanted, named: bool) -> Iterator[str]:
    """What a person reads: the answer first, then how it came about."""
    parse = asked.parse
    if named:
        yield f"{clean(parse.question)}"
    if parse.program is None:
        yield f"no parse: {parse.reason}"
    elif wanted.run:
        yield from asked.answer or (asked.reason or "(nothing)",)
    for typed, name in parse.corrections:
        yield f"({clean(typed)} is taken for {clean(name)})"
    if parse.program is not None:
        yield _line(parse)
    if parse.tree is not None and wanted.tree:
        derivation = TreeDerivation.of(parse.tree, parser.types, parse.words)
        yield draw_text(derivation, color=sys.stdout.isatty())
    for other in asked.alternatives:
        yield from _other(other)
    if named:
        yield ""


def _other(asked: Asked) -> Iterator[str]:
    """An alternative: its program and answer, and the phrases that it takes otherwise."""
    yield f"or {_line(asked.parse)}"
    if asked.answer:
        yield f"   {clean('; '.join(asked.answer[:SHOWN]))}{' ...' * (len(asked.answer) > SHOWN)}"
    for one in asked.differences:
        mine, other = (" + ".join(names) or "nothing" for names in (one.mine, one.other))
        yield f"   if you meant by {clean(one.words)!r} {other}, not {mine}"


def _line(parse: Parse) -> str:
    share = "" if math.isnan(parse.probability) else f"   ({percent(parse.probability)})"
    return f"{parse.program}{share}"


def percent(share: float) -> str:
    """A share in percent, as ``83.1 %``."""
    return f"{100 * share:.1f} %" if share >= 0.001 else f"{100 * share:.1g} %"


def _draw(
    parse: Parse,
    parser: SpanParser,
    file: Path,
    drawn: Callable[[SpanTree, Parse, SpanParser], str],
) -> None:
    if parse.tree is None:
        warn(f"{file} is not drawn: {parse.reason}")
        return
    write_text(file, drawn(parse.tree, parse, parser))


def _tree(tree: SpanTree, parse: Parse, parser: SpanParser) -> str:
    return draw_svg(TreeDerivation.of(tree, parser.types, parse.words))


def _chart(_: SpanTree, parse: Parse, parser: SpanParser) -> str:
    return draw_svg(parser.chart(parse.question))


def numbered(file: Path, number: int | None) -> Path:
    """``tree-2.svg`` for ``tree.svg``; the file itself without a number."""
    if number is None:
        return file
    return file.with_name(f"{file.stem}-{number}{file.suffix}")

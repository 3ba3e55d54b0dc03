"""How ``partwise parse`` and ``partwise ask`` respond."""

from __future__ import annotations

import json as jsonlib
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
import typer

from partwise.cli.asking import read_questions
from partwise.cli.common import load_any, warn, write_text
from partwise.drawing import clean
from partwise.drawing.svg import svg as picture
from partwise.drawing.terminal import draw
from partwise.errors import DataError
from partwise.meaning import read_tree
from partwise.parsers.answer import Answer, answer, to_json
from partwise.parsers.base import Parse
from partwise.parsers.span import SpanParser

BATCH = 64
"""Questions are parsed and shown in portions of this many."""


def respond(
    given: Sequence[str] | None,
    file: Path | None,
    model: Path | None,
    k: int,
    json: bool,
    svg: Path | None,
    tree: bool,
    domain: str | None,
    threads: int,
    ask: bool,
    context: str | None = None,
    endpoint: str | None = None,
    bind: Sequence[str] = (),
) -> bool:
    """Parse questions, with `ask` answer them, and show it all.

    Returns:
        Whether every question had a parse (and an answer).

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    questions = read_questions(given, file)
    torch.set_num_threads(threads)
    parser = load_any(model, domain)
    if not isinstance(parser, SpanParser):
        from partwise.cli.graph_showing import respond_graphs

        if k > 1 or context is not None:
            what = "-k: a graph parser gives one reading" if k > 1 else "--context: none is needed"
            raise DataError(f"{what}; leave it out")
        return respond_graphs(parser, questions, json, svg, tree, ask, endpoint, bind)
    if endpoint is not None or bind:
        what = "--endpoint" if endpoint is not None else "--bind"
        raise DataError(f"{what} is for parsers of query graphs, and this one gives programs")
    about = None if context is None else parser.domain.read_context(context)
    good = True
    for number, parse in enumerate(_parses(parser, questions, k), start=1):
        answered = answer(parse, parser.domain, about) if ask else None
        reason = parse.reason if answered is None else answered.reason
        good = good and reason is None
        if json:
            others = [answer(o, parser.domain, about) for o in parse.alternatives] if ask else []
            found = to_json(parse, parser.types, answered, others)
            typer.echo(jsonlib.dumps(found, ensure_ascii=False))
        else:
            for line in _text(parse, parser, answered, tree, named=len(questions) > 1):
                typer.echo(line)
        if svg is not None:
            _draw(parse, parser, numbered(svg, number) if len(questions) > 1 else svg)
    return good


def _parses(parser: SpanParser, questions: list[str], k: int) -> Iterator[Parse]:
    """Readings with `k` - 1 alternatives."""
    for begin in range(0, len(questions), BATCH):
        # Only a list of readings has probabilities, so that two are the least to ask for.
        for parse in parser.parse(questions[begin : begin + BATCH], k=max(2, k)):
            yield _first(parse, k)


def _first(parse: Parse, k: int) -> Parse:
    from dataclasses import replace

    return replace(parse, alternatives=parse.alternatives[: k - 1])


def _text(
    parse: Parse, parser: SpanParser, answered: Answer | None, tree: bool, named: bool
) -> Iterator[str]:
    """What a person reads: the answer first, then how it came about."""
    if named:
        yield f"{clean(parse.question)}"
    if parse.program is None:
        yield f"no parse: {parse.reason}"
    elif answered is not None:
        yield from answered.lines or (answered.reason or "(nothing)",)
    if parse.program is not None:
        yield _line(parse)
    if parse.tree is not None and tree:
        yield draw(read_tree(parse.tree, parser.types), parse.words, color=sys.stdout.isatty())
    for other in parse.alternatives:
        yield f"or {_line(other)}"
    if named:
        yield ""


def _line(parse: Parse) -> str:
    share = "" if math.isnan(parse.probability) else f"   ({percent(parse.probability)})"
    return f"{parse.program}{share}"


def percent(share: float) -> str:
    """A share in percent, as ``83.1 %``."""
    return f"{100 * share:.1f} %" if share >= 0.001 else f"{100 * share:.1g} %"


def _draw(parse: Parse, parser: SpanParser, file: Path) -> None:
    if parse.tree is None:
        warn(f"{file} is not drawn: {parse.reason}")
        return
    write_text(file, picture(read_tree(parse.tree, parser.types), parse.words))


def numbered(file: Path, number: int) -> Path:
    """``tree-2.svg`` for ``tree.svg``."""
    return file.with_name(f"{file.stem}-{number}{file.suffix}")

"""How ``partwise parse`` and ``partwise ask`` show answers: text, JSON lines and pictures."""

from __future__ import annotations

import json as jsonlib
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from partwise.cli.common import AtLeast, Json, Positive, warn, write_text
from partwise.drawing import clean, draw_svg, draw_table, draw_text
from partwise.errors import DataError
from partwise.interface.prediction import Answer, ExplainingDomain
from partwise.serve.service import Service

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
        chart: Also draw how likely each label is on each span, over all trees, into this SVG file,
            where the parser has such a chart; of several questions as --svg does.
        tree: Whether to draw the tree or graph in the terminal.
    """

    k: Annotated[int | None, Parameter(name="-k", validator=Positive)] = None
    at_least: AtLeast = None
    json: Json = False
    svg: Path | None = None
    chart: Path | None = None
    tree: bool = True


def respond(service: Service, questions: Sequence[str], wanted: Wanted, run: bool) -> bool:
    """Parse questions, with `run` answer them, and show it all.

    Returns:
        Whether every question had a parse (and an answer).

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    parser: Any = service.parser
    if wanted.chart is not None and not hasattr(parser, "chart"):
        raise DataError(
            f"--chart: a parser of kind {parser.kind} has none; leave it out, or draw its "
            "derivation by --svg"
        )
    good, several = True, len(questions) > 1
    for number, one in enumerate(_answers(service, questions, wanted, run), start=1):
        good = good and one.reason is None
        if wanted.json:
            print(jsonlib.dumps(one.to_json(run), ensure_ascii=False))
        else:
            for note in _not_understood(one):
                warn(note)
            for line in _text(_offered(one, wanted), wanted.tree, run, named=several):
                print(line)
        _draw(one, wanted, parser, number if several else None)
    return good


def _answers(
    service: Service, questions: Sequence[str], wanted: Wanted, run: bool
) -> Iterator[Answer[Any]]:
    domain = service.parser.domain
    k = wanted.k or (domain.readings if isinstance(domain, ExplainingDomain) else 1)
    for begin in range(0, len(questions), BATCH):
        yield from service.answers(questions[begin : begin + BATCH], k, run)


def _offered(one: Answer[Any], wanted: Wanted) -> Answer[Any]:
    """Without improbable alternatives, unless they are asked for."""
    if wanted.k is not None:
        return one
    likely = (other for other in one.alternatives if other.prediction.probability >= OFFERED)
    return replace(one, alternatives=tuple(likely))


def _text(one: Answer[Any], tree: bool, run: bool, named: bool) -> Iterator[str]:
    """What a person reads: the answer first, then how it came about."""
    prediction = one.prediction
    if named:
        yield clean(one.question)
    if prediction.meaning is None:
        yield f"refused: {clean(one.reason or '')}"
        for question in prediction.suggestions:
            yield f"you can ask: {clean(question)}"
    else:
        if run and one.table is not None and one.lines:
            yield draw_table(one.table, color=sys.stdout.isatty())
        elif run:
            yield from map(clean, one.lines or (one.reason or "(nothing)",))
        yield from _meaning(one)
        if tree and prediction.derivation is not None:
            yield draw_text(prediction.derivation, color=sys.stdout.isatty())
    for other in one.alternatives:
        yield from _alternative(other)
    if named:
        yield ""


def _not_understood(one: Answer[Any]) -> Iterator[str]:
    """What weakens the answer; said before it."""
    prediction = one.prediction
    if one.status == "doubtful":
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


def _meaning(one: Answer[Any], before: str = "") -> Iterator[str]:
    """The program or query, with its probability; in words and as SQL where the domain does so."""
    share = one.prediction.probability
    note = "" if math.isnan(share) else f"   ({percent(share)})"
    if one.explanation is None:
        yield f"{before}{_lines(one.text or '')}{note}"
        return
    yield f"{before or 'understood as: '}{clean(one.explanation.restated)}{note}"
    if not before:
        yield _lines(one.explanation.sql)


def _lines(text: str) -> str:
    return "\n".join(map(clean, text.splitlines()))


def _alternative(other: Answer[Any]) -> Iterator[str]:
    """Its program and answer, and the phrases that it takes in another way."""
    yield from _meaning(other, "or ")
    if other.lines:
        more = " ..." * (len(other.lines) > SHOWN)
        yield f"   {clean('; '.join(other.lines[:SHOWN]))}{more}"
    for one in other.differences:
        mine, theirs = (" + ".join(names) or "nothing" for names in (one.mine, one.other))
        yield f"   if you meant by {clean(one.words)!r} {theirs}, not {mine}"


def percent(share: float) -> str:
    """A share in percent, as ``83.1 %``."""
    return f"{100 * share:.1f} %" if share >= 0.001 else f"{100 * share:.1g} %"


def _draw(one: Answer[Any], wanted: Wanted, parser: Any, number: int | None) -> None:
    prediction = one.prediction
    for file, charted in ((wanted.svg, False), (wanted.chart, True)):
        if file is None:
            continue
        place = numbered(file, number)
        if prediction.derivation is None:
            warn(f"{place} is not drawn: {one.reason or 'the parser gives no derivation'}")
            continue
        drawn = parser.chart(one.question) if charted else prediction.derivation
        write_text(place, draw_svg(drawn))


def numbered(file: Path, number: int | None) -> Path:
    """``tree-2.svg`` for ``tree.svg``; the file itself without a number."""
    if number is None:
        return file
    return file.with_name(f"{file.stem}-{number}{file.suffix}")

"""The questions that came out wrong, a JSON object a line: for a person, and for the plots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from partwise.chart.tree import SpanTree
from partwise.errors import PartwiseError
from partwise.evaluation.metrics import Scores
from partwise.interface.data import Example, Span
from partwise.language.declare import Application
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.tokenizer import tokenize
from partwise.span.annotation.spans import spans_of

Parts = list[tuple[str, int]]
"""The constants of a program in reading order, each with the place in the list of the constant
that takes it as an argument, -1 for none."""


def mistakes(
    domain: Domain,
    examples: Sequence[Example[Term]],
    programs: Sequence[Term | None],
    metrics: Scores,
    trees: Sequence[SpanTree | None] | None = None,
) -> str:
    """What differs from the gold program, wrong answers before right ones.

    Each line has ``question``, ``words``, ``program`` and ``predicted`` with their constants
    (``program_parts``, ``predicted_parts``, see `Parts`; null for a program that the domain cannot
    read), ``tree`` and ``predicted_tree`` (``[start, end, category]`` over the words, end excluded;
    null where there is none), ``right_answer``, ``error``, ``group`` and ``source``.

    Args:
        programs, trees: what was predicted, in the order of the examples.
    """
    shapes = trees if trees is not None else [None] * len(examples)
    lines: list[tuple[bool, str]] = []
    for example, program, outcome, tree in zip(
        examples, programs, metrics.outcomes, shapes, strict=True
    ):
        if outcome.exact_match:
            continue
        line: dict[str, Any] = {
            "question": example.question,
            "words": list(tokenize(example.question).words),
            "program": str(example.meaning),
            "predicted": None if program is None else str(program),
            "program_parts": parts(domain, example.meaning),
            "predicted_parts": None if program is None else parts(domain, program),
            "tree": _listed(example.spans),
            "predicted_tree": None if tree is None else _listed(spans_of(tree, domain)),
            "right_answer": outcome.denotation,
            "error": outcome.error,
            "group": example.group,
            "source": example.source,
        }
        lines.append((bool(outcome.denotation), json.dumps(line, ensure_ascii=False)))
    return "".join(f"{text}\n" for _, text in sorted(lines, key=lambda line: line[0]))


def parts(domain: Domain, program: Term) -> Parts | None:
    """The constants of a program and who takes them; None if the domain cannot read it.

    What no word names (`Constant.type_shift`) is left out: its arguments belong to whoever takes
    it.
    """
    try:
        whole = domain.interpret(program)
    except PartwiseError:
        return None
    found: Parts = []
    _collect(whole, -1, found)
    return found


def _collect(application: Application, parent: int, found: Parts) -> None:
    if not application.constant.type_shift:
        found.append((application.constant.category, parent))
        parent = len(found) - 1
    for arg in application.args:
        if arg is not None:
            _collect(arg, parent, found)


def _listed(spans: Sequence[Span] | None) -> list[list[int | str]] | None:
    return None if spans is None else [list(span) for span in spans]

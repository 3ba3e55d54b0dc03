"""What there is to say of a question that came out with another program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from partwise.errors import PartwiseError
from partwise.interface.data import Example, Span
from partwise.interface.prediction import Prediction
from partwise.language.declare import Application
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.tokenizer import tokenize
from partwise.span.annotation.spans import spans_of
from partwise.span.derivation import SpanDerivation

if TYPE_CHECKING:
    from partwise.span.parser import SpanParser

Parts = list[tuple[str, int]]
"""The constants of a program in reading order, each with the place in the list of the constant
that takes it as an argument, -1 for none."""


def mistake(
    parser: SpanParser, example: Example[Term], prediction: Prediction[Term]
) -> dict[str, Any]:
    """The constants and trees of the gold program and of the predicted one, as JSON values.

    That is ``words``, ``program_parts`` and ``predicted_parts`` (see `Parts`; null for a program
    that the domain cannot read), ``tree`` and ``predicted_tree`` (``[start, end, category]`` over
    the words, end excluded; null where there is none).
    """
    domain, guess, derivation = parser.domain, prediction.meaning, prediction.derivation
    tree = derivation.tree if isinstance(derivation, SpanDerivation) else None
    return {
        "words": list(tokenize(example.question).words),
        "program_parts": parts(domain, example.meaning),
        "predicted_parts": None if guess is None else parts(domain, guess),
        "tree": _listed(example.spans),
        "predicted_tree": None if tree is None else _listed(spans_of(tree, domain)),
    }


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

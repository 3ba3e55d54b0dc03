"""What there is to say of a question that came out with another program."""

from __future__ import annotations

from typing import Any

from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.domain import Application, Domain
from partwise.language.program import Term
from partwise.language.tokenizer import tokenize
from partwise.span.annotation.spans import spans_of

Parts = list[tuple[str, int]]
"""The constants of a program in reading order, each with the place in the list of the constant
that takes it as an argument, -1 for none."""


def mistake(domain: Domain, example: Example[Term], prediction: Prediction[Term]) -> dict[str, Any]:
    """The constants and trees of the gold program and of the predicted one, as JSON values.

    That is ``words``, ``program_parts`` and ``predicted_parts`` (see `Parts`; null for a program
    that the domain cannot read), ``tree`` and ``predicted_tree`` (``[start, end, category]`` over
    the words, end excluded; null where there is none).
    """
    guess, tree = prediction.meaning, getattr(prediction.derivation, "tree", None)
    return {
        "words": tokenize(example.question).words,
        "program_parts": parts(domain, example.meaning),
        "predicted_parts": None if guess is None else parts(domain, guess),
        "tree": example.spans,
        "predicted_tree": None if tree is None else spans_of(tree, domain),
    }


def parts(domain: Domain, program: Term) -> Parts | None:
    """The constants of a program and who takes them; None if the domain cannot read it.

    What no word names (`Constant.type_shift`) is left out: its arguments belong to whoever takes
    it.
    """
    listed: Parts = []

    def collect(application: Application, parent: int) -> None:
        if not application.constant.type_shift:
            listed.append((application.constant.category, parent))
            parent = len(listed) - 1
        for arg in application.args:
            if arg is not None:
                collect(arg, parent)

    try:
        collect(domain.interpret(program), -1)
    except PartwiseError:
        return None
    return listed

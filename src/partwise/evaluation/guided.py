"""Execution-guided decoding: of several meanings, the first that runs and says something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from partwise.errors import PartwiseError
from partwise.interface.domain import AnyDomain
from partwise.interface.parser import Parser
from partwise.interface.prediction import Prediction

M = TypeVar("M")


def guided(
    parser: Parser[M],
    domain: AnyDomain[M],
    questions: Sequence[str],
    k: int,
    contexts: Sequence[Any] | None = None,
) -> list[M | None]:
    """For each question the best of `k` meanings whose answer is not empty.

    If none has one the best meaning stands, as the answer may well be nothing. None for no parse.

    Args:
        contexts: what each question is about, for a domain that takes contexts.

    Raises:
        ValueError: for `k` below 1, or another number of contexts than of questions.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    given = [None] * len(questions) if contexts is None else contexts
    predictions = parser.parse(list(questions), k=k)
    return [_choose(one, domain, about) for one, about in zip(predictions, given, strict=True)]


def _choose(best: Prediction[M], domain: AnyDomain[M], about: Any) -> M | None:
    for one in (best, *best.alternatives):
        if one.meaning is not None and _answers(one.meaning, domain, about):
            return one.meaning
    return best.meaning


def _answers(meaning: M, domain: AnyDomain[M], about: Any) -> bool:
    try:
        return not domain.is_empty(domain.run(meaning, about))
    except PartwiseError:
        return False

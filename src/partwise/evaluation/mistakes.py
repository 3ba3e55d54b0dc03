"""The questions that came out wrong, a JSON object a line: for a person, and for plots."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from partwise.evaluation.metrics import Scores
from partwise.interface.data import Example
from partwise.interface.parser import Parser
from partwise.interface.prediction import Prediction

M = TypeVar("M")


@runtime_checkable
class Explaining(Protocol[M]):
    """A parser that can say more of a mistake."""

    def mistake(self, example: Example[M], prediction: Prediction[M]) -> Mapping[str, Any]:
        """What else there is to say of a question that came out wrong, as JSON values."""
        ...


def mistakes(
    parser: Parser[M],
    examples: Sequence[Example[M]],
    predictions: Sequence[Prediction[M]],
    scores: Scores,
) -> str:
    """What differs from the gold meaning, wrong answers before right ones.

    Each line has ``question``, ``meaning``, ``predicted`` (null for no prediction),
    ``right_answer`` (null where nothing is run), ``wrong`` (the first part that is wrong, null
    where meanings have no parts), ``error``, ``group`` and ``source``, and what the parser adds.

    Raises:
        ValueError: if the predictions or scores are not of these examples.
    """
    write = parser.domain.write
    order = list(scores.partial)
    lines: list[tuple[bool, int, str]] = []
    for example, prediction, outcome in zip(examples, predictions, scores.outcomes, strict=True):
        if outcome.exact_match:
            continue
        guess = prediction.meaning
        line = {
            "question": example.question,
            "meaning": write(example.meaning),
            "predicted": None if guess is None else write(guess),
            "right_answer": outcome.denotation,
            "wrong": outcome.wrong,
            "error": prediction.reason if guess is None else outcome.error,
            "group": outcome.group,
            "source": example.source,
            **(parser.mistake(example, prediction) if isinstance(parser, Explaining) else {}),
        }
        place = order.index(outcome.wrong) if outcome.wrong in order else -1
        text = json.dumps(line, ensure_ascii=False)
        lines.append((bool(outcome.denotation), place, text))
    return "".join(f"{text}\n" for *_, text in sorted(lines, key=lambda line: line[:2]))

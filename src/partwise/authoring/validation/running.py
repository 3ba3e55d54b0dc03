"""Pairs whose program fails to run, gives nothing, or not the answer that stands beside it."""

from __future__ import annotations

from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.pairs import Pair
from partwise.authoring.validation.places import place_of_error
from partwise.errors import PartwiseError
from partwise.language.domain import Domain

SHOWN = 5
"""Lines of an answer in a message."""


def run_pair(domain: Domain, pair: Pair) -> Finding | None:
    """What is wrong with the answer of a pair's program, if anything."""
    what = f"program {pair.example.meaning}"
    try:
        value = domain.run(pair.example.meaning, pair.example.context)
        lines = domain.show(value)
        hash(domain.denotation(value))
    except PartwiseError as error:
        at = place_of_error(error)
        advice = f"see {at}" if at else "mend the method that it names"
        return Finding("error", "failing-pair", what, f"fails to run: {error}", advice, pair.where)
    except Exception as error:
        why = f"its answer cannot be shown or compared: {type(error).__name__}: {error}"
        advice = "let the domain's denotation give something hashable, as a frozenset"
        return Finding("error", "failing-pair", what, why, advice, pair.where)
    if pair.answer is not None and sorted(pair.answer) != sorted(lines):
        why = f"gives {_short(lines)}; the pair says {_short(pair.answer)}"
        return Finding("error", "other-answer", what, why, "mend the one or other", pair.where)
    if domain.is_empty(value) and pair.answer is None:
        why = "gives an empty answer"
        advice = 'mend the program or its method; if so meant, give the pair "answer": []'
        return Finding("warning", "empty-answer", what, why, advice, pair.where)
    return None


def _short(lines: list[str] | tuple[str, ...]) -> str:
    few = ", ".join(sorted(lines)[:SHOWN])
    return (f"{few}, ... ({len(lines)})" if len(lines) > SHOWN else few) or "nothing"

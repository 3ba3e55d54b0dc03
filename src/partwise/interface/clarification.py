"""One question back, where it is not sure which meaning is wanted: it names what differs."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from partwise.interface.prediction import Answer, Clarification, Option

OPTIONS = 4
"""How many meanings are offered at once."""
NONE = ("none", "none-2")
"""Chosen where none of the options is meant, the first time and the second, which is the last."""
MISTAKEN = 0.1
"""How often somebody picks a wrong option."""
ROWS, WIDTH = 3, 60
"""Rows of a preview, and characters of each."""
LONGEST = 120
"""Characters of the options that the question lists."""


def gain_of(options: Sequence[Answer[Any]], refused: bool = False) -> float:
    """By how much a question back makes it likelier that the answer is right.

    Args:
        options: the answer that is given without it comes first, unless that is `refused`.
    """
    first, *others = (option.prediction.probability for option in options)
    return (1 - MISTAKEN) * (sum(others) + first) - (0.0 if refused else first)


def clarify(options: Sequence[Answer[Any]], gain: float, turn: int = 0) -> Clarification:
    """A question which of some meanings is wanted (`turn`: how many were asked before)."""
    question, texts = _phrased(options) or _in_whole(options)
    made = (_option(*pair) for pair in zip(options, texts, strict=True))
    return Clarification(question, tuple(made), gain, NONE[turn])


def option_id(program: str) -> str:
    """What a meaning is chosen by: a digest of its program."""
    return sha256(program.encode()).hexdigest()[:12]


def _option(answer: Answer[Any], text: str) -> Option:
    lines, number = answer.lines, len(answer.lines)
    short = (line if len(line) <= WIDTH else f"{line[:WIDTH]}…" for line in lines[:ROWS])
    preview = "; ".join(short) or "(nothing)"
    preview += f"; … ({number} in all)" if number > ROWS else ""
    program = answer.text or ""
    return Option(option_id(program), text, preview, _restated(answer), program)


def _restated(answer: Answer[Any]) -> str | None:
    return None if answer.explanation is None else answer.explanation.restated


def _phrased(options: Sequence[Answer[Any]]) -> tuple[str, list[str]] | None:
    """What words mean, where the options differ in these alone; as they are restated, where that
    differs in one part."""
    differences = [option.differences for option in options[1:]]
    if any(len(some) != 1 for some in differences):
        return None
    one = differences[0][0]
    texts = [*map(" + ".join, (one.mine, *(some[0].other for some in differences)))]
    alike = all((some[0].words, some[0].mine) == (one.words, one.mine) for some in differences)
    if not alike or "" in texts or len({*texts}) < len(texts):
        return None
    _, parts, _ = _in_parts(options)
    texts = parts if len({*parts}) == len(texts) else texts
    return f"By “{one.words}”: {_listed(texts)}", texts


def _in_whole(options: Sequence[Answer[Any]]) -> tuple[str, list[str]]:
    """Where the options differ as they are restated."""
    before, parts, after = _in_parts(options)
    if not parts:
        return "Which of these do you mean?", _whole(options)
    return f"“{' '.join([*before, '…', *after])}”: {_listed(parts)}", parts


def _whole(options: Sequence[Answer[Any]]) -> list[str]:
    return [_restated(option) or option.text or "" for option in options]


def _in_parts(options: Sequence[Answer[Any]]) -> tuple[list[str], list[str], list[str]]:
    """What all restatements begin with, the part in which each differs, and what they end with; no
    parts where there is no such beginning, or one has no part of its own."""
    words = [text.split(" ") for text in _whole(options)]
    before = _common(words)
    after = _common([some[before:][::-1] for some in words])
    # A part ends where a comma does, so that it can be read.
    while after and not all(
        some[before:-after][-1:] and some[-after - 1][-1:] == "," for some in words
    ):
        after -= 1
    parts = [" ".join(some[before : len(some) - after]).removesuffix(",") for some in words]
    if before < 2 or "" in parts:
        return [], [], []
    return words[0][:before], parts, words[0][len(words[0]) - after :]


def _common(several: Sequence[Sequence[str]]) -> int:
    """How many words several texts begin with alike."""
    places = zip(*several, strict=False)
    return next((n for n, some in enumerate(places) if len({*some}) > 1), min(map(len, several)))


def _listed(texts: Sequence[str]) -> str:
    """Texts in a question; long ones are seen below it alone."""
    if sum(map(len, texts)) > LONGEST:
        return "which one?"
    return f"{', '.join(texts[:-1])}, or {texts[-1]}?"

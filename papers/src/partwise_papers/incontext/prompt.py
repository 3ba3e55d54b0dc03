"""What the language model reads: training pairs, then the question, and what it is to write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Pair(NamedTuple):
    """A training question and the text of its meaning, as `Domain.write` gives it."""

    question: str
    program: str


def prompt_of(pairs: Sequence[Pair], question: str) -> str:
    """The prompt; the program is to follow at the start of a line.

    A new line is a token of its own for most models, so that programs begin at the start of a
    token after it.

    Args:
        pairs: the best first. It is written last, since models look most at what is near.
    """
    shown = [_entry(one.question) + f"{_line(one.program)}\n\n" for one in reversed(pairs)]
    return "".join(shown) + _entry(question)


def _entry(question: str) -> str:
    return f"question: {_line(question)}\nprogram:\n"


def _line(text: str) -> str:
    return " ".join(text.split())

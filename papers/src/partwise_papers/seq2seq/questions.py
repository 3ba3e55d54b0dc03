"""Which questions a network reads."""

from __future__ import annotations

from collections.abc import Callable

from partwise.language.text import Words


def unfit(words: Words, most: int, fits: Callable[[Words], bool]) -> str | None:
    """Why a question cannot be read; None if it can.

    Args:
        most: words of the longest question.
        fits: whether the network has room for a question.
    """
    if not 0 < len(words) <= most:
        return f"the question has {len(words)} words; it needs 1 to {most}"
    return None if fits(words) else "the question is too long for the encoder"

"""Sets of words that the names of tables and columns are judged by; `word_sets.txt` has them."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def _sets() -> dict[str, frozenset[str]]:
    text = files("partwise.database.source").joinpath("word_sets.txt").read_text("utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    parts = re.split(r"^\[(.+)\]$", text, flags=re.MULTILINE)
    return {
        name: frozenset(some.split()) for name, some in zip(parts[1::2], parts[2::2], strict=True)
    }


def word_set(name: str) -> frozenset[str]:
    """The words of a set."""
    return _sets()[name]

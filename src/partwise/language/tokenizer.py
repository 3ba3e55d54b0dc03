"""Questions to words. One rule for questions, lexicon phrases and entity names alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"['’]s\b|\d+(?:[.,]\d+)*|\w+|[^\w\s]")


@dataclass(frozen=True)
class Words:
    """The words of a question, lower-cased, with their character offsets in `text`."""

    text: str
    words: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.words)

    def span(self, start: int, end: int) -> str:
        """The text under words start..end (end excluded)."""
        return self.text[self.offsets[start][0] : self.offsets[end - 1][1]] if end > start else ""


def tokenize(text: str) -> Words:
    """Split a text into words: runs of letters or digits, the clitic 's, single other marks."""
    matches = list(_WORD.finditer(text))
    return Words(
        text,
        tuple(match.group().lower().replace("’", "'") for match in matches),
        tuple(match.span() for match in matches),
    )


def split(text: str) -> tuple[str, ...]:
    """The words of a text alone, as `tokenize` reads them."""
    return tuple(word.lower().replace("’", "'") for word in _WORD.findall(text))


def only_punctuation(word: str) -> bool:
    """Whether a word has neither letters nor digits."""
    return not any(map(str.isalnum, word))

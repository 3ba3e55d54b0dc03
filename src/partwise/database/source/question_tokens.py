"""The words of a question as stored values are looked for among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from partwise.database.source.lexicon import word_set
from partwise.database.source.normal import tokens_of

LONGEST = 8
"""The most words of a value, but for one in quotes."""
EMPTY = word_set("function words") | word_set("no values")
"""Words that are no stored value by themselves, unless quotes or a capital mark them."""
_OWNING = re.compile(r"\w['’]s$", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "'": "'", "‘": "’"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a part of one that has signs inside.

    Attributes:
        plain: without case and accents.
        word: its place among the question's words.
        first, last: whether it begins and ends that word.
        capital: whether it begins with a capital inside a sentence.
        upper: whether it is written in capitals in a question that is not.
        owner: of "Ann's", the word without its ending; else empty.
    """

    plain: str
    word: int
    first: bool
    last: bool
    capital: bool
    upper: bool
    owner: str = ""

    @property
    def empty(self) -> bool:
        """Whether it is no stored value by itself."""
        return self.plain in EMPTY


def is_shouted(words: Sequence[str]) -> bool:
    """Whether a question is written in capitals, which then say nothing."""
    return sum(one.isupper() for one in words) > max(2, len(words) / 2)


class QuestionTokens:
    """The tokens of a question and the spans that may be values.

    Args:
        quotes: whether what is in quotes is one value.
    """

    def __init__(self, words: Sequence[str], quotes: bool = True) -> None:
        shouted = is_shouted(words)
        self.tokens = [
            Token(
                plain,
                at,
                number == 0,
                number == len(parts) - 1,
                at > 0 and not shouted and word[:1].isupper(),
                word.isupper() and not shouted,
                plain[:-1] if _OWNING.search(word) and number == len(parts) - 1 else "",
            )
            for at, word in enumerate(words)
            for parts in [tokens_of(word)]
            for number, plain in enumerate(parts)
        ]
        marks = _quoted(words) if quotes else []
        self.quoted = [self._span(start, end) for start, end in marks]

    def _span(self, start: int, end: int) -> tuple[int, int]:
        inside = [at for at, one in enumerate(self.tokens) if start <= one.word < end]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    def spans(self) -> list[tuple[int, int]]:
        """Spans of whole words; what is in quotes is one."""
        size = len(self.tokens)
        every = [
            (start, end)
            for start in range(size)
            for end in range(start + 1, min(size, start + LONGEST) + 1)
        ]
        every += [one for one in self.quoted if one[1] - one[0] > LONGEST]
        return [(start, end) for start, end in every if self.may_be(start, end)]

    def may_be(self, start: int, end: int) -> bool:
        """Whether a span is of whole words, and all or nothing of what is in quotes."""
        if not (self.tokens[start].first and self.tokens[end - 1].last):
            return False
        apart = (
            (start, end) == one or end <= one[0] or start >= one[1] for one in self.quoted if one[1]
        )
        return all(apart)

    def marked(self, start: int, end: int) -> bool:
        """Whether capitals or quotes say that a span is a name."""
        return (start, end) in self.quoted or any(one.capital for one in self.tokens[start:end])

    def words(self, start: int, end: int) -> tuple[int, int]:
        """A span of tokens as one of words."""
        return self.tokens[start].word, self.tokens[end - 1].word + 1


def _quoted(words: Sequence[str]) -> list[tuple[int, int]]:
    """The words between two quotation marks, which may be words of their own."""
    made = []
    at = 0
    while at < len(words):
        mark = words[at][:1]
        closing = _QUOTES.get(mark)
        end = None if closing is None else _closing(words, at, closing)
        if end is not None:
            made.append((at, end + 1))
            at = end
        at += 1
    return made


def _closing(words: Sequence[str], start: int, mark: str) -> int | None:
    for at in range(start, len(words)):
        text = words[at][1:] if at == start else words[at]
        if text.endswith(mark):
            return at
    return None

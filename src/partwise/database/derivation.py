"""Which words of a question gave which part of a program over a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from partwise.interface.prediction import Difference


class PhrasePart(NamedTuple):
    """Words that stand together, and what they gave.

    Attributes:
        start: number of the first word.
        end: number of the word after the last one.
        words: as they were typed.
        meaning: what they gave, for people: ``table customer``, ``country is Brazil``.
    """

    start: int
    end: int
    words: str
    meaning: str


@dataclass(frozen=True)
class PhraseDerivation:
    """How the words of a question gave its meaning, phrase by phrase.

    Attributes:
        parts: in the order of the words.
        silent: parts of the meaning that no word gave, for people: ``through invoice line``.
    """

    parts: tuple[PhrasePart, ...]
    silent: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "parts": [part._asdict() for part in self.parts],
            "silent": list(self.silent),
            "text": str(self),
        }

    def differences(self, other: PhraseDerivation) -> Sequence[Difference]:
        """Where another derivation of the same question takes words in another way."""
        mine, theirs = self._by_words(), other._by_words()
        places = sorted({*mine, *theirs})
        return [
            Difference(words, before, after)
            for place in places
            for words in [(mine.get(place) or theirs[place])[0]]
            for before, after in [(_given(mine.get(place)), _given(theirs.get(place)))]
            if before != after
        ]

    def _by_words(self) -> dict[tuple[int, int], tuple[str, str]]:
        return {(one.start, one.end): (one.words, one.meaning) for one in self.parts}

    def __str__(self) -> str:
        """One line a phrase."""
        wide = max((len(one.words) for one in self.parts), default=0)
        lines = [f"{one.words:{wide}}  {one.meaning}" for one in self.parts]
        return "\n".join([*lines, *(f"{'':{wide}}  {one}" for one in self.silent)])


def _given(part: tuple[str, str] | None) -> tuple[str, ...]:
    return () if part is None else (part[1],)

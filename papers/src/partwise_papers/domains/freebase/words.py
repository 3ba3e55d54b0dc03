"""The words of CFQ's English: those of MCWQ's, and art directors in place of composers."""

from __future__ import annotations

from partwise_papers.domains.wikidata.words import WORDS as OF_MCWQ


def _of_cfq(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("art director" if word == "composer" else word for word in words)


WORDS: dict[str, tuple[str, ...]] = {name: _of_cfq(words) for name, words in OF_MCWQ.items()}

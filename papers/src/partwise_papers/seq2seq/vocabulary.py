"""The tokens of outputs, and the words of a question that may be copied into them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

PAD, START, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<start>", "<end>", "<unknown>")


class OutputVocabulary:
    """Tokens by number; a question's words that are no tokens have numbers behind them.

    Args:
        tokens: without the special ones, which have the first numbers.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = (*SPECIAL, *tokens)
        self.numbers = {token: number for number, token in enumerate(self.tokens)}

    @classmethod
    def of(cls, outputs: Iterable[Sequence[str]]) -> OutputVocabulary:
        """That of training outputs, the most frequent token first."""
        counts = Counter(token for output in outputs for token in output)
        return cls([token for token, _ in counts.most_common()])

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def _folded(self) -> dict[str, int]:
        """Lower-cased token -> its number, as questions are lower-cased."""
        return {token.lower(): self.numbers[token] for token in reversed(self.tokens)}

    def word_numbers(self, words: Sequence[str]) -> list[int]:
        """What copying each word writes: a token, or a number behind all tokens.

        The same word has the same number, that of its first place. A word that is spelled like a
        token is that token, others are the token that they are without regard to case.
        """
        made: dict[str, int] = {}
        for place, word in enumerate(words):
            if word not in made:
                other = self._folded.get(word, len(self) + place)
                made[word] = self.numbers.get(word, other)
        return [made[word] for word in words]

    def output_numbers(self, output: Sequence[str], words: Sequence[str]) -> list[int]:
        """Numbers of an output's tokens, of a question with some words; with the end."""
        behind = dict(zip(words, self.word_numbers(words), strict=True))
        return [*(self._number(one, behind) for one in output), END]

    def _number(self, token: str, behind: Mapping[str, int]) -> int:
        copied = behind.get(token, behind.get(token.lower(), UNKNOWN))
        return self.numbers.get(token, copied)

    def output(self, numbers: Iterable[int], words: Sequence[str]) -> list[str]:
        """The tokens of numbers, without the special ones."""
        size = len(self)
        return [
            self.tokens[one] if one < size else words[one - size]
            for one in numbers
            if one >= len(SPECIAL)
        ]

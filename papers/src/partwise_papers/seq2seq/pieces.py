"""Outputs in the pieces of a pretrained tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any


class PieceVocabulary:
    """Tokens of outputs as pieces; those that the pieces do not give back have a number each.

    Numbers of pieces are the tokenizer's; behind them stand the added tokens.

    Args:
        tokenizer: of the tokenizers library.
        pieces: how many numbers the network has for pieces.
        added: tokens that are no sequence of pieces.
    """

    def __init__(self, tokenizer: Any, pieces: int, added: Sequence[str] = ()) -> None:
        self.tokenizer, self.pieces, self.added = tokenizer, pieces, tuple(added)
        self.numbers = {token: pieces + number for number, token in enumerate(self.added)}
        self.begin, self.end = self._frame()

    @classmethod
    def of(cls, tokenizer: Any, pieces: int, outputs: Iterable[Sequence[str]]) -> PieceVocabulary:
        """That of training outputs: what pieces do not give back is added."""
        plain = cls(tokenizer, pieces)
        tokens = dict.fromkeys(token for output in outputs for token in output)
        return cls(tokenizer, pieces, [one for one in tokens if not plain.gives_back(one)])

    def _frame(self) -> tuple[list[int], int]:
        """The pieces that stand before every text, and the one behind."""
        *begin, end = self.tokenizer.encode("").ids
        return begin, end

    def __len__(self) -> int:
        return self.pieces + len(self.added)

    def gives_back(self, token: str) -> bool:
        """Whether the pieces of a token are read as this token."""
        return self.output(self.token_numbers(token), ()) == [token]

    def token_numbers(self, token: str) -> list[int]:
        """The numbers of a token."""
        if token in self.numbers:
            return [self.numbers[token]]
        # As it is read inside a text.
        ids: list[int] = self.tokenizer.encode(f" {token}", add_special_tokens=False).ids
        return ids

    def output_numbers(self, output: Sequence[str], words: Sequence[str]) -> list[int]:
        """Numbers of an output, with the tokenizer's own pieces before and behind it."""
        inside = (number for token in output for number in self.token_numbers(token))
        return [*self.begin, *inside, self.end]

    def output(self, numbers: Iterable[int], words: Sequence[str]) -> list[str]:
        """The tokens of numbers, without the tokenizer's own pieces."""
        made: list[str] = []
        for plain, some in groupby(numbers, lambda number: number < self.pieces):
            if plain:
                made += self.tokenizer.decode(list(some)).split()
            else:
                made += (self.added[number - self.pieces] for number in some)
        return made


def lossless(tokenizer: Any) -> Any:
    """The tokenizer, its decoder changed so that it joins no words, as that of BERT does."""
    from tokenizers.decoders import WordPiece

    if isinstance(tokenizer.decoder, WordPiece):
        tokenizer.decoder = WordPiece(prefix=tokenizer.decoder.prefix, cleanup=False)
    return tokenizer

"""Outputs in the pieces of a pretrained tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from partwise.errors import PartwiseError

NONE = -1
"""What is no number of a piece."""


class PieceVocabulary:
    """Tokens of outputs as pieces; those that the pieces do not give back have a number each.

    The numbers of pieces come first, in the order of the tokenizer; behind them stand the added
    tokens.

    Args:
        tokenizer: of the tokenizers library.
        pieces: how many numbers the tokenizer has.
        added: tokens that are no sequence of pieces.
        kept: the pieces that are written; none for all. In the place of others stands the piece for
            what is unknown, which is among them.

    Raises:
        PartwiseError: if the tokenizer lacks a piece that is kept, or one that it puts around texts
            is not kept.
    """

    def __init__(
        self,
        tokenizer: Any,
        pieces: int,
        added: Sequence[str] = (),
        kept: Sequence[str] = (),
    ) -> None:
        self.tokenizer, self.added, self.names = tokenizer, tuple(added), tuple(kept)
        self.kept = [_number(tokenizer, name) for name in kept] if kept else range(pieces)
        self.pieces = len(self.kept)
        self._places = {piece: place for place, piece in enumerate(self.kept)}
        self._unknown = self._places.get(unknown(tokenizer), 0)
        self.numbers = {token: self.pieces + number for number, token in enumerate(self.added)}
        self.begin, self.end = self._frame()

    @classmethod
    def of(
        cls,
        tokenizer: Any,
        pieces: int,
        outputs: Iterable[Sequence[str]],
        read: Iterable[int] | None = None,
    ) -> PieceVocabulary:
        """That of training outputs: what pieces do not give back is added.

        Args:
            read: the pieces of training questions. If given, these and those of the outputs are
                kept, and no others.
        """
        plain = cls(tokenizer, pieces)
        tokens = dict.fromkeys(token for output in outputs for token in output)
        added = [one for one in tokens if not plain.gives_back(one)]
        if read is None:
            return cls(tokenizer, pieces, added)
        written = (piece for token in tokens for piece in plain.token_numbers(token))
        frame = [*plain.begin, plain.end, unknown(tokenizer)]
        kept = sorted({*frame, *read, *written} - {NONE})
        return cls(tokenizer, pieces, added, [tokenizer.id_to_token(one) for one in kept])

    def _frame(self) -> tuple[list[int], int]:
        """The pieces that stand before every text, and the one behind."""
        frame = self.tokenizer.encode("").ids
        if not self._places.keys() >= {*frame}:
            raise PartwiseError("pieces that frame a text are not kept; train the parser again")
        *begin, end = (self._places[one] for one in frame)
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
        ids = self.tokenizer.encode(f" {token}", add_special_tokens=False).ids
        return [self._places.get(one, self._unknown) for one in ids]

    def output_numbers(self, output: Sequence[str], words: Sequence[str]) -> list[int]:
        """Numbers of an output, with the tokenizer's own pieces before and behind it."""
        inside = (number for token in output for number in self.token_numbers(token))
        return [*self.begin, *inside, self.end]

    def output(self, numbers: Iterable[int], words: Sequence[str]) -> list[str]:
        """The tokens of numbers, without the tokenizer's own pieces."""
        made: list[str] = []
        for plain, some in groupby(numbers, lambda number: number < self.pieces):
            if plain:
                made += self.tokenizer.decode([self.kept[number] for number in some]).split()
            else:
                made += (self.added[number - self.pieces] for number in some)
        return made


def _number(tokenizer: Any, name: str) -> int:
    number = tokenizer.token_to_id(name)
    if number is None:
        raise PartwiseError(f"the tokenizer has no piece {name!r:.60}; train the parser again")
    return int(number)


def unknown(tokenizer: Any) -> int:
    """The number that a WordPiece tokenizer has for what it does not know; `NONE` for others."""
    name = getattr(tokenizer.model, "unk_token", None)
    found = None if name is None else tokenizer.token_to_id(name)
    return NONE if found is None else int(found)


def lossless(tokenizer: Any) -> Any:
    """The tokenizer, its decoder changed so that it joins no words, as that of BERT does."""
    from tokenizers.decoders import WordPiece

    if isinstance(tokenizer.decoder, WordPiece):
        tokenizer.decoder = WordPiece(prefix=tokenizer.decoder.prefix, cleanup=False)
    return tokenizer

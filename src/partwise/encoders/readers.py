"""What encoders read: questions as numbers, and where the vectors of words stand; without torch.

Readers are plug-ins of the group ``partwise.readers``, under the names of their encoders.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.encoders.architecture import TOKENIZER, guard_tokenizers, read_tokenizer
from partwise.encoders.functions import Functions
from partwise.encoders.storage import read_names
from partwise.errors import PartwiseError
from partwise.interface.registry import Registry
from partwise.language.text import Words

VOCABULARY, COMMON = "words.json", "common.json"
UNKNOWN = 1
MINILM = "minilm"
"""The offline default; its class takes transformers from other folders and hub names, too."""
KEPT = 50_000
"""Questions and names whose pieces are remembered."""


class Pieces(NamedTuple):
    """A question as an encoder reads it.

    Attributes:
        numbers: rows of so many columns, by the names of the network's arguments.
        first, last: for each word, in which column its first piece stands, and its last.
    """

    numbers: Mapping[str, Sequence[int]]
    first: Sequence[int]
    last: Sequence[int]

    @property
    def length(self) -> int:
        return len(next(iter(self.numbers.values())))


class Reader(Protocol):
    """Reads questions for an encoder.

    Attributes:
        known: the words that it knows; None where it reads parts of words.
    """

    @property
    def known(self) -> Collection[str] | None: ...

    def __call__(self, words: Words) -> Pieces: ...

    def fits(self, words: Words) -> bool:
        """Whether the network can read a question."""
        ...


READERS: Registry[Callable[[Mapping[str, Any], Path], Reader]] = Registry(
    "partwise.readers",
    "reader of questions",
    {
        "bilstm": "partwise.encoders.readers:WordReader.load",
        "distilled": "partwise.encoders.readers:DistilledReader.load",
        "pretrained": "partwise.encoders.readers:PieceReader.load",
    },
)
"""What makes a reader of a saved encoder: of what config.json says of it, and its folder."""


def load_reader(config: Mapping[str, Any], folder: Path) -> Reader:
    """The reader of a saved parser's encoder. Raises PartwiseError for a kind that is not
    installed, or none."""
    return READERS.find(str(config.get("kind")))(config, folder)


class WordReader:
    """Reads whole words. Numbers 0 and 1 are padding and unknown words."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.numbers = {word: number + 2 for number, word in enumerate(vocabulary)}

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> WordReader:
        return cls(read_names(folder / VOCABULARY))

    @property
    def known(self) -> Collection[str]:
        return self.numbers.keys()

    def __call__(self, words: Words) -> Pieces:
        numbers = {"ids": [self.numbers.get(word, UNKNOWN) for word in words.words]}
        return Pieces(numbers, range(len(words)), range(len(words)))

    def fits(self, words: Words) -> bool:
        return True


class DistilledReader(WordReader):
    """Reads whole words, and which of the `common` ones they are, whose row 0 is none of them."""

    def __init__(self, vocabulary: Sequence[str], common: Sequence[str]) -> None:
        super().__init__(vocabulary)
        self.rows = {word: row + 1 for row, word in enumerate(common)}

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> DistilledReader:
        return cls(read_names(folder / VOCABULARY), read_names(folder / COMMON))

    @property
    def known(self) -> Collection[str]:
        return self.rows.keys() | self.numbers.keys()

    def __call__(self, words: Words) -> Pieces:
        read = super().__call__(words)
        rows = [self.rows.get(word, 0) for word in words.words]
        return read._replace(numbers={**read.numbers, "rows": rows})


class PieceReader:
    """Reads parts of words.

    Args:
        tokenizer: of the tokenizers library.
        numbers: how many pieces the network has.
        limit: the most pieces of a question.
    """

    known: Collection[str] | None = None

    def __init__(self, tokenizer: Any, numbers: int, limit: int) -> None:
        self.tokenizer, self.numbers, self.limit = tokenizer, numbers, limit
        self.pieces = lru_cache(maxsize=KEPT)(self._pieces)

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> PieceReader:
        tokenizer = read_tokenizer(folder / TOKENIZER)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return cls(tokenizer, int(config["numbers"]), int(config["longest"]))

    def __call__(self, words: Words) -> Pieces:
        """See `Reader`. Raises PartwiseError for a question that does not fit."""
        numbers, first, last = self.pieces(words)
        if len(numbers) > self.limit:
            raise PartwiseError(
                f"a question has {len(numbers)} pieces, and the encoder reads at most "
                f"{self.limit}; leave it out: {words.text[:80]!r}"
            )
        return Pieces({"ids": numbers}, first, last)

    def fits(self, words: Words) -> bool:
        return len(self.pieces(words)[0]) <= self.limit

    def _pieces(self, words: Words) -> tuple[list[int], list[int], list[int]]:
        """Piece numbers, and each word's first and last piece, aligned by character offsets. A word
        without a piece of its own (some control characters) takes the piece before it."""
        with guard_tokenizers("the encoder's tokenizer cannot read a question"):
            encoded = self.tokenizer.encode(words.text)
        numbers = list(encoded.ids)
        if max(numbers, default=0) >= self.numbers:
            raise PartwiseError("the encoder's tokenizer has pieces that its network does not have")
        spans = enumerate(encoded.offsets)
        pieces = [(number, left, right) for number, (left, right) in spans if left < right]
        first, last, place = [], [], 0
        for start, end in words.offsets:
            inside = [n for n, left, right in pieces if left < end and right > start]
            place = inside[0] if inside else place
            first.append(place)
            last.append(inside[-1] if inside else place)
        return numbers, first, last


QUESTION, RESTATED = 60, 50
"""The most pieces of a question and of a restated meaning that are compared."""


def read_pairs(tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> dict[str, NDArray[np.int64]]:
    """Questions with restated meanings as numbers, ``[pairs, longest]`` each, by the names of the
    arguments of `partwise.encoders.cross_encoder.CrossEncoder.scores`."""
    both = []
    for question, restated in pairs:
        said = tokenizer.encode(question, add_special_tokens=False)
        told = tokenizer.encode(restated, add_special_tokens=False)
        said.truncate(QUESTION)
        told.truncate(RESTATED)
        both.append(tokenizer.post_process(said, told))
    made = np.zeros((3, len(both), max((len(one.ids) for one in both), default=0)), np.int64)
    for row, one in enumerate(both):
        made[:, row, : len(one.ids)] = one.ids, one.attention_mask, one.type_ids
    return dict(zip(("ids", "mask", "types"), made, strict=True))


def encode(
    functions: Functions, reader: Reader, batch: Sequence[Words]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """``[questions, longest, dim]`` twice: vectors of words as starts and as ends, by the function
    ``encoder``. Questions of one length go through it together, so that none is padded."""
    read = [reader(words) for words in batch]
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for row, one in enumerate(read):
        groups[one.length].append(row)
    hidden: dict[int, NDArray[np.float32]] = {}
    for rows in groups.values():
        names = read[rows[0]].numbers
        given = {
            name: np.array([read[row].numbers[name] for row in rows], np.int64) for name in names
        }
        hidden |= zip(rows, functions("encoder", **given)[0], strict=True)
    longest = max((len(one.first) for one in read), default=0)
    dim = hidden[0].shape[-1] if hidden else 0
    first, last = np.zeros((2, len(read), longest, dim), np.float32)
    for row, one in enumerate(read):
        first[row, : len(one.first)] = hidden[row][list(one.first)]
        last[row, : len(one.last)] = hidden[row][list(one.last)]
    return first, last

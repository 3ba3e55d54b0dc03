"""Texts as they are compared: without case, accents and punctuation; and numbers for them.

A word's number is a polynomial over its letters, so that all words with one letter left out are
found without writing them down. A phrase's number is one over the numbers of its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]
MASK = (1 << 64) - 1
_LETTER, _WORD, _JOINED = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0x2545F4914F6CDD1D
_PLAIN = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    | {"&": " and ", "'": "", "’": "", "‘": "", "`": "", "´": "", "_": " "}
)
_TOKEN = re.compile(r"\w+")


def tokens_of(text: str) -> list[str]:
    """The words of a text, without case, accents and punctuation."""
    plain = text.casefold().translate(_PLAIN)
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain)
        plain = "".join(one for one in plain if not unicodedata.combining(one))
    return _TOKEN.findall(plain)


def word_number(word: str) -> int:
    """The number of a word."""
    total = 0
    for letter in word:
        total = (total * _LETTER + ord(letter)) & MASK
    return _mixed(total ^ len(word))


def phrase_number(words: Iterable[int]) -> int:
    """The number of a phrase, from those of its words."""
    total = 0
    for word in words:
        total = (total * _WORD + word) & MASK
    return total


def changed(phrase: int, size: int, at: int, old: int, new: int) -> int:
    """The number of a phrase of `size` words with another word in one place."""
    return (phrase + (new - old) * pow(_WORD, size - 1 - at, 1 << 64)) & MASK


def joined_number(words: Sequence[str]) -> int:
    """The number of a phrase whose words are written as one."""
    return word_number("".join(words)) ^ _JOINED


def joined_numbers(words: Sequence[str]) -> Numbers:
    """The same of phrases that are written as one word."""
    return word_numbers(words) ^ np.uint64(_JOINED)


def word_numbers(words: Sequence[str]) -> Numbers:
    """The number of each word."""
    made = np.zeros(len(words), dtype=np.uint64)
    for size, places, letters in _by_size(words):
        total = np.zeros(len(places), dtype=np.uint64)
        for at in range(size):
            total = total * np.uint64(_LETTER) + letters[:, at]
        made[places] = _mixed_all(total ^ np.uint64(size))
    return made


def deletions(words: Sequence[str]) -> tuple[Numbers, npt.NDArray[np.int32]]:
    """The numbers of all words that come of leaving out one letter or none, and of which word
    each of them comes."""
    numbers: list[Numbers] = [word_numbers(words)]
    owners = [np.arange(len(words), dtype=np.int32)]
    for size, places, letters in _by_size(words):
        for left_out in range(size):
            total = np.zeros(len(places), dtype=np.uint64)
            for at in range(size):
                if at != left_out:
                    total = total * np.uint64(_LETTER) + letters[:, at]
            numbers.append(_mixed_all(total ^ np.uint64(size - 1)))
            owners.append(places)
    return np.concatenate(numbers), np.concatenate(owners)


def deletions_of(word: str) -> list[int]:
    """The same of one word."""
    return [
        word_number(word),
        *(word_number(word[:at] + word[at + 1 :]) for at in range(len(word))),
    ]


def phrase_numbers(words: Numbers, starts: npt.NDArray[np.int64]) -> Numbers:
    """The numbers of phrases.

    Args:
        words: those of the words of all phrases.
        starts: where each phrase begins, and the end of the last one.
    """
    sizes = np.diff(starts)
    total = np.zeros(len(sizes), dtype=np.uint64)
    order = np.argsort(-sizes, kind="stable")
    many = -sizes[order]
    for at in range(int(sizes.max(initial=0))):
        some = order[: np.searchsorted(many, -at, side="left")]
        total[some] = total[some] * np.uint64(_WORD) + words[starts[some] + at]
    return total


def _by_size(words: Sequence[str]) -> Iterable[tuple[int, npt.NDArray[np.int32], Numbers]]:
    sizes = np.fromiter(map(len, words), dtype=np.int32, count=len(words))
    for size in np.unique(sizes):
        if size:
            places = np.flatnonzero(sizes == size).astype(np.int32)
            text = "".join(words[at] for at in places.tolist()).encode("utf-32-le", "surrogatepass")
            letters: Any = np.frombuffer(text, dtype=np.uint32).reshape(len(places), size)
            yield int(size), places, letters.astype(np.uint64)


def _mixed(number: int) -> int:
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


def _mixed_all(numbers: Numbers) -> Numbers:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))

"""The arrays of a value index, which are looked up where they lie on the disk.

Texts are compared without case, accents and punctuation, by numbers. A word's number is a
polynomial over its letters, so that all words with one letter left out are found without writing
them down. A phrase's number is one over the numbers of its words. An *entry* is a stored value, or
the name of a person in several columns, with the columns that have it. A *key* is the number of a
phrase that stands for an entry. `IndexBuilder` makes the arrays; `IndexArrays` reads them.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from partwise.errors import DataError
from partwise.language.text import without_marks

Numbers = npt.NDArray[np.uint64]
MASK = (1 << 64) - 1
_LETTER, _WORD, _JOINED = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0x2545F4914F6CDD1D
_SIGNS = str.maketrans({"&": " and ", "_": " ", **dict.fromkeys("'’‘`´", "")})
_TOKEN = re.compile(r"\w+")


def tokens_of(text: str) -> list[str]:
    """The words of a text, without case, accents and punctuation."""
    return _TOKEN.findall(without_marks(text.translate(_SIGNS)))


def word_number(word: str) -> int:
    """The number of a word."""
    total = 0
    for letter in word:
        total = (total * _LETTER + ord(letter)) & MASK
    return int(_mixed(total ^ len(word)))


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


def word_numbers(words: Sequence[str]) -> Numbers:
    """The number of each word."""
    made = np.zeros(len(words), dtype=np.uint64)
    for size, places, letters in _by_size(words):
        total = np.zeros(len(places), dtype=np.uint64)
        for at in range(size):
            total = total * np.uint64(_LETTER) + letters[:, at]
        made[places] = _mixed(total ^ np.uint64(size))
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
            numbers.append(_mixed(total ^ np.uint64(size - 1)))
            owners.append(places)
    return np.concatenate(numbers), np.concatenate(owners)


def phrase_numbers(words: Numbers, starts: npt.NDArray[np.int64]) -> Numbers:
    """The numbers of phrases. `words`: those of the words of all phrases. `starts`: where each
    phrase begins, and the end of the last one."""
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


def _mixed(number: Any) -> Any:
    """A number, or an array of such, of which each bit depends on all bits of what is given."""
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


VERSION = 1
RARE = 50
"""The most entries that a word is in which alone points to a longer text."""
FUZZY, LONGEST_FUZZY = 5, 24
"""The least and the most letters of a word that may be misspelt."""
JOINED = 3
"""The most words of a phrase that may be written as one."""
PART = "\x1f"
"""Between the parts of a name that is stored in several columns."""
MOST = 24
"""The most entries that one key gives, and the most words that a misspelt one is taken for."""
_ARRAYS = (
    "texts", "text_starts", "groups", "key_numbers", "key_entries", "key_scores", "words",
    "word_starts", "word_numbers", "post_starts", "post_entries", "deletion_numbers",
    "deletion_words",
)  # fmt: skip


class ValueColumns(NamedTuple):
    """Columns that have a value.

    Attributes:
        places: tables and columns.
        parts: whether each column has a part of the value, as first and last name.
    """

    places: tuple[tuple[str, str], ...]
    parts: bool = False


class StoredValue(NamedTuple):
    """A stored value."""

    text: str
    group: ValueColumns


@dataclass(frozen=True)
class IndexArrays:
    """Looks up entries by keys, words by their spelling, and entries by rare words.

    Attributes:
        schema_words: words of the names of tables and columns.
    """

    arrays: Mapping[str, npt.NDArray[Any]]
    groups: tuple[ValueColumns, ...]
    schema_words: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.arrays["groups"])

    @classmethod
    def load(cls, folder: Path) -> IndexArrays:
        """The arrays of a folder, which are read when they are needed. Raises DataError if the
        folder has none, or those of another version."""
        try:
            about = json.loads((folder / "groups.json").read_text("utf-8"))
            if about["version"] != VERSION:
                raise DataError(f"{folder}: this is version {about['version']}; make it again")
            arrays = {name: _mapped(folder / f"{name}.npy") for name in _ARRAYS}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{folder}: this is no value index: {error}; make it again") from error
        groups = (
            ValueColumns(tuple((t, c) for t, c in places), parts)
            for places, parts in about["groups"]
        )
        return cls(arrays, tuple(groups), frozenset(about["schema_words"]))

    def save(self, folder: Path) -> None:
        """Write the arrays to a folder that exists."""
        about = {
            "version": VERSION,
            "groups": self.groups,
            "schema_words": sorted(self.schema_words),
        }
        (folder / "groups.json").write_text(json.dumps(about, ensure_ascii=False), "utf-8")
        for name, one in self.arrays.items():
            np.save(folder / f"{name}.npy", one, allow_pickle=False)

    def entry(self, number: int) -> StoredValue:
        """An entry by its number."""
        return StoredValue(
            self._text("texts", "text_starts", number), self.groups[self.arrays["groups"][number]]
        )

    def with_keys(self, keys: Sequence[int]) -> Iterator[tuple[int, int, float]]:
        """Which of some keys an entry has, that entry, and how close its key is, from 0 to 1."""
        for at, place in _equal(self.arrays["key_numbers"], keys):
            yield (
                at,
                int(self.arrays["key_entries"][place]),
                float(self.arrays["key_scores"][place]) / 100,
            )

    def has_words(self, numbers: Sequence[int]) -> list[int | None]:
        """The places of words in the vocabulary, by their numbers; None for unknown ones."""
        made: list[int | None] = [None] * len(numbers)
        for at, place in _equal(self.arrays["word_numbers"], numbers):
            made[at] = place
        return made

    def spelt_like(self, word: str) -> list[tuple[str, int]]:
        """Words of the vocabulary that differ from a word by a letter or two, and their places."""
        if len(word) > LONGEST_FUZZY + 1:
            return []
        found = _equal(self.arrays["deletion_numbers"], deletions([word])[0])
        places = dict.fromkeys(int(self.arrays["deletion_words"][place]) for _, place in found)
        return [(self._text("words", "word_starts", place), place) for place in places]

    def entries_with(self, word: int) -> list[int]:
        """The entries of several words that have a word, by its place, if they are few."""
        start, end = self.arrays["post_starts"][word : word + 2]
        return [int(one) for one in self.arrays["post_entries"][start:end]]

    def _text(self, name: str, starts: str, number: int) -> str:
        start, end = self.arrays[starts][number : number + 2]
        return self.arrays[name][start:end].tobytes().decode("utf-8", "surrogatepass")


def _mapped(path: Path) -> npt.NDArray[Any]:
    try:
        made: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        # An empty file cannot be mapped.
        made = np.load(path, allow_pickle=False)
    return made


def _equal(ordered: npt.NDArray[Any], keys: Sequence[int] | Numbers) -> Iterator[tuple[int, int]]:
    """Which keys are in an ordered array, and where; a few places for each."""
    asked = np.array(keys, dtype=np.uint64)
    starts = np.searchsorted(ordered, asked)
    inside = np.flatnonzero(starts < len(ordered))
    for at in inside[ordered[starts[inside]] == asked[inside]]:
        place = int(starts[at])
        last = min(place + MOST, len(ordered))
        while place < last and ordered[place] == asked[at]:
            yield int(at), place
            place += 1


class IndexBuilder:
    """Collects values."""

    def __init__(self) -> None:
        self._places: dict[str, set[tuple[str, str]]] = {}
        self._scores: dict[tuple[str, str], int] = {}
        self._full: set[tuple[str, str]] = set()
        self._in_full: set[tuple[str, str]] = set()
        self._people: dict[str, tuple[tuple[str, str], ...]] = {}
        self._aliases: list[tuple[str, str, tuple[str, str]]] = []

    def add(
        self,
        place: tuple[str, str],
        values: Iterable[str],
        score: int = 100,
        full: bool = False,
        in_full: bool = False,
    ) -> None:
        """The values of a column. `score`: of 100, of a value that is said as it is. `full`:
        whether they are full names of people. `in_full`: whether no part of them stands for them.
        """
        self._scores[place] = score
        if in_full:
            self._in_full.add(place)
        if full:
            self._full.add(place)
        for one in values:
            self._places.setdefault(one, set()).add(place)

    def add_people(self, places: Sequence[tuple[str, str]], names: Iterable[Sequence[str]]) -> None:
        """Names that are stored in several columns."""
        for parts in names:
            # Two tables may have the same name: each is an entry of its own.
            self._people[PART.join([places[0][0], *parts])] = tuple(places)

    def add_alias(self, name: str, value: str, place: tuple[str, str]) -> None:
        """Another name for a value of a column."""
        self._aliases.append((name, value, place))

    def build(self) -> tuple[dict[str, npt.NDArray[Any]], tuple[ValueColumns, ...]]:
        """The arrays by name, and the groups of columns."""
        groups: dict[ValueColumns, int] = {}
        entries = [*self._entries(groups)]
        tokens = [tokens_of(text.replace(PART, " ")) for text, _ in entries]
        vocabulary: dict[str, int] = {}
        flat, starts = array("i"), array("q", [0])
        for some in tokens:
            flat.extend([vocabulary.setdefault(word, len(vocabulary)) for word in some])
            starts.append(len(flat))
        for name, _, _ in self._aliases:
            for word in tokens_of(name):
                vocabulary.setdefault(word, len(vocabulary))
        words = list(vocabulary)
        numbers = word_numbers(words)
        of_word = np.array(flat, dtype=np.int32)
        phrases = np.array(starts, dtype=np.int64)
        owners = np.array([group for _, group in entries], dtype=np.int32)
        score = np.array([self._score(one) for one in groups], dtype=np.int64)
        full = np.array([bool(self._full & set(one.places)) for one in groups], dtype=np.bool_)
        closed = np.array([self._in_full >= set(one.places) for one in groups], dtype=np.bool_)
        arrays = _pooled("texts", "text_starts", [text for text, _ in entries])
        arrays |= {"groups": owners}
        arrays |= _keys(
            tokens,
            phrase_numbers(numbers[of_word], phrases),
            score[owners],
            full[owners],
            closed[owners],
            self._alias_keys(len(entries)),
            [(at, text.split(PART)) for at, (text, _) in enumerate(entries) if PART in text],
        )
        arrays |= _words(words, numbers, of_word, phrases, closed[owners])
        return arrays, tuple(groups)

    def _score(self, group: ValueColumns) -> int:
        every = [self._scores.get(one, 100) for one in group.places]
        return 100 if group.parts else max(every)

    def _entries(self, groups: dict[ValueColumns, int]) -> Iterator[tuple[str, int]]:
        for text, some in self._places.items():
            yield text, groups.setdefault(ValueColumns(tuple(sorted(some))), len(groups))
        for name, places in self._people.items():
            text = name.partition(PART)[2]
            yield text, groups.setdefault(ValueColumns(places, True), len(groups))
        for _, value, place in self._aliases:
            yield value, groups.setdefault(ValueColumns((place,)), len(groups))

    def _alias_keys(self, entries: int) -> list[tuple[int, int]]:
        first = entries - len(self._aliases)
        return [
            (phrase_number(map(word_number, tokens_of(name))), first + at)
            for at, (name, _, _) in enumerate(self._aliases)
        ]


def _pooled(name: str, starts: str, texts: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    encoded = [one.encode("utf-8", "surrogatepass") for one in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return {name: np.frombuffer(b"".join(encoded), dtype=np.uint8), starts: ends}


def _keys(
    tokens: Sequence[Sequence[str]],
    whole: Numbers,
    scores: npt.NDArray[np.int64],
    full: npt.NDArray[np.bool_],
    closed: npt.NDArray[np.bool_],
    aliases: Sequence[tuple[int, int]],
    people: Sequence[tuple[int, Sequence[str]]],
) -> dict[str, npt.NDArray[Any]]:
    """Keys in order: whole phrases, other spellings of them, aliases.

    Args:
        full: which entries are full names of people.
        closed: for which entries no part stands.
        people: entries of several parts, with these.
    """
    rows = [
        (number, at, score)
        for at, some in enumerate(tokens)
        if len(some) > 1
        for number, score in _loose(some, bool(full[at]), bool(closed[at]))
    ]
    rows += [(number, at, 100) for number, at in aliases]
    rows += [(_turned(parts), at, 90) for at, parts in people]
    joined = [at for at, some in enumerate(tokens) if 1 < len(some) <= JOINED]
    numbers = [one[0] for one in rows]
    every = np.concatenate(
        [
            whole,
            word_numbers(["".join(tokens[at]) for at in joined]) ^ np.uint64(_JOINED),
            np.array(numbers, dtype=np.uint64),
        ]
    )
    owners = [*range(len(tokens)), *joined, *(one[1] for one in rows)]
    near = [95] * len(joined) + [one[2] for one in rows]
    close = np.concatenate([scores, np.array(near, dtype=np.int64)])
    order = np.argsort(every, kind="stable")
    return {
        "key_numbers": every[order],
        "key_entries": np.array(owners, dtype=np.int32)[order],
        "key_scores": close[order].astype(np.uint8),
    }


def _turned(parts: Sequence[str]) -> int:
    """The number of a name with its last part first."""
    words = [word for one in (*parts[1:], parts[0]) for word in tokens_of(one)]
    return phrase_number(map(word_number, words))


def _loose(tokens: Sequence[str], full: bool, closed: bool) -> Iterator[tuple[int, int]]:
    """Numbers of other spellings of a phrase, and how close they are: without its article, the
    beginning of a long one, and of a full name the last or the first name alone."""
    if tokens[0] in ("the", "a", "an"):
        yield phrase_number(map(word_number, tokens[1:])), 95
    letters = sum(map(len, tokens))
    for size in range(3, 0 if closed else len(tokens)):
        share = sum(map(len, tokens[:size])) / letters
        if share > 0.4:
            yield phrase_number(map(word_number, tokens[:size])), round(85 * share**0.5)
    if full:
        yield phrase_number([word_number(tokens[-1])]), 75
        yield phrase_number([word_number(tokens[0])]), 65


def _words(
    words: Sequence[str],
    numbers: Numbers,
    flat: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    closed: npt.NDArray[np.bool_],
) -> dict[str, npt.NDArray[Any]]:
    """The vocabulary, the entries of rare words, and the words of all spellings with a letter less.
    `closed`: which entries no rare word stands for."""
    order = np.argsort(numbers, kind="stable")
    rank = np.empty(len(words), dtype=np.int32)
    rank[order] = np.arange(len(words), dtype=np.int32)
    ordered = [words[at] for at in order]
    owners = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    long = np.repeat((np.diff(starts) > 1) & ~closed, np.diff(starts))
    used, owners = rank[flat[long]], owners[long]
    counts = np.bincount(used, minlength=len(words))
    rare = counts[used] <= RARE
    used, owners = used[rare], owners[rare]
    by_word = np.argsort(used, kind="stable")
    kept = np.where(counts <= RARE, counts, 0)
    fuzzy = [
        at
        for at, word in enumerate(ordered)
        if FUZZY <= len(word) <= LONGEST_FUZZY and not word.isdigit()
    ]
    spelt, of = deletions([ordered[at] for at in fuzzy])
    sorted_ = np.argsort(spelt, kind="stable")
    return {
        **_pooled("words", "word_starts", ordered),
        "word_numbers": numbers[order],
        "post_starts": np.concatenate([[0], np.cumsum(kept)]).astype(np.int64),
        "post_entries": owners[by_word],
        "deletion_numbers": spelt[sorted_],
        "deletion_words": np.array(fuzzy, dtype=np.int32)[of[sorted_]],
    }

"""The arrays of a value index, made of values; `index_arrays` says what they are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from partwise.database.source.index_arrays import (
    FUZZY,
    JOINED,
    LONGEST_FUZZY,
    PART,
    RARE,
    ValueColumns,
)
from partwise.database.source.normal import (
    Numbers,
    deletions,
    joined_numbers,
    phrase_number,
    phrase_numbers,
    tokens_of,
    word_number,
    word_numbers,
)


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
        """The values of a column.

        Args:
            score: of 100, of a value that is said as it is.
            full: whether they are full names of people.
            in_full: whether no part of them stands for them.
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
            joined_numbers(["".join(tokens[at]) for at in joined]),
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
    """The vocabulary, the entries of rare words, and the words of all spellings with a letter
    less.

    Args:
        closed: which entries no rare word stands for.
    """
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

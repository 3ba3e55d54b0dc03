"""Words of a script without blanks: characters that are bound, or stand together far more often
than by chance, are merged."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from partwise.language.text import Words, tokenize

BLANKS = 0.04
"""A language with fewer blanks between two letters, a letter, writes none between words."""
BOUND = 0.3
"""So large is the geometric mean of the shares of their uses in which two neighbours stand beside
each other, if they are a word."""
PART, WHOLE = 0.9, 0.03
"""Or so large the one share and the other: a part that stands in this word alone."""
FEWEST = 10
"""So often a word must be seen."""
LONGEST = 8
"""Characters of the longest word."""
_PLACEHOLDER = re.compile(r"[Mm]\d+(?!\d)")
_BETWEEN = re.compile(r"(?<=[^\W\d_]) +(?=[^\W\d_])")
_LETTER = re.compile(r"[^\W\d_]")


def words_of(question: str, pieces: Collection[str]) -> Words:
    """The words of a question; if there are pieces, the longest of them at each place.

    Placeholders of entities are words of their own, though letters (of a case, say) follow.
    """
    known, longest = _index(tuple(pieces))
    texts: list[str] = []
    offsets: list[tuple[int, int]] = []
    for start, end in _runs(question):
        whole = _PLACEHOLDER.fullmatch(question, start, end) is not None
        at = start
        while at < end:
            sizes = range(min(longest, end - at), 1, -1)
            size = next((n for n in sizes if question[at : at + n].lower() in known), 1)
            size = end - at if whole or not pieces else size
            texts.append(question[at : at + size].lower().replace("’", "'"))
            offsets.append((at, at + size))
            at += size
    return Words(question, tuple(texts), tuple(offsets))


@lru_cache(maxsize=4)
def _index(pieces: tuple[str, ...]) -> tuple[frozenset[str], int]:
    """The pieces to look up, and the length of the longest."""
    return frozenset(pieces), max(map(len, pieces), default=1)


def _runs(question: str) -> Iterable[tuple[int, int]]:
    """Placeholders, runs of letters or digits, and single marks."""
    for start, end in tokenize(question).offsets:
        at = start
        for match in _PLACEHOLDER.finditer(question, start, end):
            if match.start() > at:
                yield at, match.start()
            yield match.span()
            at = match.end()
        if at < end:
            yield at, end


def learn_pieces(questions: Sequence[str]) -> tuple[str, ...]:
    """The words of a script without blanks; none for a language that writes blanks."""
    plain = [_PLACEHOLDER.sub(".", question) for question in questions]
    letters = sum(len(_LETTER.findall(text)) for text in plain)
    if sum(len(_BETWEEN.findall(text)) for text in plain) >= BLANKS * letters:
        return ()
    runs: Counter[tuple[str, ...]] = Counter()
    for question in questions:
        for start, end in _runs(question):
            if _PLACEHOLDER.fullmatch(question, start, end) is None:
                runs[tuple(question[start:end].lower())] += 1
    while merged := _merges(runs):
        again: Counter[tuple[str, ...]] = Counter()
        for run, times in runs.items():
            again[_merge(run, merged)] += times
        if again == runs:
            break
        runs = again
    return tuple(sorted({piece for run in runs for piece in run if len(piece) > 1}))


def _merges(runs: Counter[tuple[str, ...]]) -> set[tuple[str, str]]:
    """The pairs of neighbours to merge now, the likeliest of overlapping ones."""
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for run, times in runs.items():
        for piece in run:
            single[piece] += times
        for pair in pairwise(run):
            pairs[pair] += times
    good: dict[tuple[str, str], float] = {}
    for (a, b), times in pairs.items():
        if times < FEWEST or len(a) + len(b) > LONGEST:
            continue
        shares = sorted((times / single[a], times / single[b]))
        together = math.sqrt(shares[0] * shares[1])
        if together >= BOUND or (shares[1] >= PART and shares[0] >= WHOLE):
            good[a, b] = together
    # Of pairs that share a piece, the one that is bound most is merged first.
    kept: set[tuple[str, str]] = set()
    taken: set[str] = set()
    for a, b in sorted(good, key=lambda pair: (-good[pair], pair)):
        if a not in taken and b not in taken:
            kept.add((a, b))
            taken |= {a, b}
    return kept


def _merge(run: tuple[str, ...], merged: set[tuple[str, str]]) -> tuple[str, ...]:
    line: list[str] = []
    at = 0
    while at < len(run):
        size = 2 if run[at : at + 2] in merged else 1
        line.append("".join(run[at : at + size]))
        at += size
    return tuple(line)

"""The induced lexicon: which n-grams say which constants, counted while the parser is trained.

No phrase is written down for it. The E-step gives the posterior probability that a span carries a
constant; summed over the training questions it is a soft count, and the share of an n-gram's
occurrences that it makes is evidence for the constant wherever the n-gram stands. Counts begin with
those of IBM Model 1 (Brown et al. 1993) between the words of questions and the constants of
programs, and each question's are replaced whenever it is seen. A question never sees the counts
that it made itself, in which the parser would trust too much. A predicate that few programs have,
or none, is known by its name instead: words that are alike count as a part of an occurrence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Prefix

from partwise.encoders.storage import read_arrays
from partwise.errors import PartwiseError
from partwise.span.labels import Prepared

LONGEST = 4
"""Words of an n-gram."""
HALF = 0.15
"""The share of an n-gram's occurrences that is half of all the evidence there can be."""
LEAST = 0.01
"""Posteriors below this are not counted."""
NAME = 0.5
"""What the name of a predicate that no program has counts, in occurrences, where the same words
stand in a question; of one in n programs ``NAME / (n + 1)``."""
ALIKE = 0.6
"""How much of that words count that begin like those of the name (see `likeness`)."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
DECODE = 0.6
"""Added to the weight of evidence in prediction. On questions like those of train the network knows
better; on new combinations it drops words that the lexicon knows. Chosen on inner compositional
splits of GeoQuery's train."""
Gram = tuple[str, ...]
Array = NDArray[np.float32]
Evidence = tuple[Array, Array]
"""What speaks for each label on each span, and against it; ``[spans, outputs]`` each."""


@dataclass(frozen=True, eq=False)
class Counted:
    """What a question gave to the counts.

    Attributes:
        seen: ``[n-grams]``, rows of the n-grams in it, each as often as it stands there.
        rows, columns, values: ``[counts]`` each; the soft counts.
    """

    seen: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Array


class LexiconEntry(NamedTuple):
    """A line of the lexicon: an n-gram, the number of the predicate that it says, in what share of
    its occurrences, and how many there are."""

    gram: Gram
    predicate: int
    share: float
    seen: float


class Tables(NamedTuple):
    """The counts of an induced lexicon.

    Attributes:
        counts: ``[n-grams, predicates]``.
        seen: ``[n-grams]``, in all training questions.
        used: ``[predicates]``, in how many programs.
    """

    counts: Array
    seen: Array
    used: Array


class InducedCounts:
    """Counts of n-grams with predicates, and the two features that they give the span scorer.

    Args:
        grams: the n-grams that are counted.
        outputs: the scorer's outputs.
        names: of the predicates, whose outputs are `first` and those after it.

    Attributes:
        own: what training questions gave to the counts.
    """

    _tables: Tables

    def __init__(
        self, grams: Sequence[Gram], outputs: int, names: Sequence[str], first: int
    ) -> None:
        self.grams, self.outputs = tuple(grams), outputs
        self.predicates = slice(first, first + len(names))
        self.names = _Names(names)
        self.rows = {gram: row for row, gram in enumerate(self.grams)}
        self.own: dict[str, Counted] = {}

    def tables(self) -> Tables:
        """The counts, once they are read."""
        return self._tables

    def read(self, file: Path, prefix: str) -> None:
        """Take the counts of a saved parser. `prefix`: of their names among its weights. Raises
        CheckpointError if they are missing or damaged, PartwiseError if they are of other
        n-grams."""
        stored = read_arrays(file, [prefix + name for name in Tables._fields])
        found = Tables(*(array.astype(np.float32) for array in stored.values()))
        grams, names = len(self.grams), self.names.count
        if [part.shape for part in found] != [(grams, names), (grams,), (names,)]:
            raise PartwiseError("the counts of the induced lexicon are of other n-grams")
        self._tables = found

    def evidence(self, question: Prepared, source: str | None = None) -> Evidence:
        """What speaks for each label on each span, and against it. For a predicate speaks ``p / (p
        + HALF)`` with ``p = (n(g, c) + a(g, c)) / (N(g) + 1)``; ``a`` is what its name counts, as
        far as the words are alike. Against it speaks what another one has more of within the span.
        Nothing speaks for or against entities. `source`: of a training question, whose own counts
        are left out."""
        places, rows = self.places(question)
        table, occurrences, used = self.tables()
        if source in self.own:
            used = used.copy()
            used[np.unique(self.own[source].columns)] -= 1.0
        share: Any = NAME / (np.maximum(used, 0.0) + 1.0)
        counts = self.names(question) * share
        if len(rows):
            known, seen = table[rows], occurrences[rows]
            if source in self.own:
                self._leave_out(self.own[source], rows, known, seen)
            counts[places] += np.maximum(known, 0.0)
            counts[places] /= (np.maximum(seen, 0.0) + 1.0)[:, None]
        evidence = counts / (counts + HALF)
        inside = _within(evidence, question)
        best = inside.max(1, keepdims=True, initial=0.0)
        return self._wide(evidence), self._wide(best - inside)

    def _wide(self, values: Array) -> Array:
        """Values of the predicates as values of all outputs."""
        wide = np.zeros((len(values), self.outputs), np.float32)
        wide[:, self.predicates] = values
        return wide

    def places(self, question: Prepared) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The spans that are known n-grams, and the rows of these."""
        words, rows = question.words.words, self.rows
        known = [
            (place, row)
            for place, (start, end) in enumerate(question.spans.tolist())
            if end - start <= LONGEST and (row := rows.get(words[start:end])) is not None
        ]
        places, numbers = np.array(known, np.int64).reshape(-1, 2).T
        return places, numbers

    def _leave_out(self, own: Counted, rows: NDArray[np.int64], counts: Array, seen: Array) -> None:
        """Take a question's own counts out of rows of the table."""
        where = {row: place for place, row in enumerate(rows.tolist())}
        first = np.array([where[row] for row in rows.tolist()])
        for row, number in Counter(own.seen.tolist()).items():
            if row in where:
                seen[where[row]] -= number
        for row, column, value in zip(own.rows, own.columns, own.values, strict=True):
            if int(row) in where:
                counts[where[int(row)], column] -= value
        # An n-gram that stands there twice has one row of the table.
        counts[:], seen[:] = counts[first], seen[first]

    def phrases(self, least: float = 0.4, often: float = 2.0) -> list[LexiconEntry]:
        """The lexicon as a person reads it: n-grams that mostly say one constant."""
        counts, seen, _ = self.tables()
        shares = np.maximum(counts, 0.0) / (np.maximum(seen, 0.0) + 1.0)[:, None]
        lines = [
            LexiconEntry(self.grams[row], int(column), float(shares[row, column]), float(seen[row]))
            for row, column in zip(*np.nonzero(shares >= least), strict=True)
            if seen[row] >= often
        ]
        return sorted(lines, key=lambda line: (line.predicate, -line.share, line.gram))


class _Names:
    """How far the words of spans are the names of predicates."""

    def __init__(self, names: Sequence[str]) -> None:
        parts = [tuple(part.lower() for part in _PART.findall(name)) for name in names]
        self.count, self.parts = len(names), sorted({part for one in parts for part in one})
        number = {part: place for place, part in enumerate(self.parts)}
        # Names of as many words each: their predicates, and the numbers of their words.
        self.by_length: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}
        for length in {len(part) for part in parts} - {0}:
            chosen = [place for place, part in enumerate(parts) if len(part) == length]
            rows = [[number[part] for part in parts[place]] for place in chosen]
            self.by_length[length] = np.array(chosen), np.array(rows)
        self._alike = lru_cache(maxsize=10_000)(self._likeness)

    def _likeness(self, word: str) -> Array:
        return np.array([likeness(word, part) for part in self.parts], np.float32)

    def __call__(self, question: Prepared) -> Array:
        """``[spans, predicates]``; of a name of several words the least likeness counts."""
        counts = np.zeros((len(question.spans), self.count), np.float32)
        alike = [self._alike(word) for word in question.words.words]
        for length, (predicates, rows) in self.by_length.items():
            for start in range(question.n - length + 1):
                each = [alike[start + j][rows[:, j]] for j in range(length)]
                counts[question.row(start, start + length), predicates] = np.min(each, 0)
        return counts


def likeness(word: str, part: str) -> float:
    """1 for the same word, `ALIKE` for one with the same beginning, else 0. "largest" is like
    "large", "cities" like "city": at least half of the longer one, and three letters, are the
    same."""
    word = word.lower()
    if word == part:
        return 1.0
    same = Prefix.similarity(word, part)
    return ALIKE if same >= 3 and 2 * same >= max(len(word), len(part)) else 0.0


def grams_to_count(questions: Iterable[Sequence[str]]) -> list[Gram]:
    """All words of questions, and all longer n-grams that stand there at least twice; of another
    one nothing is known once a question's own counts are left out."""
    counts = Counter(gram for words in questions for gram in grams_of(words))
    return sorted(gram for gram, count in counts.items() if count > 1 or len(gram) == 1)


def grams_of(words: Sequence[str]) -> Iterator[Gram]:
    """All n-grams of a question, each as often as it stands there."""
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + LONGEST) + 1):
            yield tuple(words[start:end])


def _within(evidence: Array, question: Prepared) -> Array:
    """The most evidence for each label on any span within each span, itself included."""
    n = question.n
    table = np.zeros((n + 1, n + 1, evidence.shape[1]), np.float32)
    start, end = question.spans[:, 0], question.spans[:, 1]
    table[start, end] = evidence
    for width in range(2, n + 1):
        left = np.arange(n - width + 1)
        right = left + width
        shorter = np.maximum(table[left, right - 1], table[left + 1, right])
        table[left, right] = np.maximum(table[left, right], shorter)
    return table[start, end]

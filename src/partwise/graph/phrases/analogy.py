"""Pieces that training did not show, completed by analogy with those that it did.

"M0 's employer" and "a employer of M0" differ as "M0 's director" and "a director of M0" do. A
*frame* is a piece without the word that its edges come from; what a word means in one frame tells
what it means in another, once other words have shown how the two frames correspond: the same edges,
or the same the other way round. Split questions by their compounds, and some words stand only in
some frames; this fills the table, so that the decoder need not guess.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from partwise.graph.phrases.associations import SAME, Counts, Label
from partwise.graph.phrases.pieces import Element, Piece

MOST = 0.5
"""A label is meant where it stood in more than this share of a piece's occurrences."""
SHARED = 2
"""Words that must have been seen in both of two frames."""
AGREED = 0.6
"""Share of these words that must say the same of how the frames correspond."""

Meaning = frozenset[Label]
"""Labels between the two slots of a piece, with their directions."""
Frame = tuple[str, tuple[tuple[str, bool], ...], str]
"""Category, elements (and whether each is of the class that bears edges), and that class."""


@dataclass
class _Word:
    """A word in a frame: how often, with which labels, and a piece that shows it."""

    counts: Counts = field(default_factory=Counts)
    shown: Piece | None = None

    def meaning(self) -> Meaning:
        labels = self.counts.labels.items()
        often = (key for key, times in labels if times > MOST * self.counts.times)
        return frozenset(label for pair, label in often if pair == (0, 1) and label[0] != SAME)


Table = dict[Frame, dict[str, _Word]]


def complete(pieces: Mapping[Piece, Counts]) -> dict[Piece, Counts]:
    """Pieces that were not seen, with what analogy says of them, each as if seen once."""
    table = _table(pieces)
    found: dict[Piece, Counts] = {}
    for frame, words in table.items():
        example = next(iter(words.values())).shown
        others = [other for other in table if other[2] == frame[2] and other != frame]
        votes: dict[str, Counter[Meaning]] = defaultdict(Counter)
        for other in others:
            _vote(table[other], words, votes)
        for word, meanings in sorted(votes.items()):
            meaning, _ = max(meanings.items(), key=lambda item: (item[1], sorted(item[0])))
            if meaning and example is not None:
                # Votes are on words that the frame lacks, so the piece was not seen.
                said = Counter(((0, 1), label) for label in sorted(meaning))
                found[_with_word(example, frame[2], word)] = Counts(1.0, said)
    return found


def _vote(
    other: dict[str, _Word], mine: dict[str, _Word], votes: dict[str, Counter[Meaning]]
) -> None:
    """What another frame says of the words that this one lacks."""
    both = [word for word in mine if word in other and mine[word].meaning()]
    turns: Counter[bool] = Counter()
    for word in both:
        here, there = mine[word].meaning(), other[word].meaning()
        if here == there:
            turns[False] += 1
        if here == _turned(there):
            turns[True] += 1
    if len(both) < SHARED or not turns:
        return
    turn, times = max(turns.items(), key=lambda item: (item[1], not item[0]))
    if times < AGREED * len(both):
        return
    for word, seen in other.items():
        if word not in mine:
            meaning = seen.meaning()
            votes[word][_turned(meaning) if turn else meaning] += times


def _turned(meaning: Meaning) -> Meaning:
    return frozenset((predicate, not forth) for predicate, forth in meaning)


def _table(pieces: Mapping[Piece, Counts]) -> Table:
    bearing = _bearing(pieces)
    table: Table = defaultdict(dict)
    for piece, counts in pieces.items():
        borne = [e for e in piece.elements if e.name in bearing and not e.is_node]
        if len(piece.slots) != 2 or len(borne) != 1 or len(borne[0].words) != 1:
            continue
        frame = (
            piece.category,
            tuple((e.name, e.name in bearing) for e in piece.elements),
            borne[0].name,
        )
        word = table[frame].setdefault(borne[0].words[0], _Word(shown=piece))
        word.counts.times += counts.times
        word.counts.labels.update(counts.labels)
    return table


def _bearing(pieces: Mapping[Piece, Counts]) -> set[str]:
    """Word classes whose words bear edges: alone in a piece, they mostly have some."""
    with_edges: Counter[str] = Counter()
    for piece, counts in pieces.items():
        classes = {e.name for e in piece.elements if not e.is_node and e.words != (e.name,)}
        if len(classes) == 1 and len(piece.slots) == 2:
            often = any(
                label[0] != SAME and times > MOST * counts.times
                for (_, label), times in counts.labels.items()
            )
            with_edges[classes.pop()] += 1 if often else -1
    return {name for name, more in with_edges.items() if more > 0}


def _with_word(piece: Piece, name: str, word: str) -> Piece:
    elements = tuple(Element(e.name, (word,)) if e.name == name else e for e in piece.elements)
    return replace(piece, elements=elements)

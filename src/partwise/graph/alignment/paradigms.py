"""Paradigm completion: fragments that training did not show, by analogy with those that it did.

"M0 's employer" and "a employer of M0" differ as "M0 's director" and "a director of M0" do. A
*frame* is a fragment without the word that its edges come from. What a word means in one frame
predicts its meaning in another, once other words have shown how the two frames correspond: the same
edges, or the same in the other direction. In a compositional split some words occur only in some
frames; this fills the table, so that the decoder need not guess.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from partwise.graph.alignment.ibm1 import SAME, FragmentCounts, Label
from partwise.graph.grammar.decomposition import Element, Fragment

MOST = 0.5
"""A label is meant where it stood in more than this share of a fragment's occurrences."""
SHARED = 2
"""Words that must have been seen in both of two frames."""
AGREED = 0.6
"""Share of these words that must agree on how the frames correspond."""

Meaning = frozenset[Label]
"""Labels between the two slots of a fragment, with their directions."""
Frame = tuple[str, tuple[tuple[str, bool], ...], str]
"""Category, elements (and whether each is of the class that bears edges), and that class."""


@dataclass
class _Word:
    """A word in a frame: a fragment that shows it, how often it was seen, and with which labels."""

    shown: Fragment
    counts: FragmentCounts = field(default_factory=FragmentCounts)

    def meaning(self) -> Meaning:
        common = _common_labels(self.counts)
        return frozenset(label for pair, label in common if pair == (0, 1))


Words = dict[str, _Word]


def complete(fragments: Mapping[Fragment, FragmentCounts]) -> dict[Fragment, FragmentCounts]:
    """Fragments that were not seen, with what analogy says of them, each as if seen once."""
    table = _table(fragments)
    completed: dict[Fragment, FragmentCounts] = {}
    for frame, words in table.items():
        name, example = frame[2], next(iter(words.values())).shown
        votes: dict[str, Counter[Meaning]] = defaultdict(Counter)
        for other in table:
            if other[2] == name and other != frame:
                _vote(table[other], words, votes)
        for word, meanings in sorted(votes.items()):
            meaning, _ = max(meanings.items(), key=lambda item: (item[1], sorted(item[0])))
            if meaning:
                # Votes are on words that the frame lacks, so the fragment was not seen.
                elements = (
                    Element(name, (word,)) if e.name == name else e for e in example.elements
                )
                labels = Counter(((0, 1), label) for label in sorted(meaning))
                completed[replace(example, elements=tuple(elements))] = FragmentCounts(1.0, labels)
    return completed


def _vote(other: Words, mine: Words, votes: dict[str, Counter[Meaning]]) -> None:
    """What another frame says of the words that this one lacks."""
    both = [word for word in mine if word in other and mine[word].meaning()]
    turns: Counter[bool] = Counter()
    for word in both:
        here, there = mine[word].meaning(), other[word].meaning()
        turns[False] += here == there
        turns[True] += here == _turned(there)
    # Of two correspondences that fit equally well, the one that keeps directions.
    turn = turns[True] > turns[False]
    if len(both) < SHARED or turns[turn] < AGREED * len(both):
        return
    for word, seen in other.items():
        if word not in mine:
            meaning = seen.meaning()
            votes[word][_turned(meaning) if turn else meaning] += turns[turn]


def _turned(meaning: Meaning) -> Meaning:
    return frozenset((predicate, not forward) for predicate, forward in meaning)


def _table(fragments: Mapping[Fragment, FragmentCounts]) -> dict[Frame, Words]:
    bearing = _bearing(fragments)
    table: dict[Frame, Words] = defaultdict(dict)
    for fragment, counts in fragments.items():
        borne = [e for e in fragment.elements if e.name in bearing and not e.is_node]
        if len(fragment.slots) != 2 or len(borne) != 1 or len(borne[0].words) != 1:
            continue
        names = tuple((e.name, e.name in bearing) for e in fragment.elements)
        frame = fragment.category, names, borne[0].name
        word = table[frame].setdefault(borne[0].words[0], _Word(fragment))
        word.counts.times += counts.times
        word.counts.labels.update(counts.labels)
    return table


def _bearing(fragments: Mapping[Fragment, FragmentCounts]) -> set[str]:
    """Word classes whose words bear edges: alone in a fragment, they mostly have some."""
    with_edges: Counter[str] = Counter()
    for fragment, counts in fragments.items():
        classes = {e.name for e in fragment.elements if not e.is_node and e.words != (e.name,)}
        if len(classes) == 1 and len(fragment.slots) == 2:
            with_edges[classes.pop()] += 1 if _common_labels(counts) else -1
    return {name for name, more in with_edges.items() if more > 0}


def _common_labels(counts: FragmentCounts) -> list[tuple[tuple[int, int], Label]]:
    """The labels of most occurrences, but for that two nodes are one."""
    labels = counts.labels.items()
    return [key for key, times in labels if times > MOST * counts.times and key[1][0] != SAME]

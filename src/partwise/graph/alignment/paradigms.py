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
from dataclasses import replace

from partwise.graph.alignment.ibm1 import SAME, FragmentCounts, Label
from partwise.graph.grammar.decomposition import Fragment

MOST = 0.5
"""A label is meant where it stood in more than this share of a fragment's occurrences."""
SHARED = 2
"""Words that must have been seen in both of two frames."""
AGREED = 0.6
"""Share of these words that must agree on how the frames correspond."""

Meaning = frozenset[Label]
"""Labels between the two slots of a fragment, with their directions."""
Frame = tuple[str, tuple[str, ...], str]
"""Category, elements, and the one of them, a word class, that bears edges."""
Words = dict[str, Meaning]
"""What words mean in a frame."""


def complete(fragments: Mapping[Fragment, FragmentCounts]) -> dict[Fragment, FragmentCounts]:
    """Fragments that were not seen, with what analogy says of them, each as if seen once."""
    shown, table = _frames(fragments)
    completed: dict[Fragment, FragmentCounts] = {}
    for frame, words in table.items():
        votes: dict[str, Counter[Meaning]] = defaultdict(Counter)
        for other in table:
            if other[2] == frame[2] and other != frame:
                _vote(table[other], words, votes)
        for word, meanings in sorted(votes.items()):
            meaning, _ = max(meanings.items(), key=lambda item: (item[1], sorted(item[0])))
            if meaning:
                # Votes are on words that the frame lacks, so the fragment was not seen.
                elements = shown[frame].elements
                new = (replace(e, words=(word,)) if e.name == frame[2] else e for e in elements)
                labels = Counter(((0, 1), label) for label in sorted(meaning))
                completed[replace(shown[frame], elements=tuple(new))] = FragmentCounts(1.0, labels)
    return completed


def _vote(theirs: Words, mine: Words, votes: dict[str, Counter[Meaning]]) -> None:
    """What another frame says of the words that this one lacks."""
    both = [(mine[word], theirs[word]) for word in mine if word in theirs and mine[word]]
    alike = sum(here == there for here, there in both)
    turned = sum(here == _turned(there) for here, there in both)
    if len(both) < SHARED or max(alike, turned) < AGREED * len(both):
        return
    for word, meaning in theirs.items():
        if word not in mine:
            # Of two correspondences that fit equally well, the one that keeps directions.
            votes[word][_turned(meaning) if turned > alike else meaning] += max(alike, turned)


def _turned(meaning: Meaning) -> Meaning:
    return frozenset((predicate, not forward) for predicate, forward in meaning)


def _frames(
    fragments: Mapping[Fragment, FragmentCounts],
) -> tuple[dict[Frame, Fragment], dict[Frame, Words]]:
    """A fragment of each frame, and the words that were seen in it."""
    bearing = _bearing(fragments)
    shown: dict[Frame, Fragment] = {}
    seen: dict[Frame, dict[str, FragmentCounts]] = defaultdict(lambda: defaultdict(FragmentCounts))
    for fragment, counts in fragments.items():
        borne = [e for e in fragment.elements if e.name in bearing]
        if len(fragment.slots) == 2 and len(borne) == 1 and len(borne[0].words) == 1:
            frame = fragment.category, tuple(e.name for e in fragment.elements), borne[0].name
            shown.setdefault(frame, fragment)
            word = seen[frame][borne[0].words[0]]
            word.times += counts.times
            word.labels.update(counts.labels)
    table = {
        frame: {
            word: frozenset(label for pair, label in _common_labels(counts) if pair == (0, 1))
            for word, counts in words.items()
        }
        for frame, words in seen.items()
    }
    return shown, table


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

"""Aligned fragments of a whole training set, counted."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from partwise.graph.alignment.aligner import Aligner, Alignment, by_constituent
from partwise.graph.alignment.ibm1 import SAME, Attribute, FragmentCounts, IbmModel1, Incidence
from partwise.graph.alignment.links import GoldGraph, Images, Links
from partwise.graph.grammar.decomposition import Decomposition, Fragment
from partwise.graph.preference import SelectionalPreference
from partwise.language.query_graph import ANSWER, QueryGraph

FIRST = 8000
"""So many examples, drawn at random, are aligned by word association; then all, by the fragments
counted there."""
SEED = "first to be aligned"
Place = TypeVar("Place")
Context = tuple[tuple[tuple[Fragment, int], ...], tuple[Incidence, ...]]
"""The places (fragment, slot) where a node is mentioned, and the edges that it has."""


@dataclass
class Mentions(Generic[Place]):
    """Where a question mentions a node, and the edges that are said of it there."""

    places: list[Place] = field(default_factory=list)
    edges: set[Incidence] = field(default_factory=set)


@dataclass
class NodeCounts:
    """What the gold graphs say of nodes that are mentioned in the same places."""

    times: float = 0.0
    attributes: Counter[Attribute] = field(default_factory=Counter)
    answers: float = 0.0


@dataclass
class AlignedCorpus:
    """What alignment learned.

    Attributes:
        fragments: how often each label stood at each pair of slots of a fragment.
        contexts: attributes of nodes.
        shared: categories of which coordinated phrases stand for one node ("whose director edited
            M0 and wrote M1").
        chosen: for each example the tree (by place among its trees) that was aligned, or None.
        preference: which labels go together at a node, to choose between trees.
    """

    fragments: dict[Fragment, FragmentCounts]
    contexts: dict[Context, NodeCounts]
    shared: tuple[str, ...]
    chosen: list[int | None]
    preference: SelectionalPreference


def align_all(
    examples: Sequence[tuple[Sequence[Decomposition], QueryGraph]],
    on_aligned: Callable[[int, int, Alignment], None] = lambda *_: None,
) -> AlignedCorpus:
    """Align the trees of all examples with their graphs.

    Args:
        examples: for each its decomposed trees, the likeliest first, and its gold graph.
        on_aligned: called with the number of each example that could be aligned, the number of
            its tree, and its alignment.
    """
    associations = IbmModel1().learn((trees[0], graph) for trees, graph in examples if trees)
    # Drawn, as data sets are often sorted: the first of MCWQ all begin with "did".
    drawn = random.Random(SEED).sample(range(len(examples)), min(FIRST, len(examples)))
    first, final = _Counts(Aligner(associations)), _Counts(Aligner(associations))
    for number in sorted(drawn):
        first.add(*examples[number])
    associations.observe(first.fragments)
    chosen: list[int | None] = []
    for number, (trees, graph) in enumerate(examples):
        best = final.add(trees, graph)
        chosen.append(None if best is None else best[0])
        if best is not None:
            on_aligned(number, *best)
    shared = tuple(sorted(category for category, more in final.together.items() if more > 0))
    preference = SelectionalPreference.learn(graph for _, graph in examples)
    return AlignedCorpus(final.fragments, final.contexts, shared, chosen, preference)


class _Counts:
    """Counts of what is aligned."""

    def __init__(self, aligner: Aligner) -> None:
        self.aligner = aligner
        self.fragments: dict[Fragment, FragmentCounts] = {}
        self.contexts: dict[Context, NodeCounts] = {}
        self.together: Counter[str] = Counter()

    def add(
        self, trees: Sequence[Decomposition], graph: QueryGraph
    ) -> tuple[int, Alignment] | None:
        """Count the best alignment over all trees; most questions have one tree.

        Returns:
            The number of the tree and its alignment; None if no tree can be aligned.
        """
        aligned = [(place, self.aligner.align(tree, graph)) for place, tree in enumerate(trees)]
        able = [(place, some[0]) for place, some in aligned if some]
        if not able:
            return None
        place, alignment = max(able, key=lambda one: one[1].score)
        self._count(trees[place], alignment.images, graph)
        return place, alignment

    def _count(self, question: Decomposition, images: Images, graph: QueryGraph) -> None:
        gold = GoldGraph(graph)
        mentions: dict[str, Mentions[tuple[Fragment, int]]] = defaultdict(Mentions)
        for own in by_constituent(question.fragments):
            links, _ = self.aligner.links(own, images, gold.between)
            for placed, mine in zip(own, links, strict=True):
                fragment = placed.fragment
                counts = self.fragments.setdefault(fragment, FragmentCounts())
                counts.times += 1
                counts.labels.update((pair, label) for pair, some in mine.items() for label in some)
                for slot, nodes in enumerate(placed.slots):
                    if len(nodes) > 1 and nodes[0] >= 0:
                        one = len({images[node] for node in nodes}) == 1
                        self.together[fragment.slots[slot]] += 1 if one else -1
                    for name in {name for node in nodes for name in images[node]}:
                        mentions[name].places.append((fragment, slot))
                        mentions[name].edges |= edges_at(slot, mine)
        for name, told in mentions.items():
            key = tuple(sorted(told.places, key=repr)), tuple(sorted(told.edges))
            context = self.contexts.setdefault(key, NodeCounts())
            context.times += 1
            context.attributes.update(gold.attributes[name])
            context.answers += graph.head == "select" and name == ANSWER


def edges_at(slot: int, links: Links) -> set[Incidence]:
    """The edges of a slot."""
    return {
        Incidence(name, forward == (slot == pair[0]), slot == 0)
        for pair, labels in links.items()
        for name, forward in labels
        if name != SAME and slot in pair
    }


def attributes_of(graphs: Iterable[QueryGraph]) -> tuple[Attribute, ...]:
    """All attributes that graphs have, sorted."""
    return tuple(sorted({(a.predicate, a.object) for graph in graphs for a in graph.attributes}))

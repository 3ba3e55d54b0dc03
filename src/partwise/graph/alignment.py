"""Which node of the gold graph each phrase stands for, and what phrases then say.

A constituent's meaning is a small connected graph over its own node and those of the constituents
inside. So an alignment maps every constituent to a node of the gold graph such that the images of
each fragment hang together (by an edge, or by being one node), and every edge and variable of the
gold graph is covered by some fragment. Several alignments may do this. Then word-label association
decides (IBM Model 1 over fragments), and after it the counts of fragments in the first alignments.
Aligned fragments are counted over the training set, and completed by analogy (paradigm completion).
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

from partwise.graph.grammar.decomposition import (
    Decomposition,
    Fragment,
    Node,
    PlacedFragment,
    Slot,
    units,
)
from partwise.graph.preference import SelectionalPreference
from partwise.language.query_graph import ANSWER, QueryGraph, Triple
from partwise.training.model_1 import model_1

N = TypeVar("N")


def components(nodes: Iterable[N], edges: Iterable[tuple[N, N]]) -> list[set[N]]:
    """Which nodes hang together by edges between them, in the order of their first nodes."""
    parts = [{node} for node in dict.fromkeys(nodes)]
    for edge in edges:
        joined = [part for part in parts if not part.isdisjoint(edge)]
        for part in joined[1:]:
            joined[0] |= part
            parts.remove(part)
    return parts


SAME = "="
"""The label of two nodes that are one."""
FLOOR = 1e-6
SAME_COST = -2.0
"""Score of saying that two nodes are one: less than any learned edge, more than a chance one."""
TELLING = 0.3
"""An attribute is a word's if it comes from the word in this share of its questions."""
SURE = 0.02
"""The least probability of an attribute, or of its absence."""

Attribute = tuple[str, str]
"""A predicate and a constant."""
Bags = Counter[tuple[tuple[str, ...], tuple[Any, ...]]]
"""How often these words were seen with these labels."""
Label = tuple[str, bool]
"""A predicate between two slots, and whether it goes from the first to the second."""


class Incidence(NamedTuple):
    """An edge as one of its nodes has it.

    Attributes:
        begins: whether it begins there.
        head: whether the node is the first of the fragment that says the edge: the one that the
            phrase describes, and not one by which it describes another.
    """

    predicate: str
    begins: bool
    head: bool


@dataclass
class FragmentCounts:
    """How often a fragment was seen, and each label between two of its slots."""

    times: float = 0.0
    labels: Counter[tuple[tuple[int, int], Label]] = field(default_factory=Counter)


class IbmModel1:
    """How strongly the words of a fragment predict a label, learned from whole questions.

    Attributes:
        table: (word, predicate) -> share.
        attributes: word -> attributes that mostly come with it, with how often they do.
        known: log-probability of labels of fragments that were aligned.
    """

    def __init__(self, rounds: int = 5) -> None:
        self.rounds = rounds
        self.table: dict[tuple[str, str], float] = {}
        self.known: dict[tuple[Fragment, tuple[int, int], Label], float] = {}
        self.attributes: dict[str, dict[Attribute, float]] = {}

    def learn(self, pairs: Iterable[tuple[Decomposition, QueryGraph]]) -> IbmModel1:
        """Expectation-maximisation over bags of words and labels."""
        edges: Bags = Counter()
        attributes: Bags = Counter()
        times: Counter[str] = Counter()
        for question, graph in pairs:
            words = tuple(sorted({w for p in question.fragments for w in content(p.fragment)}))
            times.update(words)
            edges[words, tuple(sorted({t.predicate for t in graph.edges}))] += 1
            attributes[words, tuple(sorted({(p, o) for _, p, o in graph.attributes}))] += 1
        self.table = model_1(edges.items(), self.rounds)
        # Most words predict no attribute, so a word's share is that of all its questions.
        for (word, attribute), share in model_1(attributes.items(), self.rounds, times).items():
            if share >= TELLING:
                self.attributes.setdefault(word, {})[attribute] = share
        return self

    def bearing(
        self, fragment: Fragment, borne: Collection[Attribute]
    ) -> tuple[set[Attribute], float]:
        """The attributes that a fragment's words predict, and how well nodes with `borne` fit."""
        predicted: set[Attribute] = set()
        score = 0.0
        for word in content(fragment):
            for attribute, share in self.attributes.get(word, {}).items():
                score += math.log(max(share if attribute in borne else 1.0 - share, SURE))
                predicted.add(attribute)
        return predicted, score

    def observe(self, counts: Mapping[Fragment, FragmentCounts]) -> None:
        """Go by aligned fragments from now on, and by words where a fragment was not seen."""
        self.known = {
            (fragment, pair, label): math.log(max(times / count.times, FLOOR))
            for fragment, count in counts.items()
            for (pair, label), times in count.labels.items()
        }

    def score(self, fragment: Fragment, pair: tuple[int, int], label: Label) -> float:
        """Log-probability of an edge in a fragment."""
        seen = self.known.get((fragment, pair, label))
        if seen is not None:
            return seen
        if label[0] == SAME and not self.known:
            return SAME_COST
        shares = (self.table.get((word, label[0]), 0.0) for word in content(fragment))
        return math.log(max([FLOOR, *shares])) - (1.0 if self.known else 0.0)


def content(fragment: Fragment) -> tuple[str, ...]:
    """The words of a fragment, each with the name of its element; no literals."""
    return tuple(f"{e.name}:{w}" for e in fragment.elements for w in e.words if e.name != w)


Image = tuple[str, ...]
"""Nodes of the gold graph; more than one if a node stands for coordinated entities."""
Images = dict[Node, Image]
Links = dict[tuple[int, int], set[Label]]
"""Labels by pair of slots, the lower slot first."""
Between = Mapping[tuple[str, str], list[Triple]]
"""The edges of a graph by their ends."""


class GoldGraph:
    """A gold graph with its edges and attributes by node, and its question's entity groups."""

    def __init__(self, graph: QueryGraph, groups: Sequence[Image] = ()) -> None:
        self.nodes, self.groups = set(graph.nodes), groups
        self.between: dict[tuple[str, str], list[Triple]] = defaultdict(list)
        self.near: dict[str, set[str]] = defaultdict(set)
        for edge in graph.edges:
            self.between[edge.subject, edge.object].append(edge)
            self.near[edge.subject].add(edge.object)
            self.near[edge.object].add(edge.subject)
        self.attributes: dict[str, list[Attribute]] = defaultdict(list)
        for subject, predicate, constant in graph.attributes:
            self.attributes[subject].append((predicate, constant))

    def around(self, images: Sequence[Image]) -> list[Image]:
        """Where a constituent's own node may be: beside the nodes inside it, or one of them."""
        inside = {name for image in images for name in image}
        near = inside.union(*(self.near[name] for name in inside)) if images else self.nodes
        fitting = (group for group in self.groups if not images or near >= set(group))
        return [*((node,) for node in sorted(near)), *fitting]


def labels_of(
    placed: PlacedFragment, images: Mapping[Node, Image], between: Between
) -> tuple[Links, set[Triple]]:
    """What a fragment says of images: labels by pair of slots that all there share, and triples."""
    links: Links = {}
    triples: set[Triple] = set()
    slots = [
        [tuple(name for node in unit for name in images[node]) for unit in units(slot)]
        for slot in placed.slots
    ]
    for (one, lefts), (other, rights) in itertools.combinations(enumerate(slots), 2):
        told = [
            labels
            for left, right in itertools.product(lefts, rights)
            for labels in _labels_between(left, right, between)
        ]
        shared = set(told[0]).intersection(*told[1:]) if told else set()
        if shared:
            links[one, other] = shared
            triples.update(*(labels[label] for labels in told for label in shared))
    return links, triples


def _labels_between(
    left: Image, right: Image, between: Between
) -> Iterator[dict[Label, set[Triple]]]:
    """The labels of each pair of nodes, with the triples that have them."""
    if left == right:
        yield {(SAME, True): set()}
        return
    for pair in itertools.product(left, right):
        labels: dict[Label, set[Triple]] = defaultdict(set)
        for ends, forward in ((pair, True), (pair[::-1], False)):
            for triple in between.get(ends, []):
                labels[triple.predicate, forward].add(triple)
        yield labels


def holds_together(placed: PlacedFragment, links: Links) -> bool:
    """Whether links hold all slots of a fragment together."""
    return len(components(range(len(placed.slots)), links)) <= 1


BEAM = 48
EDGE_WORTH = 3.0
UNTOLD = -4.0
"""Score of an attribute of a node that no words aligned with the node predict."""


class Alignment(NamedTuple):
    """Images of nodes of a question in the gold graph, the triples that they cover, their score."""

    images: Images
    covered: frozenset[Triple] = frozenset()
    score: float = 0.0

    def joined(self, other: Alignment) -> Alignment:
        return Alignment(
            self.images | other.images, self.covered | other.covered, self.score + other.score
        )


class Aligner:
    """Aligns decompositions with gold graphs, by how strongly words predict labels."""

    def __init__(self, associations: IbmModel1) -> None:
        self.associations = associations

    def align(self, question: Decomposition, graph: QueryGraph) -> list[Alignment]:
        """The best alignments, best first; none if no alignment explains the graph."""
        gold = GoldGraph(graph, _coordinations(question))
        if set(question.entities.values()) - gold.nodes:
            return []
        partial = {node: [Alignment({node: (name,)})] for node, name in question.entities.items()}
        beam: list[Alignment] = []
        for own in by_constituent(question.fragments):
            head = own[0].head
            inner = (slot for part in own for slot in part.slots[part.fragment.headed :])
            inside = list(dict.fromkeys(node for slot in inner for node in slot))
            beam = [Alignment({})]
            for node in inside:
                beam = _best(
                    alignment.joined(other) for alignment in beam for other in partial[node]
                )
            beam = self._extend(own, inside, beam, gold)
            if not beam:
                return []
            if head is not None:
                partial[head] = beam
        return sorted(_whole(beam, graph), key=lambda alignment: -alignment.score)

    def _extend(
        self,
        own: Sequence[PlacedFragment],
        inside: Sequence[Node],
        beam: Sequence[Alignment],
        gold: GoldGraph,
    ) -> list[Alignment]:
        """Add the image of the constituent's own node beside those `inside`, and what it says."""
        head = own[0].head

        # Alignments that differ only further inside have the same evidence here.
        @cache
        def align_near(near: tuple[Image, ...]) -> list[Alignment]:
            known = dict(zip(inside, near, strict=True))
            own_images = [{}] if head is None else [{head: image} for image in gold.around(near)]
            every = [self._evidence(own, known, images, gold) for images in own_images]
            return [alignment for alignment in every if alignment is not None]

        return _best(
            alignment.joined(more)
            for alignment in beam
            for more in align_near(tuple(alignment.images[node] for node in inside))
        )

    def _evidence(
        self, own: Sequence[PlacedFragment], near: Images, added: Images, gold: GoldGraph
    ) -> Alignment | None:
        """What the fragments of a constituent say if its own node has the image that is added."""
        score, images = 0.0, near | added
        links, triples = self.links(own, images, gold.between)
        for placed, mine in zip(own, links, strict=True):
            if not holds_together(placed, mine):
                return None
            for pair, labels in mine.items():
                # Sorted, so that the sum is the same to the last bit in every process.
                score += sum(
                    self.associations.score(placed.fragment, pair, label)
                    for label in sorted(labels)
                )
            names = [name for slot in placed.slots for node in slot for name in images[node]]
            borne = [(name, pair) for name in names for pair in gold.attributes.get(name, ())]
            predicted, fit = self.associations.bearing(placed.fragment, {a for _, a in borne})
            score += fit
            triples |= {Triple(name, *pair) for name, pair in borne if pair in predicted}
        return Alignment(added, frozenset(triples), score)

    def links(
        self, own: Sequence[PlacedFragment], images: Mapping[Node, Image], between: Between
    ) -> tuple[list[Links], set[Triple]]:
        """What the fragments of one constituent say: labels by pair of slots, and all triples. Of
        several with the same nodes, the one whose words predict a label most says it."""
        told = [labels_of(placed, images, between) for placed in own]
        links = [mine for mine, _ in told]
        triples = {triple for _, some in told for triple in some}
        if len(own) == 1:
            return links, triples
        claims: dict[tuple[Slot, Slot, Label], list[tuple[float, int, tuple[int, int]]]]
        claims = defaultdict(list)
        for number, (placed, mine) in enumerate(zip(own, links, strict=True)):
            for (one, other), labels in mine.items():
                for label in labels:
                    score = self.associations.score(placed.fragment, (one, other), label)
                    claim = placed.slots[one], placed.slots[other], label
                    claims[claim].append((score, number, (one, other)))
        shared: list[Links] = [defaultdict(set) for _ in own]
        for (*_, label), some in claims.items():
            _, number, pair = max(some)
            shared[number][pair].add(label)
        # One symmetric edge may be all that two fragments have to say: then both say it.
        every = zip(own, shared, links, strict=True)
        return [new if holds_together(placed, new) else old for placed, new, old in every], triples


def _best(beam: Iterable[Alignment]) -> list[Alignment]:
    """Those that promise most: every edge must be covered in the end."""
    return heapq.nlargest(
        BEAM, beam, key=lambda alignment: alignment.score + EDGE_WORTH * len(alignment.covered)
    )


def _whole(beam: Iterable[Alignment], graph: QueryGraph) -> Iterator[Alignment]:
    """The alignments that cover all edges and variables."""
    for alignment in beam:
        names = {name for image in alignment.images.values() for name in image}
        if alignment.covered >= graph.edges and names.issuperset(graph.variables):
            # Some attributes no words predict: "who" alone says that it is a person.
            missing = len(graph.attributes - alignment.covered)
            yield alignment._replace(score=alignment.score + UNTOLD * missing)


def _coordinations(question: Decomposition) -> list[Image]:
    slots = {slot for placed in question.fragments for slot in placed.slots if len(slot) > 1}
    names = question.entities
    return sorted({tuple(names[n] for n in slot) for slot in slots if set(slot) <= set(names)})


def by_constituent(fragments: Sequence[PlacedFragment]) -> list[list[PlacedFragment]]:
    """Fragments of one constituent together; the root's come last."""
    groups: dict[Node | None, list[PlacedFragment]] = defaultdict(list)
    for placed in fragments:
        groups[placed.head].append(placed)
    return list(groups.values())


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
) -> AlignedCorpus:
    """Align the trees of all examples, the likeliest first, with their gold graphs."""
    associations = IbmModel1().learn((trees[0], graph) for trees, graph in examples if trees)
    # Drawn, as data sets are often sorted: the first of MCWQ all begin with "did".
    drawn = random.Random(SEED).sample(range(len(examples)), min(FIRST, len(examples)))
    first, final = _Counts(Aligner(associations)), _Counts(Aligner(associations))
    for number in sorted(drawn):
        first.add(*examples[number])
    associations.observe(first.fragments)
    chosen = [final.add(trees, graph) for trees, graph in examples]
    shared = tuple(sorted(category for category, more in final.together.items() if more > 0))
    preference = SelectionalPreference.learn(graph for _, graph in examples)
    return AlignedCorpus(final.fragments, final.contexts, shared, chosen, preference)


class _Counts:
    def __init__(self, aligner: Aligner) -> None:
        self.aligner = aligner
        self.fragments: dict[Fragment, FragmentCounts] = {}
        self.contexts: dict[Context, NodeCounts] = {}
        self.together: Counter[str] = Counter()

    def add(self, trees: Sequence[Decomposition], graph: QueryGraph) -> int | None:
        """Count the best alignment, and give its tree's number; None if there is none."""
        aligned = [(place, self.aligner.align(tree, graph)) for place, tree in enumerate(trees)]
        able = [(place, some[0]) for place, some in aligned if some]
        if not able:
            return None
        place, alignment = max(able, key=lambda one: one[1].score)
        self._count(trees[place], alignment.images, graph)
        return place

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
    return {
        Incidence(name, forward == (slot == pair[0]), slot == 0)
        for pair, labels in links.items()
        for name, forward in labels
        if name != SAME and slot in pair
    }


def attributes_of(graphs: Iterable[QueryGraph]) -> tuple[Attribute, ...]:
    return tuple(sorted({(a.predicate, a.object) for graph in graphs for a in graph.attributes}))


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
    turned = sum(here == _turn(there) for here, there in both)
    if len(both) < SHARED or max(alike, turned) < AGREED * len(both):
        return
    for word, meaning in theirs.items():
        if word not in mine:
            # Of two correspondences that fit equally well, the one that keeps directions.
            votes[word][_turn(meaning) if turned > alike else meaning] += max(alike, turned)


def _turn(meaning: Meaning) -> Meaning:
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

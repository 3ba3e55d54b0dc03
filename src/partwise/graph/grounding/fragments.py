"""Questions decomposed: fragments as sequences, and what training wants of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from partwise.graph.alignment import SAME, AlignedCorpus, Context, FragmentCounts, Incidence
from partwise.graph.grammar.decomposition import Fragment
from partwise.graph.grounding.sequences import Array, NodeSequence
from partwise.graph.vocabulary import NIL, SEPARATOR, GraphLabels, variable_tag

HEAD = variable_tag(0)
"""The tag of a constituent's own node, appended as the paper appends variables."""
FEW = 200
"""Forms of fragments that fewer contexts have, and fewer than forms have on average, are met as
often as that in an epoch, as far as `MOST_REPEATS` allows."""
MOST_REPEATS = 20


def tags_of(fragment: Fragment) -> list[str]:
    head = [HEAD] if fragment.headed else []
    return [*(element.name for element in fragment.elements), SEPARATOR, *head, NIL]


def fragment_sequence(fragment: Fragment) -> NodeSequence[str]:
    """A fragment as a sequence; its slots are the nodes, its own node first. It has function words
    too: "who" says that it is a person. Each word stands with its class: a cinematographer *of*
    something is not a kind of person but a relation."""
    tags, elements = tags_of(fragment), fragment.elements
    words = (tuple(f"{element.name}:{word}" for word in element.words) for element in elements)
    head = [(len(elements) + 1,)] if fragment.headed else []
    nodes = ((place,) for place, element in enumerate(elements) if element.is_node)
    rest = ((),) * (len(tags) - len(elements))
    return NodeSequence(tuple(tags), (*words, *rest), (*head, *nodes))


@dataclass(frozen=True, eq=False)
class FragmentItem:
    """The share of a fragment's occurrences that had each edge, ``[N, N, relations]``."""

    fragment: int
    wanted: Array
    weight: float


@dataclass(frozen=True, eq=False)
class NodeItem:
    """What is wanted of a node that is mentioned in these places.

    Attributes:
        places: (fragment, slot).
        relations: of all edges of the node; see `relation_numbers`.
        attributes: ``[attributes]``, the share of such nodes that bore each.
        answer: the share that was asked for.
    """

    places: tuple[tuple[int, int], ...]
    relations: tuple[int, ...]
    attributes: Array
    answer: float
    weight: float


Item = FragmentItem | NodeItem


def training_items(aligned: AlignedCorpus, labels: GraphLabels, power: float) -> list[Item]:
    """Fragments and nodes, the former so often that both are met alike. `power`: exponent of how
    often something was seen, for its weight."""
    numbers = {fragment: number for number, fragment in enumerate(aligned.fragments)}
    fragments: list[Item] = [
        FragmentItem(
            numbers[fragment], _targets(len(fragment.slots), counts, labels), counts.times**power
        )
        for fragment, counts in aligned.fragments.items()
    ]
    often = repeats(aligned.contexts)
    nodes: list[Item] = []
    for context, seen in aligned.contexts.items():
        mentions, edges = context
        shares = [seen.attributes[pair] / seen.times for pair in labels.attributes]
        item = NodeItem(
            tuple(dict.fromkeys((numbers[fragment], slot) for fragment, slot in mentions)),
            tuple(relation_numbers(edges, labels)),
            np.array(shares, np.float32),
            seen.answers / seen.times,
            seen.times**power,
        )
        nodes += [item] * often[context]
    return fragments * max(1, round(len(nodes) / max(1, len(fragments)))) + nodes


def relation_numbers(edges: Collection[Incidence], labels: GraphLabels) -> list[int]:
    """Columns of `Implications` of the edges of a node."""
    known, size = labels.numbers, len(labels.relations)
    columns = {
        known[name] + (0 if begins else size) + (0 if head else 2 * size)
        for name, begins, head in edges
        if name in known
    }
    return sorted(columns)


def _targets(size: int, count: FragmentCounts, labels: GraphLabels) -> Array:
    wanted = np.zeros((size, size, len(labels.relations)), np.float32)
    for (pair, (name, forward)), times in count.labels.items():
        for one, other in {pair, pair[::-1]} if name == SAME else {pair if forward else pair[::-1]}:
            wanted[one, other, labels.numbers[name]] = times / count.times
    return wanted


def repeats(contexts: Iterable[Context]) -> dict[Context, int]:
    """How often each context is learned from in an epoch, so that rare forms are learned too. The
    form of a fragment is its sequence of tags, which says where its attributes are to be read."""
    forms = {
        context: {tuple(tags_of(fragment)) for fragment, _ in context[0]} for context in contexts
    }
    often = Counter(form for some in forms.values() for form in some)
    few = min(FEW, sum(often.values()) // max(1, len(often)))
    return {
        context: max(1, min(MOST_REPEATS, few // min(often[form] for form in some)))
        for context, some in forms.items()
    }

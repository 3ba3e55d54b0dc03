"""Query graphs as they are drawn, in the terminal and as SVG: numbered items with their words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from partwise.drawing import clean
from partwise.errors import QueryError
from partwise.language.query.graph import ANSWER, QueryGraph, Triple

Grounding = Mapping[Triple, Sequence[float]]
"""One weight for each word and triple; those of a triple sum to at most 1."""
SHOWN = 0.05
"""Weights below are not named."""
_IRI = re.compile(r"<([^<>]*)>")
_PREFIX = re.compile(r"(?<![\w.-])[\w.-]*:(?=[\w%])")


@dataclass(frozen=True)
class Item:
    """An edge, an attribute or a pair that must differ.

    Attributes:
        number: from 1, in the order of the words that ground the items; pairs that must differ
            come last and have 0.
        label: of its predicate.
        target: the other node of an edge or pair; the label of an attribute's constant.
        weights: one for each word, from 0 to 1.
    """

    kind: Literal["edge", "attribute", "differ"]
    number: int
    subject: str
    label: str
    target: str
    weights: tuple[float, ...]

    def best(self, words: Sequence[str], most: int = 3) -> list[tuple[str, float]]:
        """The words that ground it most, the first of them first."""
        ranked = sorted(enumerate(self.weights), key=lambda pair: (-pair[1], pair[0]))[:most]
        return [(clean(words[i]), weight) for i, weight in ranked if weight >= SHOWN]


def items(
    graph: QueryGraph, names: Mapping[str, str], words: Sequence[str], grounding: Grounding
) -> list[Item]:
    """What is drawn of a graph, in the order of its words.

    Raises:
        QueryError: if a triple has not one weight for each word.
    """
    weights = {triple: _weights(triple, len(words), grounding) for triple in graph}
    ordered = sorted(graph, key=lambda triple: (_place(weights[triple]), triple))
    found: list[Item] = []
    for number, triple in enumerate(ordered, start=1):
        edge = triple in graph.edges
        target = triple.object if edge else shown(triple.object, names)
        kind: Literal["edge", "attribute"] = "edge" if edge else "attribute"
        label = shown(triple.predicate, names)
        found.append(Item(kind, number, triple.subject, label, target, weights[triple]))
    nothing = (0.0,) * len(words)
    pairs = sorted(graph.filters)
    return found + [Item("differ", 0, one, "≠", other, nothing) for one, other in pairs]


def nodes(graph: QueryGraph) -> list[str]:
    """All nodes, what is asked for first, then entities, then variables."""
    known = graph.nodes | {end for pair in graph.filters for end in pair}
    answer = ANSWER if graph.head == "select" else ""
    return sorted(known, key=lambda node: (node != answer, node[:1] == "?", len(node), node))


def shown(text: str, names: Mapping[str, str]) -> str:
    """A name if there is one; else the text without prefixes and the fronts of its IRIs."""
    if names.get(text, "").strip():
        return clean(names[text])
    short = _IRI.sub(lambda found: re.split(r"[/#]", found[1].rstrip("/#"))[-1], text)
    return clean(_PREFIX.sub("", short))


def _weights(triple: Triple, count: int, grounding: Grounding) -> tuple[float, ...]:
    given = grounding.get(triple)
    if given is None:
        return (0.0,) * count
    if len(given) != count:
        raise QueryError(f"{triple} has {len(given)} weights for {count} words")
    return tuple(min(max(float(w), 0.0), 1.0) if math.isfinite(w) else 0.0 for w in given)


def _place(weights: Sequence[float]) -> int:
    """The word that grounds it most; after all words if none does."""
    best = max(weights, default=0.0)
    return list(weights).index(best) if best >= SHOWN else len(weights)

"""Query graphs as they are drawn, in the terminal and as pictures: numbered items with names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from partwise.drawing.texts import clean
from partwise.graph.derivation import GraphDerivation
from partwise.language.query.graph import ANSWER

SHOWN = 0.05
"""Weights below are not named."""
_IRI = re.compile(r"<([^<>]*)>")
_PREFIX = re.compile(r"(?<![\w.-])[\w.-]*:(?=[\w%])")


@dataclass(frozen=True)
class Item:
    """An edge, an attribute or a pair of nodes that must differ.

    Attributes:
        number: from 1, in the order of the words that ground the items; pairs that must differ
            come last and have 0.
        label: of its predicate.
        target: the other node of an edge or pair; the constant of an attribute.
        names: how subject and target are shown.
        weights: one for each word, from 0 to 1.
    """

    kind: Literal["edge", "attribute", "differ"]
    number: int
    subject: str
    label: str
    target: str
    names: tuple[str, str]
    weights: tuple[float, ...]

    def best(self, words: Sequence[str], most: int = 3) -> list[tuple[str, float]]:
        """The words that ground it most, the first of them first."""
        ranked = sorted(enumerate(self.weights), key=lambda pair: (-pair[1], pair[0]))[:most]
        return [(clean(words[i]), weight) for i, weight in ranked if weight >= SHOWN]


class Diagram:
    """What is drawn of a query graph."""

    def __init__(self, derivation: GraphDerivation) -> None:
        self.derivation, self.graph = derivation, derivation.graph
        self.asked = ANSWER if self.graph.head == "select" else None
        """The node that is asked for."""

    @cached_property
    def items(self) -> list[Item]:
        """Edges and attributes in the order of their words, then the pairs that must differ."""
        weights = {triple: self.derivation.weights(triple) for triple in self.graph}
        made: list[Item] = []
        for triple in sorted(self.graph, key=lambda triple: (_place(weights[triple]), triple)):
            kind: Literal["edge", "attribute"]
            kind = "edge" if triple in self.graph.edges else "attribute"
            names = self.name(triple.subject), self.name(triple.object)
            label = self.name(triple.predicate)
            number, own = len(made) + 1, weights[triple]
            made.append(Item(kind, number, triple.subject, label, triple.object, names, own))
        nothing = (0.0,) * len(self.derivation.words)
        return made + [
            Item("differ", 0, one, "≠", other, (self.name(one), self.name(other)), nothing)
            for one, other in sorted(self.graph.filters)
        ]

    @cached_property
    def nodes(self) -> list[str]:
        """All nodes: what is asked for first, then entities, then variables."""
        known = self.graph.nodes | {end for pair in self.graph.filters for end in pair}
        return sorted(
            known, key=lambda node: (node != self.asked, node[:1] == "?", len(node), node)
        )

    def name(self, text: str) -> str:
        """A name if there is one; else the text without prefixes and the fronts of its IRIs."""
        name = self.derivation.names.get(text, "")
        if name.strip():
            return clean(name)
        short = _IRI.sub(lambda iri: re.split(r"[/#]", iri[1].rstrip("/#"))[-1], text)
        return clean(_PREFIX.sub("", short))

    def note(self, node: str) -> str:
        """What stands for a node in the question, if its name is another and it is no IRI."""
        own = clean(node)
        return own if self.name(node) != own and not node.startswith("<") else ""


def _place(weights: Sequence[float]) -> int:
    """The word that grounds a triple most; after all words if none does."""
    best = max(weights, default=0.0)
    return list(weights).index(best) if best >= SHOWN else len(weights)

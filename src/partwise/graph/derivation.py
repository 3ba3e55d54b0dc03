"""What a graph parser understood, complete in itself: all that a drawing of it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partwise.errors import QueryError
from partwise.interface.prediction import PhraseDifference
from partwise.language.query_graph import QueryGraph, Triple


@dataclass(frozen=True)
class GraphDerivation:
    """A query graph with the words that ground it.

    Attributes:
        names: of nodes, predicates and constants; those without one are shown by their own text.
        words: of the question; none if they are not known.
        grounding: triple (edge or attribute) -> one weight for each word.

    Raises QueryError if a triple of `grounding` has not one weight for each word.
    """

    graph: QueryGraph
    names: Mapping[str, str] = field(default_factory=dict)
    words: Sequence[str] = ()
    grounding: Mapping[Triple, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for triple in self.graph:
            given = self.grounding.get(triple)
            if given is not None and len(given) != len(self.words):
                raise QueryError(f"{triple} has {len(given)} weights for {len(self.words)} words")

    def weights(self, triple: Triple) -> tuple[float, ...]:
        """One weight for each word, from 0 to 1; a weight that is not finite counts as 0."""
        given = self.grounding.get(triple, (0.0,) * len(self.words))
        return tuple(min(max(float(w), 0.0), 1.0) if math.isfinite(w) else 0.0 for w in given)

    def to_json(self) -> dict[str, Any]:
        """The triples with the weight of each word that they rest on, as JSON values."""
        return {
            "triples": [
                {
                    **triple._asdict(),
                    "grounding": [round(weight, 4) for weight in self.weights(triple)]
                    if triple in self.grounding
                    else None,
                }
                for triple in self.graph
            ]
        }

    def differences(self, other: GraphDerivation) -> list[PhraseDifference]:
        """None: a graph parser gives one interpretation of a question."""
        return []

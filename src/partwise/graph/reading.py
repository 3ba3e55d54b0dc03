"""What flat and composed reading have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from partwise.errors import QueryError
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.phrases.tagging import Tokens
from partwise.graph.result import GraphParse
from partwise.graph.vocabularies import Vocabularies
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.canonical import expected_head, with_filters
from partwise.language.query.graph import ANSWER, QueryGraph, Triple
from partwise.language.query.naming import Naming

Unusable = list[tuple[Example[QueryGraph], str]]
"""Training examples that cannot be used, with the reason."""


class Reading(Protocol):
    """How questions become sequences, and what is decoded becomes a graph."""

    vocabularies: Vocabularies

    def items(self) -> Sequence[Any]:
        """What to train on; what `loss` takes batches of."""
        ...

    def length(self, item: Any) -> int:
        """Size of an item; items of like size share a batch."""
        ...

    def loss(self, network: GroundedDecoder, batch: Sequence[Any]) -> Tensor:
        """The loss of a batch of items."""
        ...

    def parse(
        self,
        network: nn.Module,
        questions: Sequence[Tokens],
        variables: Sequence[int] | None = None,
        explain: bool = False,
    ) -> list[GraphParse]:
        """Graphs of questions.

        Args:
            variables: their numbers of variables, where a protocol gives them.
            explain: whether words are weighed by what they add to each label, and not by
                attention alone; slower.
        """
        ...


def finished(
    question: str,
    domain: GraphDomain,
    edges: Iterable[Triple],
    attributes: Iterable[Triple],
    answer: str | None,
    whole: bool = True,
) -> tuple[QueryGraph, dict[str, str]]:
    """A graph with its head, its filters and canonical names.

    Args:
        answer: the provisional name of the node that is asked for, if any is.
        whole: whether the head and the filters are wanted too; else the edges only.

    Returns:
        The graph, and the final names of provisional ones.

    Raises:
        QueryError: if nothing is said at all, or of what is asked for.
    """
    edges, attributes = set(edges), set(attributes)
    if not edges and not attributes:
        raise QueryError("nothing is said of anything in the question")
    head = expected_head(question, domain.asking) if whole else "ask"
    ends = {end for s, _, o in edges for end in (s, o)} | {s for s, _, _ in attributes}
    provisional = sorted(end for end in ends if end.startswith("?"))
    if head == "select" and answer not in provisional:
        raise QueryError("nothing is said of what is asked for")
    rest = [name for name in provisional if head == "ask" or name != answer]
    first = 0 if head == "ask" else 1
    names = {name: f"?x{first + place}" for place, name in enumerate(rest)}
    if head == "select" and answer is not None:
        names[answer] = ANSWER
    graph = QueryGraph("ask", frozenset(edges), frozenset(attributes)).renamed(names)
    graph = QueryGraph(head, graph.edges, graph.attributes)
    if whole:
        graph = with_filters(graph, domain.differing)
    final = Naming(graph).best()
    return graph.renamed(final), {old: final.get(name, name) for old, name in names.items()}


def word_weights(
    shares: NDArray[np.floating], tokens: Sequence[Sequence[int]], question: Tokens
) -> tuple[float, ...]:
    """Attention over positions as weights of the question's words.

    Args:
        shares: ``[positions]``; those past `tokens` are of no word.
        tokens: for each position its tokens.
    """
    weights = np.zeros(len(question.question))
    for share, some in zip(shares, tokens, strict=False):
        words = [w for token in some for w in range(*question.spans[token])]
        if words:
            weights[words] += float(share) / len(words)
    total = max(1.0, float(weights.sum()))
    return tuple(float(weight) / total for weight in weights)

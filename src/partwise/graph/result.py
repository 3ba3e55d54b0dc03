"""What a graph parser says of a question."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from partwise.graph.grammar.chart import Constituent
from partwise.graph.grammar.tagging import Tokens
from partwise.language.query.graph import QueryGraph, Triple
from partwise.language.tokenizer import Words


@dataclass(frozen=True)
class GraphParse:
    """A question's query graph.

    Attributes:
        words: the question.
        graph: its query; None for "no parse".
        probability: of everything that the network says of the graph, together.
        grounding: for each triple one weight a word, from 0 to 1: the words that it rests on.
        tree: the phrases that were read one by one, if there are any, over `tokens`.
        reason: why there is no parse.
    """

    words: Words
    graph: QueryGraph | None = None
    probability: float = math.nan
    grounding: Mapping[Triple, tuple[float, ...]] = field(default_factory=dict)
    tree: Constituent | None = None
    tokens: Tokens | None = None
    reason: str | None = None

    @property
    def question(self) -> str:
        """The question as it was asked."""
        return self.words.text

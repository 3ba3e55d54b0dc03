"""Derivations of a chart parser, complete in themselves: all that a drawing of them needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partwise.chart.scores import Marginals
from partwise.chart.semantics import MeaningNode
from partwise.language.text import Words


@dataclass(frozen=True)
class TreeDerivation:
    """A span tree with its meaning, over the words of its question.

    Attributes:
        scores: span -> score of its label; empty if they are not known.
    """

    node: MeaningNode
    words: Words
    scores: Mapping[tuple[int, int], float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The nodes as JSON values, `children` nested; `start` and `end` count words, end excluded.

        The score of a node is null if it is not known or not finite.
        """
        return self._node_json(self.node)

    def _node_json(self, node: MeaningNode) -> dict[str, Any]:
        score = self.scores.get((node.start, node.end), math.nan)
        return {
            "start": node.start,
            "end": node.end,
            "words": self.words.span(node.start, node.end),
            "category": node.label,
            "kind": node.kind,
            "program": node.program_text,
            "type": node.type_text,
            "score": score if math.isfinite(score) else None,
            "function": node.function,
            "children": [self._node_json(child) for child in node.children],
        }


@dataclass(frozen=True)
class SpanPosteriors:
    """How probable each label is on each span of a question.

    Attributes:
        marginals: of the question's spans.
        categories: of the columns of `marginals.constants`.
        words: of the question.
    """

    marginals: Marginals
    categories: Sequence[str]
    words: Words

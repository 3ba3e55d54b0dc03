"""Training examples made ready."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from partwise.language.query_graph import QueryGraph
from partwise.language.text import Words
from partwise_papers.poset.filling import Filled, filled_steps, fillings
from partwise_papers.poset.naming import in_question_order
from partwise_papers.poset.phrases import PhraseTable, entities
from partwise_papers.poset.sketch import Primitive, Successors, said, steps_of, successors


class Item(NamedTuple):
    """A question with its query.

    Attributes:
        graph: the query, with variables in the question's order.
        poset: of its sketch.
        proposed: what the words may stand for, and what the query says, with the words' places.
        size: how many filled steps are judged.
    """

    words: Words
    graph: QueryGraph
    poset: Successors
    proposed: Mapping[Primitive, Sequence[float]]
    size: int

    @classmethod
    def of(cls, words: Words, meaning: QueryGraph, table: PhraseTable) -> Self:
        """That of an example."""
        found = table.found(words.words)
        graph = in_question_order(meaning, words.words, found)
        poset = successors(graph.head, steps_of(graph))
        proposed = {**{one: [] for _, one in said(graph)}, **found}
        item = cls(words, graph, poset, proposed, 0)
        return item._replace(size=len(item.candidates()))

    def candidates(self) -> list[Filled]:
        """The filled steps, right or wrong."""
        return fillings(steps_of(self.graph), self.proposed, entities(self.words))

    def judged(self, candidates: Sequence[Filled], which: Tensor, whether: Tensor) -> Tensor:
        """Minus the log-likelihood of the primitives and the filled steps.

        Args:
            candidates: as `candidates` gives them.
            which: ``[primitives]``, log odds of what is proposed.
            whether: ``[filled steps]``, log odds of the candidates.
        """
        primitives, steps = {one for _, one in said(self.graph)}, filled_steps(self.graph)
        odds = torch.cat([which, whether])
        right = [*(p in primitives for p in self.proposed), *(one in steps for one in candidates)]
        target = torch.tensor(right, dtype=odds.dtype, device=odds.device)
        return binary_cross_entropy_with_logits(odds, target, reduction="sum")

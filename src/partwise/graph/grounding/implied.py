"""Attributes that go unsaid because a relation of their node implies them.

"A film director that directed M0" asks for no type where the query language leaves out what the
edge says already: who directed something is a director. That is a fact of the language and not of
the words around, so it is learned once for all phrases. It may depend on whether the phrase that
says the edge describes the node or only names it to describe another: in MCWQ's queries "M0 was
directed by a film director" keeps the type (`partwise.graph.alignment.ibm1.Incidence`).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from partwise.graph.alignment.ibm1 import Incidence
from partwise.graph.grounding.labels import GraphLabels

BIAS = -4.0
"""At the start nothing implies anything."""
SCALE = 10.0
"""A pair is met far more seldom than a word, so its weight goes in longer steps."""


class Implications(nn.Module):
    """The probability that an edge of a node makes an attribute of it go unsaid.

    Args:
        attributes, relations: how many there are; an edge counts apart from its two ends, and apart
            where the node is the head of what says it, and where it is not.
    """

    def __init__(self, attributes: int, relations: int) -> None:
        super().__init__()
        self.anywhere = nn.Parameter(torch.zeros(attributes, 2 * relations))
        self.apart = nn.Parameter(torch.zeros(attributes, 4 * relations))

    def logits(self) -> Tensor:
        """``[attributes, 4 * relations]``: of edges that begin at a head, that end at one, and
        that begin and that end at another node."""
        # What was seen of one place goes for the other too, as long as nothing speaks against it.
        both = torch.cat([self.anywhere, self.anywhere], 1)
        return (both + self.apart) * SCALE + BIAS

    def unsaid(self, relations: Tensor) -> Tensor:
        """Log-probability that no edge of a node implies an attribute (noisy-or).

        Args:
            relations: ``[nodes, 4 * relations]``, which edges there are, 1 or 0.

        Returns:
            ``[nodes, attributes]``.
        """
        return relations @ functional.logsigmoid(-self.logits()).T


def relation_numbers(edges: Collection[Incidence], labels: GraphLabels) -> list[int]:
    """Columns of `Implications` of the edges of a node."""
    known, size = labels.numbers, len(labels.relations)
    columns = {
        known[name] + (0 if begins else size) + (0 if head else 2 * size)
        for name, begins, head in edges
        if name in known
    }
    return sorted(columns)


def implied(network: nn.Module) -> NDArray[np.floating]:
    """``[attributes, 4 * relations]``: the probabilities of all, averaged over an ensemble."""
    logits = [part.logits() for part in network.modules() if isinstance(part, Implications)]
    return torch.sigmoid(torch.stack(logits)).mean(0).detach().cpu().numpy()

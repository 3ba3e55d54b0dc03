"""Attributes that go unsaid because a relation of their node implies them.

"A film director directed M0" asks for no type where the query language leaves out what the edge
says already: who directed something is a director. Which edge implies which attribute is a fact of
the language and not of the words around, so it is learned once for all phrases, and holds in new
combinations as it did in old ones.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from partwise.errors import PartwiseError
from partwise.grounding.vocabulary import Labels

BIAS = -4.0
"""At the start nothing implies anything."""
SCALE = 10.0
"""A pair is met far more seldom than a word, so its weight goes in longer steps."""


class Implications(nn.Module):
    """The chance that an edge of a node makes an attribute of it go unsaid.

    Args:
        attributes, relations: how many there are; an edge counts apart from its two ends.
    """

    def __init__(self, attributes: int, relations: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(attributes, 2 * relations))

    def logits(self) -> Tensor:
        """``[attributes, 2 * relations]``: first where edges begin, then where they end."""
        return self.weight * SCALE + BIAS

    def said(self, relations: Tensor) -> Tensor:
        """Log-chance that no edge of a node implies an attribute (noisy-or).

        Args:
            relations: ``[nodes, 2 * relations]``, which edges each node has.

        Returns:
            ``[nodes, attributes]``.
        """
        return relations @ functional.logsigmoid(-self.logits()).T


def relation_numbers(edges: Iterable[tuple[str, bool]], labels: Labels) -> list[int]:
    """Columns of `Implications` of a node's edges, each a predicate and whether it begins there."""
    known = {name: number for number, name in enumerate(labels.relations)}
    return sorted(
        {
            known[predicate] + (0 if forth else len(known))
            for predicate, forth in edges
            if predicate in known
        }
    )


def implied(network: nn.Module) -> NDArray[np.floating]:
    """``[attributes, 2 * relations]``: the chances of all, by the mean of what members say.

    Raises:
        PartwiseError: if nothing of the network is of implications.
    """
    found = [part.logits() for part in network.modules() if isinstance(part, Implications)]
    if not found:
        raise PartwiseError("this network has learned no implications")
    return torch.sigmoid(torch.stack(found).mean(0)).detach().cpu().numpy()

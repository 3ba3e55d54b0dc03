"""How much each position's words count for one label: attention times effect.

With sigmoid attention all words of a short phrase may have a weight near 1, which says little. A
word's share in the label's logit is its weight times its effect on the label. To first order that
is the gradient of the logit by the word's vector, times this vector.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from partwise.graph.grounding.batch import NodeSequence, collate


def relevance(
    network: nn.Module, sequence: NodeSequence, pair: tuple[int, int], label: int
) -> NDArray[np.floating]:
    """``[L]``: what each position adds to the label of a pair of nodes, at least 0, in all 1.

    All 0 if no word adds to it.
    """
    tables = [m for name, m in network.named_modules() if name.endswith("word_vectors")]
    seen: list[torch.Tensor] = []

    def keep(module: nn.Module, given: object, vectors: torch.Tensor) -> torch.Tensor:
        seen.append(vectors.detach().requires_grad_(True))
        return seen[-1]

    hooks = [table.register_forward_hook(keep) for table in tables]
    try:
        with torch.enable_grad():
            logit = network(collate([sequence])).logits[(0, *pair, label)]
            effects = torch.autograd.grad(logit, seen, allow_unused=True)
    finally:
        for hook in hooks:
            hook.remove()
    shares = torch.zeros(len(sequence.tags), device=logit.device)
    for effect, vectors in zip(effects, seen, strict=True):
        if effect is not None:
            shares = shares + (effect * vectors).sum((2, 3))[0]
    weights = shares.clamp(min=0.0).detach().cpu().numpy().astype(float)
    total = float(weights.sum())
    return weights / total if total > 0.0 else weights

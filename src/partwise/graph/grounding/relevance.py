"""How much each position's words count for one label: attention times effect.

Where gates are open for all words of a short phrase, the gates alone say little. The words' share
in the label's logit is what the gate lets through times what the label makes of it; to first order
that is the gradient of the logit by the words' vectors, times these vectors.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from partwise.graph.grounding.batch import Grounded, collate


def relevance(
    network: nn.Module, sequence: Grounded, pair: tuple[int, int], label: int
) -> NDArray[np.floating]:
    """``[L]``: what each position adds to the label of a pair of nodes, at least 0, in all 1.

    All 0 if no word adds to it.
    """
    batch = collate([sequence])
    tables = [m for name, m in network.named_modules() if name.endswith("word_vectors")]
    seen: list[torch.Tensor] = []

    def keep(module: nn.Module, given: object, vectors: torch.Tensor) -> torch.Tensor:
        mine = vectors.detach().requires_grad_(True)
        seen.append(mine)
        return mine

    hooks = [table.register_forward_hook(keep) for table in tables]
    try:
        with torch.enable_grad():
            logit = network(batch).logits[(0, *pair, label)]
            effects = torch.autograd.grad(logit, seen, allow_unused=True)
    finally:
        for hook in hooks:
            hook.remove()
    shares = sum(
        (effect * vectors).sum((2, 3))[0]
        for effect, vectors in zip(effects, seen, strict=True)
        if effect is not None
    )
    found = torch.as_tensor(shares).clamp(min=0.0).detach().cpu().numpy()
    found = np.broadcast_to(found, (len(sequence.tags),)).astype(float)
    total = float(found.sum())
    return found / total if total > 0.0 else found

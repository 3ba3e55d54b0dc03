"""How much each word of a question counts for one label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from partwise.graph.grammar.tagging import Tokens
from partwise.graph.grounding.batch import NodeSequence, collate
from partwise.graph.grounding.predicted import Array


def relevance(
    network: nn.Module, sequence: NodeSequence[int], pair: tuple[int, int], label: int
) -> Array:
    """``[L]``: what each position adds to the label of a pair of nodes, at least 0, in all 1.

    All 0 if no word adds to it. With sigmoid attention all words of a short phrase may have a
    weight near 1, which says little. A word's share in the label's logit is its weight times its
    effect on the label: to first order the gradient of the logit by the word's vector, times this
    vector.
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


def word_weights(
    shares: Array, tokens: Sequence[Sequence[int]], question: Tokens
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

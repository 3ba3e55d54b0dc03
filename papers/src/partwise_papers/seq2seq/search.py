"""Beam search over tokens, many questions at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from partwise_papers.seq2seq.memory import Cache, Memory, picked
from partwise_papers.seq2seq.vocabulary import END, PAD, START, UNKNOWN

Step = Callable[[Tensor, Memory, Cache], tuple[Tensor, Cache]]
"""``[rows, 1]`` numbers of tokens to ``[rows, 1, numbers]`` log probabilities and a cache."""
Mask = Callable[[int, Sequence[int]], Sequence[int] | None]
"""Number of a question and an output so far -> what may follow; None for anything."""


class Hypothesis(NamedTuple):
    """An output with its log probability; `numbers` are without start and end."""

    numbers: tuple[int, ...]
    score: float


def beam_search(
    step: Step,
    memory: Memory,
    cache: Cache,
    beam: int,
    longest: int,
    mask: Mask | None = None,
) -> list[list[Hypothesis]]:
    """The most probable outputs of each question, the best first; of those that ended.

    Args:
        cache: of the decoder at the beginning.
        beam: how many are followed of each question.
        longest: tokens of an output, at most.
        mask: what may follow an output; None for anything.
    """
    count, device = memory.mask.shape[0], memory.mask.device
    rows = torch.arange(count, device=device).repeat_interleave(beam)
    memory, cache = memory.picked(rows), picked(cache, rows)
    tokens = torch.full((count * beam, 1), START, device=device)
    # At first the hypotheses of a question are one.
    scores = torch.full((count, beam), -torch.inf, device=device)
    scores[:, 0] = 0.0
    ended = torch.zeros(count, beam, dtype=torch.bool, device=device)
    for _ in range(longest + 1):
        following, cache = step(tokens[:, -1:], memory, cache)
        logs = _allowed(following[:, -1].float(), tokens, ended.flatten(), beam, mask)
        total = scores[..., None] + logs.view(count, beam, -1)
        scores, best = total.flatten(1).topk(beam, 1)
        width = logs.shape[-1]
        parents = (best // width + torch.arange(count, device=device)[:, None] * beam).flatten()
        chosen = (best % width).flatten()
        tokens = torch.cat([tokens[parents], chosen[:, None]], 1)
        cache = picked(cache, parents)
        ended = ended.flatten()[parents] | (chosen == END)
        # What cannot go on is as good as ended.
        ended = (ended | scores.flatten().isneginf()).view(count, beam)
        if bool(ended.all()):
            break
    return [_hypotheses(*one) for one in zip(tokens.view(count, beam, -1), scores, strict=True)]


def _allowed(logs: Tensor, tokens: Tensor, ended: Tensor, beam: int, mask: Mask | None) -> Tensor:
    logs[:, [PAD, START, UNKNOWN]] = -torch.inf
    if mask is not None:
        for row in (~ended).nonzero()[:, 0].tolist():
            allowed = mask(row // beam, tokens[row, 1:].tolist())
            if allowed is not None:
                kept = torch.full_like(logs[row], -torch.inf)
                places = torch.tensor(allowed, dtype=torch.long, device=logs.device)
                kept[places] = logs[row, places]
                logs[row] = kept
    # An output that ended stays as it is.
    logs[ended] = -torch.inf
    logs[ended, PAD] = 0.0
    return logs


def _hypotheses(tokens: Tensor, scores: Tensor) -> list[Hypothesis]:
    made = []
    for row, score in zip(tokens.tolist(), scores.tolist(), strict=True):
        if END in row and score > float("-inf"):
            made.append(Hypothesis(tuple(row[1 : row.index(END)]), score))
    return sorted(made, key=lambda one: -one.score)

"""Training the cross-encoder: interpretations that a parser found, right or wrong, and their
questions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from partwise.encoders.base import Encoder
from partwise.encoders.cross_encoder import CrossEncoder
from partwise_papers.databases.interpretations import Restated, Tell

RANK, RATE, EPOCHS = 16, 1e-3, 8
FURTHER = 3e-4
"""The rate of learning of a cross-encoder that is trained further."""
BEST, MORE, AMONG = 2, 2, 8
"""Of a question, in one epoch, beside one right interpretation: the best wrong ones, and some of
the other ones among the first."""
BATCH, WARM = 8, 20
"""Questions of a batch, and batches in which the rate of learning rises."""
NOISY, EASY = 0.3, 0.5
"""The share of the questions with noise; of the questions whose first interpretation is right,
those that are learned from."""
TOLD = 100
"""Batches between two lines of what is told."""


class CrossTraining(NamedTuple):
    """How a cross-encoder is trained.

    Attributes:
        device: where; afterwards all is on the processor.
    """

    epochs: int = EPOCHS
    seed: int = 0
    device: str = "cpu"


FIRST_COMPARED = CrossTraining()


def train_cross_encoder(
    encoder: Encoder,
    lists: Sequence[Restated],
    how: CrossTraining = FIRST_COMPARED,
    tell: Tell = print,
    start: CrossEncoder | None = None,
) -> CrossEncoder:
    """Train a cross-encoder over an encoder: of the interpretations of a question the right one is
    the likeliest (`tell`: told what goes on; `start`: what is trained further, in place of a new
    one); raises PartwiseError for an encoder that is no pretrained transformer."""
    torch.manual_seed(how.seed)
    draw = random.Random(how.seed)
    made = CrossEncoder(encoder, RANK) if start is None else start
    made.to(how.device).requires_grad_(True).train()
    encoder.to(how.device).train()
    weights, rate = list(made.parameters()), RATE if start is None else FURTHER
    optimizer = torch.optim.AdamW(weights, lr=rate, weight_decay=0.01, fused=True)
    batches = [batch for _ in range(how.epochs) for batch in _batches(lists, draw)]
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / WARM) * (1 - step / (len(batches) + 1))
    )
    total = 0.0
    for step, batch in enumerate(batches, 1):
        loss = _loss(made, batch, draw)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        schedule.step()
        total += float(loss.detach())
        if step % TOLD == 0 or step == len(batches):
            tell(f"cross-encoder, batch {step} of {len(batches)}: loss {total / step:.4f}")
    encoder.to("cpu").eval()
    return made.to("cpu").eval()


def _batches(lists: Sequence[Restated], draw: random.Random) -> list[list[Restated]]:
    """The lists that teach, in an order that is drawn: those with right and wrong interpretations,
    and not all of those where the first is right, which teach less."""
    some = [
        asked
        for asked in lists
        if len({right for _, right in asked.interpretations}) == 2
        and (not asked.interpretations[0][1] or draw.random() < EASY)
    ]
    draw.shuffle(some)
    return [some[start : start + BATCH] for start in range(0, len(some), BATCH)]


def _loss(made: CrossEncoder, batch: Sequence[Restated], draw: random.Random) -> Tensor:
    """Minus the log-likelihood of the right one in each list, the mean over questions."""
    pairs, sizes = list[tuple[str, str]](), list[int]()
    for asked in batch:
        text = noisy(asked.question, draw) if draw.random() < NOISY else asked.question
        some = _draw(asked, draw)
        pairs += [(text, restated) for restated in some]
        sizes.append(len(some))
    odds: Sequence[Tensor] = made(pairs).split(sizes)
    return -torch.stack([of_list.log_softmax(0)[0] for of_list in odds]).mean()


def _draw(asked: Restated, draw: random.Random) -> list[str]:
    """A right interpretation of a question, and some wrong ones."""
    right = [restated for restated, good in asked.interpretations if good]
    wrong = [restated for restated, good in asked.interpretations if not good][:AMONG]
    later = wrong[BEST:]
    return [
        draw.choice(right[:3]),
        *wrong[:BEST],
        *draw.sample(later, min(MORE, len(later))),
    ]


def noisy(question: str, draw: random.Random) -> str:
    """A question as someone in a hurry types it: no mark at its end, no capitals, a slip."""
    if draw.random() < 0.5:
        question = question.rstrip(" ?.!")
    if draw.random() < 0.5:
        question = question.lower()
    if draw.random() < 0.3 and len(question) > 12:
        at = draw.randrange(3, len(question) - 2)
        before, pair, after = question[:at], question[at : at + 2], question[at + 2 :]
        slips = (pair[1], pair[0] + pair, pair[::-1])
        question = before + draw.choices(slips, (5, 2, 3))[0] + after
    return question

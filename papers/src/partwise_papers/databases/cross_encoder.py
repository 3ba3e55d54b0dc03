"""Training the cross-encoder: interpretations that a parser found, right or wrong, and their
questions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from partwise.database.parser import DatabaseParser
from partwise.encoders.cross_encoder import CrossEncoder
from partwise.errors import DataError
from partwise_papers.databases.interpretations import Restated, Tell

RANK, RATE, EPOCHS = 16, 1e-3, 8
FURTHER = 3e-4
"""The rate of learning of a cross-encoder that is trained further."""
RIGHT, BEST, MORE = 2, 4, 2
"""Of a question, in one epoch: right interpretations, the best wrong ones, and some others."""
BATCH, LIKE = 32, 16
"""Questions of a batch, and batches that questions of like length are put together from."""
NOISY, OF_LISTS = 0.3, 0.5
"""The share of the questions with noise, and the weight of the loss of whole lists."""
FAR = -1e4


class CrossTraining(NamedTuple):
    """How a cross-encoder is trained.

    Attributes:
        device: where; afterwards all is on the processor.
        further: whether the one that the parser has goes on, in place of a new one.
    """

    epochs: int = EPOCHS
    seed: int = 0
    device: str = "cpu"
    further: bool = False


FIRST_COMPARED = CrossTraining()


def train_cross_encoder(
    parser: DatabaseParser,
    lists: Sequence[Restated],
    how: CrossTraining = FIRST_COMPARED,
    tell: Tell = print,
) -> CrossEncoder:
    """Train the cross-encoder of a parser: each interpretation is right or wrong, and in a list
    with both the right ones are likelier (`tell`: told of each epoch); raises DataError if it has
    none that could go on."""
    epochs, device = how.epochs, how.device
    torch.manual_seed(how.seed)
    draw = random.Random(how.seed)
    before = parser.cross_encoder if how.further else parser.add_cross_encoder(RANK)
    if before is None:
        raise DataError("the parser has no cross-encoder that could be trained further")
    made, rate = before, FURTHER if how.further else RATE
    parser.to(device)
    made.train()
    parser.encoder.train()
    weights = list(made.parameters())
    optimizer = torch.optim.AdamW(weights, lr=rate, weight_decay=0.01, fused=True)
    steps = epochs * -(-len(lists) // BATCH) + 1
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=steps, pct_start=max(0.1, 2 / steps), cycle_momentum=False
    )
    for epoch in range(epochs):
        total = 0.0
        batches = _batches(lists, draw)
        for batch in batches:
            loss = _loss(made, batch, draw)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        tell(f"cross-encoder, epoch {epoch}: loss {total / len(batches):.4f}")
    parser.to("cpu").eval()
    return made


def _batches(lists: Sequence[Restated], draw: random.Random) -> list[list[Restated]]:
    """All lists once, those of like length together."""
    order, made = draw.sample(lists, len(lists)), []
    for begin in range(0, len(order), BATCH * LIKE):
        some = order[begin : begin + BATCH * LIKE]
        some.sort(key=lambda asked: len(asked.question) + len(asked.interpretations[0][0]))
        parts = [some[at : at + BATCH] for at in range(0, len(some), BATCH)]
        draw.shuffle(parts)
        made += parts
    return made


def _loss(made: CrossEncoder, batch: Sequence[Restated], draw: random.Random) -> Tensor:
    pairs, right, at = [], [], []
    for number, asked in enumerate(batch):
        text = noisy(asked.question, draw) if draw.random() < NOISY else asked.question
        for restated, good in _draw(asked, draw):
            pairs.append((text, restated))
            right.append(float(good))
            at.append(number)
    odds = made(pairs)
    are = torch.tensor(right, device=odds.device)
    # Of each question, a row: its interpretations, and nothing in the other places.
    places = torch.arange(len(batch), device=odds.device)
    own = torch.tensor(at, device=odds.device) == places.unsqueeze(1)
    of_list = odds.masked_fill(~own, FAR).logsumexp(1)
    of_right = odds.masked_fill(~own | (are == 0), FAR).logsumexp(1)
    both = (own & (are == 1)).any(1)
    loss = binary_cross_entropy_with_logits(odds, are)
    if both.any():
        loss = loss + OF_LISTS * (of_list - of_right)[both].mean()
    return loss


def _draw(asked: Restated, draw: random.Random) -> list[tuple[str, bool]]:
    """Some interpretations of a question."""
    right = [told for told in asked.interpretations if told[1]]
    wrong = [told for told in asked.interpretations if not told[1]]
    later = wrong[BEST:]
    return [
        *draw.sample(right, min(RIGHT, len(right))),
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

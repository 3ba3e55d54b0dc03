"""The retriever: training cases whose relations are likely those of a question."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from partwise.encoders import Encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.language.text import Words
from partwise_papers.retrieval.cases import CASE, Case
from partwise_papers.retrieval.relations import Names, masked, overlap

BATCH = 128
"""Questions that are encoded together; in training, those that are told apart."""
SHARPNESS = 10.0
"""What cosines are multiplied by in training, as they are from -1 to 1 alone."""
RATE, PRETRAINED_RATE = 1e-3, 5e-5


class Retriever(nn.Module):
    """Finds the cases nearest to a question, by the cosine of their masked questions' vectors.

    The paper's RoBERTa is any encoder here, the vector of a question is the mean of its words',
    and entities are always masked, not at random.

    Attributes:
        vectors: ``[cases, dim]``, of length one; there once `refresh` was called.
    """

    vectors: Tensor

    def __init__(self, encoder: Encoder, cases: Sequence[Case], names: Names) -> None:
        super().__init__()
        self.encoder, self.cases, self.names = encoder, list(cases), frozenset(names)
        self.register_buffer("vectors", torch.zeros(len(self.cases), encoder.dim))
        self.places: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, case in enumerate(self.cases):
            self.places[case.words].append(place)

    def forward(self, questions: Sequence[Sequence[str]]) -> Tensor:
        """``[questions, dim]``: vectors of length one, by the questions' words."""
        read = [masked(words or (CASE,), self.names) for words in questions]
        vectors = self.encoder(read)[0]
        lengths = torch.tensor([len(words) for words in read], device=vectors.device)
        there = torch.arange(vectors.shape[1], device=vectors.device)[None] < lengths[:, None]
        return normalize((vectors * there[..., None]).sum(1), dim=-1)

    def learn(self, relations: Sequence[frozenset[str]], epochs: int) -> None:
        """Learn from the relations of each case, and keep still from then on.

        The likelihood of each other case of a batch, given a question, goes towards its share of
        the overlap (Das et al. 2021, section 2.1).
        """
        rate = PRETRAINED_RATE if isinstance(self.encoder, PretrainedEncoder) else RATE
        trained = [one for one in self.parameters() if one.requires_grad]
        optimizer = torch.optim.AdamW(trained, rate, fused=True)
        order = list(range(len(self.cases)))
        for _ in range(epochs):
            random.shuffle(order)
            for begin in range(0, len(order), BATCH):
                batch = order[begin : begin + BATCH]
                loss = self.loss(batch, overlap([relations[one] for one in batch]))
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
        self.requires_grad_(False)
        self.refresh()

    def loss(self, batch: Sequence[int], alike: Tensor) -> Tensor:
        """Minus the mean weighted log-likelihood of the other cases of a batch.

        Args:
            batch: numbers of cases.
            alike: ``[cases, cases]``, how much their relations overlap.
        """
        vectors = self([self.cases[one].words for one in batch])
        itself = torch.eye(len(batch), dtype=torch.bool, device=vectors.device)
        scores = SHARPNESS * vectors @ vectors.T
        logs = torch.log_softmax(scores.masked_fill(itself, -1e9), -1)
        weights = alike.to(logs.device).masked_fill(itself, 0.0)
        weights = weights / weights.sum(1, keepdim=True).clamp(min=1e-9)
        return -(weights * logs).sum(1).mean()

    @torch.no_grad()
    def refresh(self) -> None:
        """Encode all cases again."""
        before = self.training
        self.eval()
        for begin in range(0, len(self.cases), BATCH):
            batch = self.cases[begin : begin + BATCH]
            self.vectors[begin : begin + BATCH] = self([one.words for one in batch])
        self.train(before)

    @torch.no_grad()
    def nearest(self, questions: Sequence[Words], count: int) -> list[list[Case]]:
        """The nearest cases of each question, the nearest first.

        Cases with the very same question are left out: in training each question has one, its own,
        and a network that learned without it would be misled by it.

        Args:
            count: how many, at most.
        """
        made: list[list[Case]] = []
        for begin in range(0, len(questions), BATCH):
            batch = [words.words for words in questions[begin : begin + BATCH]]
            scores = self(batch) @ self.vectors.T
            for row, words in enumerate(batch):
                scores[row, self.places.get(words, [])] = -torch.inf
            best = scores.topk(min(count, len(self.cases)), 1)
            for values, places in zip(best.values.tolist(), best.indices.tolist(), strict=True):
                pairs = zip(values, places, strict=True)
                made.append([self.cases[place] for value, place in pairs if value > -1])
        return made

"""The network that reads a question together with a scene, and gives an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from partwise.encoders.pretrained import PretrainedEncoder
from partwise.language.text import Words
from partwise_papers.domains.scenes.scene import ATTRIBUTES, Scene

VALUES = tuple(value for values in ATTRIBUTES.values() for value in values)
ANSWERS = ("yes", "no", *map(str, range(11)), *VALUES)
"""The 28 answers of CLEVR."""
RANKS = 16
"""Ranks that are told apart; CLEVR's scenes have at most 10 objects."""
_NUMBER = {value: number for number, value in enumerate(VALUES, 1)}


def features(scene: Scene) -> list[list[int]]:
    """Numbers of each object's attributes and ranks; 0 is none.

    A rank is the number of objects that are left of it, or in front of it.
    """
    made = []
    for number, solid in enumerate(scene.objects):
        values = [_NUMBER[solid.value(attribute)] for attribute in ATTRIBUTES]
        ranks = (len(where[number]) for where in (scene.left, scene.front))
        first = 1 + len(VALUES)
        places = [first + RANKS * i + min(rank, RANKS - 1) for i, rank in enumerate(ranks)]
        made.append(values + places)
    return made


class SceneNetwork(nn.Module):
    """A pretrained encoder over the pieces of a question and, behind them, a vector an object.

    An object is the sum of the embeddings of its attributes and ranks. The vector of the first
    piece ([CLS]) gives the answer.

    Args:
        dropout: before the answer.
    """

    def __init__(self, encoder: PretrainedEncoder, dropout: float) -> None:
        super().__init__()
        self.encoder, self.dropout = encoder, nn.Dropout(dropout)
        count = 1 + len(VALUES) + 2 * RANKS
        self.objects = nn.Embedding(count, encoder.dim, padding_idx=0)
        # Sums are then about as long as the embeddings of pieces.
        nn.init.normal_(self.objects.weight, std=0.02)
        self.out = nn.Linear(encoder.dim, len(ANSWERS))

    def fits(self, words: Words, scene: Scene) -> bool:
        """Whether a question and a scene are short enough together."""
        return len(self.encoder.pieces(words)[0]) + len(scene.objects) <= self.encoder.limit

    def forward(self, questions: Sequence[Words], scenes: Sequence[Scene]) -> Tensor:
        """Scores of all answers, ``[questions, answers]``."""
        rows = [self._inputs(*one) for one in zip(questions, scenes, strict=True)]
        mask = self.encoder.padded([[1] * len(row) for row in rows])
        inputs = pad_sequence(rows, batch_first=True)
        hidden = self.encoder.model(inputs_embeds=inputs, attention_mask=mask).last_hidden_state
        out: Tensor = self.out(self.dropout(hidden[:, 0])).float()
        return out

    def _inputs(self, words: Words, scene: Scene) -> Tensor:
        pieces, objects = self.encoder.pieces(words)[0], features(scene)
        embedded = self.encoder.model.get_input_embeddings()(self._tensor(pieces))
        return torch.cat([embedded, self.objects(self._tensor(objects)).sum(1)])

    def _tensor(self, numbers: Sequence[Any]) -> Tensor:
        return torch.tensor(numbers, device=self.encoder.device)

"""A transformer whose upper layers are trained; what the lower ones give is computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from partwise.encoders.base import Encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import PartwiseError
from partwise.language.text import Words

AT_ONCE = 64
"""Texts that go through the lower layers together."""


class UpperLayers(Encoder):
    """The vectors of an encoder like BERT, which shares its layers; only those above the `lower`
    ones are among the weights. What the lower ones give is kept for each text. For training alone:
    it is not saved, the encoder is."""

    def __init__(self, encoder: PretrainedEncoder, lower: int) -> None:
        super().__init__()
        self.name, self.dim = encoder.name, encoder.dim
        stack = getattr(getattr(encoder.model, "encoder", None), "layer", None)
        if stack is None or lower >= len(stack):
            raise PartwiseError(
                f"the upper layers of {encoder.name!r} cannot be trained alone: it is no BERT of "
                f"more than {lower} layers"
            )
        # In a tuple, modules are not registered.
        self._encoder = (encoder,)
        self._lower: list[nn.Module] = list(stack[:lower])
        self.layers = nn.ModuleList(stack[lower:])
        self._kept: dict[str, Tensor] = {}

    @classmethod
    def create(cls, questions: Any, option: str, frozen_layers: int) -> Self:
        return cls(PretrainedEncoder.create(questions, option), frozen_layers)

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        raise PartwiseError("upper layers are saved with their encoder")

    def forward(self, batch: Sequence[Words], **more: Tensor) -> tuple[Tensor, Tensor]:
        encoder = self._encoder[0]
        self._prepare([words for words in batch if words.text not in self._kept])
        some = [self._kept[words.text] for words in batch]
        hidden = self._through(pad_sequence(some, batch_first=True), some, self.layers)
        first, last = (
            encoder.padded([encoder.reader.pieces(words)[which] for words in batch])
            for which in (1, 2)
        )
        index = torch.arange(len(batch), device=self.device).unsqueeze(1)
        return hidden[index, first], hidden[index, last]

    @torch.no_grad()
    def _prepare(self, new: Sequence[Words]) -> None:
        """What lower layers give for texts that were not met."""
        encoder = self._encoder[0]
        model = encoder.model
        for part in (model.embeddings, *self._lower):
            part.eval()
        order = sorted(new, key=lambda words: len(words.text))
        for start in range(0, len(order), AT_ONCE):
            batch = order[start : start + AT_ONCE]
            ids = [encoder.reader.pieces(words)[0] for words in batch]
            hidden = model.embeddings(input_ids=encoder.padded(ids))
            hidden = self._through(hidden, ids, self._lower)
            for words, row, pieces in zip(batch, hidden, ids, strict=True):
                self._kept[words.text] = row[: len(pieces)].clone()

    def _through(self, hidden: Tensor, rows: Sequence[Any], layers: Any) -> Tensor:
        """Vectors behind some layers; pieces behind the end of a row are not seen."""
        lengths = torch.tensor([len(row) for row in rows], device=hidden.device)
        hides = torch.arange(hidden.shape[1], device=hidden.device) >= lengths[:, None]
        mask = (hides * torch.finfo(hidden.dtype).min)[:, None, None]
        for layer in layers:
            hidden = layer(hidden, mask)
        return hidden

    def config(self) -> dict[str, Any]:
        return self._encoder[0].config()

    def save_files(self, folder: Path) -> None:
        self._encoder[0].save_files(folder)

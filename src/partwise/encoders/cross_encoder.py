"""How well a meaning fits its question, told by an encoder that reads both together.

It reranks any meanings that can be restated as a sentence. A chart compares words with names one by
one; here the question and the sentence stand in one input, as in re-ranking of passages (Nogueira
and Cho 2019), so that what is said by several words, or by none, counts as well. Of the encoder's
matrices only changes of low rank are learned (Hu et al. 2022), and the encoder itself stays as it
is.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from partwise.encoders.base import Encoder
from partwise.encoders.eight_bits import in_eight_bits
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import PartwiseError

QUESTION, RESTATED = 60, 50
"""The most pieces of each that are read."""


class CrossEncoder(nn.Module):
    """Scores of restated meanings beside their question. The encoder is not changed, and not among
    the weights; `rank` is that of the changes. Raises PartwiseError for an encoder that is no
    pretrained transformer."""

    def __init__(self, encoder: Encoder, rank: int) -> None:
        super().__init__()
        if not isinstance(encoder, PretrainedEncoder):
            raise PartwiseError(
                f"an encoder of the kind {encoder.kind!r} cannot compare meanings with questions; "
                "choose a pretrained transformer"
            )
        self.rank = rank
        # In tuples, modules are not registered: what owns the encoder saves it, and what is made of
        # it is not saved at all.
        self._encoder = (encoder,)
        self._merged: tuple[nn.Module, ...] = ()
        matrices = _matrices(encoder.model)
        self.names = tuple(matrices)
        sizes = [tuple(one.shape) for one in matrices.values()]
        self.down = nn.ParameterList(torch.randn(rank, size[1]) / size[1] ** 0.5 for size in sizes)
        self.up = nn.ParameterList(torch.zeros(size[0], rank) for size in sizes)
        self.head = nn.Linear(2 * encoder.dim, 1)

    def train(self, mode: bool = True) -> CrossEncoder:
        """See `torch.nn.Module.train`; what was put together for reading is made again."""
        self._merged = ()
        return super().train(mode)

    def forward(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        """How much likelier each of these pairs (questions, restated meanings) is right than wrong,
        as a logarithm."""
        encoder = self._encoder[0]
        both = [self._encoded(*pair) for pair in pairs]
        mask = encoder.padded([one.attention_mask for one in both])
        given = {"input_ids": encoder.padded([one.ids for one in both]), "attention_mask": mask}
        if getattr(encoder.model.config, "type_vocab_size", 0) > 1:
            given["token_type_ids"] = encoder.padded([one.type_ids for one in both])
        if self.training:
            # Unlike the copy, this gives the changes a gradient.
            made = torch.func.functional_call(encoder.model, self._changed(), kwargs=given)
        else:
            made = self._model()(**given)
        hidden = made.last_hidden_state.float()
        shown = mask[..., None].to(hidden.dtype)
        mean = (hidden * shown).sum(1) / shown.sum(1)
        return self.head(torch.cat([hidden[:, 0], mean], 1))[:, 0]  # type: ignore[no-any-return]

    def _encoded(self, question: str, restated: str) -> Any:
        tokenizer = self._encoder[0].tokenizer
        said = tokenizer.encode(question, add_special_tokens=False)
        told = tokenizer.encode(restated, add_special_tokens=False)
        said.truncate(QUESTION)
        told.truncate(RESTATED)
        return tokenizer.post_process(said, told)

    def _changed(self) -> dict[str, Tensor]:
        matrices = _matrices(self._encoder[0].model)
        return {
            name: matrices[name] + up @ down
            for name, up, down in zip(self.names, self.up, self.down, strict=True)
        }

    def _model(self) -> nn.Module:
        """The encoder with the changes. It is a copy, as others may read with the encoder in other
        threads; what is not changed is shared."""
        if not self._merged:
            model, changed = self._encoder[0].model, self._changed()
            # What a copy would make of each parameter, by the number of the latter.
            made: dict[int, Any] = {
                id(one): nn.Parameter(changed[name].detach(), requires_grad=False)
                if name in changed
                else one
                for name, one in model.named_parameters()
            }
            self._merged = (in_eight_bits(copy.deepcopy(model, made)),)
        return self._merged[0]


def _matrices(model: nn.Module) -> dict[str, Tensor]:
    linear = {name: one for name, one in model.named_modules() if isinstance(one, nn.Linear)}
    return {f"{name}.weight": one.weight for name, one in linear.items()}

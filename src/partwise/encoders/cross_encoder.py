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
from contextvars import ContextVar
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from partwise.encoders.base import Encoder
from partwise.encoders.functions import Function
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.encoders.readers import read_pairs
from partwise.errors import PartwiseError

CHANGE: ContextVar[Tensor] = ContextVar("change")
"""How much of its change a layer makes in this thread."""


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
        # In a tuple it is not registered: what owns the encoder saves it.
        self._encoder = (encoder,)
        named = encoder.model.named_modules()
        linear = {name: one for name, one in named if isinstance(one, nn.Linear)}
        self.names, sizes = tuple(linear), [tuple(one.weight.shape) for one in linear.values()]
        self.down = nn.ParameterList(torch.randn(rank, size[1]) / size[1] ** 0.5 for size in sizes)
        self.up = nn.ParameterList(torch.zeros(size[0], rank) for size in sizes)
        self.head = nn.Linear(2 * encoder.dim, 1)

    def forward(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        """How much likelier each of these pairs (questions, restated meanings) is right than wrong,
        as a logarithm."""
        encoder = self._encoder[0]
        read = read_pairs(encoder.tokenizer, pairs)
        given = {name: torch.from_numpy(rows) for name, rows in read.items()}
        given = {name: rows.to(encoder.device) for name, rows in given.items()}
        return self.both(**given, change=torch.ones(1, device=encoder.device))[1]

    def both(
        self, ids: Tensor, mask: Tensor, types: Tensor, change: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The vectors of all pieces, ``[texts, pieces, dim]``, and the scores, ``[texts]``, of
        texts as `read_pairs` reads pairs. `change`: ``[1]``, 1 for the encoder with its changes,
        which gives the scores, and 0 for the encoder itself. So both are one network in use."""
        model = self._encoder[0].model
        given = {"input_ids": ids, "attention_mask": mask}
        if getattr(model.config, "type_vocab_size", 0) > 1:
            given["token_type_ids"] = types
        before = CHANGE.set(change)
        try:
            hidden = self._changed(**given).last_hidden_state.float()
        finally:
            CHANGE.reset(before)
        shown = mask[..., None].to(hidden.dtype)
        mean = (hidden * shown).sum(1) / shown.sum(1)
        return hidden, self.head(torch.cat([hidden[:, 0], mean], 1))[:, 0]

    def function(self) -> Function:
        """`both`, as it is saved."""
        names = ("ids", "mask", "types")
        example = {name: torch.ones(2, 3, dtype=torch.long) for name in names}
        axes: dict[str, tuple[str, ...]] = dict.fromkeys(names, ("texts", "pieces"))
        return Function(self.both, example | {"change": torch.ones(1)}, axes | {"change": ("",)})

    @cached_property
    def _changed(self) -> nn.Module:
        """The encoder with the changes. Others may read with the encoder in other threads, so it
        is another network with the same weights."""
        model = self._encoder[0].model
        shared: dict[int, Any] = {id(one): one for one in (*model.parameters(), *model.buffers())}
        changed = copy.deepcopy(model, shared)
        for name, down, up in zip(self.names, self.down, self.up, strict=True):
            changed.set_submodule(name, _Changed(changed.get_submodule(name), down, up))
        made: nn.Module = changed.eval()
        return made


class _Changed(nn.Module):
    """A linear layer with a change of low rank."""

    def __init__(self, layer: nn.Module, down: Tensor, up: Tensor) -> None:
        super().__init__()
        self.layer, self.down, self.up = layer, down, up

    def forward(self, rows: Tensor) -> Tensor:
        changed = rows @ self.down.T @ self.up.T
        return self.layer(rows) + CHANGE.get() * changed  # type: ignore[no-any-return]

"""Matrices as whole numbers of eight bits, with a scale for each row: a quarter of the space."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

if TYPE_CHECKING:
    # Their import takes two seconds, which parsers without a transformer do not need.
    from transformers.modeling_outputs import BaseModelOutput
    from transformers.models.bert.modeling_bert import BertLayer, BertModel

SCALE = "::scale"
"""What follows a matrix's name in that of its scales."""
MOST, SMALLEST = 127, 1e-12
M = TypeVar("M", bound=nn.Module)


def pack(weights: Mapping[str, Tensor], prefixes: tuple[str, ...]) -> dict[str, Tensor]:
    """Weights with all matrices, and stacks of these, whose names begin with one of some prefixes
    in eight bits; the nearest numbers. A row of zeros, or with a number that is not finite, has the
    scale 0 and is read as zeros."""
    result: dict[str, Tensor] = {}
    for name, value in weights.items():
        # Rows alone are small, and stay as they are.
        matrix = value.is_floating_point() and value.dim() >= 2 and value.shape[-2] > 1
        if not (name.startswith(prefixes) and matrix):
            result[name] = value
            continue
        scale = torch.nan_to_num(value.float().abs().amax(-1) / MOST, posinf=0.0)
        rows = value.float() / torch.where(scale > 0, scale, 1.0)[..., None]
        result[name] = torch.nan_to_num(rows).round().clamp(-MOST, MOST).to(torch.int8)
        result[name + SCALE] = scale
    return result


def unpack(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights that `pack` got, as far as they are kept."""
    return {
        name: value.float() * weights[name + SCALE][..., None] if name + SCALE in weights else value
        for name, value in weights.items()
        if not name.endswith(SCALE)
    }


def shapes_of(stored: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """The shapes of weights, of those of the tensors that are stored. Raises ValueError if there is
    not one scale for each row."""
    for name, shape in stored.items():
        if name.endswith(SCALE) and stored.get(name.removesuffix(SCALE), ())[:-1] != shape:
            raise ValueError(f"{name:.200} does not fit its matrix")
    return {name: shape for name, shape in stored.items() if not name.endswith(SCALE)}


def computes_eight_bits() -> bool:
    """Whether products of whole numbers are faster here than those of fractions: on AVX2 they take
    longer."""
    return torch.backends.cpu.get_cpu_capability().startswith("AVX512")


class EightBitLinear(nn.Module):
    """A linear layer for reading alone, on the processor: whole numbers of eight bits are
    multiplied (Dettmers et al., *LLM.int8()*, 2022, section 2, without its outliers). Each row of
    the input has a scale of its own, as each row of the weights has. Several `layers` of the same
    input give one row."""

    def __init__(self, *layers: nn.Linear) -> None:
        super().__init__()
        weight = torch.cat([layer.weight.detach().float() for layer in layers])
        scale = (weight.abs().amax(1) / MOST).clamp(min=SMALLEST)
        self.outgoing = len(weight)
        self.weight = (weight / scale[:, None]).round().to(torch.int8).t().contiguous()
        self.scale = scale
        self.bias = torch.cat([_bias_of(layer) for layer in layers])

    def forward(self, rows: Tensor) -> Tensor:
        flat = rows.reshape(-1, rows.shape[-1])
        scale = (flat.abs().amax(1, keepdim=True) / MOST).clamp_(min=SMALLEST)
        whole = torch._int_mm((flat / scale).round_().to(torch.int8), self.weight)
        made = torch.addcmul(self.bias, whole * scale, self.scale)
        return made.reshape(*rows.shape[:-1], self.outgoing)


def _bias_of(layer: nn.Linear) -> Tensor:
    return torch.zeros(layer.out_features) if layer.bias is None else layer.bias.detach().float()


class EightBitBert(nn.Module):
    """A BERT for reading alone: its products in eight bits, and those of queries, keys and values
    in one."""

    def __init__(self, model: BertModel) -> None:
        super().__init__()
        self.embeddings = model.embeddings
        layers: Any = model.encoder.layer
        self.layers = nn.ModuleList(map(_Layer, layers))

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> BaseModelOutput:
        from transformers.modeling_outputs import BaseModelOutput

        hidden = self.embeddings(input_ids=input_ids, token_type_ids=token_type_ids)
        mask = None if bool(attention_mask.all()) else attention_mask[:, None, None].bool()
        for layer in self.layers:
            hidden = layer(hidden, mask)
        return BaseModelOutput(last_hidden_state=hidden)


class _Layer(nn.Module):
    def __init__(self, layer: BertLayer) -> None:
        super().__init__()
        seen = layer.attention
        self.asks = EightBitLinear(seen.self.query, seen.self.key, seen.self.value)
        self.heads = seen.self.num_attention_heads
        self.out, self.first = EightBitLinear(seen.output.dense), seen.output.LayerNorm
        self.inner = EightBitLinear(layer.intermediate.dense)
        self.active = layer.intermediate.intermediate_act_fn
        self.outer, self.second = EightBitLinear(layer.output.dense), layer.output.LayerNorm

    def forward(self, hidden: Tensor, mask: Tensor | None) -> Tensor:
        batch, pieces, dim = hidden.shape
        parts = self.asks(hidden).view(batch, pieces, 3, self.heads, dim // self.heads)
        asks, keys, values = parts.permute(2, 0, 3, 1, 4)
        seen = scaled_dot_product_attention(asks, keys, values, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(batch, pieces, dim)
        hidden = self.first(self.out(seen) + hidden)
        return self.second(self.outer(self.active(self.inner(hidden))) + hidden)  # type: ignore[no-any-return]


def in_eight_bits(model: M) -> M:
    """A copy of a model for reading alone, whose linear layers compute in eight bits where that is
    faster; all else is shared with the model."""
    shared: dict[int, Any] = {
        id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())
    }
    if computes_eight_bits():
        from transformers.models.bert.modeling_bert import BertModel

        berts = [module for module in model.modules() if type(module) is BertModel]
        shared |= {id(bert): EightBitBert(bert) for bert in berts}
        inside = {id(module) for bert in berts for module in bert.modules()}
        # Products over a single number are wrong in PyTorch 2.13.
        shared |= {
            id(module): EightBitLinear(module)
            for module in model.modules()
            if isinstance(module, nn.Linear) and module.in_features > 1 and id(module) not in inside
        }
    return copy.deepcopy(model, shared).eval()

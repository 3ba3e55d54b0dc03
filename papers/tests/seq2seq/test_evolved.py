"""The convolutions of the Evolved Transformer: sizes, and what each result sees."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Memory
from partwise_papers.seq2seq.stacks.evolved_cells import (
    DecoderCell,
    EncoderCell,
    SeparableConvolution,
    added,
)

Small = Callable[..., Seq2SeqConfig]
Vectors = Callable[[int, int], Tensor]
LENGTH, CHANGED = 30, 15


def reach(read: Callable[[Tensor], Tensor], inputs: Tensor) -> list[int]:
    """Which results change with the input at `CHANGED`, as distances from it."""
    other = inputs.clone()
    # Not the same for all channels, which a norm would take away.
    other[:, CHANGED] = -other[:, CHANGED]
    changed = (read(inputs) - read(other)).abs().amax((0, 2)) > 1e-6
    return [place - CHANGED for place in changed.nonzero()[:, 0].tolist()]


@torch.no_grad()
def test_a_separable_convolution_as_computed_by_hand() -> None:
    convolution = SeparableConvolution(2, 1, 3)
    convolution.each.weight.copy_(torch.tensor([[[1.0, 2.0, 3.0]], [[0.0, 1.0, 0.0]]]))
    convolution.all.weight.copy_(torch.tensor([[1.0, 10.0]]))
    convolution.all.bias.fill_(100.0)
    read = torch.tensor([[[1.0, 4.0], [1.0, 5.0], [2.0, 6.0], [0.0, 7.0]]])
    # 1 + 2 + 6 and 5; 1 + 4 + 0 and 6.
    assert convolution(read).tolist() == [[[159.0], [165.0]]]


def test_a_narrow_branch_is_filled_up_with_zeros() -> None:
    assert added(torch.ones(1, 1, 3), torch.ones(1, 1, 1)).tolist() == [[[2.0, 1.0, 1.0]]]


@torch.no_grad()
@pytest.mark.parametrize(
    ("part", "seen", "channels"), [("left", 11, 32), ("right", 7, 8), ("below", 7, 16)]
)
def test_the_convolutions_of_a_decoder(small: Small, part: str, seen: int, channels: int) -> None:
    convolution = getattr(DecoderCell(small("evolved")), part)
    made = convolution(torch.randn(1, LENGTH, convolution.each.in_channels))
    assert made.shape == (1, LENGTH - seen + 1, channels)
    assert convolution.each.kernel_size == (seen,)


@torch.no_grad()
def test_a_decoder_sees_sixteen_steps_back_and_none_ahead(
    small: Small, vectors: Vectors, memory: Memory
) -> None:
    cell = DecoderCell(small("evolved")).eval()
    cache = cell.empty(memory)[4:]
    inputs = vectors(2, LENGTH + 10)
    assert reach(lambda read: cell.convolved(read, cache)[0], inputs) == list(range(17))
    made, (above, below) = cell.convolved(inputs, cache)
    assert made.shape == inputs.shape
    assert above.shape == (2, 10, 16)
    assert below.shape == (2, 6, 32)


@torch.no_grad()
def test_an_encoder_sees_five_words_to_either_side(small: Small, vectors: Vectors) -> None:
    cell = EncoderCell(small("evolved")).eval()
    inputs, mask = vectors(1, LENGTH), torch.ones(1, LENGTH, dtype=torch.bool)
    assert reach(lambda read: cell.convolved(read, mask), inputs) == list(range(-5, 6))
    made = cell.convolved(inputs, mask)
    assert made.shape == inputs.shape
    # The convolution of width 9 gives half of the channels; the others are only the residual.
    assert made[..., 8:].abs().max() == 0
    assert made[..., :8].abs().min() > 0
    assert cell.right(inputs.transpose(1, 2)).shape == (1, 8, LENGTH)


def test_the_first_attention_of_a_decoder_has_twice_the_heads(small: Small) -> None:
    cell = DecoderCell(small("evolved"))
    assert (cell.first_own.heads, cell.first_other.heads, cell.own.heads) == (4, 2, 2)

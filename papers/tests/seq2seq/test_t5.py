"""The parts of T5: buckets of distances, biases shared by layers, and what has no bias."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.stacks.t5 import GAIN, GatedGELU, T5Stack, bucketed

Small = Callable[..., Seq2SeqConfig]


@pytest.mark.parametrize(
    ("both", "offset", "bucket"),
    [
        # 32 buckets for what came before: 16 of one distance, then 16 + 16 log(d/16) / log(8).
        *[(False, 0, 0), (False, -1, 1), (False, -15, 15), (False, -16, 16), (False, -17, 16)],
        *[(False, -19, 17), (False, -31, 21), (False, -64, 26), (False, -127, 31)],
        *[(False, -128, 31), (False, -1000, 31), (False, 1, 0), (False, 50, 0)],
        # 16 for each side: 8 of one distance, then 8 + 8 log(d/8) / log(16).
        *[
            (True, 0, 0),
            (True, -1, 1),
            (True, -7, 7),
            (True, -8, 8),
            (True, -11, 8),
            (True, -12, 9),
        ],
        *[(True, -63, 13), (True, -91, 15), (True, -128, 15), (True, -1000, 15)],
        *[(True, 1, 17), (True, 7, 23), (True, 8, 24), (True, 12, 25), (True, 1000, 31)],
    ],
)
def test_buckets(both: bool, offset: int, bucket: int) -> None:
    assert bucketed(torch.tensor([offset]), both).tolist() == [bucket]


def test_biases_tell_only_distances_and_are_those_of_their_bucket(small: Small) -> None:
    stack = T5Stack(small("t5"), False)
    bias = stack.encoder_bias(torch.ones(1, 5, dtype=torch.bool))
    assert bias.shape == (1, 2, 5, 5)
    assert torch.equal(bias[..., 1:, 1:], bias[..., :-1, :-1])
    weights = GAIN * stack.distances.weight
    # What stands behind is seen at a positive offset.
    assert torch.equal(bias[0, :, 1, 3], weights[16 + 2])
    assert torch.equal(bias[0, :, 3, 1], weights[2])


def test_a_decoder_goes_on_where_it_was(small: Small) -> None:
    stack, device = T5Stack(small("t5"), True), torch.device("cpu")
    whole = stack.decoder_bias(6, 0, device)
    assert torch.equal(stack.decoder_bias(2, 4, device), whole[..., 4:, :])
    assert bool(whole[0, 0].triu(1).isneginf().sum() == 15)


def test_only_scales_no_biases(small: Small) -> None:
    names = [name for name, _ in T5Stack(small("t5"), True).named_parameters()]
    assert [name for name in names if name.endswith("bias")] == []
    assert sum("distances" in name for name in names) == 1


@torch.no_grad()
def test_a_gated_part_as_computed_by_hand(small: Small) -> None:
    part = GatedGELU(small("t5", hidden=8, feedforward=8)).eval()
    for one in (part.gate, part.value, part.out):
        one.weight.copy_(torch.eye(8))
    part.value.weight *= 3.0
    made = part(torch.full((1, 1, 8), 2.0))
    # GELU(2) is 1.9546 where the tanh stands for the error function.
    assert torch.allclose(made, torch.full((1, 1, 8), 1.9546 * 6.0), atol=1e-3)

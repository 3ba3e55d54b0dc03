"""Halting by hand, and a universal stack that halts early or late."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Memory
from partwise_papers.seq2seq.stacks.halting import Halting
from partwise_papers.seq2seq.stacks.universal import UniversalStack

Small = Callable[..., Seq2SeqConfig]
Vectors = Callable[[int, int], Tensor]


def test_halting_as_computed_by_hand() -> None:
    # The first halts in its third step, the second at once, the third when all must; padding never.
    counted = torch.tensor([[True, True, True, False]])
    halting, weights = Halting(counted), []
    steps = (
        [0.3, 0.995, 0.1, 0.5],
        [0.4, 0.5, 0.1, 0.5],
        [0.5, 0.5, 0.1, 0.5],
        [0.9, 0.9, 0.1, 0.9],
    )
    for number, step in enumerate(steps):
        weights.append(halting.weights(torch.tensor([step]), number == 3))
    wanted = [[0.3, 1.0, 0.1, 0], [0.4, 0, 0.1, 0], [0.3, 0, 0.1, 0], [0, 0, 0.7, 0]]
    assert torch.allclose(torch.cat(weights), torch.tensor(wanted))
    assert torch.allclose(torch.cat(weights).sum(0), torch.tensor([1.0, 1.0, 1.0, 0.0]))
    # Steps and remainders: 3 + 0.3, 1 + 1, 4 + 0.7.
    assert halting.cost().item() == pytest.approx((3.3 + 2.0 + 4.7) / 3)
    assert not halting.running.any()


def test_the_cost_makes_halting_more_likely() -> None:
    probabilities = torch.tensor([[0.3]], requires_grad=True)
    halting = Halting(torch.tensor([[True]]))
    halting.weights(probabilities, False)
    halting.weights(torch.tensor([[0.9]]), False)
    halting.cost().backward()
    assert probabilities.grad is not None
    assert probabilities.grad.item() == pytest.approx(-1.0)


def biased(stack: UniversalStack, bias: float) -> UniversalStack:
    """The stack with the same halting probability for all."""
    torch.nn.init.zeros_(stack.halt.weight)
    torch.nn.init.constant_(stack.halt.bias, bias)
    return stack


@pytest.mark.parametrize(("bias", "cost"), [(9.0, 2.0), (-9.0, 5.0)])
def test_the_penalty_is_told_once_and_in_training(
    small: Small, vectors: Vectors, bias: float, cost: float
) -> None:
    stack = biased(UniversalStack(small("universal", act_steps=4, act_penalty=0.5), False), bias)
    mask = torch.tensor([[True] * 3, [True, False, False]])
    stack.eval().encode(vectors(2, 3), mask)
    assert stack.penalty() is None
    stack.train().encode(vectors(2, 3), mask)
    penalty = stack.penalty()
    assert penalty is not None
    assert penalty.item() == pytest.approx(0.5 * cost, abs=0.01)
    assert stack.penalty() is None


@torch.no_grad()
def test_all_that_halt_at_once_went_through_the_layer_once(small: Small, vectors: Vectors) -> None:
    stack = biased(UniversalStack(small("universal"), False), 9.0).eval()
    mask = torch.ones(1, 3, dtype=torch.bool)
    one = UniversalStack(small("universal", act_steps=1), False).eval()
    one.load_state_dict(stack.state_dict())
    assert torch.equal(stack.encode(vectors(1, 3), mask), one.encode(vectors(1, 3), mask))


@torch.no_grad()
def test_a_later_token_may_run_longer(small: Small, vectors: Vectors, memory: Memory) -> None:
    """Positions halt after one step or after six, by the sign of a number of their input."""
    torch.manual_seed(2)
    stack = biased(UniversalStack(small("universal"), True), 0.0).eval()
    stack.halt.weight.data[0, 0] = 100.0
    inputs = vectors(2, 4)
    inputs[:, :3, 0], inputs[:, 3, 0] = 9.0, -9.0
    whole, _ = stack(inputs, memory, ())
    _, cache = stack(inputs[:, :3], memory, ())
    assert len(cache) == 2 * 6
    assert torch.allclose(stack(inputs[:, 3:], memory, cache)[0], whole[:, 3:], atol=1e-5)

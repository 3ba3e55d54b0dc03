"""What all stacks of attention layers have in common, each of them over random vectors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from partwise.errors import PartwiseError
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Cache, Memory, picked
from partwise_papers.seq2seq.stacks import STACKS, Stack

Small = Callable[..., Seq2SeqConfig]
Vectors = Callable[[int, int], Tensor]
STEPS = 14
"""More than the widest convolution sees."""


@pytest.fixture(params=list(STACKS))
def pair(request: pytest.FixtureRequest, small: Small) -> tuple[Stack, Stack]:
    """An encoder and a decoder of one kind, with weights that are not those of the beginning."""
    torch.manual_seed(1)
    made = [
        STACKS[request.param](small(request.param), decoder).eval() for decoder in (False, True)
    ]
    for stack in made:
        for one in stack.parameters():
            one.data += 0.2 * torch.randn(one.shape)
    return made[0], made[1]


@torch.no_grad()
def test_steps_give_what_the_whole_gives(
    pair: tuple[Stack, Stack], vectors: Vectors, memory: Memory
) -> None:
    inputs, made = vectors(2, STEPS), []
    whole, _ = pair[1](inputs, memory, pair[1].begin(memory))
    cache: Cache = pair[1].begin(memory)
    for step in inputs.split([1, 1, 3, 1, 5, 1, 1, 1], 1):
        one, cache = pair[1](step, memory, cache)
        made.append(one)
    assert torch.allclose(torch.cat(made, 1), whole, atol=1e-5)
    assert not torch.allclose(whole[:, 0], whole[:, 1], atol=1e-2)


@torch.no_grad()
def test_later_tokens_do_not_change_earlier_results(
    pair: tuple[Stack, Stack], vectors: Vectors, memory: Memory
) -> None:
    inputs = vectors(2, STEPS)
    other = inputs.clone()
    other[:, 9:] *= -1
    before, after = (pair[1](one, memory, pair[1].begin(memory))[0] for one in (inputs, other))
    assert torch.allclose(before[:, :9], after[:, :9], atol=1e-5)
    assert not torch.allclose(before[:, 9], after[:, 9], atol=1e-2)


@torch.no_grad()
def test_padding_does_not_change_what_an_encoder_gives(
    pair: tuple[Stack, Stack], vectors: Vectors
) -> None:
    inputs = vectors(2, 9)
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[1, 4:] = False
    alone = pair[0].encode(inputs[1:, :4], mask[1:, :4])
    assert torch.allclose(pair[0].encode(inputs, mask)[1:, :4], alone, atol=1e-5)
    assert not torch.allclose(pair[0].encode(inputs[1:], mask[:1])[:, :4], alone, atol=1e-2)


@torch.no_grad()
def test_padding_does_not_change_what_a_decoder_reads(
    pair: tuple[Stack, Stack], vectors: Vectors, memory: Memory
) -> None:
    inputs = vectors(2, 5)
    whole, _ = pair[1](inputs, memory, pair[1].begin(memory))
    short = Memory(memory.vectors[1:, :2], memory.mask[1:, :2], memory.numbers[1:, :2])
    alone, _ = pair[1](inputs[1:], short, pair[1].begin(short))
    assert torch.allclose(whole[1:], alone, atol=1e-5)


@torch.no_grad()
def test_an_encoder_knows_the_order_of_words(pair: tuple[Stack, Stack], vectors: Vectors) -> None:
    inputs, mask = vectors(1, 5), torch.ones(1, 5, dtype=torch.bool)
    turned = pair[0].encode(inputs.flip(1), mask).flip(1)
    assert not torch.allclose(turned, pair[0].encode(inputs, mask), atol=1e-2)


@torch.no_grad()
def test_a_search_may_pick_rows_of_a_cache(
    pair: tuple[Stack, Stack], vectors: Vectors, memory: Memory
) -> None:
    inputs, rows = vectors(2, 6), torch.tensor([1, 1, 0])
    whole, _ = pair[1](inputs, memory, pair[1].begin(memory))
    _, cache = pair[1](inputs[:, :5], memory, pair[1].begin(memory))
    last, _ = pair[1](inputs[rows, 5:], memory.picked(rows), picked(cache, rows))
    assert torch.allclose(last[:, 0], whole[rows, 5], atol=1e-5)


@torch.no_grad()
def test_rows_of_one_question_share_its_memory(
    pair: tuple[Stack, Stack], vectors: Vectors, memory: Memory
) -> None:
    inputs, rows = vectors(6, 5), torch.tensor([0, 0, 0, 1, 1, 1])
    each = memory.picked(rows)
    cache = picked(pair[1].begin(memory), rows)
    shared, _ = pair[1](inputs, memory, cache)
    assert torch.allclose(shared, pair[1](inputs, each, cache)[0], atol=1e-5)
    assert not torch.allclose(shared, pair[1](inputs, each.picked(rows.flip(0)), cache)[0])
    # Keys and values of a question are made once, and picked with it.
    kept = memory.picked(torch.tensor([1]))
    assert len(kept.pairs) == len(memory.pairs) > 0
    again, _ = pair[1](inputs[3:], kept, picked(cache, rows[3:]))
    assert torch.allclose(again, shared[3:], atol=1e-5)


def test_all_weights_are_used(pair: tuple[Stack, Stack], vectors: Vectors, memory: Memory) -> None:
    mask = torch.ones(2, 9, dtype=torch.bool)
    pair[0].train().encode(vectors(2, 9), mask).square().sum().backward()
    pair[1].train()(vectors(2, 9), memory, pair[1].begin(memory))[0].square().sum().backward()
    for stack in pair:
        assert [name for name, one in stack.named_parameters() if one.grad is None] == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"heads": 16}, "twice heads"), ({"feedforward": 8, "hidden": 32}, "less than half")],
)
def test_an_evolved_stack_says_what_it_needs(
    small: Small, settings: dict[str, int], words: str
) -> None:
    with pytest.raises(PartwiseError, match=words):
        small("evolved", **settings)

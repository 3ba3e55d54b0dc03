"""Stacks of attention layers over random vectors, and beam search against all outputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cases import cases
from partwise.errors import PartwiseError
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.decoding import (
    END,
    HOPELESS,
    PAD,
    START,
    UNKNOWN,
    Hypothesis,
    beam_search,
)
from partwise_papers.seq2seq.stacks import (
    GAIN,
    STACKS,
    Cache,
    DecoderCell,
    EncoderCell,
    GatedGELU,
    Halting,
    Memory,
    SeparableConvolution,
    Stack,
    T5Stack,
    UniversalStack,
    buckets_of,
    picked,
)

# Stacks of attention layers over random vectors: what all have in common, halting by hand, the


Small = Callable[..., Seq2SeqConfig]
Vectors = Callable[[int, int], Tensor]
# More than the widest convolution sees.
STEPS = 14


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


@cases("settings, words")
def test_an_evolved_stack_says_what_it_needs(
    small: Small, settings: dict[str, int], words: str
) -> None:
    with pytest.raises(PartwiseError, match=words):
        small("evolved", **settings)


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


@torch.no_grad()
def test_a_decoder_sees_sixteen_steps_back_and_none_ahead(
    small: Small, vectors: Vectors, memory: Memory
) -> None:
    cell = DecoderCell(small("evolved")).eval()
    cache = cell.empty(memory)[4:]
    inputs = vectors(2, LENGTH + 10)
    assert reach(lambda read: cell.convolve(read, cache)[0], inputs) == list(range(17))
    made, (above, below) = cell.convolve(inputs, cache)
    assert made.shape == inputs.shape
    assert above.shape == (2, 10, 16)
    assert below.shape == (2, 6, 32)


@torch.no_grad()
def test_an_encoder_sees_five_words_to_either_side(small: Small, vectors: Vectors) -> None:
    cell = EncoderCell(small("evolved")).eval()
    inputs, mask = vectors(1, LENGTH), torch.ones(1, LENGTH, dtype=torch.bool)
    assert reach(lambda read: cell.convolve(read, mask), inputs) == list(range(-5, 6))
    made = cell.convolve(inputs, mask)
    assert made.shape == inputs.shape
    # The convolution of width 9 gives half of the channels; the others are only the residual.
    assert made[..., 8:].abs().max() == 0
    assert made[..., :8].abs().min() > 0
    assert cell.right(inputs.transpose(1, 2)).shape == (1, 8, LENGTH)


def test_the_first_attention_of_a_decoder_has_twice_the_heads(small: Small) -> None:
    cell = DecoderCell(small("evolved"))
    assert (cell.first_own.heads, cell.first_other.heads, cell.own.heads) == (4, 2, 2)


@cases("both, offset, bucket")
def test_buckets(both: bool, offset: int, bucket: int) -> None:
    assert buckets_of(torch.tensor([offset]), both).tolist() == [bucket]


def test_biases_tell_only_distances_and_are_those_of_their_bucket(small: Small) -> None:
    stack = T5Stack(small("t5"), False)
    bias = stack.encoder_bias(torch.ones(1, 5, dtype=torch.bool))
    assert bias.shape == (1, 2, 5, 5)
    assert torch.equal(bias[..., 1:, 1:], bias[..., :-1, :-1])
    weights = GAIN * stack.distances.weight
    # What stands behind is seen at a positive offset.
    assert torch.equal(bias[0, :, 1, 3], weights[16 + 2])
    assert torch.equal(bias[0, :, 3, 1], weights[2])


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


# Beam search against the enumeration of all outputs, many questions at a time.


FIRST = max(PAD, START, END, UNKNOWN) + 1
TOKENS = (FIRST, FIRST + 1)
LONGEST, WIDE = 3, 64


def table(questions: int, seed: int, sharp: float) -> Tensor:
    """``[questions, steps, tokens before, tokens after]``: log probabilities."""
    drawn = torch.Generator().manual_seed(seed)
    size = FIRST + len(TOKENS)
    logits = sharp * torch.randn(questions, LONGEST + 1, size, size, generator=drawn)
    logits[..., [PAD, START, UNKNOWN]] = -torch.inf
    return logits.log_softmax(-1)


def memory_of(questions: int) -> Memory:
    """Questions that are told apart by their vector."""
    numbers = torch.arange(questions)
    vectors = numbers[:, None, None].float()
    return Memory(vectors, torch.ones(questions, 1, dtype=torch.bool), numbers[:, None])


def enumerated(logs: Tensor) -> list[Hypothesis]:
    """All outputs of one question, the best first."""
    made = []
    for length in range(LONGEST + 1):
        for numbers in product(TOKENS, repeat=length):
            path = [START, *numbers, END]
            score = math.fsum(float(logs[at, path[at], path[at + 1]]) for at in range(length + 1))
            made.append(Hypothesis(numbers, score))
    return sorted(made, key=lambda one: -one.score)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(0, 10_000), st.sampled_from([0.5, 3.0, 12.0]))
def test_a_wide_search_finds_all_outputs_that_are_not_far_behind(
    questions: int, seed: int, sharp: float
) -> None:
    logs = table(questions, seed, sharp)

    def step(tokens: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        which, (at,) = memory.vectors[:, 0, 0].long().repeat_interleave(WIDE), cache
        return logs[which, at, tokens[:, 0]][:, None].clone(), (at + 1,)

    begin = (torch.zeros(questions, dtype=torch.long),)
    found = beam_search(step, memory_of(questions), begin, WIDE, LONGEST)
    assert len(found) == questions
    for number, some in enumerate(found):
        every = enumerated(logs[number])
        near = [one for one in every if one.score > every[0].score - HOPELESS + 0.01]
        assert [one.numbers for one in some][: len(near)] == [one.numbers for one in near]
        scores = {one.numbers: one.score for one in every}
        assert all(one.score == pytest.approx(scores[one.numbers], abs=1e-3) for one in some)


def test_what_is_allowed_is_asked_for_the_question_that_it_is_about() -> None:
    """After a question is done, the others keep their numbers."""
    logs = table(3, 1, 0.1)

    def step(tokens: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        return logs[0, 0, tokens[:, 0]][:, None].clone(), cache

    def mask(question: int, output: object) -> list[int]:
        wanted = [[END], [TOKENS[0]], [TOKENS[1]]][question]
        return [END] if len(list(output)) == 2 else wanted  # type: ignore[call-overload]

    found = beam_search(step, memory_of(3), (), 2, LONGEST, mask)
    assert [one[0].numbers for one in found] == [(), (TOKENS[0],) * 2, (TOKENS[1],) * 2]

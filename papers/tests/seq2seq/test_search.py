"""Beam search against the enumeration of all outputs, many questions at a time."""

from __future__ import annotations

import math
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from partwise_papers.seq2seq.decoding import (
    END,
    HOPELESS,
    PAD,
    START,
    UNKNOWN,
    Hypothesis,
    beam_search,
)
from partwise_papers.seq2seq.stacks import Cache, Memory

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

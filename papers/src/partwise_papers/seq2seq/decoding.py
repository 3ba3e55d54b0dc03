"""Decoding: the tokens of outputs, beam search over them, many questions at a time, and what may
follow an output that a constraint keeps well typed. A beam of 1 is greedy.

Every decoder is searched by `beam_search`; a pretrained one by the same search of the transformers
library, as it has its own cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from partwise_papers.constrained.programs import Allowed, ProgramConstraint, ProgramState
from partwise_papers.seq2seq.stacks import Cache, Memory, picked

PAD, START, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<start>", "<end>", "<unknown>")


class OutputVocabulary:
    """Tokens by number; a question's words that are no tokens have numbers behind them (`tokens`:
    without the special ones, which have the first numbers)."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = (*SPECIAL, *tokens)
        self.numbers = {token: number for number, token in enumerate(self.tokens)}

    @classmethod
    def of(cls, outputs: Iterable[Sequence[str]]) -> OutputVocabulary:
        """That of training outputs, the most frequent token first."""
        counts = Counter(token for output in outputs for token in output)
        return cls([token for token, _ in counts.most_common()])

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def _lower_case_numbers(self) -> dict[str, int]:
        """Lower-cased token -> its number, as questions are lower-cased."""
        return {token.lower(): self.numbers[token] for token in reversed(self.tokens)}

    def word_numbers(self, words: Sequence[str]) -> list[int]:
        """What copying each word writes: a token, or a number behind all tokens.

        The same word has the same number, that of its first place. A word that is spelled like a
        token is that token, others are the token that they are without regard to case.
        """
        made: dict[str, int] = {}
        for place, word in enumerate(words):
            if word not in made:
                other = self._lower_case_numbers.get(word, len(self) + place)
                made[word] = self.numbers.get(word, other)
        return [made[word] for word in words]

    def output_numbers(self, output: Sequence[str], words: Sequence[str]) -> list[int]:
        """Numbers of an output's tokens, of a question with some words; with the end."""
        behind = dict(zip(words, self.word_numbers(words), strict=True))
        return [*(self._number(token, behind) for token in output), END]

    def _number(self, token: str, behind: Mapping[str, int]) -> int:
        copied = behind.get(token, behind.get(token.lower(), UNKNOWN))
        return self.numbers.get(token, copied)

    def output(self, numbers: Iterable[int], words: Sequence[str]) -> list[str]:
        """The tokens of numbers, without the special ones."""
        size = len(self)
        return [
            self.tokens[number] if number < size else words[number - size]
            for number in numbers
            if number >= len(SPECIAL)
        ]


Step = Callable[[Tensor, Memory, Cache], tuple[Tensor, Cache]]
"""``[rows, 1]`` numbers of tokens to ``[rows, 1, numbers]`` log probabilities and a cache; a
question has as many rows as the beam is wide."""
Mask = Callable[[int, Sequence[int]], Sequence[int] | None]
"""Number of a question and an output so far -> what may follow; None for anything."""


HOPELESS = 12.0
"""An output is given up where one that ended is more probable by this logarithm: the outputs that a
search goes on with only get less probable."""


class Hypothesis(NamedTuple):
    """An output with its log probability; `numbers` are without start and end."""

    numbers: tuple[int, ...]
    score: float


def beam_search(
    step: Step,
    memory: Memory,
    cache: Cache,
    beam: int,
    longest: int,
    mask: Mask | None = None,
) -> list[list[Hypothesis]]:
    """The most probable outputs of each question, the best first; of those that ended.

    Args:
        cache: of the decoder at the beginning.
        beam: how many are followed of each question.
        longest: tokens of an output, at most.
        mask: what may follow an output; None for anything.
    """
    now, found = _begin(memory, cache, beam), dict[int, list[Hypothesis]]()
    for _ in range(longest + 1):
        now = _further(now, step, mask)
        done = now.ended.all(1)
        for at in done.nonzero()[:, 0].tolist():
            found[now.numbers[at]] = now.hypotheses(at)
        if bool(done.all()):
            break
        if bool(done.any()):
            now = now.of((~done).nonzero()[:, 0])
    for at, number in enumerate(now.numbers):
        found.setdefault(number, now.hypotheses(at))
    return [found[number] for number in sorted(found)]


class _Beams(NamedTuple):
    """The hypotheses of some questions; each has a row of tokens and cache for each hypothesis.

    Attributes:
        numbers: of the questions.
        tokens: ``[rows, steps]``, from the start on.
        scores, ended: ``[questions, beam]``.
    """

    numbers: list[int]
    tokens: Tensor
    scores: Tensor
    ended: Tensor
    memory: Memory
    cache: Cache

    def hypotheses(self, at: int) -> list[Hypothesis]:
        """Those of one question that ended, the best first."""
        beam = self.scores.shape[1]
        return _hypotheses(self.tokens[at * beam : (at + 1) * beam], self.scores[at])

    def of(self, places: Tensor) -> _Beams:
        """Those of some questions."""
        beam = self.scores.shape[1]
        rows = (places[:, None] * beam + torch.arange(beam, device=places.device)).flatten()
        return _Beams(
            [self.numbers[at] for at in places.tolist()],
            *(self.tokens[rows], self.scores[places], self.ended[places]),
            *(self.memory.picked(places), picked(self.cache, rows)),
        )


def _begin(memory: Memory, cache: Cache, beam: int) -> _Beams:
    """One hypothesis of each question, `beam` times."""
    count, device = memory.mask.shape[0], memory.mask.device
    rows = torch.arange(count, device=device).repeat_interleave(beam)
    scores = torch.full((count, beam), -torch.inf, device=device)
    scores[:, 0] = 0.0
    return _Beams(
        list(range(count)),
        torch.full((len(rows), 1), START, device=device),
        scores,
        torch.zeros(count, beam, dtype=torch.bool, device=device),
        *(memory, picked(cache, rows)),
    )


def _further(now: _Beams, step: Step, mask: Mask | None) -> _Beams:
    """The best hypotheses with one more token."""
    count, beam = now.scores.shape
    following, cache = step(now.tokens[:, -1:], now.memory, now.cache)
    logs = _allow(following[:, -1].float(), now, mask)
    scores, best = (now.scores[..., None] + logs.view(count, beam, -1)).flatten(1).topk(beam, 1)
    first = torch.arange(count, device=best.device)[:, None] * beam
    parents, chosen = (best // logs.shape[-1] + first).flatten(), best % logs.shape[-1]
    ended = now.ended.flatten()[parents].view(count, beam) | (chosen == END)
    scores = _without_hopeless(scores, ended)
    tokens = torch.cat([now.tokens[parents], chosen.view(-1, 1)], 1)
    # What cannot go on is as good as ended.
    ended = ended | scores.isneginf()
    return _Beams(now.numbers, tokens, scores, ended, now.memory, picked(cache, parents))


def _without_hopeless(scores: Tensor, ended: Tensor) -> Tensor:
    """The scores of hypotheses; none for those that can only end far behind one that has ended."""
    best = scores.masked_fill(~ended, -torch.inf).amax(1, keepdim=True)
    return scores.masked_fill(~ended & (scores < best - HOPELESS), -torch.inf)


def _allow(logs: Tensor, now: _Beams, mask: Mask | None) -> Tensor:
    """The log probabilities of what may follow each hypothesis."""
    logs[:, [PAD, START, UNKNOWN]] = -torch.inf
    beam, ended = now.scores.shape[1], now.ended.flatten()
    if mask is not None:
        for row in (~ended).nonzero()[:, 0].tolist():
            allowed = mask(now.numbers[row // beam], now.tokens[row, 1:].tolist())
            if allowed is not None:
                kept = torch.full_like(logs[row], -torch.inf)
                places = torch.tensor(allowed, dtype=torch.long, device=logs.device)
                kept[places] = logs[row, places]
                logs[row] = kept
    # An output that ended stays as it is.
    logs[ended] = -torch.inf
    logs[ended, PAD] = 0.0
    return logs


def _hypotheses(tokens: Tensor, scores: Tensor) -> list[Hypothesis]:
    made = []
    for row, score in zip(tokens.tolist(), scores.tolist(), strict=True):
        if END in row and score > float("-inf"):
            made.append(Hypothesis(tuple(row[1 : row.index(END)]), score))
    return sorted(made, key=lambda hypothesis: -hypothesis.score)


CACHED = 20_000
"""States whose tokens are remembered."""


class ConstraintMask:
    """What `partwise_papers.seq2seq.decoding.beam_search` asks, answered by a constraint
    (`questions`: the words of each that may be copied)."""

    def __init__(
        self,
        constraint: ProgramConstraint,
        vocabulary: OutputVocabulary,
        questions: Sequence[Sequence[str]],
    ) -> None:
        self.constraint, self.vocabulary, self.questions = constraint, vocabulary, questions
        self._copied = [dict(zip(vocabulary.word_numbers(q), q, strict=True)) for q in questions]
        self._states: dict[tuple[int, tuple[int, ...]], ProgramState] = {
            (number, ()): constraint.start() for number in range(len(questions))
        }
        self._written = lru_cache(CACHED)(self._of_vocabulary)

    def __call__(self, number: int, output: Sequence[int]) -> list[int]:
        """What may follow an output of a question."""
        state = self._state(number, tuple(output))
        allowed, written = self._written(state)
        size = len(self.vocabulary)
        copied = self._copied[number].items()
        return [*written, *(n for n, word in copied if n >= size and word in allowed)]

    def _state(self, number: int, output: tuple[int, ...]) -> ProgramState:
        known = self._states.get((number, output))
        if known is None:
            before = self._state(number, output[:-1])
            (token,) = self.vocabulary.output(output[-1:], self.questions[number])
            known = self._states[number, output] = self.constraint.advance(before, token)
        return known

    def _of_vocabulary(self, state: ProgramState) -> tuple[Allowed, list[int]]:
        """What may follow a state, and which tokens of the vocabulary these are."""
        allowed, numbers = self.constraint.allowed(state), self.vocabulary.numbers
        known = [numbers[token] for token in allowed.tokens if token in numbers]
        if allowed.literal is not None:
            known += [number for token, number in numbers.items() if allowed.literal(token)]
        return allowed, [*known, *([END] if allowed.end else [])]

"""What may follow an output so that it can still become a well-typed text of a domain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from partwise_papers.constrained.programs import Allowed, ProgramConstraint, ProgramState
from partwise_papers.seq2seq.vocabulary import END, OutputVocabulary

CACHED = 20_000
"""States whose tokens are remembered."""


class ConstraintMask:
    """What `partwise_papers.seq2seq.search.beam_search` asks, answered by a constraint.

    Args:
        questions: the words of each that may be copied.
    """

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

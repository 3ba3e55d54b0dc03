"""Which rules and words may follow in a derivation that is written token by token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from partwise_papers.constrained.tokens import QUOTE
from partwise_papers.seq2seq.productions import Productions
from partwise_papers.seq2seq.shapes import Kinds
from partwise_papers.seq2seq.vocabulary import END, OutputVocabulary

Wordings = tuple[tuple[str, ...], ...]
"""Names by their words."""
LONGEST_NAME = 6
"""Words of a name that only a pattern gives."""


class State(NamedTuple):
    """A derivation so far.

    Attributes:
        open: what is still to be rewritten, the leftmost last.
        place: that of the type of the name being written in `Vocabulary.types`; -1 outside names.
        words: those of the name so far.
    """

    open: tuple[Kinds, ...]
    place: int = -1
    words: tuple[str, ...] = ()


def advanced(productions: Productions, state: State, token: str) -> State:
    """A derivation with one more token, which is allowed."""
    if state.place >= 0:
        if token == QUOTE:
            return State(state.open)
        return state._replace(words=(*state.words, token))
    rule = productions.rules[token]
    rest = (*state.open[:-1], *reversed(rule.takes))
    return State(rest, int(rule.shape.key) if rule.named else -1)


class DerivationMask:
    """A `Mask`: every output that it allows has an end, and is a well-typed program.

    Each rule of the vocabulary comes from a whole derivation, so that its arguments can be filled.

    Args:
        spell: (place in `Vocabulary.types`, words) -> the name that they spell, if any.
        listed: place -> names to choose from, by their words.
        questions: words that may be copied, of each question.
    """

    def __init__(
        self,
        productions: Productions,
        spell: Callable[[int, tuple[str, ...]], str | None],
        listed: Mapping[int, Sequence[tuple[str, ...]]],
        vocabulary: OutputVocabulary,
        questions: Sequence[Sequence[str]],
    ) -> None:
        self.productions, self.spell, self.listed = productions, spell, listed
        self.vocabulary, self.questions = vocabulary, questions
        self.rules = [one for one in productions.rules.values() if one.text in vocabulary.numbers]
        self._states: dict[tuple[int, tuple[int, ...]], State] = {}
        self._starting: dict[Kinds, list[int]] = {}
        self._wordings: dict[tuple[int, int], Wordings] = {}
        self._copied = [
            dict(zip(words, vocabulary.word_numbers(words), strict=True)) for words in questions
        ]

    def __call__(self, question: int, output: Sequence[int]) -> Sequence[int]:
        """The numbers of what may follow."""
        state = self._state(question, tuple(output))
        if state.place >= 0:
            return self._name_goes_on(question, state)
        return self._rules_of(state.open[-1]) if state.open else [END]

    def _state(self, question: int, output: tuple[int, ...]) -> State:
        if not output:
            return State((self.productions.start,))
        if (question, output) not in self._states:
            before = self._state(question, output[:-1])
            (token,) = self.vocabulary.output(output[-1:], self.questions[question])
            self._states[question, output] = advanced(self.productions, before, token)
        return self._states[question, output]

    def _rules_of(self, kinds: Kinds) -> list[int]:
        if kinds not in self._starting:
            fitting = (one.text for one in self.rules if one.returns in kinds)
            self._starting[kinds] = [self.vocabulary.numbers[text] for text in fitting]
        return self._starting[kinds]

    def _name_goes_on(self, question: int, state: State) -> list[int]:
        done = len(state.words)
        longer = [
            words for words in self._names(question, state.place) if words[:done] == state.words
        ]
        following = {words[done] if len(words) > done else QUOTE for words in longer}
        return sorted({self._number(question, word) for word in following})

    def _number(self, question: int, word: str) -> int:
        known = self.vocabulary.numbers
        return known[word] if word in known else self._copied[question][word]

    def _names(self, question: int, place: int) -> Wordings:
        """The names of a type whose words can be written, or stand in the question."""
        if (question, place) not in self._wordings:
            words = self.questions[question]
            usable = self.vocabulary.numbers.keys() | set(words)
            found = [one for one in self.listed.get(place, ()) if usable.issuperset(one)]
            spans = (
                tuple(words[begin:end])
                for begin in range(len(words))
                for end in range(begin + 1, min(begin + LONGEST_NAME, len(words)) + 1)
            )
            found += [one for one in spans if self.spell(place, one) is not None]
            self._wordings[question, place] = tuple(dict.fromkeys(found))
        return self._wordings[question, place]

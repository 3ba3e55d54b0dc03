"""Training questions as they would be typed in a hurry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import FUNCTION_WORDS, LONG, split, tokenize

DROPPED = frozenset(
    "a an and are by did do does for has have in is it its me of on s that the there these this "  # noqa: SIM905
    "those to was were what which with".split()
)
"""Words that are left out."""
KEPT = 2
"""Words that a question has at least."""
SHARES = {"words": 0.5, "phrase": 0.3, "letter": 0.2}
"""How often each is done, of the questions that are typed in a hurry."""
LETTER_WORD = 5
"""Letters of a word in which one may be wrong, at least."""


class HurriedTyping:
    """Drops function words, draws another phrase of a predicate, or mistypes a letter."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def __call__(self, example: Example[Term], draw: Random) -> Example[Term]:
        """The example, its question changed."""
        words = tokenize(example.question).words
        chosen = draw.choices(list(SHARES), list(SHARES.values()))[0]
        if chosen == "words":
            words = self._dropped(words, draw)
        elif chosen == "phrase":
            words = self._rephrased(words, example.meaning, draw)
        else:
            words = self._mistyped(words, draw)
        return replace(example, question=" ".join(words), spans=None)

    def _dropped(self, words: Sequence[str], draw: Random) -> tuple[str, ...]:
        share = draw.random()
        kept = tuple(one for one in words if one not in DROPPED or draw.random() > share)
        return kept if len(kept) >= KEPT else tuple(words)

    def _rephrased(self, words: Sequence[str], program: Term, draw: Random) -> tuple[str, ...]:
        try:
            parts = {part.constant.number for part in self.domain.interpret(program).walk()}
        except PartwiseError:
            return tuple(words)
        matches = self.domain.typed_matcher.find(tokenize(" ".join(words)))
        ours = [one for one in matches if one.number in parts and not one.guess]
        ours = [
            one
            for one in ours
            if one.number < self.domain.vocabulary.n_predicates
            and not FUNCTION_WORDS.issuperset(words[one.start : one.end])
        ]
        if not ours:
            return tuple(words)
        one = draw.choice(ours)
        constant = self.domain.vocabulary[one.number]
        phrases = (*constant.phrases, *self.domain.typing.phrases.get(constant.head, ()))
        spoken = [phrase for phrase in phrases if phrase not in FUNCTION_WORDS and phrase[0] != "'"]
        phrase = split(draw.choice(spoken)) if spoken else words[one.start : one.end]
        return (*words[: one.start], *phrase, *words[one.end :])

    def _mistyped(self, words: Sequence[str], draw: Random) -> tuple[str, ...]:
        places = [i for i, word in enumerate(words) if word.isalpha() and len(word) >= LETTER_WORD]
        if not places:
            return tuple(words)
        place = draw.choice(places)
        word = words[place]
        for _ in range(1 + (len(word) >= LONG and draw.random() < 0.3)):
            word = _wrong(word, draw)
        return (*words[:place], word, *words[place + 1 :])


def _wrong(word: str, draw: Random) -> str:
    """The word with a letter dropped, doubled, replaced, or in its neighbour's place."""
    at = draw.randrange(1, len(word) - 1)
    kind = draw.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    if kind == 2:
        return word[:at] + draw.choice("aeiourstln") + word[at + 1 :]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

"""Whether any tree over a question yields its program (the chart's reach), and if none, why."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from partwise.authoring.validation.missing import missing
from partwise.chart import compiled
from partwise.chart.scores import NEVER, SpanScores
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.interface.data import Example
from partwise.interface.domain import Issue
from partwise.language.constants import Application, Constant
from partwise.language.program import Term
from partwise.language.text import Words, tokenize
from partwise.language.typed import TypedReader, Typing

LONGEST = 5
"""Words of a question that are compared with a name, at most."""


class Reach:
    """Searches charts of all-zero scores under the algebra of the gold program.

    Args:
        types: the types that the programs were checked with.
    """

    def __init__(self, types: TypeAlgebra) -> None:
        self.types = types
        self._targets: dict[Term, TargetAlgebra] = {}
        self._known: dict[tuple[Term, str | int], bool] = {}

    def reachable(self, example: Example[Term], by_phrase: bool = False) -> bool:
        """Whether some tree yields the program.

        Args:
            by_phrase: entities may only cover words that are one of their phrases.

        Raises:
            ProgramTypeError, UnknownConstantError: if the program does not type.
        """
        words = tokenize(example.question)
        if self._reachable(example.meaning, words, by_phrase):
            return True
        if self._read is None:
            return False
        # A parser of typed questions puts words between those of a fragment.
        typed = self._read(example.question)
        return typed.words != words.words and self._reachable(example.meaning, typed, by_phrase)

    @cached_property
    def _read(self) -> TypedReader | None:
        domain = self.types.domain
        if domain.typing == Typing():
            return None
        return TypedReader(domain.vocabulary, domain.typed_matcher, domain.typing, None)

    def _reachable(self, program: Term, words: Words, by_phrase: bool) -> bool:
        # Without phrases only the number of words counts.
        key = program, words.text if by_phrase else len(words)
        if key not in self._known:
            self._known[key] = len(words) > 0 and self._search(program, words, by_phrase)
        return self._known[key]

    def _search(self, program: Term, words: Words, by_phrase: bool) -> bool:
        if program not in self._targets:
            self._targets[program] = TargetAlgebra(self.types, self.types.check(program))
        target, size = self._targets[program], len(words) + 1
        constants = np.zeros((size, size, len(target.used)))
        if by_phrase:
            # Entities are forbidden away from their phrases.
            domain = self.types.domain
            matches = domain.matcher.find(words)
            for column, number in enumerate(target.used.tolist()):
                if domain.vocabulary.is_entity(number):
                    constants[:, :, column] = NEVER
                    for match in matches:
                        if match.number == number:
                            constants[match.start, match.end, column] = 0
        scores = SpanScores.of(constants, np.zeros((size, size)), columns=target.used)
        return compiled.best(scores, target) is not None


def unreached(reach: Reach, example: Example[Term], program: Application) -> Iterator[Issue]:
    """Why no tree yields an example's program, if none does.

    Names must be on one of their phrases, as they must when a parser reads the question.
    """
    if not reach.reachable(example, by_phrase=True):
        why, advice = _reason(reach, example, program)
        more = missing(reach.types.domain, tokenize(example.question), program)
        advice = "; ".join([advice, *more])
        what = f"question {example.question!r}"
        yield Issue("error", "unreached-pair", what, why, advice, example.source)


def _reason(reach: Reach, example: Example[Term], program: Application) -> tuple[str, str]:
    words = tokenize(example.question)
    parts = [part.constant for part in program.walk() if not part.constant.type_shift]
    if len(parts) > len(words):
        return (
            f"no tree yields {program.term()}: each of its {len(parts)} parts needs a word of its "
            f"own, and the question has {len(words)}",
            "ask in more words, or declare with @type_shift what no word names",
        )
    named = Counter(match.number for match in reach.types.domain.matcher.find(words))
    wanted = Counter(constant.number for constant in parts if constant.is_entity)
    for constant in parts:
        times = wanted[constant.number]
        if named[constant.number] < times:
            often = "" if times == 1 else f" {times} times"
            return (
                f"{constant.category} is not named{often} in the question by any of its phrases: "
                f"{', '.join(map(repr, constant.phrases))}",
                _alias(constant, words),
            )
    why = f"the types let no arrangement of its {len(parts)} parts over the words mean it"
    if reach.reachable(example):
        why = "the names are where no tree can use them"
    return (
        f"{why}: {program.term()}",
        "check the program; if it is right, a name may overlap another one, or an argument be "
        "where it may not (`directional`, `extraction` and `infix` of the domain)",
    )


def _alias(constant: Constant, words: Words) -> str:
    """The words of the question that are most like a name, as an alias to add."""
    n = len(words)
    spans = (words.span(i, k) for i in range(n) for k in range(i + 1, min(n, i + LONGEST) + 1))
    folded = {text.lower(): text for text in spans}
    for phrase in constant.phrases:
        for close in difflib.get_close_matches(phrase.lower(), list(folded), 1, 0.6):
            text = folded[close]
            return (
                f"is it {text!r}? Then write the name as it is, or give it as an alias: "
                f"@entities(..., aliases={{{constant.name!r}: ({text!r},)}})"
            )
    return "name it in the question, or give an alias for what it is called there"

"""Whether any tree over a question yields its program: the chart's reach, not a model's."""

from __future__ import annotations

import numpy as np

from partwise.chart import compiled
from partwise.chart.algebra.target import TargetAlgebra
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.scores import NEVER, FloatArray, SpanScores
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.language.tokenizer import Words, tokenize


class Reach:
    """Searches charts of all-zero scores under the algebra of the gold program.

    Args:
        types: the types that the programs were checked with.
    """

    def __init__(self, types: TypeAlgebra) -> None:
        self.types = types
        self._targets: dict[Term, TargetAlgebra] = {}
        self._known: dict[tuple[Term, str, bool], bool] = {}

    def reachable(self, example: Example[Term], by_phrase: bool = False) -> bool:
        """Whether some tree yields the program.

        Args:
            by_phrase: entities may only cover words that are one of their phrases.

        Raises:
            ProgramTypeError, UnknownConstantError: if the program does not type.
        """
        words = tokenize(example.question)
        # Without phrases only the number of words counts.
        key = (example.meaning, words.text if by_phrase else str(len(words)), by_phrase)
        if key not in self._known:
            self._known[key] = len(words) > 0 and self._search(example.meaning, words, by_phrase)
        return self._known[key]

    def _search(self, program: Term, words: Words, by_phrase: bool) -> bool:
        if program not in self._targets:
            self._targets[program] = TargetAlgebra(self.types, self.types.check(program))
        target = self._targets[program]
        columns = target.used
        size = len(words) + 1
        constants = np.zeros((size, size, len(columns)))
        if by_phrase:
            self._restrict(constants, columns.tolist(), words)
        scores = SpanScores.of(constants, np.zeros((size, size)), columns=columns)
        return compiled.best(scores, target) is not None

    def _restrict(self, constants: FloatArray, columns: list[int], words: Words) -> None:
        """Forbid entities (``constants[start, end, column]``) away from their phrases."""
        domain = self.types.domain
        found = domain.matcher.find(words)
        for column, number in enumerate(columns):
            if domain.vocabulary.is_entity(number):
                constants[:, :, column] = NEVER
                for match in found:
                    if match.number == number:
                        constants[match.start, match.end, column] = 0

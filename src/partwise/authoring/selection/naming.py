"""Programs of a shape with actual names in it, chosen so that their answer is not empty."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence

from partwise.language.domain import Application, Constant, Domain
from partwise.language.program import Term

TRIES = 24
"""Choices of names before a shape is given up."""


class Namer:
    """Puts names into shapes, at random but the same for the same seed.

    Answers are kept, so that each program runs once.
    """

    def __init__(self, domain: Domain, seed: int = 0) -> None:
        self.domain = domain
        self.draw = random.Random(seed)
        known = domain.vocabulary
        self.names: dict[str, Sequence[Constant]] = {
            one.head: known.samples(place) for place, one in enumerate(known.types)
        }
        self._answers: dict[Term, Hashable | None] = {}

    def named(self, shape: Application, strict: bool = True) -> Application | None:
        """The shape with names by which its answer says something; None if none was found.

        An answer says nothing if it, or that of a part, is empty or fails, and where a part gives
        the same already: "the newest of the books by" who wrote only one.

        Args:
            strict: else the latter will do where there is nothing better, as for a predicate that
                changes no answer.
        """
        slots = sum(part.constant.is_entity for part in shape.walk())
        second: Application | None = None
        for _ in range(TRIES if slots else 1):
            made = self._filled(shape)
            answers = {part: self._answer(part, part is made) for part in made.walk()}
            if None in answers.values():
                continue
            if not any(_same_below(part, answers) for part in answers):
                return made
            second = second or made
        return None if strict else second

    def _filled(self, shape: Application) -> Application:
        constant = shape.constant
        if constant.is_entity and self.names[constant.head]:
            constant = self.draw.choice(self.names[constant.head])
        args = tuple(None if arg is None else self._filled(arg) for arg in shape.args)
        return Application(constant, args)

    def _answer(self, program: Application, whole: bool) -> Hashable | None:
        """What a program's answer is compared by; None for an empty one or a failure.

        Args:
            whole: within the root, as a question is asked.
        """
        term = program.term()
        term = self.domain.wrap(term) if whole else term
        if term not in self._answers:
            self._answers[term] = self._run(term)
        return self._answers[term]

    def _run(self, term: Term) -> Hashable | None:
        try:
            value = self.domain.run(term)
            found = None if self.domain.is_empty(value) else self.domain.denotation(value)
            hash(found)
        except Exception:
            # The domain's own methods, which may not be made for the value of a part.
            return None
        return found


def _same_below(program: Application, answers: Mapping[Application, Hashable | None]) -> bool:
    """Whether a part of a program gives what the program gives."""
    below = (part for part in program.walk() if part is not program)
    return any(answers[part] == answers[program] for part in below)

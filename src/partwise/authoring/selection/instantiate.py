"""Programs of a template with actual names in it, such that their answer is not empty."""

from __future__ import annotations

import random
from collections.abc import Hashable

from partwise.language.domain import Application, Domain
from partwise.language.program import Term

TRIES = 24
"""Choices of names before a template is given up."""


class Instantiator:
    """Puts names into templates, at random but the same for the same seed.

    Answers are kept, so that each program runs once.
    """

    def __init__(self, domain: Domain, seed: int = 0) -> None:
        self.domain = domain
        self.draw = random.Random(seed)
        known = domain.vocabulary
        self.names = {one.head: known.samples(place) for place, one in enumerate(known.types)}
        self._answers: dict[Term, Hashable | None] = {}

    def instance(self, template: Application, strict: bool = True) -> Application | None:
        """The template with names by which its answer says something; None if there are none.

        An answer says nothing if it, or that of a part, is empty or fails, and where a part gives
        the same already: "the newest of the books by" who wrote only one.

        Args:
            strict: else the latter will do where there is nothing better, as for a predicate that
                changes no answer.
        """
        slots = sum(part.constant.is_entity for part in template.walk())
        second: Application | None = None
        for _ in range(TRIES if slots else 1):
            program = self._filled(template)
            answers = {part: self._answer(part, part is program) for part in program.walk()}
            if None in answers.values():
                continue
            if not any(
                answers[part] == answers[below]
                for part in answers
                for below in part.walk()
                if below is not part
            ):
                return program
            second = second or program
        return None if strict else second

    def _filled(self, template: Application) -> Application:
        constant = template.constant
        if constant.is_entity and self.names[constant.head]:
            constant = self.draw.choice(self.names[constant.head])
        args = tuple(None if arg is None else self._filled(arg) for arg in template.args)
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
            answer = None if self.domain.is_empty(value) else self.domain.denotation(value)
            hash(answer)
        except Exception:
            # The domain's own methods, which may not be made for the value of a part.
            return None
        return answer

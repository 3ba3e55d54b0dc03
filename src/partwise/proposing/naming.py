"""Programs of a shape with actual names in it, chosen so that their answer is not empty."""

from __future__ import annotations

import random
from itertools import islice

from partwise.checking.heads import MAX_CONSTANTS
from partwise.domain import Application, Constant, Domain
from partwise.errors import PartwiseError

TRIES = 24
"""Choices of names before a shape is given up."""


class Namer:
    """Puts names into shapes, at random but the same for the same seed.

    Args:
        first: names to be tried first, as those of the pairs, by kind.
    """

    def __init__(self, domain: Domain, seed: int = 0) -> None:
        self.domain = domain
        self.draw = random.Random(seed)
        self.names: dict[str, list[Constant]] = {}
        self._answers: dict[str, object] = {}
        for constant in islice(domain.constants, MAX_CONSTANTS):
            if constant.is_entity:
                self.names.setdefault(constant.head, []).append(constant)

    def named(self, shape: Application) -> Application | None:
        """The shape with names by which its answer says something; None if none was found.

        An answer says nothing if it is empty or fails, and where a part of the program already
        gives the same: "the author of the books by Emma's author".
        """
        slots = sum(part.constant.is_entity for part in shape.walk())
        for _ in range(TRIES if slots else 1):
            made = self._filled(shape)
            if self._says_something(made):
                return made
        return None

    def _filled(self, shape: Application) -> Application:
        constant = shape.constant
        if constant.is_entity and constant.head in self.names:
            constant = self.draw.choice(self.names[constant.head])
        args = tuple(None if arg is None else self._filled(arg) for arg in shape.args)
        return Application(constant, args)

    def _says_something(self, program: Application) -> bool:
        whole = self._answer(program)
        if whole is None:
            return False
        parts = [part for part in program.walk() if part is not program]
        return all(self._answer(part) != whole for part in parts if part.args)

    def _answer(self, program: Application) -> object:
        """What a program's answer is compared by; None for an empty one or a failure."""
        key = str(program.term())
        if key not in self._answers:
            self._answers[key] = self._run(program)
        return self._answers[key]

    def _run(self, program: Application) -> object:
        try:
            value = self.domain.execute(self.domain.wrap(program.term()))
            empty = self.domain.is_empty(value)
            return None if empty else self.domain.denotation(value)
        except PartwiseError:
            return None

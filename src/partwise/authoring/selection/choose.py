"""Which programs to propose: those that show most of what the pairs do not."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from partwise.authoring.selection.enumerate import Shape, Shapes
from partwise.authoring.selection.naming import Namer
from partwise.authoring.validation.coverage import Coverage, links_of
from partwise.authoring.validation.heads import Heads
from partwise.evaluation.splits import template
from partwise.language.domain import Application

LARGEST = 5
"""Parts of a proposed program at most, unless the pairs have larger ones."""
SECONDS = 60.0
"""Time for the search."""


@dataclass(frozen=True)
class Proposal:
    """A program that the pairs lack.

    Attributes:
        why: what it shows that they do not, in a few words.
    """

    program: Application
    why: str


class Proposer:
    """Chooses programs one by one; each counts as covered for the next.

    First come predicates that no pair has, then compositions, then sizes, then programs whose
    shape is new; among those the smallest, and of these what has been proposed least.
    """

    def __init__(self, heads: Heads, programs: Sequence[Application], seed: int = 0) -> None:
        self.heads = heads
        self.before = Coverage.of(heads, programs)
        self.known = set(self.before.heads)
        self.links = set(self.before.links)
        self.sizes = set(self.before.sizes)
        self.shapes = {self._template(program) for program in programs}
        self.proposed: Counter[str] = Counter()
        self.namer = Namer(heads.types.domain, seed)
        largest = min(max([LARGEST, *self.sizes]), LARGEST + 2)
        self.candidates = _questions(list(Shapes(heads, seed).up_to(largest)))

    def propose(self, n: int, seconds: float = SECONDS) -> list[Proposal]:
        """Up to `n` programs; fewer if there are no more, or the time is over."""
        end = time.monotonic() + seconds
        found: list[Proposal] = []
        stages = (
            (self._new_heads, True),
            # A predicate that no pair has is better shown by a dull program than not at all.
            (self._new_heads, False),
            (self._new_links, True),
            (self._new_size, True),
            (self._new_shape, True),
        )
        for stage, strict in stages:
            for proposal in self._stage(stage, strict, end):
                found.append(proposal)
                if len(found) == n:
                    return found
        return found

    def _stage(self, stage: Callable[[Shape], str], strict: bool, end: float) -> Iterator[Proposal]:
        left = self.candidates
        while True:
            left = sorted((shape for shape in left if stage(shape)), key=self._rank)
            found = self._first(left, strict, end)
            if found is None:
                return
            number, program = found
            shape = left[number]
            yield Proposal(program, stage(shape))
            self._cover(program, shape)
            # Those before it have no names by which they say anything.
            left = left[number + 1 :]

    def _first(
        self, shapes: Sequence[Shape], strict: bool, end: float
    ) -> tuple[int, Application] | None:
        """The first shape that can be given names: its number, and the program."""
        for number, shape in enumerate(shapes):
            if time.monotonic() > end:
                return None
            program = self.namer.named(shape.program, strict)
            if program is not None:
                return number, program
        return None

    def _rank(self, shape: Shape) -> tuple[int, int, int]:
        """Smallest first; then what was proposed least so far; then what shows most."""
        often = sum(self.proposed[part.constant.head] for part in shape.program.walk())
        return shape.size, often, -len(set(links_of(shape.program)) - self.links)

    def _new_heads(self, shape: Shape) -> str:
        new = {part.constant.head for part in shape.program.walk()} - self.known
        return f"no pair has {', '.join(sorted(new))}" if new else ""

    def _new_links(self, shape: Shape) -> str:
        new = sorted(set(links_of(shape.program)) - self.links)
        return f"no pair has {', '.join(f'{c} in {p}' for p, _, c in new)}" if new else ""

    def _new_size(self, shape: Shape) -> str:
        return "" if shape.size in self.sizes else f"no pair has {shape.size} parts"

    def _new_shape(self, shape: Shape) -> str:
        return "" if self._template(shape.program) in self.shapes else "no pair has this shape"

    def _cover(self, program: Application, shape: Shape) -> None:
        self.known.update(part.constant.head for part in program.walk())
        self.links.update(links_of(program))
        self.sizes.add(shape.size)
        self.proposed.update(part.constant.head for part in program.walk())
        self.shapes.add(self._template(program))

    @staticmethod
    def _template(program: Application) -> str:
        return template(program.term())


def _questions(shapes: Sequence[Shape]) -> list[Shape]:
    """The shapes without those that are a mere name, which is no question, where names of its kind
    stand in others."""
    inside = {
        part.constant.head for shape in shapes if shape.size > 1 for part in shape.program.walk()
    }
    return [
        shape
        for shape in shapes
        if not (shape.program.constant.is_entity and shape.program.constant.head in inside)
    ]

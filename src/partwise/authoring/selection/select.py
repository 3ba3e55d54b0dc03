"""Which examples to write next: programs that show most of what the examples do not."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partwise.authoring.selection.enumerate import ProgramTemplate, TemplateEnumerator
from partwise.authoring.selection.instantiate import Instantiator
from partwise.authoring.selection.questions import QuestionDrafter
from partwise.authoring.validation.coverage import Coverage, dependencies_of, heads_of
from partwise.authoring.validation.examples import read_examples, typed_examples
from partwise.authoring.validation.heads import Heads
from partwise.chart.algebra.type import TypeAlgebra
from partwise.evaluation.splits import template
from partwise.interface.jsonl import DRAFT
from partwise.language.domain import Application, Domain

LARGEST = 5
"""Parts of a selected program at most, unless the examples have larger ones."""
SECONDS = 60.0
"""Time for the search."""


@dataclass(frozen=True)
class DraftExample:
    """A selected example: a program with its answer, and a question to be corrected.

    Attributes:
        why: what it shows that the examples do not, in a few words.
    """

    question: str
    program: str
    answer: tuple[str, ...]
    why: str

    def to_json(self) -> dict[str, Any]:
        """A line of a file of examples; readers refuse it until ``draft`` is removed."""
        fields = {"question": self.question, "program": self.program, DRAFT: True}
        return {**fields, "answer": list(self.answer), "why": self.why}


@dataclass(frozen=True)
class Selection:
    """Draft examples, and what of the language the examples cover before and with them.

    Attributes:
        left_out: examples that could not be read or do not type; `partwise check` says why.
    """

    drafts: Sequence[DraftExample]
    before: Coverage
    after: Coverage
    left_out: int


def select_examples(
    domain: Domain,
    examples: str | Path | None = None,
    n: int = 20,
    seed: int = 0,
    seconds: float = SECONDS,
) -> Selection:
    """Programs that a file of examples does not cover, with their answers and draft questions.

    Args:
        seconds: for the search; fewer programs are selected if it is over.

    Raises:
        DomainError: for a domain that does not hold together.
        DataError: if the file cannot be opened.
    """
    heads = Heads(TypeAlgebra(domain))
    read, unreadable = ([], []) if examples is None else read_examples(Path(examples))
    typed, untyped = typed_examples(heads, read)
    programs = [program for _, program in typed]
    selector = ExampleSelector(heads, programs, seed)
    drafter = QuestionDrafter(heads.types, (example for example, _ in typed))
    drafts = []
    for program, why in selector.select(n, seconds):
        programs.append(program)
        term = domain.wrap(program.term())
        answer = tuple(domain.show(domain.run(term)))
        drafts.append(DraftExample(drafter.draft(program), str(term), answer, why))
    after = Coverage.of(heads, programs)
    return Selection(drafts, selector.before, after, len(unreadable) + len(untyped))


class ExampleSelector:
    """Selects programs one by one; each counts as covered for the next.

    First come predicates that no example has, then compositions, then sizes, then programs whose
    template is new; among those the smallest, and of these what was selected least.
    """

    def __init__(self, heads: Heads, programs: Sequence[Application], seed: int = 0) -> None:
        self.before = Coverage.of(heads, programs)
        self.heads = set(self.before.heads)
        self.dependencies = set(self.before.dependencies)
        self.sizes = set(self.before.sizes)
        self.templates = {template(program.term()) for program in programs}
        self.selected: Counter[str] = Counter()
        self.instantiator = Instantiator(heads.types.domain, seed)
        largest = min(max([LARGEST, *self.sizes]), LARGEST + 2)
        self.candidates = _questions(list(TemplateEnumerator(heads, seed).up_to(largest)))

    def select(self, n: int, seconds: float = SECONDS) -> list[tuple[Application, str]]:
        """Up to `n` programs, each with the reason; fewer if there are no more or time is over."""
        end = time.monotonic() + seconds
        programs: list[tuple[Application, str]] = []
        stages = (
            (self._new_heads, True),
            # A predicate that no example has is better shown by a dull program than not at all.
            (self._new_heads, False),
            (self._new_dependencies, True),
            (self._new_size, True),
            (self._new_template, True),
        )
        for why, strict in stages:
            for program in self._stage(why, strict, end):
                programs.append(program)
                if len(programs) == n:
                    return programs
        return programs

    def _stage(
        self, why: Callable[[ProgramTemplate], str], strict: bool, end: float
    ) -> Iterator[tuple[Application, str]]:
        left: Iterable[ProgramTemplate] = self.candidates
        while queue := deque(sorted((one for one in left if why(one)), key=self._rank)):
            # Those that no names make say anything are not tried again.
            left = queue
            while queue:
                if time.monotonic() > end:
                    return
                candidate = queue.popleft()
                program = self.instantiator.instance(candidate.program, strict)
                if program is not None:
                    yield program, why(candidate)
                    self._cover(program, candidate)
                    break

    def _rank(self, candidate: ProgramTemplate) -> tuple[int, int, int]:
        """Smallest first; then what was selected least so far; then what shows most."""
        often = sum(self.selected[part.constant.head] for part in candidate.program.walk())
        new = set(dependencies_of(candidate.program)) - self.dependencies
        return candidate.size, often, -len(new)

    def _new_heads(self, candidate: ProgramTemplate) -> str:
        new = heads_of(candidate.program) - self.heads
        return f"no pair has {', '.join(sorted(new))}" if new else ""

    def _new_dependencies(self, candidate: ProgramTemplate) -> str:
        new = sorted(set(dependencies_of(candidate.program)) - self.dependencies)
        return f"no pair has {', '.join(f'{c} in {p}' for p, _, c in new)}" if new else ""

    def _new_size(self, candidate: ProgramTemplate) -> str:
        return "" if candidate.size in self.sizes else f"no pair has {candidate.size} parts"

    def _new_template(self, candidate: ProgramTemplate) -> str:
        known = template(candidate.program.term()) in self.templates
        return "" if known else "no pair has this shape"

    def _cover(self, program: Application, candidate: ProgramTemplate) -> None:
        self.heads |= heads_of(program)
        self.dependencies.update(dependencies_of(program))
        self.sizes.add(candidate.size)
        self.selected.update(part.constant.head for part in program.walk())
        self.templates.add(template(program.term()))


def _questions(candidates: Sequence[ProgramTemplate]) -> list[ProgramTemplate]:
    """Those that are more than a name, which is no question, where names of its type are arguments
    of others."""
    inside = {head for one in candidates if one.size > 1 for head in heads_of(one.program)}
    return [
        one
        for one in candidates
        if not (one.program.constant.is_entity and one.program.constant.head in inside)
    ]

"""Which examples to write next: programs that show most of what the examples do not."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partwise.authoring.selection.enumerate import TemplateEnumerator
from partwise.authoring.selection.questions import QuestionDrafter
from partwise.authoring.validation.examples import read_examples, typed_examples
from partwise.authoring.validation.heads import (
    Coverage,
    Heads,
    heads_of,
    size_of,
)
from partwise.chart.algebra.type import TypeAlgebra
from partwise.interface.jsonl import DRAFT
from partwise.language.domain import Application, Domain
from partwise.language.program import Term

LARGEST = 5
"""Parts of a selected program at most, unless the examples have larger ones."""
SECONDS = 60.0
"""Time for the search."""
TRIES = 24
"""Choices of names before a template is given up."""
STAGES = (
    ("heads", True),
    # A predicate that no example has is better shown by a dull program than not at all.
    ("heads", False),
    ("dependencies", True),
    ("sizes", True),
    ("shapes", True),
)
"""What of `Coverage` selected programs add, in this order; and whether dull ones will not do."""

Candidate = tuple[Application, Coverage]
"""A template, and what it shows."""


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
        term = domain.wrap(program.term())
        answer = tuple(domain.show(domain.run(term)))
        drafts.append(DraftExample(drafter.draft(program), str(term), answer, why))
    before, left_out = Coverage(heads, programs), len(unreadable) + len(untyped)
    return Selection(drafts, before, selector.covered, left_out)


class ExampleSelector:
    """Selects programs one by one; each counts as covered for the next.

    First come predicates that no example has, then compositions, then sizes, then programs whose
    template is new; among those the smallest, and of these what was selected least.
    """

    def __init__(self, heads: Heads, programs: Sequence[Application], seed: int = 0) -> None:
        self.covered = Coverage(heads, programs)
        self.selected: Counter[str] = Counter()
        self.instantiator = Instantiator(heads.domain, seed)
        largest = min(max([LARGEST, *self.covered.sizes]), LARGEST + 2)
        templates = list(TemplateEnumerator(heads, seed).up_to(largest))
        inside = {head for one in templates if size_of(one) > 1 for head in heads_of(one)}
        self.candidates = [
            (one, Coverage(heads, [one]))
            for one in templates
            # A mere name is no question, where names of its type are arguments of others.
            if not (one.constant.is_entity and one.constant.head in inside)
        ]

    def select(self, n: int, seconds: float = SECONDS) -> list[tuple[Application, str]]:
        """Up to `n` programs, each with the reason; fewer if there are no more or time is over."""
        end = time.monotonic() + seconds
        chosen: list[tuple[Application, str]] = []
        for what, strict in STAGES:
            queue = self.candidates
            while len(chosen) < n:
                # Those that no names make say anything are not tried again.
                queue = sorted((one for one in queue if self._new(what, one)), key=self._rank)
                program = None
                while queue and program is None:
                    if time.monotonic() > end:
                        return chosen
                    candidate = queue.pop(0)
                    program = self.instantiator.instance(candidate[0], strict)
                if program is None:
                    break
                chosen.append((program, _why(what, self._new(what, candidate))))
                self.covered.add(program)
                self.selected.update(part.constant.head for part in program.walk())
        return chosen

    def _new(self, what: str, candidate: Candidate) -> set[Any]:
        """What a candidate has of an attribute of `Coverage` that nothing has so far."""
        new: set[Any] = getattr(candidate[1], what) - getattr(self.covered, what)
        return new

    def _rank(self, candidate: Candidate) -> tuple[int, int, int]:
        """Smallest first; then what was selected least so far; then what shows most."""
        program, shown = candidate
        often = sum(self.selected[part.constant.head] for part in program.walk())
        return max(shown.sizes), often, -len(shown.dependencies - self.covered.dependencies)


def _why(what: str, new: set[Any]) -> str:
    """What a program shows that the examples do not, in a few words."""
    if what == "shapes":
        return "no pair has this shape"
    texts = sorted(new)
    if what == "dependencies":
        texts = [f"{child} in {parent}" for parent, _, child in texts]
    return f"no pair has {', '.join(map(str, texts))}{' parts' * (what == 'sizes')}"


class Instantiator:
    """Puts names into templates, at random but the same for the same seed.

    Answers are kept, so that each program runs once.
    """

    def __init__(self, domain: Domain, seed: int = 0) -> None:
        self.domain, self.draw = domain, random.Random(seed)
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
        second: Application | None = None
        for _ in range(TRIES if any(part.constant.is_entity for part in template.walk()) else 1):
            program = self._named(template)
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

    def _named(self, template: Application) -> Application:
        constant = template.constant
        if constant.is_entity and self.names[constant.head]:
            constant = self.draw.choice(self.names[constant.head])
        return Application(constant, tuple(arg and self._named(arg) for arg in template.args))

    def _answer(self, program: Application, whole: bool) -> Hashable | None:
        """What a program's answer is compared by; None for an empty one or a failure.

        Args:
            whole: within the root, as a question is asked.
        """
        term = self.domain.wrap(program.term()) if whole else program.term()
        if term not in self._answers:
            answer: Hashable | None = None
            try:
                value = self.domain.run(term)
                if not self.domain.is_empty(value):
                    answer = self.domain.denotation(value)
                    hash(answer)
            except Exception:
                # The domain's own methods, which may not be made for the value of a part.
                answer = None
            self._answers[term] = answer
        return self._answers[term]

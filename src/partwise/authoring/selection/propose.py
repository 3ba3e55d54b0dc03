"""Proposed pairs with their draft questions, as lines to be edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partwise.authoring.selection.choose import SECONDS, Proposer
from partwise.authoring.selection.drafting import Drafter
from partwise.authoring.validation.coverage import Coverage
from partwise.authoring.validation.heads import Heads
from partwise.authoring.validation.pairs import Pairs, read_pairs
from partwise.authoring.validation.typed import type_pairs
from partwise.chart.algebra.type import TypeAlgebra
from partwise.interface.jsonl import DRAFT
from partwise.language.domain import Domain


@dataclass(frozen=True)
class Draft:
    """A proposed pair: a program with its answer, and a question to be put right."""

    question: str
    program: str
    answer: tuple[str, ...]
    why: str

    def to_json(self) -> dict[str, Any]:
        """A line of a file of pairs; readers refuse it until ``draft`` is taken away."""
        return {
            "question": self.question,
            "program": self.program,
            DRAFT: True,
            "answer": list(self.answer),
            "why": self.why,
        }


@dataclass(frozen=True)
class Drafts:
    """Proposed pairs, and what of the language the pairs cover before and with them.

    Attributes:
        left_out: pairs that could not be read or do not type; `partwise check` says why.
    """

    drafts: Sequence[Draft]
    before: Coverage
    after: Coverage
    left_out: int


def propose_pairs(
    domain: Domain,
    pairs: str | Path | None = None,
    n: int = 20,
    seed: int = 0,
    seconds: float = SECONDS,
) -> Drafts:
    """Programs that a file of pairs does not cover, with their answers and draft questions.

    Args:
        seconds: for the search; fewer programs are found if it is over.

    Raises:
        DomainError: for a domain that does not hold together.
        DataError: if the file cannot be opened.
    """
    heads = Heads(TypeAlgebra(domain))
    read = Pairs() if pairs is None else read_pairs(Path(pairs))
    typed, untyped = type_pairs(heads, read.read)
    programs = [program for _, program in typed]
    proposer = Proposer(heads, programs, seed)
    drafter = Drafter(heads.types, (pair.example for pair, _ in typed))
    proposals = proposer.propose(n, seconds)
    drafts = []
    for one in proposals:
        term = domain.wrap(one.program.term())
        answer = tuple(domain.show(domain.run(term)))
        drafts.append(Draft(drafter.draft(one.program), str(term), answer, one.why))
    after = Coverage.of(heads, [*programs, *(one.program for one in proposals)])
    return Drafts(drafts, proposer.before, after, len(read.findings) + len(untyped))

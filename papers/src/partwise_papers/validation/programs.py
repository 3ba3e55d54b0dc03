"""Checks of questions with programs: what types, what the charts reach, what runs."""

from __future__ import annotations

from functools import cache
from typing import Any

from partwise.authoring.examples import Reach
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError, ProgramTypeError, UnknownConstantError
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Example
from partwise.interface.registry import DOMAINS, named_domain
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise_papers.validation.checks import Check, Checks
from partwise_papers.validation.findings import Finding, Reason

LONG = 300
"""Characters of an answer that are shown."""


class ProgramChecks(Checks):
    """Checks of the programs of a domain, also under its published types if it has them.

    Args:
        domain: what types and runs them.
    """

    def __init__(self, domain: Domain) -> None:
        super().__init__()
        self.runner = Runner(domain)
        for name in (domain.name, f"{domain.name}-paper"):
            if name in DOMAINS:
                self.checks += _typing(named_domain(name))
        answer = wrong_answer(self.runner)
        given = Finding("answers equal to those given")
        self.checks += [
            Check(Finding("programs that run"), self._fails),
            Check(given, answer, lambda example: example.answer is not None),
        ]

    def _fails(self, example: Example[Term]) -> str:
        try:
            self.runner.denotation(example.meaning, example.context)
        except PartwiseError as error:
            return str(error)
        return ""


def wrong_answer(runner: Runner) -> Reason:
    """Compares a program's answer with that of its example."""

    def reason(example: Example[Term]) -> str:
        try:
            mine = runner.denotation(example.meaning, example.context)
        except PartwiseError as error:
            return str(error)
        same = mine == example.answer
        return "" if same else f"{_shown(mine)}, expected {_shown(example.answer)}"

    return reason


def _shown(answer: Any) -> str:
    if not isinstance(answer, frozenset):
        return str(answer)
    text = ", ".join(sorted(map(str, answer)))
    return f"{{{text}}}" if len(text) < LONG else f"{{{text[:LONG]} ...}}"


def _typing(domain: Domain) -> list[Check]:
    """What types under a domain, and what of that its gold-constrained chart reaches."""
    types = TypeAlgebra(domain)
    reach = Reach(types)

    @cache
    def untyped(program: Term) -> str:
        try:
            types.check(program)
        except (UnknownConstantError, ProgramTypeError) as error:
            return str(error)
        return ""

    def typed(example: Example[Term]) -> bool:
        return not untyped(example.meaning)

    def lost(example: Example[Term]) -> str:
        # What is reached with entities on their phrases is reached without that condition too.
        reached = reach.reachable(example, by_phrase=True) or reach.reachable(example)
        return "" if reached else "no tree yields it"

    def missed(example: Example[Term]) -> str:
        return "" if reach.reachable(example, by_phrase=True) else "no tree yields it"

    name = domain.name
    return [
        Check(Finding(f"programs that type under {name}"), lambda e: untyped(e.meaning)),
        Check(Finding(f"typed programs that a chart of {name} reaches"), lost, typed),
        Check(Finding(f"the same, entities only on their phrases ({name})"), missed, typed),
    ]

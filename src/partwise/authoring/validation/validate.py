"""The whole validation of a domain and its examples."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from partwise.authoring.validation.declarations import phrase_issues, usage_issues
from partwise.authoring.validation.examples import (
    Typed,
    contradictions,
    read_examples,
    run_example,
    typed_examples,
)
from partwise.authoring.validation.heads import Coverage, Heads
from partwise.authoring.validation.issues import DomainReport
from partwise.authoring.validation.places import place_in_message, place_of_error
from partwise.authoring.validation.reachable import Reach, unreached
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.interface.domain import Issue
from partwise.language.domain import Domain

SECONDS = 60.0
"""Time for looking at examples one by one, unless told otherwise."""


def validate_domain(
    domain: Domain, examples: str | Path | None = None, seconds: float = SECONDS
) -> DomainReport:
    """Validate a domain, and with a file of examples those.

    What is wrong is in the report and never raised; but the domain's own methods run, which may
    take any time.

    Args:
        examples: JSON Lines of questions with programs.
        seconds: examples that are not reached within it are neither run nor searched for trees;
            the report says how many.

    Raises:
        DataError: if the file of examples cannot be opened.
    """
    read, unreadable = ([], []) if examples is None else read_examples(Path(examples))
    report = DomainReport(domain.name, unreadable)
    try:
        heads = Heads(TypeAlgebra(domain))
    except Exception as error:
        # Names may come from the user's own code, which may fail in any way.
        report.issues.append(declaration_issue(error, domain))
        return report
    report.issues += usage_issues(heads)
    typed, untyped = typed_examples(heads, read)
    coverage = Coverage(heads, (program for _, program in typed))
    if examples is not None:
        report.pairs, report.coverage = len(read), coverage
        report.issues += untyped
        report.issues += contradictions(domain, typed)
        report.issues += _one_by_one(heads, typed, seconds)
        why = "no pair uses it, so a parser learns nothing about it"
        advice = "write a pair that does"
        report.issues += (
            Issue("warning", "unused-by-pairs", head.title, why, advice, head.where)
            for head in heads.all.values()
            if head.name not in coverage.heads and head.state in heads.used
        )
    questions = [example.question for example, _ in typed]
    report.issues += phrase_issues(heads, questions, coverage.heads)
    return report


def declaration_issue(error: Exception, domain: Domain | None = None) -> Issue:
    """What keeps a domain from being made, as an issue."""
    known = isinstance(error, PartwiseError)
    why = str(error) if known else f"{type(error).__name__}: {error}"
    where = place_of_error(error) or (place_in_message(domain, why) if domain else "")
    advice = "fix this first; nothing else can be checked before"
    if "missing hint" in why:
        advice = "give every argument and the result a type hint; the classes must be at the top"
    if "declared twice" in why:
        advice = "use different names: each is a word of the language"
    return Issue("error", "declaration", "domain", why, advice, where)


def _one_by_one(heads: Heads, typed: Sequence[Typed], seconds: float) -> Iterator[Issue]:
    """Examples that no tree reaches, or whose program does not run to its answer."""
    reach, end = Reach(heads.types), time.monotonic() + seconds
    for number, (example, program) in enumerate(typed):
        if time.monotonic() > end:
            what, advice = f"{len(typed) - number} pairs", "give more --seconds"
            why = f"were typed but neither run nor searched for trees: {seconds:g} s were over"
            yield Issue("warning", "unfinished", what, why, advice)
            return
        yield from unreached(reach, example, program)
        if heads.domain.runnable:
            yield from run_example(heads.domain, example)

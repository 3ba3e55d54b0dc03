"""The whole check of a domain and its pairs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from partwise.authoring.validation.coverage import Coverage, unused
from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.heads import Heads
from partwise.authoring.validation.pairs import Pair, read_pairs
from partwise.authoring.validation.places import place_in_message, place_of_error
from partwise.authoring.validation.reachable import Reach
from partwise.authoring.validation.reaching import unreached
from partwise.authoring.validation.report import DomainReport
from partwise.authoring.validation.running import run_pair
from partwise.authoring.validation.typed import contradictions, type_pairs
from partwise.authoring.validation.use import check_use
from partwise.authoring.validation.words import check_words
from partwise.chart.algebra.type import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.language.domain import Application, Domain

SECONDS = 60.0
"""Time for looking at pairs one by one, unless told otherwise."""


def check_domain(
    domain: Domain, pairs: str | Path | None = None, seconds: float = SECONDS
) -> DomainReport:
    """Check a domain, and with a file of pairs those.

    What is wrong is in the report and never raised; but the domain's own methods run, which may
    take what time they will.

    Args:
        seconds: pairs that are not reached within it are not run nor searched for trees; the
            report says how many.

    Raises:
        DataError: if the file of pairs cannot be opened.
    """
    report = DomainReport(domain.name)
    read = None if pairs is None else read_pairs(Path(pairs))
    if read is not None:
        report.findings += read.findings
        report.pairs = len(read.read)
    try:
        heads = Heads(TypeAlgebra(domain))
    except Exception as error:
        # Names may come from the user's own code, which may fail in any way.
        report.add(declaring(error, domain))
        return report
    report.findings += check_use(heads)
    typed = _check_pairs(heads, read.read, report, seconds) if read is not None else []
    used = {part.constant.head for _, program in typed for part in program.walk()}
    questions = [pair.example.question for pair, _ in typed]
    report.findings += check_words(heads, questions, used)
    return report


def declaring(error: Exception, domain: Domain | None = None) -> Finding:
    """What keeps a domain from being made, as a finding."""
    where = place_of_error(error)
    if domain is not None and not where:
        where = place_in_message(domain, str(error))
    known = isinstance(error, PartwiseError)
    why = str(error) if known else f"{type(error).__name__}: {error}"
    return Finding("error", "declaration", "domain", why, _mend(why), where)


def _mend(why: str) -> str:
    if "missing hint" in why:
        return "give every argument and the result a type hint; the classes must be at the top"
    if "declared twice" in why:
        return "let names be different: each is a word of the language"
    return "mend this first; nothing else can be checked before"


def _check_pairs(
    heads: Heads, pairs: Sequence[Pair], report: DomainReport, seconds: float
) -> list[tuple[Pair, Application]]:
    typed, untyped = type_pairs(heads, pairs)
    report.findings += untyped
    report.findings += contradictions(heads, typed)
    reach, end = Reach(heads.types), time.monotonic() + seconds
    for number, (pair, program) in enumerate(typed):
        if time.monotonic() > end:
            report.add(_unfinished(len(typed) - number, seconds))
            break
        report.add(unreached(reach, pair, program))
        report.add(run_pair(heads.types.domain, pair))
    report.coverage = Coverage.of(heads, (program for _, program in typed))
    report.findings += unused(heads, report.coverage)
    return typed


def _unfinished(n: int, seconds: float) -> Finding:
    return Finding(
        "warning",
        "unfinished",
        f"{n} pairs",
        f"were typed but neither run nor searched for trees: {seconds:g} s were over",
        "give more --seconds",
    )

"""The whole validation of a domain and its examples: what cannot work, why, and what to do."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.text import Text

from partwise.authoring.declarations import (
    Coverage,
    Heads,
    phrase_issues,
    place_in_message,
    place_of_error,
    usage_issues,
)
from partwise.authoring.examples import (
    Reach,
    Typed,
    check_reach,
    contradictions,
    read_examples,
    run_example,
    type_examples,
    unstable_forms,
)
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.interface.domain import Issue, Severity
from partwise.language.domain import Domain

COLORS: dict[Severity, str] = {"error": "bold red", "warning": "yellow", "note": "cyan"}
"""In the terminal, the gravest first."""


@dataclass
class DomainReport:
    """The issues of a domain and its examples. `pairs`: how many examples were read; `coverage`:
    what they use of the language, if it can be told."""

    domain: str
    issues: list[Issue] = field(default_factory=list)
    pairs: int | None = None
    coverage: Coverage | None = None

    @property
    def errors(self) -> list[Issue]:
        return [issue for issue in self.issues if issue.severity == "error"]

    @property
    def ok(self) -> bool:
        return not self.errors

    def ordered(self) -> list[Issue]:
        return sorted(self.issues, key=lambda issue: list(COLORS).index(issue.severity))

    def counts(self) -> dict[str, int]:
        return {name: sum(issue.severity == name for issue in self.issues) for name in COLORS}

    def to_json(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "ok": self.ok,
            "counts": self.counts(),
            "pairs": self.pairs,
            "coverage": None if self.coverage is None else self.coverage.to_json(),
            "findings": [asdict(issue) for issue in self.ordered()],
        }

    def lines(self) -> Iterator[Text]:
        for issue in self.ordered():
            place = f"  {issue.where}  " if issue.where else "  "
            severity = (issue.severity, COLORS[issue.severity])
            yield Text.assemble(severity, place, (issue.what, "bold"))
            yield Text(f"    {issue.why}")
            if issue.suggestion:
                yield Text(f"    -> {issue.suggestion}", "green")
        counts = [f"{n} {name}{'s' * (n != 1)}" for name, n in self.counts().items()]
        yield Text(f"{self.domain}: {', '.join(counts) if self.issues else 'nothing found'}")
        if self.coverage is not None:
            yield Text(f"{self.pairs} pairs use {self.coverage}")


SECONDS = 60.0
"""Time for looking at examples one by one, unless told otherwise."""


def validate_domain(
    domain: Domain, examples: str | Path | None = None, seconds: float = SECONDS
) -> DomainReport:
    """Validate a domain, and with a file of examples those. What is wrong is in the report and
    never raised; but the domain's own methods run, which may take any time. Examples that are not
    reached within `seconds` are neither run nor searched for trees. Raises DataError if the file
    cannot be opened."""
    read, unreadable = ([], []) if examples is None else read_examples(Path(examples))
    report = DomainReport(domain.name, unreadable)
    try:
        heads = Heads(TypeAlgebra(domain))
    except Exception as error:
        # Names may come from the user's own code, which may fail in any way.
        report.issues.append(declaration_issue(error, domain))
        return report
    report.issues += usage_issues(heads)
    typed, untyped = type_examples(heads, read)
    coverage = Coverage(heads, (program for _, program in typed))
    if examples is not None:
        report.pairs, report.coverage = len(read), coverage
        report.issues += untyped
        if unstable := [*unstable_forms(domain, typed)]:
            report.issues += unstable
        else:
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
    reach, end = Reach(heads.types), time.monotonic() + seconds
    for number, (example, program) in enumerate(typed):
        if time.monotonic() > end:
            what, advice = f"{len(typed) - number} pairs", "give more --seconds"
            why = f"were typed but neither run nor searched for trees: {seconds:g} s were over"
            yield Issue("warning", "unfinished", what, why, advice)
            return
        yield from check_reach(reach, example, program)
        if heads.domain.runnable:
            yield from run_example(heads.domain, example)

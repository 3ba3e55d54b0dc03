"""The check of a data set by its name: what reads, types, is reached by the charts and runs, and
whether GeoQuery is as published; findings as JSON and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from partwise.authoring.validation import Reach
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import (
    DataError,
    PartwiseError,
    ProgramTypeError,
    QueryError,
    UnknownConstantError,
)
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset, Example
from partwise.interface.jsonl import examples_of_lines, fields_of, lines_of
from partwise.interface.registry import DOMAINS, data_folder, dataset_info, load, named_domain
from partwise.language.domain import Domain
from partwise.language.graph_domain import GraphDomain
from partwise.language.program import Term, parse_program
from partwise.language.query_graph import ENTITY, QueryGraph, expected_head, with_filters
from partwise_papers.datasets.geoquery import CORPUS, rebuild_splits
from partwise_papers.domains.geoquery import read_denotation

Reason = Callable[[Example[Any], str], str | None]
"""Why an example fails, from it and its meaning as it stands in the file ("" where that is not
known): "" if it does not fail, None if it is not counted."""
LONG = 300
"""Characters of an answer that are shown."""


class Failure(NamedTuple):
    """One exception: where it stands (file and line), what it is, and why it fails."""

    where: str
    question: str = ""
    program: str = ""
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.where}: " + " | ".join(filter(None, self[1:]))


@dataclass
class Finding:
    """One property, counted for each split: how many have it, of how many, and which do not."""

    what: str
    total: dict[str, int] = field(default_factory=dict)
    failures: dict[str, list[Failure]] = field(default_factory=dict)

    def add(self, split: str, total: int, failures: Sequence[Failure]) -> None:
        """Count a split."""
        self.total[split] = total
        self.failures[split] = list(failures)

    def look(
        self,
        split: str,
        examples: Iterable[Example[Any]],
        reason: Reason,
        texts: Mapping[str, str] | None = None,
    ) -> Finding:
        """Count a split by what is wrong with each of its examples.

        Args:
            texts: meanings as they stand in the files, by the examples' source.

        Returns:
            This finding.
        """
        texts, total, failures = texts or {}, 0, []
        for example in examples:
            why = reason(example, texts.get(example.source, ""))
            total += why is not None
            if why:
                meaning = texts.get(example.source, str(example.meaning))
                failures.append(Failure(example.source, example.question, meaning, why))
        self.add(split, total, failures)
        return self

    def passed(self, split: str) -> int:
        """How many of a split have the property."""
        return self.total[split] - len(self.failures[split])

    @property
    def ok(self) -> bool:
        """Whether there is no exception."""
        return not any(self.failures.values())

    def counts(self) -> str:
        """``iid 880/880, template 879/880``."""
        return ", ".join(f"{s} {self.passed(s)}/{self.total[s]}" for s in self.total)

    def to_json(self) -> dict[str, Any]:
        """All counts and exceptions as JSON values."""
        splits = {
            split: {
                "passed": self.passed(split),
                "total": self.total[split],
                "exceptions": [failure._asdict() for failure in self.failures[split]],
            }
            for split in self.total
        }
        return {"what": self.what, "splits": splits}

    def lines(self) -> list[str]:
        """The counts, and the exceptions: one line for the same example in several splits."""
        places: dict[tuple[str, ...], list[str]] = {}
        for failures in self.failures.values():
            for where, *what in failures:
                places.setdefault(tuple(what), []).append(where)
        exceptions = [Failure(", ".join(where), *what) for what, where in places.items()]
        return [f"{self.what}: {self.counts()}", *(f"  {failure}" for failure in exceptions)]


@dataclass
class CheckReport:
    """All findings on a data set.

    Attributes:
        counts: number of examples by split and part.
    """

    name: str
    counts: dict[str, dict[str, int]]
    findings: list[Finding]

    @property
    def ok(self) -> bool:
        """Whether no finding has an exception."""
        return all(finding.ok for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """All counts and exceptions as JSON values."""
        return {**vars(self), "ok": self.ok, "findings": [f.to_json() for f in self.findings]}

    def text(self) -> str:
        """Plain text, an exception a line."""
        sizes = (f"{s} {'/'.join(map(str, of.values()))}" for s, of in self.counts.items())
        lines = [line for finding in self.findings for line in finding.lines()]
        return "\n".join([f"{self.name}: {'; '.join(sizes)}", *lines])


def every(dataset: Dataset[Any]) -> list[Example[Any]]:
    """The examples of all parts, in the order train, dev, test."""
    return [example for part in dataset.parts().values() for example in part]


class Checks:
    """Checks of single examples, of one split after the other.

    Args:
        reasons: what is checked -> why an example lacks it.
        wants_texts: whether meanings are compared with how they stand in the files.
    """

    def __init__(self, reasons: Mapping[str, Reason], wants_texts: bool = False) -> None:
        self.wants_texts = wants_texts
        self.read = Finding("lines that can be read")
        self.checks = [(Finding(what), reason) for what, reason in reasons.items()]

    @property
    def findings(self) -> list[Finding]:
        """What was found so far; without the properties that no example could have."""
        return [self.read, *(found for found, _ in self.checks if any(found.total.values()))]

    def add(self, dataset: Dataset[Any], texts: Mapping[str, str] | None = None) -> None:
        """Look at a split; `texts` are as for `Finding.look`."""
        examples = every(dataset)
        bad = unread(dataset.skipped)
        self.read.add(dataset.split, len(examples) + len(bad), bad)
        for finding, reason in self.checks:
            finding.look(dataset.split, examples, reason, texts)


def unread(messages: Iterable[str]) -> list[Failure]:
    """Lines that were left out as failures."""
    return [Failure(message, reason="left out") for message in messages]


def wrong_answer(runner: Runner) -> Reason:
    """Compares a program's answer with that of its example."""

    def reason(example: Example[Term], text: str = "") -> str:
        try:
            mine = runner.denotation(example.meaning, example.context)
        except PartwiseError as error:
            return str(error)
        same = mine == example.answer
        return "" if same else f"{_show(mine)}, expected {_show(example.answer)}"

    return reason


def _show(answer: Any) -> str:
    if not isinstance(answer, frozenset):
        return str(answer)
    text = ", ".join(sorted(map(str, answer)))
    return f"{{{text}}}" if len(text) < LONG else f"{{{text[:LONG]} ...}}"


def program_checks(domain: Domain) -> Checks:
    """Checks of the programs of a domain, also under its published types if it has them: what
    types, what the charts reach, what runs."""
    runner = Runner(domain)
    answer = wrong_answer(runner)

    def fails(example: Example[Term], text: str) -> str:
        try:
            runner.denotation(example.meaning, example.context)
        except PartwiseError as error:
            return str(error)
        return ""

    def wrong(example: Example[Term], text: str) -> str | None:
        return None if example.answer is None else answer(example, text)

    names = [name for name in (domain.name, f"{domain.name}-paper") if name in DOMAINS]
    typing = {what: why for name in names for what, why in _typing(named_domain(name)).items()}
    return Checks({**typing, "programs that run": fails, "answers equal to those given": wrong})


def _typing(domain: Domain) -> dict[str, Reason]:
    """What types under a domain, and what of that its gold-constrained chart reaches."""
    types = TypeAlgebra(domain)
    reach = Reach(types)

    @cache
    def type_error(program: Term) -> str:
        try:
            types.check(program)
        except (UnknownConstantError, ProgramTypeError) as error:
            return str(error)
        return ""

    def find_reason(example: Example[Term], *by_phrase: bool) -> str | None:
        if type_error(example.meaning):
            return None
        reached = any(reach.reachable(example, one) for one in by_phrase)
        return "" if reached else "no tree yields it"

    return {
        f"programs that type under {domain.name}": lambda e, _: type_error(e.meaning),
        # What is reached with entities on their phrases is reached without that condition too.
        f"typed programs that a chart of {domain.name} reaches": lambda e, _: find_reason(
            e, True, False
        ),
        f"the same, entities only on their phrases ({domain.name})": lambda e, _: find_reason(
            e, True
        ),
    }


def graph_checks(domain: GraphDomain) -> Checks:
    """Checks of the queries of a domain: what reads, and what is written as the files say."""
    relations = {relation.predicate for relation in domain.relations}
    constants = {(a.predicate, a.constant) for a in domain.attributes}

    def rewritten(example: Example[QueryGraph], text: str) -> str:
        mine = domain.write(example.meaning)
        # Some published queries repeat a line, which a graph cannot.
        return "" if mine in (text, _without_repeats(text)) else f"written {mine}"

    def entities(example: Example[QueryGraph], text: str) -> str:
        named = {word for word in example.question.split() if ENTITY.fullmatch(word)}
        one_sided = sorted(named ^ set(example.meaning.entities))
        return f"only on one side: {', '.join(one_sided)}" if one_sided else ""

    def find_undeclared(example: Example[QueryGraph], text: str) -> str:
        graph = example.meaning
        unknown = [str(edge) for edge in graph.edges if edge.predicate not in relations]
        unknown += [str(a) for a in graph.attributes if a[1:] not in constants]
        return f"unknown: {', '.join(sorted(unknown))}" if unknown else ""

    def filters(example: Example[QueryGraph], text: str) -> str:
        wanted = with_filters(example.meaning, domain.differing).filters
        wrong = wanted ^ example.meaning.filters
        return f"missing or too much: {sorted(wrong)}" if wrong else ""

    def head(example: Example[QueryGraph], text: str) -> str:
        expected = expected_head(example.question, domain.asking)
        return "" if example.meaning.head == expected else f"expected {expected}"

    @cache
    def canonical(graph: QueryGraph) -> str:
        try:
            return domain.write(domain.canonical(graph))
        except QueryError as error:
            return str(error)

    def not_canonical(example: Example[QueryGraph], text: str) -> str:
        mine = canonical(example.meaning)
        return "" if mine == text else mine

    reasons: dict[str, Reason] = {
        "queries written as they were read, repeated lines aside": rewritten,
        "questions and queries of the same entities": entities,
        "predicates and constants of the domain": find_undeclared,
        "FILTERs just where nodes must differ": filters,
        "queries of the head that the first word calls for": head,
    }
    if domain.dialect == "wikidata":
        reasons["queries in canonical form"] = not_canonical
    return Checks(reasons, wants_texts=True)


def _without_repeats(text: str) -> str:
    """A query in CFQ's form without repeated lines."""
    head, *lines = text.split("\n")
    body = dict.fromkeys(line.removesuffix(" .") for line in lines[:-1])
    return "\n".join([head, " .\n".join(body), *lines[-1:]])


Sets = Mapping[str, Dataset[Term]]
DENOTATIONS = "denotations.jsonl"
ANSWERED = '{"program": "...", "denotation": "[...]"}'


def check(name: str, data_dir: str | Path | None = None) -> CheckReport:
    """Check all splits of a data set; bad lines are listed, not raised; raises DataError for an
    unknown data set, or a folder or file that is missing.

    Args:
        data_dir: as for `registry.load`.
    """
    info = dataset_info(name)
    domain = named_domain(info.domain)
    checks = CHECKS[domain.parser](domain)
    sets, counts = dict[str, Dataset[Any]](), {}
    for split in info.splits:
        texts: dict[str, str] | None = {} if checks.wants_texts else None
        dataset = load(name, split, data_dir, skip_bad=True, texts=texts)
        checks.add(dataset, texts)
        counts[split] = {part: len(examples) for part, examples in dataset.parts().items()}
        # Otherwise one split is in memory at a time: they may be large.
        if name == "geoquery":
            sets[split] = dataset
    findings = checks.findings
    if sets:
        findings += check_geoquery(data_folder(name, data_dir), sets, Runner(domain))
    return CheckReport(name, counts, findings)


def check_geoquery(folder: Path, sets: Sets, runner: Runner) -> list[Finding]:
    """GeoQuery against the published answers and the raw corpus, as far as these are there."""
    findings = []
    if (file := folder / DENOTATIONS).exists():
        lines = lines_of(file, ANSWERED)
        given, _ = examples_of_lines(lines, _read_answered, file, file.name, ANSWERED, False)
        answers = Finding(f"answers equal to those of {DENOTATIONS}")
        findings.append(answers.look(DENOTATIONS, given, wrong_answer(runner)))
    if (folder / CORPUS).exists():
        findings.append(_rebuilt(folder, sets))
    return findings


def _read_answered(raw: bytes, source: str) -> Example[Term]:
    fields = fields_of(raw, ANSWERED)
    try:
        program, answer = parse_program(fields["program"]), read_denotation(fields["denotation"])
    except (PartwiseError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"not a program with its answer: {error}") from error
    return Example("", program, source, answer=answer)


def _rebuilt(folder: Path, sets: Sets) -> Finding:
    finding = Finding("examples equal, place by place, to the splits made from the raw corpus")
    made = rebuild_splits(folder)
    for split, given in sets.items():
        failures, total = list[Failure](), 0
        for part, mine in made[split].parts().items():
            theirs = given.parts()[part]
            total += max(len(mine), len(theirs))
            for a, b in zip(mine, theirs, strict=False):
                if (a.question, a.meaning) != (b.question, b.meaning):
                    why = f"the raw corpus gives {a.source} here"
                    failures.append(Failure(b.source, b.question, str(b.meaning), why))
            why = f"{len(theirs)} examples, the raw corpus gives {len(mine)}"
            extra = [Failure(f"{split}/{part}.jsonl", reason=why)]
            failures += extra * abs(len(mine) - len(theirs))
        finding.add(split, total, failures)
    return finding


CHECKS: Mapping[str, Callable[[Any], Checks]] = {"span": program_checks, "graph": graph_checks}
"""Parser of a domain -> the checks of the domain's programs or queries."""

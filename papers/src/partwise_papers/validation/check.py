"""Checks of a data set: what types, what the charts can reach, what runs, what is as published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from partwise.authoring.validation.reachable import Reach
from partwise.chart.algebra.type import TypeAlgebra
from partwise.errors import PartwiseError, ProgramTypeError, UnknownConstantError
from partwise.evaluation.metrics import Runner
from partwise.evaluation.summary import CheckReport, Failure, Finding
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import (
    DOMAINS,
    GRAPH_DOMAINS,
    data_folder,
    dataset_info,
    load,
    load_graphs,
)
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise_papers.validation.graphs import GraphCheck

Examples = Mapping[str, list[Example[Term]]]
"""All examples of each split, in the order train, dev, test."""


def check(name: str, data_dir: str | Path | None = None) -> CheckReport:
    """Check all splits of a data set; bad lines are listed, not raised.

    Args:
        data_dir: as for `registry.load`.

    Raises:
        DataError: for an unknown data set, or a folder or file that is missing.
    """
    info = dataset_info(name)
    if info.graphs:
        return _check_graphs(name, data_dir)
    sets = {split: load(name, split, data_dir, skip_bad=True) for split in info.splits}
    examples = {split: _all(found) for split, found in sets.items()}
    report = CheckReport(
        name,
        {s: {part: len(e) for part, e in d.parts().items()} for s, d in sets.items()},
        [_readable(sets)],
    )
    for domain_name in (info.domain, f"{info.domain}-paper"):
        if domain_name in DOMAINS:
            report.findings.extend(_language(DOMAINS[domain_name](), examples))
    runner = Runner(DOMAINS[info.domain]())
    report.findings.append(_runs(runner, examples))
    if any(example.answer is not None for found in examples.values() for example in found):
        report.findings.append(_answers(runner, examples))
    if info.published is not None:
        report.findings.extend(info.published(data_folder(name, data_dir), sets, runner))
    return report


def _check_graphs(name: str, data_dir: str | Path | None) -> CheckReport:
    info = dataset_info(name)
    check_split = GraphCheck(GRAPH_DOMAINS[info.domain])
    counts = {}
    for split in info.splits:
        texts: dict[str, str] = {}
        dataset = load_graphs(name, split, data_dir, skip_bad=True, texts=texts)
        check_split.add(dataset, texts)
        counts[split] = {part: len(found) for part, found in dataset.parts().items()}
    return CheckReport(name, counts, check_split.findings)


def _all(dataset: Dataset[Term]) -> list[Example[Term]]:
    return [example for part in dataset.parts().values() for example in part]


def _readable(sets: Mapping[str, Dataset[Term]]) -> Finding:
    finding = Finding("lines that can be read")
    for split, dataset in sets.items():
        bad = [Failure(message, "", "", "left out") for message in dataset.skipped]
        finding.add(split, len(_all(dataset)) + len(bad), bad)
    return finding


def _language(domain: Domain, examples: Examples) -> list[Finding]:
    """What types under a domain, and what of that its gold-constrained chart reaches."""
    types = TypeAlgebra(domain)
    reach = Reach(types)
    typed = Finding(f"programs that type under {domain.name}")
    reached = Finding(f"typed programs that a chart of {domain.name} reaches")
    lexical = Finding(f"the same, entities only on their phrases ({domain.name})")
    reasons: dict[Term, str | None] = {}
    for split, found in examples.items():
        good, bad = check_programs(found, types, reasons)
        typed.add(split, len(found), [Failure.of(example, why) for example, why in bad])
        # What is reached with entities on their phrases is reached without that condition too.
        missed = [e for e in good if not reach.reachable(e, by_phrase=True)]
        lost = [e for e in missed if not reach.reachable(e)]
        for finding, without in ((reached, lost), (lexical, missed)):
            finding.add(split, len(good), [Failure.of(e, "no tree yields it") for e in without])
    return [typed, reached, lexical]


def _runs(runner: Runner, examples: Examples) -> Finding:
    finding = Finding("programs that run")
    for split, found in examples.items():
        finding.add(split, len(found), list(_failures(runner, found)))
    return finding


def _answers(runner: Runner, examples: Examples) -> Finding:
    """Programs whose answer is what the data say it is; those without a stated one do not count."""
    finding = Finding("answers equal to those given")
    for split, found in examples.items():
        given = [example for example in found if example.answer is not None]
        failures = []
        for example in given:
            try:
                mine = runner.denotation(example.meaning, example.context)
            except PartwiseError as error:
                failures.append(Failure.of(example, str(error)))
                continue
            if mine != example.answer:
                failures.append(Failure.of(example, f"{mine}, expected {example.answer}"))
        finding.add(split, len(given), failures)
    return finding


def _failures(runner: Runner, examples: Iterable[Example[Term]]) -> Iterable[Failure]:
    for example in examples:
        try:
            runner.denotation(example.meaning, example.context)
        except PartwiseError as error:
            yield Failure.of(example, str(error))


def check_programs(
    examples: Iterable[Example[Term]],
    types: TypeAlgebra,
    reasons: dict[Term, str | None] | None = None,
) -> tuple[list[Example[Term]], list[tuple[Example[Term], str]]]:
    """Part examples whose program the types allow from the others, with the reason for each.

    A program that does not type may still be worth training on, so this is no error.

    Args:
        reasons: what is known of programs already; new ones are added.
    """
    reasons = {} if reasons is None else reasons
    typed: list[Example[Term]] = []
    untyped: list[tuple[Example[Term], str]] = []
    for example in examples:
        if example.meaning not in reasons:
            reasons[example.meaning] = _reason(example.meaning, types)
        reason = reasons[example.meaning]
        if reason is None:
            typed.append(example)
        else:
            untyped.append((example, reason))
    return typed, untyped


def _reason(program: Term, types: TypeAlgebra) -> str | None:
    try:
        types.check(program)
    except (UnknownConstantError, ProgramTypeError) as error:
        return str(error)
    return None

"""Checks of a data set: what types, what the charts can reach, what runs, what is as published."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from partwise.algebra.type import TypeAlgebra
from partwise.datasets.base import Dataset, Example, check_programs, parse_jsonl, read_bytes
from partwise.datasets.geoquery import CORPUS, rebuild_splits
from partwise.datasets.reachable import Reach
from partwise.datasets.registry import DOMAINS, data_folder, dataset_info, load
from partwise.datasets.summary import CheckReport, Failure, Finding
from partwise.domain import Domain
from partwise.domains.geography.denotation import read_denotation
from partwise.errors import DataError, PartwiseError
from partwise.evaluation.metrics import Runner

DENOTATIONS = "denotations.jsonl"

Examples = Mapping[str, list[Example]]
"""All examples of each split, in the order train, dev, test."""


def check(name: str, data_dir: str | Path | None = None) -> CheckReport:
    """Check all splits of a data set; bad lines are listed, not raised.

    Args:
        data_dir: as for `registry.load`.

    Raises:
        DataError: for an unknown data set, or a folder or file that is missing.
    """
    info = dataset_info(name)
    sets = {split: load(name, split, data_dir, skip_bad=True) for split in info.splits}
    examples = {split: _all(found) for split, found in sets.items()}
    report = CheckReport(
        name,
        {s: {part: len(e) for part, e in d.parts().items()} for s, d in sets.items()},
        [_readable(sets)],
    )
    for domain_name in (info.domain, f"{info.domain}-paper"):
        report.findings.extend(_language(DOMAINS[domain_name](), examples))
    runner = Runner(DOMAINS[info.domain]())
    report.findings.append(_runs(runner, examples))
    if not info.shipped:
        report.findings.extend(_published(data_folder(name, data_dir), sets, examples, runner))
    return report


def _all(dataset: Dataset) -> list[Example]:
    return [example for part in dataset.parts().values() for example in part]


def _readable(sets: Mapping[str, Dataset]) -> Finding:
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
    for split, found in examples.items():
        good, bad = check_programs(found, types)
        typed.add(split, len(found), [Failure.of(example, why) for example, why in bad])
        for finding, by_phrase in ((reached, False), (lexical, True)):
            missed = [e for e in good if not reach.reachable(e, by_phrase)]
            finding.add(split, len(good), [Failure.of(e, "no tree yields it") for e in missed])
    return [typed, reached, lexical]


def _runs(runner: Runner, examples: Examples) -> Finding:
    finding = Finding("programs that run")
    for split, found in examples.items():
        finding.add(split, len(found), list(_failures(runner, found)))
    return finding


def _failures(runner: Runner, examples: Iterable[Example]) -> Iterable[Failure]:
    for example in examples:
        try:
            runner.denotation(example.program)
        except PartwiseError as error:
            yield Failure.of(example, str(error))


def _published(
    folder: Path, sets: Mapping[str, Dataset], examples: Examples, runner: Runner
) -> list[Finding]:
    """The checks against other published files, as far as these are there."""
    found = []
    if (folder / DENOTATIONS).exists():
        found.append(_denotations(folder / DENOTATIONS, runner))
    if (folder / CORPUS).exists():
        found.append(_rebuilt(rebuild_splits(folder), sets))
    return found


def _denotations(file: Path, runner: Runner) -> Finding:
    finding = Finding(f"answers equal to those of {DENOTATIONS}")
    failures = []
    lines = _answers(file)
    for example, expected in lines:
        try:
            mine = runner.denotation(example.program)
        except PartwiseError as error:
            failures.append(Failure.of(example, str(error)))
            continue
        if mine != expected:
            failures.append(Failure.of(example, f"{_shown(mine)}, expected {_shown(expected)}"))
    finding.add(DENOTATIONS, len(lines), failures)
    return finding


def _shown(answer: Any) -> str:
    text = ", ".join(sorted(map(str, answer))) if isinstance(answer, frozenset) else str(answer)
    return f"{{{text}}}" if len(text) < 300 else f"{{{text[:300]} ...}}"


def _answers(file: Path) -> list[tuple[Example, frozenset[str | float]]]:
    """The programs of a file of answers, each with what its answer is compared by."""
    found = []
    data = read_bytes(file, '{"program": "...", "denotation": "[...]"} on each line')
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            fields = json.loads(raw)
            answer = read_denotation(fields["denotation"])
            line = json.dumps({"question": "-", "program": fields["program"]}).encode()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{file}:{number}: not a program with its answer: {error}") from error
        example = parse_jsonl(line, f"{file}:{number}", file.name)[0][0]
        found.append((Example("", example.program, f"{file.name}:{number}"), answer))
    return found


def _rebuilt(made: Mapping[str, Dataset], sets: Mapping[str, Dataset]) -> Finding:
    finding = Finding("examples equal, place by place, to the splits made from the raw corpus")
    for split, given in sets.items():
        failures: list[Failure] = []
        total = 0
        for part, mine in made[split].parts().items():
            theirs = given.parts()[part]
            total += max(len(mine), len(theirs))
            failures.extend(
                Failure.of(b, f"the raw corpus gives {a.source} here")
                for a, b in zip(mine, theirs, strict=False)
                if (a.question, a.program) != (b.question, b.program)
            )
            if len(mine) != len(theirs):
                why = f"{len(theirs)} examples, the raw corpus gives {len(mine)}"
                extra = abs(len(mine) - len(theirs))
                failures.extend([Failure(f"{split}/{part}.jsonl", "", "", why)] * extra)
        finding.add(split, total, failures)
    return finding

"""Checks of GeoQuery against the other published files: answers, and the raw corpus."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partwise.errors import DataError, PartwiseError
from partwise.evaluation.metrics import Runner
from partwise.evaluation.summary import Failure, Finding
from partwise.interface.data import Dataset, Example
from partwise.interface.jsonl import parse_jsonl, read_bytes
from partwise.language.program import Term, parse_program
from partwise_papers.datasets.geoquery import CORPUS, rebuild_splits
from partwise_papers.validation.prolog_answers import read_denotation
from partwise_papers.validation.sizes import printed_sizes

DENOTATIONS = "denotations.jsonl"


def check_published(
    folder: Path, sets: Mapping[str, Dataset[Term]], runner: Runner
) -> list[Finding]:
    """The checks against other published files, as far as these are there."""
    found = []
    if (folder / DENOTATIONS).exists():
        found.append(_denotations(folder / DENOTATIONS, runner))
    if (folder / CORPUS).exists():
        found.append(printed_sizes("geoquery", sets))
        found.append(_rebuilt(rebuild_splits(folder), sets))
    return found


def _denotations(file: Path, runner: Runner) -> Finding:
    finding = Finding(f"answers equal to those of {DENOTATIONS}")
    failures = []
    lines = _answers(file)
    for example, expected in lines:
        try:
            mine = runner.denotation(example.meaning)
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


def _answers(file: Path) -> list[tuple[Example[Term], frozenset[str | float]]]:
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
        example = parse_jsonl(line, f"{file}:{number}", file.name, parse_program)[0][0]
        found.append((Example("", example.meaning, f"{file.name}:{number}"), answer))
    return found


def _rebuilt(made: Mapping[str, Dataset[Term]], sets: Mapping[str, Dataset[Term]]) -> Finding:
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
                if (a.question, a.meaning) != (b.question, b.meaning)
            )
            if len(mine) != len(theirs):
                why = f"{len(theirs)} examples, the raw corpus gives {len(mine)}"
                extra = abs(len(mine) - len(theirs))
                failures.extend([Failure(f"{split}/{part}.jsonl", "", "", why)] * extra)
        finding.add(split, total, failures)
    return finding

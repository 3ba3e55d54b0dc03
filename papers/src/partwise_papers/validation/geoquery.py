"""Checks of GeoQuery against the other published files: answers, and the raw corpus."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from partwise.errors import DataError
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset, Example
from partwise.interface.jsonl import parse_jsonl, read_bytes
from partwise.language.program import Term, parse_program
from partwise_papers.datasets.geoquery import CORPUS, rebuild_splits
from partwise_papers.tables.published_span import printed_sizes
from partwise_papers.validation.findings import Failure, Finding, sizes
from partwise_papers.validation.programs import wrong_answer
from partwise_papers.validation.prolog_answers import read_denotation

DENOTATIONS = "denotations.jsonl"


def check_published(
    folder: Path, sets: Mapping[str, Dataset[Term]], runner: Runner
) -> list[Finding]:
    """The checks against other published files, as far as these are there."""
    findings = []
    if (folder / DENOTATIONS).exists():
        answers = Finding(f"answers equal to those of {DENOTATIONS}")
        given = _answers(folder / DENOTATIONS)
        findings.append(answers.look(DENOTATIONS, given, wrong_answer(runner)))
    if (folder / CORPUS).exists():
        printed = printed_sizes("geoquery")
        findings.append(sizes("parts of the size that the paper prints", sets, printed))
        findings.append(_rebuilt(rebuild_splits(folder), sets))
    return findings


def _answers(file: Path) -> list[Example[Term]]:
    """The programs of a file of answers, each with what its answer is compared by."""
    examples = []
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
        (example,), _ = parse_jsonl(line, f"{file}:{number}", file.name, parse_program)
        examples.append(
            replace(example, question="", source=f"{file.name}:{number}", answer=answer)
        )
    return examples


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

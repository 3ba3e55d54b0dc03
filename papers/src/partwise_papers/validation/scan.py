"""Checks of our grammar and our splits against SCAN's and SCAN-SP's published files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from partwise.errors import PartwiseError
from partwise.evaluation.metrics import Runner
from partwise.evaluation.summary import Failure, Finding
from partwise.interface.data import Dataset, Example
from partwise.language.program import Term
from partwise_papers.datasets.scan import GIVEN, SPLITS, made_sides, plain_folder, read_sides
from partwise_papers.domains.scan.grammar import language, program_of
from partwise_papers.splits.scan import RULES, Sides
from partwise_papers.validation.sizes import printed_sizes

LANGUAGE = "language"


def check_published(
    folder: Path, sets: Mapping[str, Dataset[Term]], runner: Runner
) -> list[Finding]:
    """The checks against SCAN's own files, which must be in ``scan`` beside `folder`.

    Raises:
        DataError: if they are not there.
    """
    place = plain_folder(folder)
    published = {split: read_sides(place, split, skip_bad=True) for split in SPLITS}
    found = {split: read for split, (read, _) in published.items()}
    return [
        printed_sizes("scan_sp", sets),
        _covers(found),
        _readable(published),
        _programs(sets),
        _actions(found, runner),
        _equal_sets(
            "SCAN-SP's commands equal to those of SCAN",
            {
                split: Sides(sets[split].train + sets[split].dev, sets[split].test)
                for split in GIVEN
            },
            found,
        ),
        _equal_sets(
            "commands equal to those of the split made by rule",
            {split: made_sides(split) for split in RULES},
            found,
        ),
    ]


def _covers(published: Mapping[str, Sides]) -> Finding:
    finding = Finding("commands of the grammar that are published")
    known = {e.question for found in published.values() for side in found for e in side}
    failures = [
        Failure("grammar", command, str(program), "in none of the published files")
        for command, program in language()
        if command not in known
    ]
    finding.add(LANGUAGE, len(language()), failures)
    return finding


def _readable(published: Mapping[str, tuple[Sides, list[str]]]) -> Finding:
    finding = Finding("published commands that the grammar has")
    for split, (found, skipped) in published.items():
        failures = [Failure(message, "", "", "left out") for message in skipped]
        finding.add(split, _size(found) + len(failures), failures)
    return finding


def _programs(sets: Mapping[str, Dataset[Term]]) -> Finding:
    finding = Finding("programs equal to those of the grammar")
    for split in GIVEN:
        examples = [e for part in sets[split].parts().values() for e in part]
        found = ((example, _unlike(example)) for example in examples)
        finding.add(split, len(examples), [Failure.of(e, why) for e, why in found if why])
    return finding


def _unlike(example: Example[Term]) -> str | None:
    try:
        mine = program_of(example.question)
    except PartwiseError as error:
        return str(error)
    return None if mine == example.meaning else f"the grammar gives {mine}"


def _actions(published: Mapping[str, Sides], runner: Runner) -> Finding:
    finding = Finding("actions equal to those of SCAN")
    for split, found in published.items():
        failures = []
        for example in (*found.train, *found.test):
            mine = runner.denotation(example.meaning)
            if mine != example.answer:
                failures.append(Failure.of(example, f"{mine}, expected {example.answer}"))
        finding.add(split, _size(found), failures)
    return finding


def _equal_sets(what: str, mine: Mapping[str, Sides], published: Mapping[str, Sides]) -> Finding:
    """Whether two splits have the same commands, each as often, in train and in test."""
    finding = Finding(what)
    for split, made in mine.items():
        failures = []
        for part, ours, theirs in zip(Sides._fields, made, published[split], strict=True):
            failures.extend(_differences(f"{split}.{part}", ours, theirs))
        finding.add(split, max(_size(published[split]), len(failures)), failures)
    return finding


def _differences(
    where: str, ours: Iterable[Example[Term]], theirs: Iterable[Example[Term]]
) -> list[Failure]:
    mine, given = Counter(e.question for e in ours), Counter(e.question for e in theirs)
    return [
        Failure(where, command, "", f"{mine[command]} times, {given[command]} in SCAN")
        for command in mine | given
        if mine[command] != given[command]
    ]


def _size(found: Sides) -> int:
    return len(found.train) + len(found.test)

"""Checks of our grammar and our splits against SCAN's and SCAN-SP's published files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from partwise.errors import PartwiseError
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset, Example
from partwise.language.program import Term
from partwise_papers.datasets.scan import GIVEN, SPLITS, made_sides, plain_folder, read_sides
from partwise_papers.domains.scan.grammar import language, program_of
from partwise_papers.splits.scan import RULES, Sides
from partwise_papers.tables.published_span import printed_sizes
from partwise_papers.validation.findings import Failure, Finding, every, sizes
from partwise_papers.validation.programs import wrong_answer

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
    theirs = {split: sides for split, (sides, _) in published.items()}
    readable = Finding("published commands that the grammar has")
    programs = Finding("programs equal to those of the grammar")
    actions = Finding("actions equal to those of SCAN")
    for split, (sides, skipped) in published.items():
        bad = [Failure(message, "", "", "left out") for message in skipped]
        readable.add(split, _size(sides) + len(bad), bad)
        actions.look(split, (*sides.train, *sides.test), wrong_answer(runner))
    given = {}
    for split in GIVEN:
        programs.look(split, every(sets[split]), _unlike)
        given[split] = Sides(sets[split].train + sets[split].dev, sets[split].test)
    made = {split: made_sides(split) for split in RULES}
    return [
        sizes("parts of the size that the paper prints", sets, printed_sizes("scan_sp")),
        _covers(theirs),
        readable,
        programs,
        actions,
        _equal_sets("SCAN-SP's commands equal to those of SCAN", given, theirs),
        _equal_sets("commands equal to those of the split made by rule", made, theirs),
    ]


def _covers(published: Mapping[str, Sides]) -> Finding:
    finding = Finding("commands of the grammar that are published")
    known = {e.question for sides in published.values() for side in sides for e in side}
    failures = [
        Failure("grammar", command, str(program), "in none of the published files")
        for command, program in language()
        if command not in known
    ]
    finding.add(LANGUAGE, len(language()), failures)
    return finding


def _unlike(example: Example[Term]) -> str:
    try:
        mine = program_of(example.question)
    except PartwiseError as error:
        return str(error)
    return "" if mine == example.meaning else f"the grammar gives {mine}"


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


def _size(sides: Sides) -> int:
    return len(sides.train) + len(sides.test)

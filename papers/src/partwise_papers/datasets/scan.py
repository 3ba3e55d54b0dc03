"""SCAN and SCAN-SP: splits made by rule from the language's grammar, and the published files.

The published files are laid out as::

    scan_sp/{simple,right,around_right}/{train,dev,test}.jsonl.gz, {dev,test}_trees.jsonl.gz
    scan/<split>.{train,test}.txt.gz
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from partwise.errors import DataError
from partwise.interface.data import PARTS, Dataset, Example
from partwise.language.program import Term
from partwise_papers.datasets.scan_files import (
    JSON,
    PLAIN,
    json_line,
    plain_line,
    read_lines,
    tree_line,
)
from partwise_papers.domains.scan.grammar import action_sequence, language
from partwise_papers.splits.scan import RULES, Sides, apart, sides

MADE = ("simple", *RULES)
"""Splits made from the grammar."""
GIVEN = ("simple", "right", "around_right")
"""Splits of which SCAN-SP has files with programs."""
SPLITS = (*MADE, "mcd1", "mcd2", "mcd3")
"""Splits of the published files."""
TREES = ("dev", "test")


def make_scan(split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """Make a split from the grammar; nothing is read, so that there are no bad lines.

    Train and dev are shuffled with a fixed seed, and dev is a fifth of the training set.

    Raises:
        DataError: for an unknown split.
    """
    if split not in MADE:
        raise DataError(f"scan has no split {split!r}; it has {', '.join(MADE)}")
    made = made_sides(split)
    return Dataset("scan", split, *apart(made.train), made.test)


def made_sides(split: str) -> Sides:
    """The training and test set that a split's rule gives; sources are as ``scan/right:123``."""
    commands = [
        Example(e.question, e.meaning, f"scan/{split}:{e.id}", e.id, answer=e.answer)
        for e in _commands()
    ]
    return sides(split, commands)


@cache
def _commands() -> tuple[Example[Term], ...]:
    """The whole language; an example's id is its number there, from 1."""
    return tuple(
        Example(text, program, id=str(number), answer=action_sequence(text))
        for number, (text, program) in enumerate(language(), start=1)
    )


def read_scan_sp(folder: str | Path, split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """Read one published split.

    Splits that SCAN-SP has are read from `folder`, in its order. The others are read from SCAN's
    own files in the folder ``scan`` beside it: programs are those of our grammar, and dev is a
    fifth of the shuffled training set.

    Raises:
        DataError: for an unknown split, a missing folder or file, or a bad line.
    """
    if split not in SPLITS:
        raise DataError(f"scan_sp has no split {split!r}; it has {', '.join(SPLITS)}")
    if split not in GIVEN:
        made, skipped = read_sides(plain_folder(folder), split, skip_bad=skip_bad)
        return Dataset("scan_sp", split, *apart(made.train), made.test, skipped)
    found = {
        part: read_lines(
            Path(folder) / split,
            f"{part}.jsonl",
            json_line,
            JSON,
            skip_bad=skip_bad,
            label=f"{split}/{part}.jsonl",
        )
        for part in PARTS
    }
    train, dev, test = (found[part][0] for part in PARTS)
    return Dataset("scan_sp", split, train, dev, test, [m for p in PARTS for m in found[p][1]])


def read_sides(folder: Path, split: str, *, skip_bad: bool = False) -> tuple[Sides, list[str]]:
    """The training and test set of a split in SCAN's own files, and messages for bad lines.

    Raises:
        DataError: for a missing file or a bad line.
    """
    found = [
        read_lines(folder, f"{split}.{part}.txt", plain_line, PLAIN, skip_bad=skip_bad)
        for part in ("train", "test")
    ]
    return Sides(found[0][0], found[1][0]), found[0][1] + found[1][1]


def plain_folder(folder: str | Path) -> Path:
    """The folder of SCAN's own files: ``scan`` beside that of SCAN-SP.

    Raises:
        DataError: if it is not there.
    """
    place = Path(folder).resolve().parent / "scan"
    if not place.is_dir():
        raise DataError(
            f"{place}: no such folder; expected SCAN's files <split>.train.txt.gz there"
        )
    return place


def read_trees(folder: str | Path, split: str, part: str) -> list[Example[Term]]:
    """The annotated span trees of a part of SCAN-SP (paper section 4.4), as `Example.spans`.

    Raises:
        DataError: for a split or part without trees, a missing file, or a bad line.
    """
    if split not in GIVEN or part not in TREES:
        raise DataError(
            f"no trees for {split}/{part}: they are there for {', '.join(GIVEN)} and "
            f"{', '.join(TREES)}"
        )
    expected = f'{JSON[:-1]}, "gold_spans": [...]}}'
    label = f"{split}/{part}_trees.jsonl"
    file = f"{part}_trees.jsonl"
    return read_lines(Path(folder) / split, file, tree_line, expected, label=label)[0]

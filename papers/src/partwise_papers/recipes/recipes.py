"""How each row of our tables is made: the commands, to be edited here and nowhere else.

A command is ``partwise train DATASET --split SPLIT --seed SEED --test``, the options of the row,
and those of the data set. A result file records the same command (its options in the order of
``partwise train --help``).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from partwise.training.store import run_name
from partwise_papers.tables.published import MCD, PART, PASSES, SPLITS, Row, all_rows

VARIANTS = {
    "crf-sharp": "--types sharp --objective crf",
    "hard-paper": "--types paper --objective hard",
    "crf-sharp-recombined": "--types sharp --objective crf --recombine 0.5",
    "crf-sharp-names": "--types sharp --objective crf --lexicon names",
    "crf-sharp-projective": "--types sharp --objective crf --no-ternary",
    "trees-sharp-names": "--types sharp --objective trees --lexicon names",
}
"""Variant of a span parser -> its options."""
DATA = {
    "geoquery": "--precision bf16 --threads 1",
    "scan_sp": "--encoder bilstm --epochs 1 --batch-size 32 --precision bf16 --threads 1",
    "clevr": "--encoder bilstm --epochs 3 --batch-size 32 --precision bf16 --threads 1",
}
"""Data set -> options of the training loop of span parsers."""
ORDER = (
    *("--variant", "--types", "--objective", "--encoder", "--lexicon", "--no-ternary"),
    *("--recombine", "--epochs", "--batch-size", "--precision", "--threads"),
)
"""Options in the order of ``partwise train --help``."""
FURTHER = {
    "scan_sp": (
        *("length", "addjump", "addturnleft", "opposite_right", "jump_around_right"),
        *MCD,
    )
}
"""Splits beyond the paper, of the first row only."""
TREES = ("span", "recombined", "paper")
"""Rows of Table 3."""

TUNED = {
    ("geoquery", "contextual"): "--dropout 0.4",
    ("geoquery", "grammar"): "--dropout 0.4",
    ("clevr", "grammar"): "--epochs 30",
    ("mcwq", f"transformer-e{PASSES}"): f"--epochs {PASSES} --dropout 0.1",
}
"""Data set and row -> settings that are over five points better than the first ones, on CLEVR's dev
or on a held-out part of train (``benchmarks/tuning.py``). Less is chance there."""
ASKED = {"scan_sp": "--eval-size 100", "clevr": "--eval-size 100", "mcwq": "--eval-size 50"}
"""Data set -> how many questions in-context learning, which takes seconds for each, is asked."""
APART = ("seq2seq", "end2end", "in-context")
"""Variants that have a training of their own for CLOSURE, on the same pairs as for CLEVR."""
AUTO = "--precision auto"
"""In a recipe of a baseline: fp32, or bf16 on processors that have it."""
SEEDS = {"geoquery": (0, 1, 2), "scan_sp": (0,), "clevr": (0,), "mcwq": (0,)}
"""Data set -> seeds of baselines: three where a run takes less than half an hour."""


@dataclass(frozen=True)
class Step:
    """One command of a recipe.

    Attributes:
        words: the command after ``partwise``, without places on this machine.
        run: name of the run's folder, which ``train`` writes and ``evaluate`` reads.
        file: name of the result file that it adds to.
    """

    words: tuple[str, ...]
    run: str
    file: str
    seed: int


@dataclass(frozen=True)
class Recipe:
    """A cell of our tables: a row on a split, with its seeds.

    Attributes:
        row: the key of a row of `published.all_rows`.
        tables: where it stands among those of the span paper: "2", "3", "scan" or "closure".
        kind: of parser.
    """

    row: str
    dataset: str
    split: str
    variant: str
    seeds: tuple[int, ...] = (0, 1, 2)
    tables: tuple[str, ...] = ()
    kind: str = "span"

    @property
    def trained_on(self) -> str:
        """The split that the parser is trained on; on CLOSURE it may be CLEVR's."""
        own = self.split != "closure" or self.variant in APART
        return self.split if own else "iid"

    @property
    def file_name(self) -> str:
        """The result file."""
        return self._file(self.split)

    def steps(self, seed: int) -> tuple[Step, ...]:
        """What is to be run for a seed, in order."""
        name = run_name(self.dataset, self.trained_on, self.variant, seed)
        train = self._train(seed)
        steps = [Step(train, name, self._file(self.trained_on), seed)]
        if self.trained_on != self.split:
            words = _evaluation(name, self.dataset, self.split, train)
            steps.append(Step(words, name, self.file_name, seed))
        return tuple(steps)

    def _train(self, seed: int) -> tuple[str, ...]:
        """The words after ``partwise`` that train the row."""
        run = f"--split {self.trained_on} --seed {seed} --test"
        variant = f"--variant {self.variant}"
        part = re.search(r"-n(\d+)$", self.variant)
        name = self.variant.removesuffix(part[0]) if part else self.variant
        size = part[1] if part else str(PART) if self.dataset == "mcwq" else ""
        sized = f"--train-size {size}" if size else ""
        if self.kind == "span":
            words = [run, _order(f"{variant} {VARIANTS[name]} {DATA[self.dataset]}")]
        elif self.kind == "graph":
            words = [run, f"--composition {name}", sized if part else ""]
        else:
            system = f"--system {re.sub(r'-e[0-9]+$', '', name)}" if self.kind == "seq2seq" else ""
            # Pretrained systems have a precision of their own.
            precise = "" if self.variant in ("bart", "bert2bert") else AUTO
            asked = ASKED.get(self.dataset, "") if self.kind == "in-context" else ""
            words = [f"--parser {self.kind}", system, run, variant, "--threads 1", precise]
            words += [sized, asked, TUNED.get((self.dataset, name), "")]
        return ("train", self.dataset, *shlex.split(" ".join(words)))

    def _file(self, split: str) -> str:
        return f"{self.kind}-{self.dataset}-{split}-{self.variant}.json"


def _order(options: str) -> str:
    """Options with their values, in the order in which a result file records them."""
    groups = re.findall(r"(--\S+)((?: (?!--)\S+)*)", options)
    return " ".join("".join(g) for g in sorted(groups, key=lambda g: ORDER.index(g[0])))


def recipes() -> tuple[Recipe, ...]:
    """The cells of our span parsers: the paper's splits for every row, then the further splits."""
    rows = [row for row in all_rows() if row.kind == "span"]
    found = []
    for row in rows:
        for split in SPLITS:
            if split.dataset in row.datasets:
                trees = ("3",) if row.key in TREES else ()
                closure = ("closure",) if split.split == "closure" else ()
                tables = ("2", *trees, *closure)
                place = (split.dataset, split.split)
                found.append(Recipe(row.key, *place, row.variant, tables=tables))
    for dataset, splits in FURTHER.items():
        found += [
            Recipe(rows[0].key, dataset, s, rows[0].variant, tables=("scan",)) for s in splits
        ]
    return tuple(found)


def all_recipes() -> tuple[Recipe, ...]:
    """Those of our span parsers, of our graph parsers, and of the baselines."""
    rows = (row for row in all_rows() if row.kind != "span" and not row.former)
    return (*recipes(), *(recipe for row in rows for recipe in _of_row(row)))


def _of_row(row: Row) -> Iterator[Recipe]:
    places = [(s.dataset, s.split) for s in SPLITS]
    places += [("mcwq", split) for split in (*MCD, "random")]
    for dataset, split in places:
        if dataset in row.datasets:
            yield Recipe(row.key, dataset, split, row.variant, SEEDS[dataset], kind=row.kind)


def is_run_of(recipe: str, run: str) -> bool:
    """Whether a command that was run is a recipe's; it may say the device, and the precision that
    the recipe leaves to the machine, or evaluate again what the recipe trained."""

    def same(text: str) -> str:
        return re.sub(r" --precision \S+", "", text) if AUTO in recipe else text

    run = re.sub(r" --device \S+", "", run)
    return same(run) == same(recipe) or run == _evaluate_again(recipe)


def _evaluate_again(recipe: str) -> str | None:
    """The command that evaluates again what a recipe trained; None if the recipe is no training of
    a baseline."""
    program, *train = shlex.split(recipe)
    if "--variant" not in train:
        return None
    split, seed, variant = (
        train[train.index(option) + 1] for option in ("--split", "--seed", "--variant")
    )
    run = run_name(train[1], split, variant, int(seed))
    return " ".join((program, *_evaluation(run, train[1], split, train)))


def _evaluation(run: str, dataset: str, split: str, train: Sequence[str]) -> tuple[str, ...]:
    """The words that evaluate what a training made, with as many threads.

    Args:
        run: the name of its folder.
        train: the words of the training.
    """
    threads = train.index("--threads") if "--threads" in train else len(train)
    test = ("evaluate", f"runs/{run}", dataset, "--split", split, "--save")
    return (*test, *train[threads : threads + 2])

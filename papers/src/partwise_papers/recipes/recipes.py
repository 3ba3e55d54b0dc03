"""How each row of our tables is made: the commands, to be edited here and nowhere else.

A command is ``partwise train DATASET --split SPLIT --seed SEED --test``, the options of the
variant, and those of the data set. A result file records the same command (its options in the
order of ``partwise train --help``).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from partwise.training.session import run_name
from partwise_papers.recipes.baselines import SEEDS as BASELINE_SEEDS
from partwise_papers.recipes.baselines import TRAINED_APART, command, evaluation
from partwise_papers.tables.baselines import BASELINES, OURS
from partwise_papers.tables.published_graph import SPLITS as MCD
from partwise_papers.tables.published_span import ROWS, SPLITS, Row

SYSTEM = "span"

VARIANTS = {
    "crf-sharp": "--variant crf-sharp --types sharp --objective crf",
    "hard-paper": "--variant hard-paper --types paper --objective hard",
    "crf-sharp-recombined": (
        "--variant crf-sharp-recombined --types sharp --objective crf --recombine 0.5"
    ),
    "crf-sharp-names": "--variant crf-sharp-names --types sharp --objective crf --lexicon names",
    "crf-sharp-projective": (
        "--variant crf-sharp-projective --types sharp --objective crf --no-ternary"
    ),
    "trees-sharp-names": (
        "--variant trees-sharp-names --types sharp --objective trees --lexicon names"
    ),
}
"""Variant -> its options."""

DATA = {
    "geoquery": "--precision bf16 --threads 1",
    "scan_sp": "--encoder bilstm --epochs 1 --batch-size 32 --precision bf16 --threads 1",
    "clevr": "--encoder bilstm --epochs 3 --batch-size 32 --precision bf16 --threads 1",
}
"""Data set -> options of the training loop."""

ORDER = (
    *("--variant", "--types", "--objective", "--encoder", "--lexicon", "--no-ternary"),
    "--recombine",
    *("--epochs", "--batch-size", "--precision", "--threads"),
)
"""Options in the order of ``partwise train --help``."""

SEEDS = dict.fromkeys(DATA, (0, 1, 2))
"""Data set -> seeds."""

TRAINED_ON = {("clevr", "closure"): "iid"}
"""(data set, split) -> the split whose parser is tested on it, where it has none of its own."""

FURTHER = {
    "scan_sp": (
        *("length", "addjump", "addturnleft", "opposite_right", "jump_around_right"),
        *("mcd1", "mcd2", "mcd3"),
    )
}
"""Splits beyond the paper, of the first row only."""


@dataclass(frozen=True)
class Recipe:
    """A cell of our tables: a row on a split, with its seeds.

    Attributes:
        row: the key of a row of `published_span.ROWS` or of `baselines`.
        tables: where it stands among those of the span paper: "2", "3", "scan" or "closure".
        kind: of parser.
    """

    row: str
    dataset: str
    split: str
    variant: str
    seeds: tuple[int, ...]
    tables: tuple[str, ...] = ()
    kind: str = SYSTEM

    @property
    def trained_on(self) -> str:
        """The split that the parser is trained on."""
        apart = self.kind != SYSTEM and self.variant in TRAINED_APART
        return self.split if apart else TRAINED_ON.get((self.dataset, self.split), self.split)

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
            words = evaluation(name, self.dataset, self.split, train)
            steps.append(Step(words, name, self.file_name, seed))
        return tuple(steps)

    def _train(self, seed: int) -> tuple[str, ...]:
        if self.kind != SYSTEM:
            return command(self.kind, self.dataset, self.variant, self.trained_on, seed)
        train = ("train", self.dataset, "--split", self.trained_on, "--seed", str(seed), "--test")
        options = shlex.split(f"{VARIANTS[self.variant]} {DATA[self.dataset]}")
        return (*train, *_ordered(options))

    def _file(self, split: str) -> str:
        return f"{self.kind}-{self.dataset}-{split}-{self.variant}.json"


def _ordered(words: list[str]) -> tuple[str, ...]:
    """Options with their values, in the order in which a result file records them."""
    groups: list[list[str]] = []
    for word in words:
        if word.startswith("--"):
            groups.append([])
        groups[-1].append(word)
    return tuple(
        word for group in sorted(groups, key=lambda g: ORDER.index(g[0])) for word in group
    )


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


def recipes() -> tuple[Recipe, ...]:
    """The cells of our span parsers: the paper's splits for every row, then the further splits."""
    found = [
        _recipe(row.key, split.dataset, split.split, row.variants[0], _tables(row.key, split.split))
        for row in ROWS
        for split in SPLITS
        if split.dataset in row.datasets
    ]
    first = ROWS[0]
    found += [
        _recipe(first.key, dataset, split, first.variants[0], ("scan",))
        for dataset, splits in FURTHER.items()
        for split in splits
    ]
    return tuple(found)


def all_recipes() -> tuple[Recipe, ...]:
    """Those of our span parsers, of our graph parsers, and of the baselines."""
    return (*recipes(), *(one for row in (*OURS, *BASELINES) for one in _baseline(row)))


def _baseline(row: Row) -> Iterator[Recipe]:
    places = [(s.dataset, s.split) for s in SPLITS]
    places += [("mcwq", split) for split in (*MCD, "random")]
    for dataset, split in places:
        if dataset in row.datasets:
            seeds = BASELINE_SEEDS[dataset]
            yield Recipe(row.key, dataset, split, row.variants[0], seeds, kind=row.kind)


def _recipe(row: str, dataset: str, split: str, variant: str, tables: tuple[str, ...]) -> Recipe:
    return Recipe(row, dataset, split, variant, SEEDS[dataset], tables)


def _tables(row: str, split: str) -> tuple[str, ...]:
    trees = ("3",) if row in ("span", "recombined", "paper") else ()
    return ("2", *trees, *(("closure",) if split == "closure" else ()))

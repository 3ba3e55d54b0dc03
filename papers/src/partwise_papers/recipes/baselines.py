"""The commands behind the rows of `tables.baselines`, to be edited here and nowhere else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from partwise.training.session import run_name
from partwise_papers.tables.baselines import PART, PASSES

GRAPH, SEQ2SEQ = "graph", "seq2seq"
PRETRAINED = ("bart", "bert2bert")
"""Systems with a precision of their own."""
AUTO = "--precision auto"
"""In a recipe: fp32, or bf16 on processors that have it."""
THREADS = "--threads 1"
"""An option of all trainings of baselines."""
TUNED = {
    ("geoquery", "contextual"): "--dropout 0.4",
    ("geoquery", "grammar"): "--dropout 0.4",
    ("clevr", "grammar"): "--epochs 30",
    ("mcwq", f"transformer-e{PASSES}"): f"--epochs {PASSES} --dropout 0.1",
}
"""Data set and row -> settings that are over five points better than the first ones, on CLEVR's dev
or on a held-out part of train (``benchmarks/tuning.py``). Less is chance there."""
SIZES = {"mcwq": str(PART)}
"""Data set -> how many pairs they are trained on where these are not all."""
ASKED = {
    ("in-context", "scan_sp"): "100",
    ("in-context", "clevr"): "100",
    ("in-context", "mcwq"): "50",
}
"""Kind and data set -> how many questions of dev and of test are asked where a parser takes seconds
for each of thousands."""
TRAINED_APART = ("seq2seq", "end2end", "in-context")
"""Systems that have a training of their own for CLOSURE, on the same pairs as for CLEVR."""
_PART = re.compile(r"-n(\d+)$")
"""How a variant ends that is trained on so many pairs."""
_PASSES = re.compile(r"-e\d+$")
"""How one ends that has so many passes."""
SEEDS = {"geoquery": (0, 1, 2), "scan_sp": (0,), "clevr": (0,), "mcwq": (0,)}
"""Data set -> seeds: three where a run takes less than half an hour."""


def is_run_of(recipe: str, run: str) -> bool:
    """Whether a command that was run is a recipe's; it may say the device, and the precision that
    the recipe leaves to the machine, or evaluate again what the recipe trained."""
    run = re.sub(r" --device \S+", "", run)
    same = run == recipe or (AUTO in recipe and _plain(run) == _plain(recipe))
    return same or run == evaluated_again(recipe)


def evaluated_again(recipe: str) -> str | None:
    """The command that evaluates again what a recipe trained; None if the recipe is no training of
    a baseline."""
    program, *train = shlex.split(recipe)
    if "--variant" not in train:
        return None
    split, seed, variant = (
        train[train.index(option) + 1] for option in ("--split", "--seed", "--variant")
    )
    run = run_name(train[1], split, variant, int(seed))
    return " ".join((program, *evaluation(run, train[1], split, train)))


def evaluation(run: str, dataset: str, split: str, train: Sequence[str]) -> tuple[str, ...]:
    """The words that evaluate what a training made, with as many threads.

    Args:
        run: the name of its folder.
        train: the words of the training.
    """
    threads = train.index("--threads") if "--threads" in train else len(train)
    test = ("evaluate", f"runs/{run}", dataset, "--split", split, "--save")
    return (*test, *train[threads : threads + 2])


def _plain(text: str) -> str:
    return re.sub(r" --precision \S+", "", text)


def command(kind: str, dataset: str, variant: str, split: str, seed: int) -> tuple[str, ...]:
    """The words after ``partwise`` that train a row for one seed."""
    run = ("--split", split, "--seed", str(seed), "--test")
    part = _PART.search(variant)
    name = _PART.sub("", variant)
    if kind == GRAPH:
        return (
            "train",
            dataset,
            *run,
            "--composition",
            name,
            *_counted("--train-size", part and part[1]),
        )
    size = _counted("--train-size", part[1] if part else SIZES.get(dataset))
    system = ("--system", _PASSES.sub("", name)) if kind == SEQ2SEQ else ()
    given = shlex.split(THREADS if variant in PRETRAINED else f"{THREADS} {AUTO}")
    tuned = shlex.split(TUNED.get((dataset, name), ""))
    asked = _counted("--eval-size", ASKED.get((kind, dataset)))
    own = ("--variant", variant, *given, *size, *asked, *tuned)
    return ("train", dataset, "--parser", kind, *system, *run, *own)


def _counted(option: str, count: str | None) -> tuple[str, ...]:
    return (option, count) if count else ()

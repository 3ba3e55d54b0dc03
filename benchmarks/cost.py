"""What each system costs beside the span parser: time, memory, parameters, accuracy.

    python benchmarks/cost.py SPAN MODEL... --dataset geoquery --split iid [--repetitions 5]

SPAN and MODEL are folders of runs, or names of parsers that come with the package. Each system runs
in a process of its own, one after the other and again in each repetition, so that what else the
machine does meets all of them; ratios are to SPAN in the same repetition. One thread.

- *latency*: the median time of a question that is parsed alone;
- *throughput*: questions a second in batches of 64;
- *training*: the seconds of all passes over the training questions, at the pace of the first
  `PACED` seconds; nothing of systems that are not trained by passes;
- *memory*: the most that the process held while it answered, with Python and its libraries.

Accuracy is the mean over the seeds of the stored row of the system, and training is that of this
row; without one, both are those of the model.

Written to benchmarks/results/cost.json; `partwise plot cost` draws it.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

from partwise.encoders.storage import read_json, write_json
from partwise.evaluation.metrics import evaluate
from partwise.evaluation.splits import some_of
from partwise.interface.data import Example
from partwise.interface.parser import Checkpoints, Parser
from partwise.interface.registry import data_note, load
from partwise.interface.settings import from_dict
from partwise.training.store import CONFIG, find_pretrained, load_parser
from partwise.training.trainer import TrainingConfig
from partwise_papers.results.recorder import checkout_commit, device
from partwise_papers.results.result import Result, load_result, mean_ci95

OUT = Path(__file__).resolve().parent / "results" / "cost.json"
RESULTS = Path(__file__).resolve().parent.parent / "papers" / "results"
MEASURED = ("latency", "throughput", "memory", "training")
"""What every repetition gives."""
FACTS = ("parameters",)
"""What is the same in each."""
BATCH, WARM = 64, 3
PACED, STEPS = 10.0, 3
"""Seconds of training that tell its pace, and the fewest steps."""
Row = dict[str, Any]


def timed(parser: Parser[Any], examples: Sequence[Example[Any]]) -> Row:
    """Seconds of a question alone, and questions a second in batches of `BATCH`."""
    for example in examples[:WARM]:
        parser.parse_examples([example])
    alone = []
    for example in examples:
        begin = time.perf_counter()
        parser.parse_examples([example])
        alone.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    for start in range(0, len(examples), BATCH):
        parser.parse_examples(examples[start : start + BATCH])
    taken = time.perf_counter() - begin
    return {"latency": median(alone), "throughput": len(examples) / taken}


class _Paced(Exception):
    """The pace is known, and the training can stop."""


def training_seconds(
    parser: Parser[Any], train: Sequence[Example[Any]], settings: TrainingConfig
) -> float | None:
    """Seconds of a whole training of a parser with the same settings, at its first pace; None if it
    does not say how far it is."""
    told: list[tuple[float, int]] = []
    every = 0

    def tick(seen: int, asked: int) -> None:
        nonlocal every
        every = asked
        told.append((time.perf_counter(), seen))
        if told[-1][0] - told[0][0] >= PACED and len(told) > STEPS:
            raise _Paced

    new = type(parser).create(parser.domain, parser.config)
    with suppress(_Paced):
        new.fit(train, (), settings, Checkpoints(tick=tick))
    if len(told) <= STEPS:
        return None
    # The first step is not timed: it is slower than others.
    (begin, first), (end, last) = told[0], told[-1]
    return every * (end - begin) / (last - first)


def once(model: str, given: argparse.Namespace) -> Row:
    """All of one system, in this process."""
    import torch

    torch.set_num_threads(1)
    folder = find_pretrained(model)
    parser, config = load_parser(folder, trainable=True), read_json(folder / CONFIG)
    data = load(given.dataset, given.split, given.data)
    row = timed(parser, data.test[: given.questions])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    training, parser_config = config["training"], config["parser"]
    variant = training.get("variant", "")
    stored = _stored(config["kind"], given.dataset, given.split, variant)
    size = stored.setup.train_size if stored else training["train_size"]
    settings = of_this_machine(stored.setup.settings["loop"] if stored else training["settings"])
    # Of a model that is no torch module, what it says itself.
    weights = getattr(parser, "parameters", tuple)()
    known = sum(one.numel() for one in weights) or getattr(parser, "parameter_count", None)
    # What both sides begin with says more than the encoder that a setting names.
    known_as = parser_config.get("pretrained")
    return {
        "system": config["kind"],
        "variant": variant,
        "encoder": str(known_as or parser_config.get("encoder", "")).rsplit("/", 1)[-1],
        "parameters": known,
        **row,
        "memory": memory,
        "training": training_seconds(parser, some_of(data.train, size), settings),
        **({} if not given.accuracy else _accuracy(parser, data.test, stored)),
    }


def of_this_machine(settings: Mapping[str, Any]) -> TrainingConfig:
    """The settings of a training that may have run elsewhere; bfloat16 is used where it is fast."""
    made = from_dict(TrainingConfig, settings)
    return replace(made, precision="auto") if made.precision == "bf16" else made


def _stored(kind: str, dataset: str, split: str, variant: str) -> Result | None:
    """The result file of a system."""
    file = RESULTS / f"{kind}-{dataset}-{split}-{variant}.json"
    return load_result(file) if file.exists() else None


def refreshed(content: Row) -> Row:
    """What is measured, with the accuracies of the results that are stored now."""
    place = content["dataset"], content["split"]
    stored = [_stored(row["system"], *place, row["variant"]) for row in content["rows"]]
    rows = [
        {**row, **(_mean_accuracy(one) if one else {})}
        for row, one in zip(content["rows"], stored, strict=True)
    ]
    return {**content, "rows": rows}


def _mean_accuracy(stored: Result) -> Row:
    metric = "denotation" if "denotation" in stored.metrics else "exact_match"
    return {"metric": metric.replace("_", " "), "accuracy": stored.mean_ci95(metric)[0]}


def _accuracy(parser: Parser[Any], test: Sequence[Example[Any]], stored: Result | None) -> Row:
    if stored is not None:
        return _mean_accuracy(stored)
    scores = evaluate(parser, test)
    runs = scores.denotation is not None
    return {
        "metric": "denotation" if runs else "exact match",
        "accuracy": scores.denotation if runs else scores.exact_match,
    }


def apart(model: str, given: argparse.Namespace, accuracy: bool) -> Row:
    """The same in a process of its own.

    Raises:
        SystemExit: if it fails.
    """
    words = [sys.executable, str(Path(__file__).resolve()), model, "--one"]
    words += ["--dataset", given.dataset, "--split", given.split]
    words += ["--questions", str(given.questions)]
    words += ["--data", str(given.data)] if given.data else []
    words += ["--accuracy"] if accuracy else []
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{model}: its process failed with exit code {done.returncode}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def summed(repetitions: Sequence[Sequence[Row]]) -> list[Row]:
    """A row for each system: its figures in each repetition, and ratios to the first system.

    Args:
        repetitions: in each, a row for each system, in the same order.

    Returns:
        The rows of the first repetition, with lists in the place of what is `MEASURED`, and
        ``ratios``: for these the mean and half of the 95 % interval over repetitions (null for one
        repetition), for `FACTS` the ratio (null where a number is not known).
    """
    base = [rows[0] for rows in repetitions]
    systems = zip(*repetitions, strict=True)
    return [_system(list(rows), base) for rows in systems]


def _system(rows: Sequence[Row], base: Sequence[Row]) -> Row:
    first = rows[0]
    lists = {name: [row[name] for row in rows] for name in MEASURED}
    ratios: Row = {name: _ratio(first, base[0], name) for name in FACTS}
    for name in MEASURED:
        pairs = zip(rows, base, strict=True)
        each = [made for row, other in pairs if (made := _ratio(row, other, name)) is not None]
        mean, half = mean_ci95(each) if len(each) == len(rows) else (None, None)
        ratios[name] = {"mean": mean, "ci95": half}
    return {**first, **lists, "ratios": ratios}


def _ratio(row: Mapping[str, Any], base: Mapping[str, Any], name: str) -> float | None:
    mine, other = row[name], base[name]
    return mine / other if mine and other else None


def main() -> None:
    """Measure all systems, print, and keep the results."""
    form = argparse.RawDescriptionHelpFormatter
    options = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    options.add_argument("models", nargs="*", help="the span parser first")
    options.add_argument("--dataset")
    options.add_argument("--split")
    options.add_argument(
        "--refresh",
        action="store_true",
        help="measure nothing: put the accuracies that are stored now into the file",
    )
    options.add_argument("--data", type=Path)
    options.add_argument("--questions", type=int, default=256, help="of test that are timed")
    options.add_argument("--repetitions", type=int, default=5)
    options.add_argument("--out", type=Path, default=OUT)
    options.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options.add_argument("--accuracy", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.refresh:
        write_json(given.out, refreshed(read_json(given.out)))
        return
    if not (given.models and given.dataset and given.split):
        options.error("name the models, --dataset and --split")
    if given.one:
        print(json.dumps(once(given.models[0], given)))
        return
    repetitions = []
    for number in range(given.repetitions):
        repetitions.append([apart(model, given, number == 0) for model in given.models])
        print(
            f"repetition {number + 1} of {given.repetitions} is done", file=sys.stderr, flush=True
        )
    rows = summed(repetitions)
    for row in rows:
        ratio = row["ratios"]["latency"]["mean"]
        took = 1e3 * fmean(row["latency"])
        print(f"{row['variant']}: {took:.1f} ms a question, {ratio:.2f} of the span parser's")
    about = f"{device()}, Python {platform.python_version()}, {given.questions} questions of test"
    facts = {"about": about, "commit": checkout_commit(), "repetitions": given.repetitions}
    data = {"dataset": given.dataset, "split": given.split, "data": _note(given)}
    write_json(given.out, {**facts, **data, "rows": rows})


def _note(given: argparse.Namespace) -> str:
    return data_note(given.dataset, given.data)


if __name__ == "__main__":
    main()

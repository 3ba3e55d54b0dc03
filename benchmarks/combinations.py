"""How a parser does on combinations that it was not trained on, inside CLEVR's training questions.

Settings for CLOSURE may not be chosen on CLOSURE, and CLEVR's own dev is as train is. Here the
training questions in whose programs one predicate of `HELD` stands within the other (filters
passed over) are held out, so that train has all their predicates but not these combinations:

    python benchmarks/combinations.py --data DATA --set recombine=0.5 --seed 0

Exact match by group, as JSON. `count_equal` within which relations stand is held out but not
tested on: without these, train has four questions with `count_equal`.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import torch

from partwise.cli.settings import settings_of
from partwise.evaluation.metrics import evaluate
from partwise.interface.data import Example
from partwise.interface.registry import dataset_info, load
from partwise.language.program import Term
from partwise.span.session import train_span_parser
from partwise_papers.domains.scenes.domain import Scenes

HELD = frozenset(
    {
        ("relate", "relate"),
        ("query_attribute_equal", "relate"),
        ("count_equal", "relate"),
        ("count_less", "relate"),
        ("count_greater", "relate"),
        ("query", "intersect"),
        ("query", "relate_attribute_equal"),
    }
)
UNTESTED = "count_equal > relate"
PER_GROUP = 150
DEV = 150


def pairs(program: Term) -> Iterator[tuple[str, str]]:
    """All (predicate, predicate directly within it), filters passed over."""
    todo: list[tuple[Term, str | None]] = [(program, None)]
    while todo:
        term, around = todo.pop()
        if term.args and term.symbol != "filter":
            if around is not None:
                yield around, term.symbol
            around = term.symbol
        todo += [(arg, around) for arg in term.args or ()]


def group(example: Example[Term]) -> str:
    """The held-out pairs of a question, "" without any."""
    return ", ".join(sorted(" > ".join(pair) for pair in {*pairs(example.meaning)} & HELD))


def parts(
    examples: Sequence[Example[Term]], seed: int = 0
) -> tuple[list[Example[Term]], list[Example[Term]]]:
    """What to train on, and at most `PER_GROUP` held-out questions of each group."""
    order = random.Random(seed).sample(examples, len(examples))
    train = [one for one in order if not group(one)]
    counts: Counter[str] = Counter()
    test = []
    for one in order:
        kind = group(one)
        if kind and UNTESTED not in kind and counts[kind] < PER_GROUP:
            counts[kind] += 1
            test.append(replace(one, group=kind))
    return train, test


def main() -> None:
    """Train, parse what was held out, print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    given = arguments.parse_args()
    torch.set_num_threads(1)
    usual = dict(dataset_info("clevr").settings)
    parser = {"encoder": usual.pop("encoder")}
    config, settings = settings_of(
        parser, {**usual, "seed": given.seed, "precision": "bf16"}, given.set
    )
    dataset = load("clevr", "iid", given.data)
    train, test = parts(dataset.train)
    dev = [one for one in dataset.dev if not group(one)][:DEV]
    inner = replace(dataset, train=train, dev=dev, test=test)
    with tempfile.TemporaryDirectory() as folder:
        session = train_span_parser(inner, Scenes(), config, settings, folder=Path(folder))
    metrics = evaluate(session.parser, test)
    groups: dict[str, list[bool]] = {one.group: [] for one in test}
    for one, outcome in zip(test, metrics.outcomes, strict=True):
        groups[one.group].append(outcome.exact_match)
    shown = {
        "settings": {"parser": config.to_dict(), "loop": settings.to_dict()},
        "train": len(train),
        "test": len(test),
        "exact_match": metrics.exact_match,
        "groups": {kind: fmean(groups[kind]) for kind in sorted(groups)},
    }
    print(json.dumps(shown, indent=2))


if __name__ == "__main__":
    main()

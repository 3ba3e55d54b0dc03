"""Execution-guided choice among readings, as a result variant of its own.

    python benchmarks/guided.py --data DIR runs/geoquery-*-crf-sharp-*/model

For each saved parser, the first of its five best programs whose answer is not empty, on the test
part of the split that it was trained on. Adds to ``results/…-<variant>-guided.json``.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path

import torch

from partwise.encoders.storage import read_json
from partwise.evaluation.metrics import guided, score
from partwise.interface.registry import dataset_info, load, named_domain
from partwise.span.parser import SpanParser
from partwise_papers.results.files import add_seed
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.results.result import Run, Setup

READINGS = 5


def evaluate(model: Path, data: Path, results: Path) -> str:
    """Evaluate one saved parser and add its figures; a line to show."""
    facts = read_json(model / "config.json")["training"]
    dataset = load(facts["dataset"], facts["split"], data)
    # Answers as the data set has them, whatever variant of the domain the parser was saved with.
    parser = SpanParser.from_pretrained(model, named_domain(dataset_info(facts["dataset"]).domain))
    begin = time.perf_counter()
    questions = [example.question for example in dataset.test]
    programs = guided(parser, parser.domain, questions, READINGS)
    metrics = score(parser.domain, dataset.test, programs)
    setup = Setup(
        system="span",
        dataset=dataset.name,
        split=dataset.split,
        variant=f"{facts['variant']}-guided",
        protocol=f"as {facts['variant']}; first of {READINGS} programs with an answer",
        encoder=parser.encoder.name,
        parameters=sum(p.numel() for p in parser.parameters() if p.requires_grad),
        train_size=len(dataset.train),
        test_size=len(dataset.test),
        settings={"readings": READINGS, "parser": asdict(parser.config)},
    )
    figures = {"exact_match": metrics.exact_match, "denotation": metrics.denotation}
    seconds = round(time.perf_counter() - begin, 1)
    device = f"cpu, {torch.get_num_threads()} thread(s)"
    command = f"python benchmarks/guided.py runs/{model.parent.name}/model"
    run = Run(figures, seconds, device, command, checkout_commit())
    seed = int(facts["settings"]["seed"])
    add_seed(results, setup, seed, run)
    return f"{model}: {figures}"


def main() -> None:
    """Evaluate the parsers that are named."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    options.add_argument("models", nargs="+", type=Path)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--results", type=Path, default=Path("results"))
    given = options.parse_args()
    torch.set_num_threads(1)
    for model in given.models:
        print(evaluate(model, given.data, given.results), file=sys.stderr)


if __name__ == "__main__":
    main()

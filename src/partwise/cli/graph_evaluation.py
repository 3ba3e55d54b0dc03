"""What ``partwise evaluate`` does for graph parsers."""

from __future__ import annotations

import json as jsonlib
from dataclasses import dataclass
from pathlib import Path

import typer

from partwise.cli.common import load_any, write_text
from partwise.cli.examples import graph_examples_of
from partwise.cli.graph_figures import graph_store, table
from partwise.cli.recording import command_of, record, same_setup
from partwise.encoders.storage import read_json
from partwise.errors import DataError
from partwise.evaluation.figures import on_graphs
from partwise.evaluation.results import result_path
from partwise.evaluation.trained import Trained
from partwise.graph.denotations import Denotations
from partwise.graph.metrics import score_graphs
from partwise.graph.mistakes import graph_mistakes
from partwise.graph.parser import GraphParser
from partwise.interface.registry import DATASETS, data_note
from partwise.training.hub import find_pretrained
from partwise.training.store import CONFIG


@dataclass(frozen=True)
class Asked:
    """Which questions a parser is measured on, and what becomes of the figures."""

    model: Path
    dataset: str
    split: str | None
    part: str
    data: Path | None
    json: bool
    errors: Path | None
    save: bool
    results: Path
    skip_bad: bool
    domain: str | None


def evaluate_graphs(ctx: typer.Context, asked: Asked) -> None:
    """Measure a graph parser.

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    if asked.save and (asked.part != "test" or asked.dataset not in DATASETS):
        raise DataError("--save is for the test part of a data set that `partwise data list` names")
    parser = load_any(asked.model, asked.domain)
    assert isinstance(parser, GraphParser)
    config = read_json(find_pretrained(asked.model) / CONFIG)
    trained = Trained(config) if asked.save else None
    split = asked.split or _usual_split(config.get("training", {}), asked.dataset)
    examples = graph_examples_of(asked.dataset, split, asked.part, asked.data, asked.skip_bad)
    if not examples:
        raise DataError(f"{asked.dataset} has no {asked.part} questions")
    setup = None
    if trained is not None:
        note = data_note(asked.dataset, asked.data)
        setup = trained.setup(asked.dataset, str(split), len(examples), parser.size, note)
        same_setup(result_path(asked.results, setup), setup)
    whole = parser.config.protocol != "paper"
    with graph_store(parser.domain, needed=asked.save and whole) as store:
        answers = Denotations(store, parser.domain) if store is not None and whole else None
        parses = parser.parse_examples(examples)
        metrics = score_graphs(parser.domain, examples, parses, answers)
    if asked.errors is not None:
        write_text(asked.errors, graph_mistakes(parser.domain, examples, parses, metrics))
    if asked.json:
        typer.echo(jsonlib.dumps(metrics.to_json()))
    else:
        for line in table(metrics):
            typer.echo(line)
    if trained is not None and setup is not None:
        test = on_graphs(metrics.to_json(), parser.config.protocol)
        figures = {**test, **trained.figures(asked.dataset, split)}
        done = command_of(ctx, {"model": f"runs/{trained.run_name}"})
        seconds = trained.facts["seconds"]
        path = record(asked.results, setup, trained.seed, figures, seconds, done)
        typer.echo(f"result {path}", err=asked.json)


def _usual_split(facts: dict[str, object], dataset: str) -> str | None:
    """The split that the parser was trained on, if it was on this data set, or the first."""
    if dataset not in DATASETS:
        return None
    known = DATASETS[dataset].splits
    # An inner split is named for the split that it was made of.
    split = str(facts.get("split")).partition("-inner-")[0]
    return split if facts.get("dataset") == dataset and split in known else known[0]

"""``partwise evaluate``."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from partwise.cli.common import DataFolder, Debug, DomainName, load_parser, model_folder, write_text

if TYPE_CHECKING:
    from partwise.datasets.base import Example
    from partwise.evaluation.metrics import Metrics
    from partwise.program import Term

Part = Literal["train", "dev", "test"]
ALTERNATIVES = 10
"""How many readings execution-guided choice tries."""


def evaluate(
    model: Annotated[
        Path, typer.Argument(help="Folder of a saved parser, or of the run that made it.")
    ],
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET|FILE.jsonl",
            help="A known data set, or a file with questions and programs.",
        ),
    ],
    split: Annotated[
        str | None,
        typer.Option(
            help="Which split of the data set. Take care not to test on what was trained on.",
            show_default="the one trained on",
        ),
    ] = None,
    part: Annotated[Part, typer.Option(help="Which part of the split.")] = "test",
    data: DataFolder = None,
    json: Annotated[bool, typer.Option("--json", help="The figures as one JSON object.")] = False,
    errors: Annotated[
        Path | None,
        typer.Option(
            help="Write the questions that came out wrong to this file, a JSON object a line: to "
            "see what the parser does not understand."
        ),
    ] = None,
    execution_guided: Annotated[
        bool,
        typer.Option(
            "--execution-guided",
            help=f"Try {ALTERNATIVES} readings in turn and take the first whose answer is not "
            "empty. Helps where the executor is rich and questions have answers.",
        ),
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines that cannot be read.")
    ] = False,
    domain: DomainName = None,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads.")] = 1,
    debug: Debug = False,
) -> None:
    """Measure a parser: exact match of programs, equal answers, questions without a parse."""
    import torch

    from partwise.cli.examples import examples_of
    from partwise.evaluation.metrics import score
    from partwise.parsers.guided import guided

    torch.set_num_threads(threads)
    parser = load_parser(model, domain)
    split = split if split is not None else _trained_on(model_folder(model), dataset)
    examples = examples_of(dataset, split, part, data, parser.domain, skip_bad)
    questions = [example.question for example in examples]
    if execution_guided:
        programs = guided(parser, parser.domain, questions, ALTERNATIVES)
    else:
        programs = [parse.program for parse in parser.parse(questions)]
    metrics = score(parser.domain, examples, programs)
    if errors is not None:
        write_text(errors, _wrong(examples, programs, metrics))
    if json:
        typer.echo(jsonlib.dumps(metrics.to_json()))
        return
    typer.echo(f"exact match  {100 * metrics.exact_match:6.2f} %")
    typer.echo(f"denotation   {100 * metrics.denotation:6.2f} %")
    typer.echo(f"questions    {metrics.n:6d}")
    typer.echo(f"no parse     {metrics.no_parse:6d}")
    typer.echo(f"failed runs  {metrics.failed:6d}")


def _trained_on(folder: Path, dataset: str) -> str | None:
    """The split that the parser was trained on, if it was on this data set."""
    from partwise.parsers.store import CONFIG
    from partwise.training.checkpoint import read_json

    facts = read_json(folder / CONFIG).get("training", {})
    return facts.get("split") if facts.get("dataset") == dataset else None


def _wrong(examples: list[Example], programs: list[Term | None], metrics: Metrics) -> str:
    """What differs from the gold program, wrong answers before right ones."""
    lines: list[tuple[bool, str]] = []
    for example, program, outcome in zip(examples, programs, metrics.outcomes, strict=True):
        if outcome.exact_match:
            continue
        line: dict[str, Any] = {
            "question": example.question,
            "program": str(example.program),
            "predicted": None if program is None else str(program),
            "right_answer": outcome.denotation,
            "error": outcome.error,
            "source": example.source,
        }
        lines.append((outcome.denotation, jsonlib.dumps(line, ensure_ascii=False)))
    return "".join(f"{text}\n" for _, text in sorted(lines, key=lambda line: line[0]))

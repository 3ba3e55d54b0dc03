"""``partwise evaluate``."""

from __future__ import annotations

import json as jsonlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from partwise.cli.common import DataFolder, Debug, DomainName, load_parser, write_text
from partwise.cli.settings import refuse
from partwise.errors import DataError
from partwise.training.hub import find_pretrained

if TYPE_CHECKING:
    from partwise.chart.tree import SpanTree
    from partwise.evaluation.calibration import Trust
    from partwise.evaluation.metrics import Scores
    from partwise.evaluation.result import Setup
    from partwise.evaluation.trained import Trained
    from partwise.interface.data import Example
    from partwise.language.program import Term
    from partwise.span.parser import SpanParser

Part = Literal["train", "dev", "test"]
ALTERNATIVES = 10
"""How many readings execution-guided choice tries."""


def evaluate(
    ctx: typer.Context,
    model: Annotated[
        Path, typer.Argument(help="Folder of a saved parser, or of the run that made it.")
    ],
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET|FILE.jsonl",
            help="A known data set, or a file with questions and programs or queries.",
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
            "see what the parser does not understand, or for `partwise plot confusion`."
        ),
    ] = None,
    trees: Annotated[
        bool,
        typer.Option(
            "--trees",
            help="Also F1 of the span trees: with published ones where the data have them, else "
            "with those that the domain's lexicon gives. --save does so too.",
        ),
    ] = False,
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration",
            help="Also how far the parser's probabilities can be trusted, and how much more is "
            "right where the least probable tenth of the questions is not answered.",
        ),
    ] = False,
    save: Annotated[
        bool,
        typer.Option(
            "--save",
            help="Add the figures to the result file of the run that trained the parser, or, for "
            "another split or data set, to one beside it.",
        ),
    ] = False,
    results: Annotated[
        Path, typer.Option(help="Folder of the result files for --save; see `partwise report`.")
    ] = Path("results"),
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
    """Measure a parser: exact match of programs or queries, equal answers, no parses."""
    import torch

    from partwise.training.store import kind_of

    torch.set_num_threads(threads)
    if kind_of(find_pretrained(model)) == "graph":
        from partwise.cli.graph_evaluation import Asked, evaluate_graphs

        refuse(
            ctx,
            ("trees", "calibration", "execution_guided"),
            "is for span parsers, and this is a graph parser",
        )
        evaluate_graphs(
            ctx,
            Asked(model, dataset, split, part, data, json, errors, save, results, skip_bad, domain),
        )
        return

    from partwise.cli.examples import examples_of
    from partwise.cli.recording import command_of, record, same_setup, with_trees
    from partwise.evaluation.calibration import trust_of
    from partwise.evaluation.figures import of_trees, on_test
    from partwise.evaluation.metrics import score
    from partwise.evaluation.results import result_path
    from partwise.interface.data import Dataset
    from partwise.span.mistakes import mistakes

    if trees and part != "test":
        raise DataError("--trees is for the test part, as published trees are")
    folder = find_pretrained(model)
    parser = load_parser(model, domain)
    split = split if split is not None else _usual_split(folder, dataset)
    trained = _to_save(folder, dataset, part) if save else None
    examples = examples_of(dataset, split, part, data, parser.domain, skip_bad)
    readings = ALTERNATIVES if execution_guided else 0
    asked = _Asked(dataset, str(split), data, readings)
    setup = None if trained is None else asked.setup(trained, parser, len(examples))
    if setup is not None:
        same_setup(result_path(results, setup), setup)
    if trees or save:
        tested = Dataset(dataset, asked.split, [], [], examples)
        examples = with_trees(tested, parser.types, data)
    programs, shapes = _read(parser, examples, readings)
    metrics = score(parser.domain, examples, programs)
    likeness = of_trees(shapes, examples, parser.types) if shapes and (trees or save) else {}
    groups = metrics.groups()
    trust = trust_of(parser, examples) if calibration else None
    if errors is not None:
        write_text(errors, mistakes(parser.domain, examples, programs, metrics, shapes))
    if json:
        more: dict[str, object] = {"groups": groups} if groups else {}
        more |= {} if trust is None else {"calibration": asdict(trust)}
        typer.echo(jsonlib.dumps({**metrics.to_json(), **likeness, **more}))
    else:
        _say(metrics, likeness, groups)
        _say_trust(trust)
    if trained is not None and setup is not None:
        noted = {} if readings else trained.figures(dataset, asked.split)
        figures = {**on_test(metrics), **likeness, **noted}
        done = command_of(ctx, {"model": f"runs/{trained.run_name}"})
        path = record(results, setup, trained.seed, figures, trained.facts["seconds"], done)
        typer.echo(f"result {path}", err=json)


@dataclass(frozen=True)
class _Asked:
    """Which questions a parser is measured on, and of how many programs it may choose."""

    dataset: str
    split: str
    data: Path | None
    readings: int

    def setup(self, trained: Trained, parser: SpanParser, test_size: int) -> Setup:
        """Where the figures belong."""
        from partwise.evaluation.trained import guided_setup
        from partwise.interface.registry import data_note

        parameters = sum(p.numel() for p in parser.parameters() if p.requires_grad)
        note = data_note(self.dataset, self.data)
        setup = trained.setup(self.dataset, self.split, test_size, parameters, note)
        return guided_setup(setup, self.readings) if self.readings else setup


def _read(
    parser: SpanParser, examples: list[Example[Term]], readings: int
) -> tuple[list[Term | None], list[SpanTree | None] | None]:
    """Programs and their trees; no trees where the choice is among programs."""
    from partwise.evaluation.guided import guided
    from partwise.span.derivation import SpanDerivation

    questions = [example.question for example in examples]
    if readings:
        contexts = [example.context for example in examples]
        return guided(parser, parser.domain, questions, readings, contexts), None
    found = parser.parse_examples(examples)
    trees = [one.derivation for one in found]
    return (
        [one.meaning for one in found],
        [one.tree if isinstance(one, SpanDerivation) else None for one in trees],
    )


def _to_save(folder: Path, dataset: str, part: str) -> Trained:
    """Find out before the work whether its figures have a place."""
    from partwise.encoders.storage import read_json
    from partwise.evaluation.trained import Trained
    from partwise.interface.registry import DATASETS
    from partwise.training.store import CONFIG

    if part != "test" or dataset not in DATASETS:
        raise DataError("--save is for the test part of a data set that `partwise data list` names")
    return Trained(read_json(folder / CONFIG))


def _say(metrics: Scores, trees: dict[str, float], groups: dict[str, float]) -> None:
    typer.echo(f"exact match  {100 * metrics.exact_match:6.2f} %")
    typer.echo(f"denotation   {100 * (metrics.denotation or 0):6.2f} %")
    typer.echo(f"questions    {metrics.n:6d}")
    typer.echo(f"no parse     {metrics.no_parse:6d}")
    typer.echo(f"failed runs  {metrics.failed:6d}")
    for name, shown in (("tree_f1", "tree F1"), ("tree_f1_equivalent", "equivalent")):
        if name in trees:
            typer.echo(f"{shown:12} {100 * trees[name]:6.2f} %")
    for group, value in groups.items():
        typer.echo(f"denotation   {100 * value:6.2f} %  {group}")


def _say_trust(trust: Trust | None) -> None:
    if trust is not None:
        typer.echo(f"calibration error of exact match  {100 * trust.before:.1f} % as trained")
        typer.echo(
            f"                                  {100 * trust.after:.1f} % at the temperature "
            f"fitted on dev, {trust.temperature:.2f}"
        )
        typer.echo(
            f"denotation at 90 % coverage       {100 * trust.at_90:.1f} %, for probabilities of "
            f"{100 * trust.threshold:.0f} % and more"
        )


def _usual_split(folder: Path, dataset: str) -> str | None:
    """The split that the parser was trained on, if it was on this data set, or the first."""
    from partwise.encoders.storage import read_json
    from partwise.interface.registry import DATASETS
    from partwise.training.store import CONFIG

    facts = read_json(folder / CONFIG).get("training", {})
    if facts.get("dataset") == dataset:
        return str(facts["split"])
    return DATASETS[dataset].splits[0] if dataset in DATASETS else None

"""``partwise evaluate`` and ``partwise calibrate``; and the plug-ins that keep test metrics."""

import json as jsonlib
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from partwise.cli.common import (
    DataFolder,
    DomainName,
    Json,
    SkipBad,
    Threads,
    option,
    typed,
    warn,
    write_text,
)
from partwise.cli.sources import Load, ParserSource, examples_of, read_config
from partwise.errors import DataError, PluginError
from partwise.evaluation.confidence import (
    FEWEST,
    Calibrated,
    ConfidenceMetrics,
    fit_confidence,
    measure_confidence,
)
from partwise.evaluation.metrics import (
    RECORDERS,
    Evaluation,
    Recorder,
    Scores,
    guided,
    mistakes,
    score,
)
from partwise.interface.answering import parse_each
from partwise.interface.data import Dataset, Example
from partwise.interface.prediction import Prediction
from partwise.interface.registry import DATASETS, METRICS, data_note
from partwise.training.inference import InferenceParser
from partwise.training.store import find_pretrained, run_name, write_manifest

FURTHER = {"tree_f1": "tree F1", "tree_f1_equivalent": "equivalent"}
"""What further metrics are called, where it is not by their own name."""
ALTERNATIVES = 10
"""How many meanings execution-guided choice tries."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a parser is measured on, and what becomes of it.

    Attributes:
        split: Which split of the data set; without it the one trained on. Take care not to test on
            what was trained on.
        part: Which part of the split.
        errors: Write the questions that came out wrong to this file, a JSON object a line: to see
            what the parser does not understand, or for `partwise plot confusion`.
        trees: Also F1 of the trees, where the parser has some: with published ones where the data
            have them, else with those that the domain's lexicon gives. --save does so too. Needs
            the package partwise-papers.
        calibration: Also how far the parser's probabilities can be trusted, and how much more is
            right where the least probable tenth of the questions is not answered.
        save: Add the metrics to the result file of the run that trained the parser, or, for another
            split or data set, to one beside it.
        results: Folder of the result files for --save; see `partwise report`.
        execution_guided: Try 10 meanings in turn and take the first whose answer is not empty.
            Helps where the executor is rich and questions have answers.
    """

    split: str | None = None
    part: Literal["train", "dev", "test"] = "test"
    data: DataFolder = None
    errors: Path | None = None
    trees: Annotated[bool, Parameter(negative=())] = False
    calibration: Annotated[bool, Parameter(negative=())] = False
    save: Annotated[bool, Parameter(negative=())] = False
    results: Path = Path("results")
    execution_guided: Annotated[bool, Parameter(negative=())] = False


def evaluate(
    model: Annotated[
        str, Parameter(help="Folder of a saved parser, or of the run that made it, or a name.")
    ],
    dataset: Annotated[
        str, Parameter(help="A known data set, or a .jsonl file with questions and meanings.")
    ],
    /,
    *,
    asked: Annotated[Measured, Parameter(name="*")] = Measured(),
    json: Json = False,
    skip_bad: SkipBad = False,
    domain: DomainName = None,
    threads: Threads = 1,
) -> None:
    """Measure a parser: exact match, equal answers, no parses."""
    _check(asked, dataset)
    keepers = recorders(needed=True) if asked.save else []
    folder = find_pretrained(Path(model))
    # What is recorded says how many parameters there are.
    parser = _parser(model, domain, threads, asked.save)
    config = read_config(folder)
    if asked.calibration and not isinstance(parser, Calibrated):
        raise DataError(f"--calibration: a parser of kind {parser.kind} has none; leave it out")
    split = asked.split or _usual_split(config, dataset)
    examples = examples_of(dataset, split, asked.part, asked.data, parser.domain, skip_bad)
    if not examples:
        raise DataError(f"{dataset} has no {asked.part} questions")
    readings = ALTERNATIVES if asked.execution_guided else 0
    data: Dataset[Any] = Dataset(dataset, str(split), [], [], examples)
    evaluation = Evaluation(
        config, data, data_note(dataset, asked.data) if asked.save else "", readings
    )
    for recorder in keepers:
        recorder.check(asked.results, evaluation)
    predictions = _predictions(parser, examples, readings)
    scores = score(parser.domain, examples, [prediction.meaning for prediction in predictions])
    further = {} if readings else _further(asked, parser, data)
    measured = measure_confidence(parser, examples) if asked.calibration else None
    if asked.errors is not None:
        write_text(asked.errors, mistakes(parser, examples, predictions, scores))
    _print(scores, further, measured, json)
    for recorder in keepers:
        facts = config["training"]
        run = (facts["dataset"], facts["split"], facts["variant"], facts["settings"]["seed"])
        done = command({model: f"runs/{run_name(*run)}"})
        path = recorder.add(asked.results, evaluation, parser, scores, further, done)
        print(f"result {path}", file=sys.stderr if json else sys.stdout)


def _parser(model: str, domain: str | None, threads: int, trainable: bool = False) -> Any:
    source = ParserSource(model=model, domain=domain)
    return Load(source, threads, run=False, trainable=trainable)().parser


def _further(asked: Measured, parser: Any, data: Dataset[Any]) -> dict[str, float]:
    return further_metrics(parser, data, asked.data) if asked.trees or asked.save else {}


def _check(asked: Measured, dataset: str) -> None:
    if asked.trees and asked.part != "test":
        raise DataError("--trees is for the test part, as published trees are")
    if asked.trees and not METRICS:
        raise DataError("--trees: install partwise-papers, which compares trees, or leave it out")
    if asked.save and (asked.part != "test" or dataset not in DATASETS):
        raise DataError("--save is for the test part of a data set that `partwise data list` names")


def _print(
    scores: Scores, further: Mapping[str, float], measured: ConfidenceMetrics | None, json: bool
) -> None:
    groups = scores.groups()
    if json:
        more: dict[str, Any] = {"groups": groups} if groups else {}
        more |= {} if measured is None else {"calibration": asdict(measured)}
        print(jsonlib.dumps({**scores.to_json(), **further, **more}))
        return
    print(*_lines(scores, further, groups), *(_calibration(measured) if measured else ()), sep="\n")


def _predictions(
    parser: Any, examples: Sequence[Example[Any]], readings: int
) -> list[Prediction[Any]]:
    if not readings:
        predictions: list[Prediction[Any]] = parse_each(parser.parse_examples, examples)
        return predictions
    questions = [example.question for example in examples]
    contexts = [example.context for example in examples]
    meanings = guided(parser, parser.domain, questions, readings, contexts)
    return [Prediction(q, meaning=meaning) for q, meaning in zip(questions, meanings, strict=True)]


def _usual_split(config: Mapping[str, Any], dataset: str) -> str | None:
    if dataset not in DATASETS:
        return None
    known, facts = DATASETS[dataset].splits, config.get("training", {})
    # An inner split is named for the split that it was made of.
    split = str(facts.get("split")).partition("-inner-")[0]
    return split if facts.get("dataset") == dataset and split in known else known[0]


def _lines(
    scores: Scores, further: Mapping[str, float], groups: Mapping[str, float]
) -> Iterator[str]:
    yield f"exact match  {100 * scores.exact_match:6.2f} %"
    for name, share in scores.partial.items():
        yield f"{f'{name} match':12} {100 * share:6.2f} %"
    if scores.denotation is not None:
        yield f"denotation   {100 * scores.denotation:6.2f} %"
    yield f"questions    {scores.n:6d}"
    yield f"no parse     {scores.no_parse:6d}"
    if scores.denotation is not None:
        yield f"failed runs  {scores.failed:6d}"
    for kind, count in scores.errors.items():
        yield f"wrong        {count:6d}    {kind}"
    for name, share in further.items():
        yield f"{FURTHER.get(name, name):12} {100 * share:6.2f} %"
    for group, value in groups.items():
        yield f"denotation   {100 * value:6.2f} %  {group}"


def _calibration(measured: ConfidenceMetrics) -> Iterator[str]:
    yield f"calibration error of exact match  {100 * measured.before:.1f} % as trained"
    yield (
        f"                                  {100 * measured.after:.1f} % at the temperature "
        f"fitted on dev, {measured.temperature:.2f}"
    )
    yield (
        f"denotation at 90 % coverage       {100 * measured.at_90:.1f} %, for probabilities of "
        f"{100 * measured.threshold:.0f} % and more"
    )


def calibrate(
    model: Annotated[str, Parameter(help="Folder of a saved parser, or a name.")],
    train: Annotated[str, Parameter(help="What it was trained on: a known data set or a .jsonl.")],
    unseen: Annotated[
        str | None,
        Parameter(help="A .jsonl file that it was not trained on; else the data set's part dev."),
    ] = None,
    /,
    *,
    split: Annotated[str | None, option("Which split of the data set.")] = None,
    data: DataFolder = None,
    skip_bad: SkipBad = False,
    domain: DomainName = None,
    threads: Threads = 1,
) -> None:
    """Fit when a saved parser answers, without training it again.

    The model folder gets two small files; everything else in it stays as it is.
    """
    parser, folder = _parser(model, domain, threads), find_pretrained(Path(model))
    if not isinstance(parser, InferenceParser):
        raise DataError(f"a parser of kind {parser.kind} has nothing to fit")
    seen = examples_of(train, split, "train", data, parser.domain, skip_bad)
    part = "dev" if unseen is None else "train"
    others = examples_of(unseen or train, split, part, data, parser.domain, skip_bad)
    if len(others) < FEWEST:
        raise DataError(f"{len(others)} questions; at least {FEWEST} are needed")
    fitted = fit_confidence(parser, seen, others)
    fitted.write(folder)
    write_manifest(folder)
    print(
        f"refused below {100 * fitted.refused_below:.0f} %, doubtful below "
        f"{100 * fitted.doubtful_below:.0f} %"
    )


PLACES = ("--data", "--out", "--results", "--errors")
"""Options that say where things are, not what is done."""
SHOWN = ("--json", "--debug")
"""Options that say what is shown."""
FILES = ("--train", "--dev", "--test-file", "--config")
"""Options with files, whose folders are nobody's business."""
NO_RECORDER = "results are kept by the package partwise-papers: pip install partwise-papers"


def recorders(needed: bool) -> list[Recorder]:
    """The plug-ins that keep test metrics. Raises PluginError if there are none and one is
    `needed`."""
    if not RECORDERS:
        if needed:
            raise PluginError(NO_RECORDER)
        warn(f"the metrics on test are shown and not kept: {NO_RECORDER}")
    return [RECORDERS.find(name) for name in RECORDERS]


def further_metrics(parser: Any, data: Dataset[Any], folder: Path | None) -> dict[str, float]:
    metrics: dict[str, float] = {}
    for name in METRICS:
        try:
            metrics |= METRICS.find(name)(parser, data, folder)
        except DataError as error:
            warn(f"no {name}: {error}")
    return metrics


def command(names: Mapping[str, str] | None = None) -> str:
    """The command that was typed, in the form of `command_to_record`. `names`: folders of this
    machine, and what is noted in their place."""
    return command_to_record([(names or {}).get(word, word) for word in typed.get()])


def command_to_record(words: Sequence[str]) -> str:
    """A command (without ``partwise``) as it is noted: without places and what is shown."""
    kept, rest = ["partwise"], iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in SHOWN:
            continue
        if name in PLACES:
            _ = equals or next(rest, "")
        elif name in FILES:
            kept += [name, Path(value if equals else next(rest, "")).name]
        else:
            kept.append(word)
    return shlex.join(kept)

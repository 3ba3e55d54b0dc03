"""What ``partwise train`` does once its options are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from partwise.cli.common import quiet, warn
from partwise.cli.data import known_dataset, own_dataset
from partwise.cli.domains import find_domain, is_known, place_of
from partwise.cli.recording import command, record, same_setup
from partwise.errors import DataError
from partwise.evaluation.figures import on_dev, on_test
from partwise.evaluation.result import Setup
from partwise.evaluation.results import result_path
from partwise.evaluation.splits import inner_dataset
from partwise.interface.data import Dataset
from partwise.interface.parser import Parser, TrainingStopped
from partwise.interface.registry import DATASETS, METRICS, PARSERS, data_note, dataset_info
from partwise.interface.settings import recorded
from partwise.training.config import TrainingConfig, settings_for
from partwise.training.prepare import without_failing
from partwise.training.session import Session, held_out_count, train
from partwise.training.trained import ResultData, make_setup, run_name

if TYPE_CHECKING:
    from partwise.cli.train import Plan


def run(kind: str, dataset: str | None, plan: Plan, given: Mapping[str, Any]) -> int:
    """Train, save, say how it went, and with ``--test`` add to the results.

    Args:
        given: settings of the parser and of the training that the user gave, by name.

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    if plan.test and plan.inner:
        raise DataError("--inner never touches test; give --test or --inner, not both")
    parser = PARSERS.find(kind)
    domain, data = _data(dataset, plan)
    config, training = _settings(parser, domain, dataset, len(data.train), given)
    if plan.inner is not None:
        data = inner_dataset(data, plan.inner, domain)
    variant = plan.variant or parser.variant(domain, config)
    folder = plan.out or Path("runs") / run_name(data.name, data.split, variant, training.seed)
    # Made before the training, so that a bad name is found before it too.
    setup = _setup(parser, data, dataset, plan, variant, config, training)
    if plan.test:
        same_setup(result_path(plan.results, setup), setup)
    for message in data.skipped:
        warn(f"left out: {message}")
    quiet()
    try:
        session = train(
            parser,
            domain,
            data,
            config,
            training,
            folder=folder,
            resume=not plan.fresh,
            test=plan.test or plan.inner is not None,
            facts=_facts(domain, plan, variant),
        )
    except TrainingStopped:
        warn(f"stopped; the best epoch so far is saved, and the same command continues in {folder}")
        return 130
    except KeyboardInterrupt:
        warn(f"stopped; the same command continues from {folder}")
        return 130
    for line in _report(session, inner=plan.inner is not None):
        print(line)
    if plan.test and session.test is not None:
        whole = replace(setup, parameters=parameters(session.parser))
        figures = _figures(session, data, plan)
        seconds = session.report.seconds
        path = record(plan.results, whole, training.seed, figures, seconds, command())
        print(f"result {path}")
    return 0


def _setup(
    parser: Any,
    data: Dataset[Any],
    dataset: str | None,
    plan: Plan,
    variant: str,
    config: Any,
    training: TrainingConfig,
) -> Setup:
    """What the result file says of the run, beside its metrics."""
    sizes = len(data.train), len(data.dev), len(data.test)
    note = data_note(data.name, plan.data) if dataset else ""
    return make_setup(
        parser,
        ResultData(data.name, data.split, *sizes, note),
        variant,
        recorded(config),
        recorded(training),
        types=plan.types,
        held=held_out_count(parser, data, training.held_out),
    )


def _facts(domain: Any, plan: Plan, variant: str) -> dict[str, Any]:
    """What the saved parser notes of its training."""
    facts: dict[str, Any] = {"variant": variant, "types": plan.types, "command": command()}
    if not is_known(domain.name):
        facts["domain_class"] = place_of(str(plan.domain))
    return facts


def _data(dataset: str | None, plan: Plan) -> tuple[Any, Dataset[Any]]:
    """The domain, and the questions."""
    if dataset is None:
        if plan.train is None or plan.domain is None:
            raise DataError(
                "give a data set (see `partwise data list`), or --domain, --train and --dev"
            )
        domain = find_domain(_typed(plan.domain, plan.types))
        data = own_dataset(domain, plan.files, plan.skip_bad)
    else:
        if any(plan.files.values()):
            raise DataError(f"give {dataset} or files of your own, not both")
        info = dataset_info(dataset, plan.split)
        domain = find_domain(_typed(plan.domain or info.domain, plan.types))
        data = known_dataset(dataset, plan.split, plan.data, domain, plan.skip_bad)
    return domain, without_failing(data, domain) if plan.skip_bad else data


def _typed(domain: str, types: str) -> str:
    """The domain with the types that were asked for."""
    if types == "sharp" or domain.endswith(f"-{types}"):
        return domain
    if not is_known(f"{domain}-{types}"):
        raise DataError(f"--types {types}: the domain {domain} has no such types; leave it out")
    return f"{domain}-{types}"


def _settings(
    parser: type[Parser[Any]], domain: Any, dataset: str | None, size: int, given: Mapping[str, Any]
) -> tuple[Any, TrainingConfig]:
    """What was given, over what is usual for the data set and for so many questions."""
    of_data = DATASETS[dataset].settings if dataset and dataset in DATASETS else {}
    usual = parser.presets(domain, given, of_data, size)
    if dataset is None:
        _say_usual({name: value for name, value in usual.items() if name not in given}, size)
    return settings_for(parser, domain, size, given, of_data)


def _say_usual(usual: Mapping[str, Any], size: int) -> None:
    shown = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in usual.items())
    if shown:
        warn(f"for {size} training questions as usual: {shown}")


def _report(session: Session[Any], inner: bool) -> Iterator[str]:
    """How a training went, for a person."""
    report = session.report
    left = session.train_size - session.held_out_size - report.usable
    apart = f", {session.held_out_size} held out" if session.held_out_size else ""
    note = f", {left} not usable (see train.log)" if left else ""
    yield f"train  {report.usable} of {session.train_size} questions{apart}{note}"
    charts = report.facts.get("chart_share")
    share = "" if charts is None else f", {100 * charts:.0f} % of it in the charts"
    best = f"best epoch {report.best_epoch + 1} of {len(report.history)}"
    yield f"time   {report.seconds:.1f} s{share}; {best}"
    parts = (("held", session.held_out), ("dev", session.dev))
    for name, scores in (*parts, ("inner" if inner else "test", session.test)):
        if scores is not None:
            yield f"{name:6} {shown(scores)}"
    yield f"model  {session.model}"


def shown(scores: Any) -> str:
    """The metrics in one line."""
    answers = scores.denotation
    first = "" if answers is None else f"denotation {100 * answers:.1f}  "
    parts = [f"  {name} match {100 * share:.1f}" for name, share in scores.partial.items()][:1]
    failed = "" if answers is None else f", {scores.failed} failed"
    return (
        f"{first}exact match {100 * scores.exact_match:.1f}{''.join(parts)}  "
        f"({scores.n} questions, {scores.no_parse} without a parse{failed})"
    )


def parameters(parser: Any) -> int | None:
    """The number of trained parameters, where a parser is a network."""
    import torch

    if not isinstance(parser, torch.nn.Module):
        return None
    return sum(one.numel() for one in parser.parameters() if one.requires_grad)


def _figures(session: Session[Any], data: Dataset[Any], plan: Plan) -> dict[str, float]:
    """What a result file takes of a training."""
    assert session.test is not None
    edges_only = getattr(session.parser.config, "protocol", None) == "paper"
    charts = session.report.facts.get("chart_share")
    return {
        **on_test(session.test, data.test, edges_only),
        **further_metrics(session.parser, data, plan.data),
        **on_dev(None if session.dev is None else session.dev.to_json(), edges_only),
        **({} if charts is None else {"chart_share": min(1.0, charts)}),
    }


def further_metrics(parser: Any, data: Dataset[Any], folder: Path | None) -> dict[str, float]:
    """What the plug-ins `METRICS` say of a parser on test questions."""
    metrics: dict[str, float] = {}
    for name in METRICS:
        try:
            metrics |= METRICS.find(name)(parser, data, folder)
        except DataError as error:
            warn(f"no {name}: {error}")
    return metrics

"""What ``partwise train`` does once its options are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from partwise.cli.common import RUNS, quiet, warn
from partwise.cli.data import known_dataset, own_dataset
from partwise.cli.domains import find_domain, is_known, place_of
from partwise.cli.models import read_config
from partwise.cli.recording import command, further_metrics, recorders
from partwise.errors import DataError
from partwise.evaluation.metrics import Evaluation, Recorder, Scores, without_failing
from partwise.evaluation.splits import inner_dataset, some_of
from partwise.interface.data import Dataset
from partwise.interface.parser import Parser, TrainingStopped
from partwise.interface.registry import DATASETS, PARSERS, data_note, dataset_info
from partwise.interface.settings import to_dict
from partwise.training.session import START, Session, facts_before, run_name, started, train
from partwise.training.trainer import TrainingConfig, settings_for

if TYPE_CHECKING:
    from partwise.cli.train import Plan


def run(kind: str, dataset: str | None, plan: Plan, given: Mapping[str, Any]) -> int:
    """Train, save, say how it went, and with ``--test`` let recorders keep the metrics.

    Args:
        given: settings of the parser and of the training that the user gave, by name.

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    if plan.test and plan.inner:
        raise DataError("--inner never touches test; give --test or --inner, not both")
    parser = PARSERS.find(kind)
    domain, data = _data(dataset, plan)
    start = plan.from_pretrained or parser.starts_from
    config, training = _settings(parser, domain, dataset, len(data.train), given)
    made: Any = parser
    if start is not None:
        made = _started(parser, domain, start, given)
        config = made.config
    if plan.inner is not None:
        data = inner_dataset(data, plan.inner, domain)
    data = _asked_less(data, plan.eval_size)
    facts = _facts(domain, plan, start, plan.variant or _variant(parser, domain, config, plan))
    name = run_name(data.name, data.split, facts["variant"], training.seed)
    folder = plan.out or RUNS / name
    known = {"kind": kind, "domain": domain.name, "parser": to_dict(config)}
    known["training"] = {**facts_before(parser, data, training), **facts}
    evaluation = Evaluation(known, data, data_note(data.name, plan.data) if dataset else "")
    keepers = recorders(needed=False) if plan.test else []
    for recorder in keepers:
        recorder.check(plan.results, evaluation)
    for message in data.skipped:
        warn(f"left out: {message}")
    quiet()
    test = plan.test or plan.inner is not None
    how: dict[str, Any] = {"resume": not plan.fresh, "test": test, "facts": facts}
    try:
        session = train(made, domain, data, config, training, folder=folder, **how)
    except KeyboardInterrupt as stop:
        return _stopped(stop, folder)
    for line in _report(session, inner=plan.inner is not None):
        print(line)
    _record(keepers, session, plan, evaluation, facts["command"])
    return 0


def _record(
    keepers: Sequence[Recorder],
    session: Session[Any],
    plan: Plan,
    evaluation: Evaluation,
    done: str,
) -> None:
    """Let recorders keep the metrics of test.

    Args:
        done: the command that was run.
    """
    if not keepers or session.test is None:
        return
    evaluation = replace(evaluation, config=read_config(session.model))
    further = further_metrics(session.parser, evaluation.data, plan.data)
    for recorder in keepers:
        path = recorder.add(plan.results, evaluation, session.parser, session.test, further, done)
        print(f"result {path}")


def _variant(parser: type[Parser[Any]], domain: Any, config: Any, plan: Plan) -> str:
    """What a parser is called among those of its kind, with the number of questions if that was
    given."""
    part = "" if plan.train_size is None else f"-n{plan.train_size}"
    return f"{parser.variant(domain, config)}{part}"


def _stopped(stop: KeyboardInterrupt, folder: Path) -> int:
    saved = "the best epoch so far is saved, and " if isinstance(stop, TrainingStopped) else ""
    warn(f"stopped; {saved}the same command continues from {folder}")
    return 130


def _started(kind: type[Parser[Any]], domain: Any, start: str, given: Mapping[str, Any]) -> Any:
    """A saved parser to be trained on, with settings of its own."""
    own = {one.name for one in fields(kind.Config)} & set(given)
    if own:
        name = min(own).replace("_", "-")
        raise DataError(
            f"--{name} is a setting of {start}, which is trained on as it is; leave it out"
        )
    return started(kind, domain, start)


def _facts(domain: Any, plan: Plan, start: str | None, variant: str) -> dict[str, Any]:
    """What the saved parser notes of its training."""
    facts: dict[str, Any] = {"variant": variant, "types": plan.types, "command": command()}
    if start is not None:
        facts[START] = start
    if not is_known(domain.name):
        facts["domain_class"] = place_of(str(plan.domain))
    return facts


def _data(dataset: str | None, plan: Plan) -> tuple[Any, Dataset[Any]]:
    """The domain, and the questions, of those to train on as many as were asked for."""
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
    if plan.skip_bad:
        data = without_failing(data, domain)
    if plan.train_size is not None:
        data = replace(data, train=some_of(data.train, plan.train_size))
    return domain, data


def _asked_less(data: Dataset[Any], size: int | None) -> Dataset[Any]:
    """With at most so many questions of dev and of test; with all of them if None."""
    if size is None:
        return data
    dev, test = (some_of(part, size) if part[size:] else part for part in (data.dev, data.test))
    return replace(data, dev=dev, test=test)


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


def shown(scores: Scores) -> str:
    """The metrics in one line."""
    answers = scores.denotation
    first = "" if answers is None else f"denotation {100 * answers:.1f}  "
    parts = [f"  {name} match {100 * share:.1f}" for name, share in scores.partial.items()][:1]
    failed = "" if answers is None else f", {scores.failed} failed"
    return (
        f"{first}exact match {100 * scores.exact_match:.1f}{''.join(parts)}  "
        f"({scores.n} questions, {scores.no_parse} without a parse{failed})"
    )

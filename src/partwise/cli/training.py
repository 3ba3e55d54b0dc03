"""What ``partwise train`` does once its options are read."""

from __future__ import annotations

import platform
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
import typer

from partwise.cli.common import find_domain, quiet, warn
from partwise.cli.examples import own_dataset
from partwise.cli.settings import variant_of
from partwise.datasets.base import Dataset
from partwise.datasets.registry import DOMAINS, dataset_info, load
from partwise.datasets.splits import Kind
from partwise.domain import Domain
from partwise.errors import DataError
from partwise.evaluation.metrics import Metrics
from partwise.evaluation.result import Run, Setup
from partwise.evaluation.results import add_seed, checkout_commit, load_result, result_path
from partwise.parsers.config import SpanParserConfig
from partwise.training.prepare import inner_dataset, without_failing
from partwise.training.session import Session, train_span_parser
from partwise.training.settings import TrainSettings

PLACES = {"data", "out", "results", "debug"}
"""Options that say where things are, not what is done."""


@dataclass(frozen=True)
class Plan:
    """The options of a run, beside its settings."""

    dataset: str | None
    split: str | None
    data: Path | None
    domain: str | None
    files: tuple[Path | None, Path | None, Path | None]
    types: str
    inner: str | None
    test: bool
    skip_bad: bool
    variant: str | None
    out: Path | None
    results: Path
    threads: int
    fresh: bool


def run(ctx: typer.Context, plan: Plan, config: SpanParserConfig, settings: TrainSettings) -> None:
    """Train, save, say how it went, and with ``--test`` add to the results.

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    if plan.test and plan.inner:
        raise DataError("--inner never touches test; give --test or --inner, not both")
    domain, dataset = _data(plan)
    variant = plan.variant or variant_of(config, plan.types)
    name = f"{dataset.name}-{dataset.split}-{variant}-{settings.seed}"
    folder = plan.out or Path("runs") / name
    setup = _setup(plan, dataset, variant, config, settings)
    if plan.test:
        _same_setup(result_path(plan.results, setup), setup)
    for message in dataset.skipped:
        warn(f"left out: {message}")
    torch.set_num_threads(plan.threads)
    quiet()
    try:
        session = train_span_parser(
            dataset,
            domain,
            config,
            settings,
            folder=folder,
            resume=not plan.fresh,
            test=plan.test or plan.inner is not None,
            facts={"variant": variant, "command": _command(ctx)},
        )
    except KeyboardInterrupt:
        warn(f"stopped; the same command continues from {folder}")
        raise typer.Exit(130) from None
    _say(session, plan)
    if plan.test and session.test is not None:
        _add(ctx, plan, setup, session, settings.seed)


def _data(plan: Plan) -> tuple[Domain, Dataset]:
    train, dev, test = plan.files
    if plan.dataset is None:
        if train is None or dev is None or plan.domain is None:
            raise DataError(
                "give a data set (see `partwise data list`), or --domain, --train and --dev"
            )
        domain = find_domain(_typed(plan.domain, plan.types))
        dataset = own_dataset(domain, train, dev, test, plan.skip_bad)
    else:
        if any(plan.files):
            raise DataError(f"give {plan.dataset} or files of your own, not both")
        info = dataset_info(plan.dataset, plan.split)
        domain = find_domain(_typed(plan.domain or info.domain, plan.types))
        dataset = load(plan.dataset, plan.split or info.splits[0], plan.data, plan.skip_bad)
    if plan.skip_bad:
        dataset = without_failing(dataset, domain)
    if plan.inner is not None:
        dataset = inner_dataset(dataset, cast(Kind, plan.inner), domain)
    return domain, dataset


def _typed(domain: str, types: str) -> str:
    """The domain with the types that were asked for."""
    if types == "sharp" or domain.endswith(f"-{types}"):
        return domain
    if f"{domain}-{types}" not in DOMAINS:
        raise DataError(f"the domain {domain} has no {types} types")
    return f"{domain}-{types}"


def _setup(
    plan: Plan, dataset: Dataset, variant: str, config: SpanParserConfig, settings: TrainSettings
) -> Setup:
    """Made before the training, so that a bad name is found before it too."""
    loop: dict[str, Any] = {k: v for k, v in settings.to_dict().items() if k != "seed"}
    stop = f", patience {settings.patience}" if settings.patience else ""
    return Setup(
        system="span",
        dataset=dataset.name,
        split=dataset.split,
        variant=variant,
        protocol=f"best of {settings.epochs} epochs on dev (denotation, exact match){stop}",
        encoder=config.encoder.rstrip("/").rsplit("/", 1)[-1],
        parameters=None,
        train_size=len(dataset.train),
        test_size=len(dataset.test),
        settings={"types": plan.types, "parser": config.to_dict(), "loop": loop},
    )


def _same_setup(file: Path, setup: Setup) -> None:
    """Find out before the training that its result has no place."""
    if not file.exists():
        return
    old = load_result(file).setup
    mine = {**vars(setup), "parameters": old.parameters}
    changed = [name for name, value in vars(old).items() if mine[name] != value]
    if changed:
        raise DataError(
            f"{file}: was made with other {', '.join(changed)}, so that a mean over seeds would "
            "mix setups; name another --variant, or delete the file"
        )


def _say(session: Session, plan: Plan) -> None:
    left = session.train_size - session.usable
    note = f", {left} not usable (see train.log)" if left else ""
    typer.echo(f"train  {session.usable} of {session.train_size} questions{note}")
    typer.echo(
        f"time   {session.seconds:.1f} s, {100 * session.chart_share:.0f} % of it in the charts; "
        f"best epoch {session.report.best_epoch + 1} of {len(session.report.history)}"
    )
    typer.echo(f"dev    {shown(session.dev)}")
    if session.test is not None:
        typer.echo(f"{'inner' if plan.inner else 'test':6} {shown(session.test)}")
    typer.echo(f"model  {session.model}")


def shown(metrics: Metrics) -> str:
    """The figures in one line."""
    return (
        f"denotation {100 * metrics.denotation:.1f}  exact match {100 * metrics.exact_match:.1f}  "
        f"({metrics.n} questions, {metrics.no_parse} without a parse, {metrics.failed} failed)"
    )


def _add(ctx: typer.Context, plan: Plan, setup: Setup, session: Session, seed: int) -> None:
    from dataclasses import replace

    assert session.test is not None
    trained = sum(p.numel() for p in session.parser.parameters() if p.requires_grad)
    figures = {"exact_match": session.test.exact_match, "denotation": session.test.denotation}
    run = Run(figures, round(session.seconds, 1), _device(), _command(ctx), checkout_commit())
    path = result_path(plan.results, setup)
    add_seed(path, replace(setup, parameters=trained), seed, run)
    typer.echo(f"result {path}")


def _device() -> str:
    """The processor and the number of threads."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = (line.partition(":") for line in info.read_text().splitlines())
        name = next(
            (value.strip() for key, _, value in lines if key.startswith("model name")), name
        )
    return f"{name}, {torch.get_num_threads()} thread(s)"


def _command(ctx: typer.Context) -> str:
    """The command that was given, without the places on this machine."""
    words = ["partwise", str(ctx.info_name)]
    for parameter in ctx.command.params:
        name, value = str(parameter.name), ctx.params.get(str(parameter.name))
        source = ctx.get_parameter_source(name)
        if source is None or source.name == "DEFAULT" or name in PLACES or value is None:
            continue
        if parameter.param_type_name == "argument":
            words.append(str(value))
        elif isinstance(value, bool):
            options = parameter.opts if value else parameter.secondary_opts
            words += options[:1]
        else:
            for one in value if isinstance(value, list | tuple) else [value]:
                words += [parameter.opts[0], one.name if isinstance(one, Path) else str(one)]
    return shlex.join(words)

"""What ``partwise train`` does once its options are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
import typer

from partwise.chart.algebra.type import TypeAlgebra
from partwise.cli.common import find_domain, quiet, warn
from partwise.cli.examples import own_dataset
from partwise.cli.plan import Plan
from partwise.cli.recording import command_of, record, same_setup, with_trees
from partwise.cli.settings import variant_of
from partwise.errors import DataError
from partwise.evaluation.figures import of_trees, on_dev, on_test
from partwise.evaluation.metrics import Scores
from partwise.evaluation.result import Setup
from partwise.evaluation.results import result_path
from partwise.evaluation.splits import inner_dataset
from partwise.evaluation.trained import make_setup, run_name
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import DOMAINS, data_note, dataset_info, load
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.span.config import SpanParserConfig
from partwise.span.derivation import SpanDerivation
from partwise.span.parser import SpanParser
from partwise.training.config import TrainingConfig
from partwise.training.prepare import without_failing
from partwise.training.session import Session, train


def run(ctx: typer.Context, plan: Plan, config: SpanParserConfig, settings: TrainingConfig) -> None:
    """Train, save, say how it went, and with ``--test`` add to the results.

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    if plan.test and plan.inner:
        raise DataError("--inner never touches test; give --test or --inner, not both")
    domain, dataset = _data(plan)
    variant = plan.variant or variant_of(config, plan.types)
    name = run_name(dataset.name, dataset.split, variant, settings.seed)
    folder = plan.out or Path("runs") / name
    setup = _setup(plan, dataset, variant, config, settings)
    if plan.test:
        same_setup(result_path(plan.results, setup), setup)
        # Before the training, so that trees that cannot be read are known before it too.
        dataset = replace(dataset, test=with_trees(dataset, TypeAlgebra(domain), plan.data))
    for message in dataset.skipped:
        warn(f"left out: {message}")
    torch.set_num_threads(plan.threads)
    quiet()
    try:
        session = train(
            SpanParser,
            domain,
            dataset,
            config,
            settings,
            folder=folder,
            resume=not plan.fresh,
            test=plan.test or plan.inner is not None,
            facts={"variant": variant, "types": plan.types, "command": command_of(ctx)},
        )
    except KeyboardInterrupt:
        warn(f"stopped; the same command continues from {folder}")
        raise typer.Exit(130) from None
    _say(session, plan)
    if plan.test and session.test is not None:
        _add(plan, setup, session, dataset, settings.seed, command_of(ctx))


def _data(plan: Plan) -> tuple[Domain, Dataset[Term]]:
    train, dev, test = plan.files
    if plan.dataset is None:
        if train is None or plan.domain is None:
            raise DataError(
                "give a data set (see `partwise data list`), or --domain, --train and --dev"
            )
        if dev is None:
            warn("no --dev: a part of the training questions is held out to choose the best epoch")
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
        dataset = inner_dataset(dataset, plan.inner, domain)
    return domain, dataset


def _typed(domain: str, types: str) -> str:
    """The domain with the types that were asked for."""
    if types == "sharp" or domain.endswith(f"-{types}"):
        return domain
    if f"{domain}-{types}" not in DOMAINS:
        raise DataError(f"the domain {domain} has no {types} types")
    return f"{domain}-{types}"


def _setup(
    plan: Plan,
    dataset: Dataset[Term],
    variant: str,
    config: SpanParserConfig,
    settings: TrainingConfig,
) -> Setup:
    """Made before the training, so that a bad name is found before it too."""
    return make_setup(
        dataset=dataset.name,
        split=dataset.split,
        variant=variant,
        types=plan.types,
        parser=config.to_dict(),
        loop=settings.to_dict(),
        sizes=(len(dataset.train), len(dataset.dev), len(dataset.test)),
        note=data_note(dataset.name, plan.data) if plan.dataset else "",
    )


def _say(session: Session[Term], plan: Plan) -> None:
    left = session.train_size - session.held_out_size - session.report.usable
    note = f", {left} not usable (see train.log)" if left else ""
    typer.echo(f"train  {session.report.usable} of {session.train_size} questions{note}")
    share = 100 * session.report.facts.get("chart_share", 0.0)
    typer.echo(
        f"time   {session.report.seconds:.1f} s, {share:.0f} % of it in the charts; "
        f"best epoch {session.report.best_epoch + 1} of {len(session.report.history)}"
    )
    if session.held_out is not None:
        typer.echo(f"held   {shown(session.held_out)}")
    if session.dev is not None:
        typer.echo(f"dev    {shown(session.dev)}")
    if session.test is not None:
        typer.echo(f"{'inner' if plan.inner else 'test':6} {shown(session.test)}")
    typer.echo(f"model  {session.model}")


def shown(metrics: Scores) -> str:
    """The figures in one line."""
    return (
        f"denotation {100 * (metrics.denotation or 0):.1f}  "
        f"exact match {100 * metrics.exact_match:.1f}  "
        f"({metrics.n} questions, {metrics.no_parse} without a parse, {metrics.failed} failed)"
    )


def _add(
    plan: Plan, setup: Setup, session: Session[Term], dataset: Dataset[Term], seed: int, done: str
) -> None:
    assert session.test is not None
    metrics = {
        **on_test(session.test),
        **_tree_figures(session, dataset.test),
        **on_dev({} if session.dev is None else session.dev.to_json()),
        "chart_share": min(1.0, session.report.facts.get("chart_share", 0.0)),
    }
    assert isinstance(session.parser, SpanParser)
    trained = session.parser.parameter_count
    whole = replace(setup, parameters=trained)
    typer.echo(f"result {record(plan.results, whole, seed, metrics, session.report.seconds, done)}")


def _tree_figures(session: Session[Term], examples: Sequence[Example[Term]]) -> dict[str, float]:
    """F1 of the trees, where the test questions have some to compare with."""
    annotated = [example for example in examples if example.spans is not None]
    assert isinstance(session.parser, SpanParser)
    made = [one.derivation for one in session.parser.parse_examples(annotated)]
    trees = [one.tree if isinstance(one, SpanDerivation) else None for one in made]
    return of_trees(trees, annotated, session.parser.types)

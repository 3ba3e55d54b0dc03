"""What ``partwise train`` does for data with query graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import typer

from partwise.cli.common import find_graph_domain, quiet, warn
from partwise.cli.examples import own_graph_dataset
from partwise.cli.graph_figures import graph_store, shown
from partwise.cli.plan import Plan
from partwise.cli.recording import command_of, record, same_setup
from partwise.cli.settings import is_given, read_extra, refuse, spelled
from partwise.errors import DataError
from partwise.evaluation.figures import on_dev, on_graphs
from partwise.evaluation.result import Setup
from partwise.evaluation.results import result_path
from partwise.evaluation.splits import inner_dataset
from partwise.evaluation.trained import make_graph_setup, run_name
from partwise.graph.config import GraphParserConfig
from partwise.graph.session import HELD, GraphSession, hold_out, train_graph_parser
from partwise.graph.usual import LOOP, PARSER, usual_of, usual_settings
from partwise.interface.data import Dataset
from partwise.interface.registry import DATASETS, data_note, dataset_info, load_graphs
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph
from partwise.training.config import TrainingConfig

SPAN_ONLY = (
    *("types", "objective", "lexicon", "ternary", "entities", "swap"),
    "frozen_layers",
)
"""Options of ``partwise train`` that say nothing here."""
SHARED = (
    *("composition", "protocol", "encoder", "recombine"),
    *("seed", "epochs", "patience", "batch_size", "encoder_rate", "head_rate", "precision"),
)
"""Options that are settings here too."""


def run_graphs(ctx: typer.Context, plan: Plan, extra: Sequence[str]) -> None:
    """Train, save, say how it went, and with ``--test`` add to the results.

    Raises:
        PartwiseError: for whatever the user can mend.
    """
    refuse(ctx, SPAN_ONLY, "is of span parsers, and these data have query graphs")
    if plan.test and plan.inner:
        raise DataError("--inner never touches test; give --test or --inner, not both")
    domain, dataset = _data(plan)
    config, settings = _settings(ctx, plan, domain, extra)
    variant = plan.variant or variant_of(config)
    name = run_name(dataset.name, dataset.split, variant, settings.seed)
    folder = plan.out or Path("runs") / name
    held = HELD if plan.held is None else plan.held
    setup = _setup(plan, dataset, variant, config, settings, held)
    if plan.test:
        same_setup(result_path(plan.results, setup), setup)
    for message in dataset.skipped:
        warn(f"left out: {message}")
    torch.set_num_threads(plan.threads)
    quiet()
    with graph_store(domain, needed=plan.test) as store:
        try:
            session = train_graph_parser(
                dataset,
                domain,
                config,
                settings,
                folder=folder,
                resume=not plan.fresh,
                test=plan.test,
                facts={"variant": variant, "command": command_of(ctx)},
                held=held,
                store=store,
            )
        except KeyboardInterrupt:
            warn(f"stopped; the same command continues from {folder}")
            raise typer.Exit(130) from None
    _say(session, plan)
    if plan.test and session.test is not None:
        metrics = {
            **on_graphs(session.test.to_json(), config.protocol),
            **on_dev(on_graphs(session.dev.to_json(), config.protocol)),
        }
        whole = replace(setup, parameters=session.parser.size)
        done = command_of(ctx)
        path = record(plan.results, whole, settings.seed, metrics, session.seconds, done)
        typer.echo(f"result {path}")


def variant_of(config: GraphParserConfig) -> str:
    """``declared``, and whatever else is not usual for it: ``flat-paper``, ``flat-dx64``."""
    names = [config.composition]
    usual = {**PARSER, **usual_of(config.composition, config.protocol)}
    if config.protocol != "full":
        names.append(config.protocol)
    for name, default in PARSER.items():
        value = getattr(config, name)
        if name in ("composition", "protocol") or value == usual.get(name, default):
            continue
        names.append(spelled(name, value))
    return "-".join(names)


def _data(plan: Plan) -> tuple[GraphDomain, Dataset[QueryGraph]]:
    train, dev, test = plan.files
    if plan.dataset is None:
        if train is None or dev is None or plan.domain is None:
            raise DataError(
                "give a data set (see `partwise data list`), or --domain, --train and --dev"
            )
        domain = find_graph_domain(plan.domain)
        dataset = own_graph_dataset(train, dev, test, plan.skip_bad)
    else:
        if any(plan.files):
            raise DataError(f"give {plan.dataset} or files of your own, not both")
        info = dataset_info(plan.dataset, plan.split)
        domain = find_graph_domain(plan.domain or info.domain)
        dataset = load_graphs(plan.dataset, plan.split or info.splits[0], plan.data, plan.skip_bad)
    if plan.inner is not None:
        dataset = inner_dataset(dataset, plan.inner, domain)
        # Dev is as new as test is, and not for choosing by either.
        dataset = replace(dataset, dev=dataset.test, test=[])
    return domain, dataset


def _settings(
    ctx: typer.Context, plan: Plan, domain: GraphDomain, extra: Sequence[str]
) -> tuple[GraphParserConfig, TrainingConfig]:
    """What was given, over what is usual for the data set and for the composition."""
    name = plan.dataset
    usual = DATASETS[name].settings if name and name in DATASETS else {}
    given: dict[str, Any] = {name: ctx.params[name] for name in SHARED if is_given(ctx, name)}
    return usual_settings(domain, {**given, **read_extra(extra, {**PARSER, **LOOP})}, usual)


def _setup(
    plan: Plan,
    dataset: Dataset[QueryGraph],
    variant: str,
    config: GraphParserConfig,
    settings: TrainingConfig,
    held: int,
) -> Setup:
    """Made before the training, so that a bad name is found before it too."""
    return make_graph_setup(
        dataset=dataset.name,
        split=dataset.split,
        variant=variant,
        parser=config.to_dict(),
        loop=settings.to_dict(),
        held=len(hold_out(dataset.train, held)[1]),
        sizes=(len(dataset.train), len(dataset.dev), len(dataset.test)),
        note=data_note(dataset.name, plan.data) if plan.dataset else "",
    )


def _say(session: GraphSession, plan: Plan) -> None:
    left = session.train_size - session.held_size - session.usable
    note = f", {left} not usable (see train.log)" if left else ""
    apart = f", {session.held_size} held out" if session.held_size else ""
    typer.echo(f"train  {session.usable} of {session.train_size} questions{apart}{note}")
    report = session.report
    typer.echo(
        f"time   {session.seconds:.1f} s; best epoch {report.best_epoch + 1} of "
        f"{len(report.history)}; {session.parser.size:,} parameters"
    )
    if session.held is not None:
        typer.echo(f"held   {shown(session.held)}")
    typer.echo(f"{'inner' if plan.inner else 'dev':6} {shown(session.dev)}")
    if session.test is not None:
        typer.echo(f"test   {shown(session.test)}")
    typer.echo(f"model  {session.model}")

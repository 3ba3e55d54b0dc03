"""A whole training run of a graph parser: from a data set to a saved parser with its figures.

What the run's folder holds is told in `partwise.training.run`. Epochs are chosen on questions that
are held out of train, never on dev: the dev sets of compositional splits are as new as their test
sets, so that to choose by them would be to choose by what the parser should not know. The latest of
the epochs that the held-out questions cannot tell from the best is kept.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from partwise.encoders.storage import write_json
from partwise.errors import DataError
from partwise.graph.config import GraphParserConfig
from partwise.graph.denotations import Denotations
from partwise.graph.metrics import GraphMetrics, score_graphs
from partwise.graph.parser import GraphParser
from partwise.graph.vary import variation
from partwise.interface.data import Dataset, Example
from partwise.interface.parser import Tick
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.answer import QueryStore
from partwise.language.query.graph import QueryGraph
from partwise.training.config import TrainingConfig
from partwise.training.progress import Bar, log_to
from partwise.training.run import HISTORY, LOG, MODEL, STATE_FOLDER, both, claim, forget, identity
from partwise.training.trainer import Trainer, TrainReport, seed_everything

log = logging.getLogger("partwise.training")

HELD = 500
"""Questions of train that epochs are chosen on; of small training sets a fifth."""
HELD_SEED = "held out of train"
"""Every run of a data set holds out the same questions, whatever its seed."""


@dataclass
class GraphSession:
    """What a training run gave.

    Attributes:
        parser: with the best epoch's weights.
        held: figures on the questions that epochs were chosen on; None if there are none.
        dev, test: figures of those weights; no test figures unless asked for.
        train_size: number of training questions; `usable` of them were trained on, `held_size`
            were held out.
        unusable: a message for each of the others, with its place and the reason.
        seconds: wall time of all epochs, those before a kill included.
        model: the folder of the saved parser.
    """

    parser: GraphParser
    report: TrainReport
    held: GraphMetrics | None
    dev: GraphMetrics
    test: GraphMetrics | None
    train_size: int
    held_size: int
    usable: int
    unusable: list[str]
    seconds: float
    model: Path


def train_graph_parser(
    dataset: Dataset[QueryGraph],
    domain: GraphDomain,
    config: GraphParserConfig,
    settings: TrainingConfig,
    *,
    folder: Path,
    resume: bool = True,
    progress: bool = True,
    test: bool = False,
    tick: Tick | None = None,
    facts: Mapping[str, Any] | None = None,
    held: int = HELD,
    store: QueryStore | None = None,
) -> GraphSession:
    """Train a graph parser and save the weights that do best on held-out questions of train.

    Args:
        folder: what the run writes; a killed run of the same data and settings continues there.
        resume: whether to continue such a run; else it is trained from the start.
        progress: show a bar and the log on standard error.
        test: evaluate on test at the end.
        tick: called after each batch with the number of items in it: questions, or what composing
            parsers take them apart into.
        facts: more that is worth knowing, for the saved parser's config.json and card.
        held: how many questions of train are not trained on, at most a fifth of them; with 0 the
            last epoch's weights are kept.
        store: a knowledge graph, to compare answers on.

    Raises:
        DataError: if no training question is usable, or dev (or test) is empty.
        CheckpointError: if the folder cannot be written, or the state there is damaged.
    """
    for part, examples in (("dev", dataset.dev), ("test", dataset.test if test else [None])):
        if not examples:
            raise DataError(f"there are no {part} questions; {part} must hold at least one")
    train, apart = hold_out(dataset.train, held)
    # Edges alone, which the paper's protocol predicts, have no answer.
    whole = config.protocol != "paper"
    answers = Denotations(store, domain) if store is not None and whole else None
    with log_to(folder / LOG), ExitStack() as stack:
        bar = stack.enter_context(Bar()) if progress else None
        # The first weights are drawn at random too.
        seed_everything(settings.seed)
        parser, unusable = _parser(dataset, train, len(apart), domain, config)
        items = list(parser.reading.items())
        trainer = Trainer(
            parser,
            items,
            lambda: figures(evaluate(parser, apart), config) if apart else {},
            settings,
            folder=folder / STATE_FOLDER,
            tick=both(bar.tick if bar else None, tick),
            length=parser.reading.length,
            label="",
            judged=len(apart),
            vary=variation(parser),
        )
        claim(folder, _identity(train, apart, domain, config, settings), resume)
        report = trainer.run()
        session = GraphSession(
            parser,
            report,
            held=evaluate(parser, apart) if apart else None,
            dev=evaluate(parser, dataset.dev, answers),
            test=None,
            train_size=len(dataset.train),
            held_size=len(apart),
            usable=len(train) - len(unusable),
            unusable=unusable,
            seconds=sum(epoch.seconds for epoch in report.history),
            model=folder / MODEL,
        )
        known = _facts(session, dataset, settings, facts or {})
        parser.save(folder / MODEL, known)
        history = [vars(epoch) for epoch in report.history]
        write_json(folder / HISTORY, {**known, "history": history})
        forget(folder)
        if test:
            found = evaluate(parser, dataset.test, answers)
            log.info("%s %s test %s", dataset.name, dataset.split, found.to_json())
            session = replace(session, test=found)
        return session


def evaluate(
    parser: GraphParser, examples: Sequence[Example[QueryGraph]], answers: Denotations | None = None
) -> GraphMetrics:
    """Parse the questions and compare with the gold graphs.

    Args:
        answers: to compare what the queries give as well.

    Raises:
        DataError: if a gold query fails to run.
    """
    return score_graphs(parser.domain, examples, parser.parse_examples(examples), answers)


def figures(metrics: GraphMetrics, config: GraphParserConfig) -> dict[str, float]:
    """What chooses the best epoch: exact match, then edges match; under the paper's protocol,
    which predicts edges alone, edges match."""
    edges = {"held_edges_match": metrics.edges_match}
    return (
        edges if config.protocol == "paper" else {"held_exact_match": metrics.exact_match} | edges
    )


def hold_out(
    train: Sequence[Example[QueryGraph]], held: int
) -> tuple[list[Example[QueryGraph]], list[Example[QueryGraph]]]:
    """Part a training set at random, always alike: what to train on, and what to choose by."""
    count = min(held, len(train) // 5)
    apart = set(random.Random(HELD_SEED).sample(range(len(train)), count))
    return (
        [example for place, example in enumerate(train) if place not in apart],
        [example for place, example in enumerate(train) if place in apart],
    )


def _parser(
    dataset: Dataset[QueryGraph],
    train: Sequence[Example[QueryGraph]],
    held: int,
    domain: GraphDomain,
    config: GraphParserConfig,
) -> tuple[GraphParser, list[str]]:
    parser, rejected = GraphParser.for_training(domain, config, train)
    unusable = [f"{e.source}: {e.question} | {reason}" for e, reason in rejected]
    shown = dataset.name, dataset.split, len(dataset.train), len(train) - len(unusable), held
    log.info("%s %s: %d training questions, %d usable, %d held out", *shown)
    for message in dataset.skipped:
        log.warning("left out: %s", message)
    for message in unusable:
        log.warning("not usable: %s", message)
    return parser, unusable


def _identity(
    train: Sequence[Example[QueryGraph]],
    apart: Sequence[Example[QueryGraph]],
    domain: GraphDomain,
    config: GraphParserConfig,
    settings: TrainingConfig,
) -> dict[str, Any]:
    lines = (
        f"{place} {example.question}\n{domain.write(example.meaning)}"
        for place, examples in enumerate((train, apart))
        for example in examples
    )
    return identity(domain.name, config.to_dict(), settings, lines)


def _facts(
    session: GraphSession,
    dataset: Dataset[QueryGraph],
    settings: TrainingConfig,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "dataset": dataset.name,
        "split": dataset.split,
        **more,
        "train_size": session.train_size,
        "held_out": session.held_size,
        "usable": session.usable,
        "held": None if session.held is None else session.held.to_json(),
        "dev": session.dev.to_json(),
        "best_epoch": session.report.best_epoch,
        "seconds": round(session.seconds, 1),
        "settings": settings.to_dict(),
    }

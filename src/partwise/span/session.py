"""A whole training run: from a data set to a saved span parser, with its log and its figures.

What the run's folder holds is told in `partwise.training.run`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from partwise.encoders.factory import make_encoder
from partwise.errors import DataError, PartwiseError
from partwise.evaluation.metrics import Metrics, score
from partwise.interface.data import Dataset, Example
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.tokenizer import tokenize
from partwise.span.annotation.builder import Annotator
from partwise.span.annotation.spans import spans_of
from partwise.span.calibrate import fit_temperature
from partwise.span.config import SpanParserConfig
from partwise.span.objective import TrainingItem
from partwise.span.parser import SpanParser
from partwise.span.vary import Variation
from partwise.training.progress import Bar, log_to
from partwise.training.run import LOG, MODEL, STATE_FOLDER, both, claim, identity, keep
from partwise.training.settings import TrainSettings
from partwise.training.trainer import Trainer, TrainReport, seed_everything

log = logging.getLogger("partwise.training")


@dataclass
class Session:
    """What a training run gave.

    Attributes:
        parser: with the best epoch's weights.
        dev, test: figures of those weights; no test figures unless asked for.
        train_size: number of training questions; `usable` of them were trained on.
        unusable: a message for each of the others, with its place and the reason.
        chart_share: the algorithm's part of the wall time, from 0 to 1.
        seconds: wall time of all epochs, those before a kill included.
        model: the folder of the saved parser.
    """

    parser: SpanParser
    report: TrainReport
    dev: Metrics
    test: Metrics | None
    train_size: int
    usable: int
    unusable: list[str]
    chart_share: float
    seconds: float
    model: Path


def train_span_parser(
    dataset: Dataset[Term],
    domain: Domain,
    config: SpanParserConfig,
    settings: TrainSettings,
    *,
    folder: Path,
    resume: bool = True,
    progress: bool = True,
    test: bool = False,
    tick: Callable[[int], None] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Session:
    """Train a span parser and save the weights that do best on dev.

    Args:
        folder: what the run writes; a killed run of the same data and settings continues there.
        resume: whether to continue such a run; else it is trained from the start.
        progress: show a bar and the log on standard error.
        test: evaluate on test at the end.
        tick: called after each batch with the number of questions in it.
        facts: more that is worth knowing, for the saved parser's config.json and card.

    Raises:
        DataError: if no training question is usable, dev (or test) is empty, or a gold program
            there does not run.
        CheckpointError: if the folder cannot be written, or the state there is damaged.
    """
    for part, examples in (("dev", dataset.dev), ("test", dataset.test if test else None)):
        _check_gold(domain, part, examples)
    with log_to(folder / LOG), ExitStack() as stack:
        bar = stack.enter_context(Bar()) if progress else None
        parser, items, unusable = _parser(dataset, domain, config, settings.seed)
        trainer = Trainer(
            parser,
            items,
            lambda: _figures(evaluate(parser, dataset.dev)),
            settings,
            folder=folder / STATE_FOLDER,
            tick=both(bar.tick if bar else None, tick),
            length=lambda item: item.question.n,
            vary=Variation(parser, dataset.train) if config.swap or config.recombine else None,
        )
        done = claim(folder, _identity(dataset, domain, config, settings), resume)
        if bar is not None:
            bar.size(len(items) * settings.epochs, len(items) * done)
        report = trainer.run()
        temperature = fit_temperature(parser, dataset.dev)
        log.info("probabilities are those at a temperature of %.2f, fitted on dev", temperature)
        session = Session(
            parser,
            report,
            dev=evaluate(parser, dataset.dev),
            test=None,
            train_size=len(dataset.train),
            usable=len(items),
            unusable=unusable,
            chart_share=report.parts.get("chart", 0.0) / max(report.seconds, 1e-9),
            seconds=sum(epoch.seconds for epoch in report.history),
            model=folder / MODEL,
        )
        _save(session, dataset, settings, folder, dict(facts or {}))
        if test:
            figures = evaluate(parser, dataset.test)
            log.info("%s %s test %s", dataset.name, dataset.split, figures.to_json())
            session = replace(session, test=figures)
        return session


def evaluate(parser: SpanParser, examples: Sequence[Example[Term]]) -> Metrics:
    """Parse the questions and compare with the gold programs.

    Raises:
        DataError: if a gold program fails to run.
    """
    parses = parser.parse([example.question for example in examples])
    return score(parser.domain, examples, [parse.program for parse in parses])


def _figures(metrics: Metrics) -> dict[str, float]:
    """What chooses the best epoch: denotation, then exact match."""
    return {"denotation": metrics.denotation, "exact_match": metrics.exact_match}


def _check_gold(domain: Domain, part: str, examples: Sequence[Example[Term]] | None) -> None:
    """Find out before the training, not after its first epoch."""
    if examples is None:
        return
    if not examples:
        raise DataError(f"there are no {part} questions; {part} must hold at least one")
    score(domain, examples, [None] * len(examples))


def _parser(
    dataset: Dataset[Term], domain: Domain, config: SpanParserConfig, seed: int
) -> tuple[SpanParser, list[TrainingItem], list[str]]:
    # The first weights are drawn at random too.
    seed_everything(seed)
    questions = [tokenize(example.question) for example in dataset.train]
    parser = SpanParser(
        domain, make_encoder(config.encoder, questions, config.frozen_layers), config
    )
    items, rejected = parser.training_items(_annotated(dataset.train, parser))
    unusable = [f"{e.source}: {e.question} | {e.meaning} | {reason}" for e, reason in rejected]
    shown = dataset.name, dataset.split, len(dataset.train), len(items), len(dataset.dev)
    log.info("%s %s: %d training questions, %d usable, %d dev", *shown)
    for message in dataset.skipped:
        log.warning("left out: %s", message)
    for message in unusable:
        log.warning("not usable: %s", message)
    if not items:
        first = f"; the first: {unusable[0]}" if unusable else ""
        raise DataError(f"none of the {len(dataset.train)} training questions is usable{first}")
    return parser, items, unusable


def _annotated(examples: list[Example[Term]], parser: SpanParser) -> list[Example[Term]]:
    """The examples with span trees made by lexicon, if trees are trained on and none are given."""
    if parser.config.objective != "trees" or any(e.spans is not None for e in examples):
        return examples
    annotator = Annotator(parser.types)
    found: list[Example[Term]] = []
    for example in examples:
        try:
            spans = spans_of(annotator.annotate(example), parser.domain)
            found.append(replace(example, spans=spans))
        except PartwiseError:
            # The parser says of questions without a tree that they are not usable.
            found.append(example)
    return found


def _identity(
    dataset: Dataset[Term], domain: Domain, config: SpanParserConfig, settings: TrainSettings
) -> dict[str, Any]:
    lines = (f"{e.question}\n{e.meaning}" for e in (*dataset.train, *dataset.dev))
    return identity(domain.name, config.to_dict(), settings, lines)


def _save(
    session: Session,
    dataset: Dataset[Term],
    settings: TrainSettings,
    folder: Path,
    more: dict[str, Any],
) -> None:
    report = session.report
    facts = {
        "dataset": dataset.name,
        "split": dataset.split,
        **more,
        "train_size": session.train_size,
        "usable": session.usable,
        "dev": session.dev.to_json(),
        "best_epoch": report.best_epoch,
        "seconds": round(session.seconds, 1),
        "chart_share": session.chart_share,
        "settings": settings.to_dict(),
    }
    keep(session.parser, facts, report, folder)

"""A whole training run of any parser: from a data set to a saved parser with its metrics.

The folder of a run holds ``model/`` (the saved parser), ``train.log``, ``history.json`` and, while
the run is not finished, ``state/``, from which a killed run continues.

Which questions choose the best epoch depends on the parser (`Parser.held_out`) and on what there
is: dev, or a part of the training questions that is held out. Graph parsers never choose by dev:
the dev sets of compositional splits are as new as their test sets, so that to choose by them would
be to choose by what the parser should not know. Probabilities are calibrated on dev, or else on the
held-out questions; never on what was trained on.
"""

from __future__ import annotations

import hashlib
import logging
import random
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from partwise.encoders.storage import PROGRESS, read_json, state_files, write_json
from partwise.errors import CheckpointError, DataError
from partwise.evaluation.confidence import Calibrated, fit_temperature
from partwise.evaluation.metrics import Runner, Scores, evaluate
from partwise.interface.data import Dataset, Example
from partwise.interface.domain import AnyDomain
from partwise.interface.parser import (
    Checkpoints,
    Parser,
    Tick,
    TrainingError,
    TrainingReport,
    TrainingStopped,
)
from partwise.interface.registry import PARSERS
from partwise.interface.settings import to_dict
from partwise.training.neural import NeuralParser
from partwise.training.trainer import TrainingConfig

MODEL, STATE_FOLDER, LOG, HISTORY, RUN = "model", "state", "train.log", "history.json", "run.json"


def claim(folder: Path, mine: Mapping[str, Any], resume: bool) -> None:
    """Note whose state a run's folder keeps, and take away that of another run. `mine`: what two
    runs have in common if one continues the other."""
    note = folder / STATE_FOLDER / RUN
    if (folder / STATE_FOLDER / PROGRESS).exists():
        if resume and note.exists() and read_json(note) == mine:
            return
        why = "it is of another run" if resume else "as asked"
        log.warning("the state in %s is not continued: %s", folder / STATE_FOLDER, why)
        forget(folder)
    write_json(note, mine)


def forget(folder: Path) -> None:
    """Remove the state, and nothing else that may stand there."""
    place = folder / STATE_FOLDER
    for file in (place / PROGRESS, place / RUN, *state_files(place)):
        file.unlink(missing_ok=True)
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()


ROOT = logging.getLogger("partwise")


@contextmanager
def log_to(file: Path) -> Iterator[None]:
    """Append what Partwise logs to a file. Raises CheckpointError if it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(file, encoding="utf-8")
    except OSError as error:
        raise CheckpointError(f"cannot write {file}: {error}; choose another folder") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    level = ROOT.level
    ROOT.addHandler(handler)
    ROOT.setLevel(logging.INFO)
    try:
        yield
    finally:
        ROOT.setLevel(level)
        ROOT.removeHandler(handler)
        handler.close()


class _Lines(logging.Handler):
    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self.console = console

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def show_progress(progress: bool | Tick) -> Iterator[Tick | None]:
    """What is told how far the training is: a bar with the log above it, a function, or nothing."""
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield None
        return
    console = Console(stderr=True)
    columns = TextColumn("training"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    lines = _Lines(console)
    ROOT.addHandler(lines)
    try:
        with Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        ) as bar:
            task = bar.add_task("training", total=None)
            yield lambda seen, total: bar.update(task, total=total, completed=seen)
    finally:
        ROOT.removeHandler(lines)


log = logging.getLogger("partwise.training")
M = TypeVar("M")
HELD_SEED = "held out of train"
"""Every run of a data set holds out the same questions, whatever its seed."""
START = "start"
"""Of the facts of a run, the saved parser that is trained on."""
FEWEST = 8
"""Where there is no dev, fewer held-out questions than this choose nothing, and none are."""


@dataclass
class Session(Generic[M]):
    """What a training run gave.

    Attributes:
        parser: with the best epoch's weights.
        held_out: metrics on the training questions that chose the epoch; None if there are none.
        dev, test: metrics of those weights; None without such questions, and no test metrics
            unless asked for.
        train_size: number of training questions; `held_out_size` of them were not trained on.
        model: the folder of the saved parser.
    """

    parser: Parser[M]
    report: TrainingReport
    held_out: Scores | None
    dev: Scores | None
    test: Scores | None
    train_size: int
    held_out_size: int
    model: Path


def train(
    parser: str | type[Parser[M]] | Parser[M],
    domain: AnyDomain[M],
    dataset: Dataset[M],
    config: Any = None,
    training: TrainingConfig | None = None,
    *,
    folder: str | Path,
    resume: bool = True,
    progress: bool | Tick = True,
    test: bool = False,
    facts: Mapping[str, Any] | None = None,
) -> Session[M]:
    """Train a parser, and save the weights of its best epoch. If the run is interrupted (Ctrl-C,
    SIGTERM) after an epoch, that epoch is saved as a parser that can be used, and the same call
    continues the run.

    Args:
        parser: the class, or the name of a plug-in; or a parser that is trained on, see
            `start_from`, whose settings are kept.
        config: the parser's settings, of its class `Config`; the defaults if None.
        folder: what the run writes; a killed run of the same data and settings continues there.
        resume: whether to continue such a run; else it is trained from the start.
        progress: show a bar and the log on standard error; or a function that is told how many
            questions were seen and how many there will be.
        test: evaluate on test at the end.
        facts: more that is worth knowing, for the saved parser's config.json and card.

    Raises:
        DataError: if no training question is usable, test is empty, or a gold meaning of dev or
            test does not run.
        CheckpointError: if the folder cannot be written, or the state there is damaged.
        TrainingStopped: if it was interrupted, with a parser saved.
        TrainingError: if a number is not finite; a parser is saved if there was an epoch before.
    """
    parser = PARSERS.find(parser) if isinstance(parser, str) else parser
    kind, made = (parser, None) if isinstance(parser, type) else (type(parser), parser)
    config = made.config if made is not None else kind.Config() if config is None else config
    run = _Run(kind, domain, dataset, config, TrainingConfig() if training is None else training)
    run.check(test)
    # Settings that do not go together are found before anything is written.
    made, place = kind.create(domain, run.config) if made is None else made, Path(folder)
    used = threads(run.training.threads)
    with log_to(place / LOG), interruptible(), used, show_progress(progress) as tick:
        run.say()
        facts = facts or {}
        # What the parser was before it is trained on belongs to the run.
        origin = {START: facts[START]} if START in facts else {}
        claim(place, {**run.identity(), **origin}, resume)
        return run.fit(made, place, tick, test, facts)


def start_from(kind: type[Parser[M]], domain: AnyDomain[M], start: str | Path) -> Parser[M]:
    """A saved parser that can be trained on. Raises DataError if parsers of its kind cannot, and
    CheckpointError if there is none, or it is of another kind."""
    if kind.starts_from is None:
        raise DataError(
            f"a {kind.kind} parser learns its labels in training, so a saved one cannot be trained "
            "on; train one from the start"
        )
    return kind.from_pretrained(start, domain)


def hold_out(
    train: Sequence[Example[M]], held_out: int
) -> tuple[list[Example[M]], list[Example[M]]]:
    """Split a training set at random, always alike: what to train on, and what to choose by.
    `held_out`: how many to choose by; at most a fifth are."""
    count = min(held_out, len(train) // 5)
    apart = set(random.Random(HELD_SEED).sample(range(len(train)), count))
    return (
        [example for place, example in enumerate(train) if place not in apart],
        [example for place, example in enumerate(train) if place in apart],
    )


def count_held_out(kind: type[Parser[Any]], dataset: Dataset[Any], asked: int | None) -> int:
    """How many training questions are not trained on, to choose the best epoch by. `asked`: as
    `TrainingConfig.held_out`."""
    fifth = len(dataset.train) // 5
    if asked is not None:
        return min(asked, fifth)
    if kind.held_out:
        return min(kind.held_out, fifth)
    return 0 if dataset.dev or fifth < FEWEST else fifth


def facts_before(
    kind: type[Parser[Any]], dataset: Dataset[Any], training: TrainingConfig
) -> dict[str, Any]:
    """What a saved parser notes of its training, as far as it is known before."""
    return {
        "dataset": dataset.name,
        "split": dataset.split,
        "train_size": len(dataset.train),
        "held_out": count_held_out(kind, dataset, training.held_out),
        "dev": {"n": len(dataset.dev)} if dataset.dev else None,
        "seconds": 0.0,
        "settings": to_dict(training),
    }


class _Run(Generic[M]):
    def __init__(
        self,
        kind: type[Parser[M]],
        domain: AnyDomain[M],
        dataset: Dataset[M],
        config: Any,
        training: TrainingConfig,
    ) -> None:
        self.kind, self.domain, self.dataset = kind, domain, dataset
        self.config, self.training = config, training
        self.runner = Runner(domain)
        count = count_held_out(kind, dataset, training.held_out)
        self.train, self.apart = hold_out(dataset.train, count)
        by_dev = not self.apart and not kind.held_out
        self.chosen = dataset.dev if by_dev else self.apart

    def check(self, test: bool) -> None:
        """Find out before the training, not after its first epoch."""
        if test and not self.dataset.test:
            raise DataError("there are no test questions; test must hold at least one")
        asked = [*self.dataset.dev, *self.apart, *(self.dataset.test if test else ())]
        for example in asked if self.domain.runnable else ():
            self.runner.gold(example)

    def say(self) -> None:
        data = self.dataset
        sizes = data.name, data.split, len(data.train), len(self.apart), len(data.dev)
        log.info("%s %s: %d training questions, %d of them held out, %d dev", *sizes)
        for message in data.skipped:
            log.warning("left out: %s", message)
        if not self.chosen:
            log.warning("no questions to choose the best epoch by: the last one is kept")

    def identity(self) -> dict[str, Any]:
        """What two runs have in common if one continues the other."""
        digest = hashlib.sha256()
        for part, examples in enumerate((self.train, self.chosen)):
            for example in examples:
                meaning = self.domain.write(example.meaning)
                digest.update(f"{part} {example.question}\n{meaning}\n".encode())
        return {
            "domain": self.domain.name,
            "parser": {"kind": self.kind.kind, **to_dict(self.config)},
            "settings": self.training.to_dict(),
            "data": digest.hexdigest(),
        }

    def fit(
        self,
        parser: Parser[M],
        folder: Path,
        tick: Tick | None,
        test: bool,
        facts: Mapping[str, Any],
    ) -> Session[M]:
        stopped: TrainingStopped | TrainingError | None = None
        try:
            checkpoints = Checkpoints(folder / STATE_FOLDER, tick)
            report = parser.fit(self.train, self.chosen, self.training, checkpoints)
        except TrainingStopped as stop:
            log.warning("stopped; the best epoch so far is saved, and the run can go on")
            report, stopped = stop.report, stop
        except TrainingError as error:
            if error.report is None:
                raise
            log.warning("%s; the best epoch before is saved", error)
            report, stopped = error.report, error
        for message in report.unusable:
            log.warning("not usable: %s", message)
        if parser.domain is not self.domain:
            # A parser's own domain runs what it says.
            self.runner = Runner(parser.domain)
        self._calibrate(parser, stopped is not None)
        # Who stops a run does not wait for metrics.
        held_out, dev = (
            evaluate(parser, examples, runner=self.runner) if examples and not stopped else None
            for examples in (self.apart, self.dataset.dev)
        )
        noted = {**self._facts(report, held_out, dev), **facts}
        # What a parser started from was small, and so is what is made of it.
        small = {"half": True} if START in facts else {}
        parser.save_pretrained(folder / MODEL, noted, **small)
        write_json(folder / HISTORY, {**noted, "history": report.history})
        log.info("saved %s, with the weights of epoch %d", folder / MODEL, report.best_epoch + 1)
        if stopped is not None:
            raise stopped
        forget(folder)
        tested = evaluate(parser, self.dataset.test, runner=self.runner) if test else None
        if tested is not None:
            log.info("%s %s test %s", self.dataset.name, self.dataset.split, tested.to_json())
        counts = len(self.dataset.train), len(self.apart)
        return Session(parser, report, held_out, dev, tested, *counts, folder / MODEL)

    def _calibrate(self, parser: Parser[M], stopped: bool) -> None:
        unseen = self.dataset.dev or self.apart
        if isinstance(parser, Calibrated) and unseen:
            on = "dev" if self.dataset.dev else "held-out training questions"
            fitted = fit_temperature(parser, unseen)
            log.info("probabilities are those at a temperature of %.2f, fitted on %s", fitted, on)
        elif isinstance(parser, Calibrated):
            log.warning("no questions to calibrate probabilities on: they are as trained")
        if isinstance(parser, NeuralParser) and not stopped:
            told = parser.fit_confidence(self.train, unseen)
            if told is not None:
                log.info(told)

    def _facts(
        self, report: TrainingReport, held_out: Scores | None, dev: Scores | None
    ) -> dict[str, Any]:
        return {
            **facts_before(self.kind, self.dataset, self.training),
            "usable": report.usable,
            "held": None if held_out is None else held_out.to_json(),
            "dev": None if dev is None else dev.to_json(),
            "best_epoch": report.best_epoch,
            "seconds": round(report.seconds, 1),
            **report.facts,
        }


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM interrupt as Ctrl-C does, where signals can be received."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Compute with so many processor threads inside."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)

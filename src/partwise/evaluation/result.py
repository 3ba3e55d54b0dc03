"""The result of a system on a split over its seeds, and its JSON form.

Metrics are fractions from 0 to 1; times are seconds. `result_json` reads the form back, `results`
keeps the files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from partwise.errors import DataError
from partwise.evaluation.metrics import mean_ci95
from partwise.interface.registry import DOMAINS

METRICS = ("exact_match", "denotation")
"""What every run of a parser of programs has, of the test set."""
EDGES_MATCH = "edges_match"
OPTIONAL = (
    *(EDGES_MATCH, "tree_f1", "tree_f1_equivalent"),
    *("dev_denotation", "dev_exact_match", "dev_edges_match", "chart_share"),
)
"""What a run may have: match of query graphs' edges alone; F1 of the test set's trees (against the
annotated tree, and against the nearest tree of the same program); figures on dev; and the charts'
share of the training time."""
GRAPH = "graph"
"""The system of parsers of query graphs."""
GROUP = "denotation/"
"""Before the name of a kind of question: denotation accuracy on those of test."""
IDENTITY = ("system", "dataset", "split", "variant")
NOTES = ("dev_size", "data")
"""Fields of a setup that a file need not have."""
_NAME = re.compile(r"[\w.+-]+", re.ASCII)


@dataclass(frozen=True)
class Setup:
    """What was run: the same for all seeds of a result file.

    Attributes:
        protocol: how hyper-parameters were chosen and when training stopped.
        parameters: number of trained parameters, None where there are none to count.
        settings: anything else that tells this run from others (JSON values).
        dev_size: number of dev questions; None if not noted.
        data: what is to know of the data, as that they were made anew; None for nothing.
    """

    system: str
    dataset: str
    split: str
    variant: str
    protocol: str
    encoder: str
    parameters: int | None
    train_size: int
    test_size: int
    settings: dict[str, Any] = field(default_factory=dict)
    dev_size: int | None = None
    data: str | None = None

    def __post_init__(self) -> None:
        for name in IDENTITY:
            value = getattr(self, name)
            if not _NAME.fullmatch(value):
                raise DataError(
                    f"{name} {value!r} cannot be part of a file name; use letters, digits, . _ + -"
                )

    @property
    def required(self) -> tuple[str, ...]:
        """The metrics that every run has, of the test set.

        Of query graphs the edges always match or not; their answers can only be compared where
        the package has the knowledge graph, and under the protocol of Gai and Jain (2021), which
        predicts edges alone, no whole query is there to match.
        """
        if self.system != GRAPH:
            return METRICS
        parser = self.settings.get("parser")
        whole = not isinstance(parser, dict) or parser.get("protocol") != "paper"
        runs = whole and getattr(DOMAINS.get(self.dataset), "runnable", False)
        return (
            *(("exact_match",) if whole else ()),
            *(("denotation",) if runs else ()),
            EDGES_MATCH,
        )

    @property
    def file_name(self) -> str:
        """``<system>-<dataset>-<split>-<variant>.json``."""
        return "-".join(getattr(self, name) for name in IDENTITY) + ".json"


@dataclass(frozen=True)
class Run:
    """One seed: its metrics (fractions), its seconds, and where its figures come from.

    Attributes:
        metrics: all that `Setup.required` names, and any of those that `is_metric` knows.
        seconds: wall time of the training.
    """

    metrics: Mapping[str, float]
    seconds: float
    device: str
    command: str
    commit: str | None


def is_metric(name: str) -> bool:
    """Whether a run may have a metric of this name."""
    return name in METRICS or name in OPTIONAL or (name.startswith(GROUP) and name != GROUP)


@dataclass(frozen=True)
class Result:
    """A setup with its runs, by seed."""

    setup: Setup
    runs: Mapping[int, Run]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that some seed has: those of every run, optional ones, groups by name."""
        found = {name for run in self.runs.values() for name in run.metrics}
        order = {name: place for place, name in enumerate((*METRICS, *OPTIONAL))}
        return tuple(sorted(found, key=lambda name: (order.get(name, len(order)), name)))

    def seeds(self, metric: str) -> list[int]:
        """The seeds that have a metric."""
        return [seed for seed in sorted(self.runs) if metric in self.runs[seed].metrics]

    def values(self, metric: str) -> list[float]:
        """The fractions of a metric in the order of the seeds that have it."""
        return [self.runs[seed].metrics[metric] for seed in self.seeds(metric)]

    def mean_ci95(self, metric: str) -> tuple[float, float | None]:
        """Mean over seeds and half-width of its 95 % interval, None for one seed.

        Raises:
            ValueError: if no seed has the metric.
        """
        return mean_ci95(self.values(metric))

    def with_run(self, seed: int, run: Run) -> Result:
        """The same with one seed added or replaced."""
        return Result(self.setup, {**self.runs, seed: run})

    def to_json(self) -> dict[str, Any]:
        """The content of a result file.

        ``device`` names all devices used, ``seconds`` is the sum over seeds, and ``command`` and
        ``commit`` are those of the last seed; ``runs`` has them for each seed.
        """
        seeds = sorted(self.runs)
        last = self.runs[seeds[-1]]
        return {
            **{name: getattr(self.setup, name) for name in (*IDENTITY, "protocol", "encoder")},
            "parameters": self.setup.parameters,
            # Older files have no such fields, and stay as they are.
            **{name: value for name in NOTES if (value := getattr(self.setup, name)) is not None},
            "device": ", ".join(sorted({run.device for run in self.runs.values()})),
            "train_size": self.setup.train_size,
            "test_size": self.setup.test_size,
            "metrics": {metric: self._metric(metric) for metric in self.metrics},
            "seconds": sum(run.seconds for run in self.runs.values()),
            "command": last.command,
            "commit": last.commit,
            "settings": self.setup.settings,
            "runs": {str(seed): _provenance(self.runs[seed]) for seed in seeds},
        }

    def _metric(self, metric: str) -> dict[str, Any]:
        mean, half = self.mean_ci95(metric)
        by_seed = {str(seed): self.runs[seed].metrics[metric] for seed in self.seeds(metric)}
        return {"seeds": by_seed, "mean": mean, "ci95": half}


def _provenance(run: Run) -> dict[str, Any]:
    return {
        "seconds": run.seconds,
        "device": run.device,
        "command": run.command,
        "commit": run.commit,
    }

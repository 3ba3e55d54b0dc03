"""The plug-in by which ``partwise train --test`` and ``partwise evaluate --save`` keep results."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import partwise
from partwise.errors import DataError
from partwise.evaluation.metrics import Evaluation, Scores
from partwise.interface.parser import Parser
from partwise.interface.registry import PARSERS
from partwise.interface.settings import from_dict, spell, to_record
from partwise.training.neural import NeuralParser
from partwise.training.trainer import TrainingConfig
from partwise_papers.results.result import GROUP, METRICS, Run, Setup, add_seed, read_stored

INNER = "-inner-"
"""In the name of a split that was made of the training set to choose settings by."""
NEEDED = ("dataset", "split", "variant", "train_size", "settings", "dev", "seconds")
"""What a saved parser must note of its training."""


def facts_of(evaluation: Evaluation) -> Mapping[str, Any]:
    """What the parser notes of its training; raises DataError if that is not enough, or if it was
    trained to choose settings by."""
    facts: Mapping[str, Any] = evaluation.config.get("training", {})
    missing = [name for name in NEEDED if name not in facts]
    if missing:
        raise DataError(
            f"the parser does not say its {', '.join(missing)}, so its metrics have no place in "
            "the results; train it with `partwise train`"
        )
    if INNER in facts["split"]:
        raise DataError(
            f"the parser was trained on {facts['split']}, to choose settings by; its metrics are "
            "no results"
        )
    return facts


def setup_of(evaluation: Evaluation, parameters: int | None = None) -> Setup:
    """The setup of a test, on the split that the parser was trained on or another (`parameters`:
    number of trained parameters; None before they are counted); raises DataError as `facts_of`."""
    facts, config = facts_of(evaluation), evaluation.config
    kind = PARSERS.find(str(config.get("kind", "span")))
    parser = to_record(from_dict(kind.Config, config["parser"], "parser settings"))
    loop = to_record(from_dict(TrainingConfig, facts["settings"]))
    held = int(facts.get("held_out", 0))
    by_name = "paper" if str(config["domain"]).endswith("-paper") else "sharp"
    dev = facts["dev"] if evaluation.data.name == facts["dataset"] else None
    settings: dict[str, Any] = {} if kind.held_out else {"types": facts.get("types", by_name)}
    settings |= {"parser": parser, "loop": {k: v for k, v in loop.items() if k != "seed"}}
    settings |= {"held": held} if kind.held_out else {}
    setup = Setup(
        system=kind.kind,
        dataset=evaluation.data.name,
        split=evaluation.data.split,
        variant=facts["variant"],
        protocol=protocol(kind, loop, held, edges_only(config)),
        encoder=spell("encoder", parser.get("pretrained") or parser.get("encoder", "none")),
        parameters=parameters,
        train_size=facts["train_size"],
        test_size=len(evaluation.data.test),
        settings=settings,
        dev_size=dev["n"] if dev else None,
        data=evaluation.note or None,
    )
    return guide(setup, evaluation.readings) if evaluation.readings else setup


def guide(setup: Setup, readings: int) -> Setup:
    """The setup of execution-guided choice with the same parser, a variant of its own."""
    return replace(
        setup,
        variant=f"{setup.variant}-guided",
        protocol=f"as {setup.variant}; first of {readings} programs with an answer",
        settings={"readings": readings, "parser": setup.settings["parser"]},
    )


def edges_only(config: Mapping[str, Any]) -> bool:
    """Whether a parser follows Gai et al. (2021), who predict the edges of graphs alone."""
    return bool(config["parser"].get("protocol") == "paper")


def protocol(kind: type[Parser[Any]], loop: Mapping[str, Any], held: int, edges: bool) -> str:
    """How the weights were chosen, and what was given.

    Args:
        held: number of training questions that the epoch was chosen on.
        edges: whether edges alone are predicted.
    """
    if not issubclass(kind, NeuralParser):
        return "no epochs: the training pairs are kept"
    stop = f", patience {loop['patience']}" if loop["patience"] else ""
    given = "; edges only, the number of variables given from gold" if edges else ""
    best = f"best of {loop['epochs']} epochs"
    if loop.get("keep") == "last":
        return f"last of {loop['epochs']} epochs{given}"
    if not kind.held_out:
        where = f"{held} held-out questions of train" if held else "dev"
        return f"{best} on {where} (denotation, exact match){stop}{given}"
    if not held:
        return f"last of {loop['epochs']} epochs{given}"
    metric = "edges match" if edges else "exact match"
    best = f"latest of {loop['epochs']} epochs within one standard error of the best"
    return f"{best} on {held} held-out questions of train ({metric}){stop}{given}"


def metrics_of(evaluation: Evaluation, scores: Scores) -> dict[str, float]:
    """What a result takes of a test, and of the training where it was on the same data.

    Exact match, denotation accuracy (also of the kinds of question that the examples name), and
    the match of edges, of test; the first three of dev, by which the weights were chosen, on every
    split of the same data set; and the charts' share of the time, on the split of the training.
    """
    facts, only = facts_of(evaluation), edges_only(evaluation.config)
    names = METRICS[-1:] if only else METRICS
    if evaluation.config.get("kind") == "end2end":
        # It writes no programs, so that none could be right.
        names = ("denotation",)
    metrics = {name: value for name, value in scores.to_json().items() if name in names}
    # Without a single prediction no parts are told apart, and none is right.
    metrics = metrics or dict.fromkeys(names, 0.0)
    if not only:
        named = {example.group for example in evaluation.data.test}
        shown = scores.groups("exact_match" if scores.denotation is None else "denotation")
        metrics |= {GROUP + k: share for k, share in shown.items() if k in named}
    if evaluation.readings or evaluation.data.name != facts["dataset"]:
        return metrics
    dev = facts["dev"] or {}
    metrics |= {f"dev_{name}": dev[name] for name in names if name in dev}
    if evaluation.data.split == facts["split"] and "chart_share" in facts:
        metrics["chart_share"] = min(1.0, facts["chart_share"])
    return metrics


class ResultFiles:
    """Adds each test to the result file of its setup; see `partwise.evaluation.metrics`."""

    def check(self, results: Path, evaluation: Evaluation) -> None:
        """Find out before the work that its result has no place; raises DataError if the file there
        is of another setup, or the parser does not note enough."""
        read_stored(results, setup_of(evaluation))

    def add(
        self,
        results: Path,
        evaluation: Evaluation,
        parser: Any,
        scores: Scores,
        further: Mapping[str, float],
        command: str,
    ) -> Path:
        """Add a test as one seed; an earlier one of the same seed is replaced."""
        facts = facts_of(evaluation)
        setup = setup_of(evaluation, getattr(parser, "parameter_count", None))
        metrics = {**metrics_of(evaluation, scores), **further}
        run = Run(metrics, round(facts["seconds"], 1), device(parser), command, checkout_commit())
        return add_seed(results, setup, int(facts["settings"]["seed"]), run)


RESULT_FILES = ResultFiles()


def device(parser: Any = None) -> str:
    """The processor and the number of threads, or the GPU that holds a parser."""
    import torch

    if isinstance(parser, torch.nn.Module):
        place = next((parameter.device for parameter in parser.parameters()), torch.device("cpu"))
        if place.type == "cuda":
            return torch.cuda.get_device_name(place)
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = (line.partition(":") for line in info.read_text().splitlines())
        name = next(
            (value.strip() for key, _, value in lines if key.startswith("model name")), name
        )
    return f"{name}, {torch.get_num_threads()} thread(s)"


def checkout_commit() -> str | None:
    """The git commit of the checkout that partwise runs from; None if it is not in one."""
    init = Path(partwise.__file__)
    # A package installed inside someone else's checkout is not tracked there.
    if _git(init.parent, "ls-files", "--", init.name) is None:
        return None
    return _git(init.parent, "rev-parse", "HEAD")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None

"""The setup of a result, from a run's settings or from what a saved parser notes of its training.

Both ways give the same setup, so that what a parser is tested on later can be added to the results
of the run that trained it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from partwise.errors import DataError
from partwise.evaluation.figures import on_dev
from partwise.evaluation.result import Setup
from partwise.interface.parser import Parser
from partwise.interface.registry import PARSERS
from partwise.interface.settings import from_dict, recorded
from partwise.training.config import TrainingConfig

INNER = "-inner-"
"""In the name of a split that was made of the training set to choose settings by."""


class ResultData(NamedTuple):
    """What a parser was trained and tested on.

    Attributes:
        note: what is to know of the data.
    """

    dataset: str
    split: str
    train_size: int
    dev_size: int | None
    test_size: int
    note: str = ""


def make_setup(
    kind: type[Parser[Any]],
    tested: ResultData,
    variant: str,
    parser: Mapping[str, Any],
    loop: Mapping[str, Any],
    *,
    types: str = "sharp",
    held: int = 0,
    parameters: int | None = None,
) -> Setup:
    """The setup of a result.

    Args:
        parser, loop: settings of the parser and of its training, as `settings.recorded` gives them.
        types: which types the domain had, ``sharp`` or ``paper``.
        held: number of training questions that the epoch was chosen on.
        parameters: number of trained parameters, if they are counted already.
    """
    return Setup(
        system=kind.kind,
        dataset=tested.dataset,
        split=tested.split,
        variant=variant,
        protocol=protocol(kind, loop, held, str(parser.get("protocol", "full"))),
        encoder=str(parser.get("encoder", "none")).rstrip("/").rsplit("/", 1)[-1],
        parameters=parameters,
        train_size=tested.train_size,
        test_size=tested.test_size,
        settings={
            **({} if kind.held_out else {"types": types}),
            "parser": dict(parser),
            "loop": {name: value for name, value in loop.items() if name != "seed"},
            **({"held": held} if kind.held_out else {}),
        },
        dev_size=tested.dev_size,
        data=tested.note or None,
    )


def protocol(
    kind: type[Parser[Any]], loop: Mapping[str, Any], held: int, target: str = "full"
) -> str:
    """How the weights were chosen; under a paper's protocol, what was given.

    Args:
        held: number of training questions that the epoch was chosen on.
        target: ``paper`` where edges alone are predicted.
    """
    stop = f", patience {loop['patience']}" if loop["patience"] else ""
    given = "; edges only, the number of variables given from gold" if target == "paper" else ""
    if held:
        metric = "edges match" if target == "paper" else "exact match"
        metric = metric if kind.held_out else "denotation, exact match"
        best = f"latest of {loop['epochs']} epochs within one standard error of the best"
        best = best if kind.held_out else f"best of {loop['epochs']} epochs"
        return f"{best} on {held} held-out questions of train ({metric}){stop}{given}"
    if kind.held_out:
        return f"last of {loop['epochs']} epochs{given}"
    return f"best of {loop['epochs']} epochs on dev (denotation, exact match){stop}"


def guided_setup(setup: Setup, readings: int) -> Setup:
    """The setup of execution-guided choice with the same parser, a variant of its own."""
    return replace(
        setup,
        variant=f"{setup.variant}-guided",
        protocol=f"as {setup.variant}; first of {readings} programs with an answer",
        settings={"readings": readings, "parser": setup.settings["parser"]},
    )


class Trained:
    """What a saved parser's config.json says of its training.

    Args:
        config: the content of config.json.

    Raises:
        DataError: if it does not say enough to stand in a result file.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config
        self.facts: Mapping[str, Any] = config.get("training", {})
        needed = ("dataset", "split", "variant", "train_size", "settings", "dev", "seconds")
        missing = [name for name in needed if name not in self.facts]
        if missing:
            raise DataError(
                f"the parser does not say its {', '.join(missing)}, so its figures have no place "
                "in the results; train it with `partwise train`"
            )
        if INNER in self.facts["split"]:
            raise DataError(
                f"the parser was trained on {self.facts['split']}, to choose settings by; its "
                "figures are no results"
            )

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.facts["settings"]["seed"])

    @property
    def run_name(self) -> str:
        """The name of the run's folder, where it was not given another."""
        return run_name(
            self.facts["dataset"], self.facts["split"], self.facts["variant"], self.seed
        )

    @property
    def kind(self) -> type[Parser[Any]]:
        """The class of the parser."""
        return PARSERS.find(str(self.config.get("kind", "span")))

    @property
    def types(self) -> str:
        """Which types the domain had."""
        by_name = "paper" if str(self.config["domain"]).endswith("-paper") else "sharp"
        return str(self.facts.get("types", by_name))

    def figures(self, dataset: str, split: str | None) -> dict[str, float]:
        """What its training gives for a result on a test set.

        The figures on dev by which its weights were chosen, on whatever split of the same data
        set; the charts' share of the training time, on the split that it was trained on.
        """
        noted: dict[str, float] = {}
        if dataset == self.facts["dataset"]:
            noted |= on_dev(self.facts["dev"], self.config["parser"].get("protocol") == "paper")
            if split == self.facts["split"] and "chart_share" in self.facts:
                noted["chart_share"] = self.facts["chart_share"]
        return noted

    def setup(
        self, dataset: str, split: str, test_size: int, parameters: int | None, note: str = ""
    ) -> Setup:
        """The setup of its result on a test set, that of its own split or another."""
        facts, own = self.facts, dataset == self.facts["dataset"]
        sizes = facts["train_size"], (facts["dev"] or {}).get("n") if own else None, test_size
        config = from_dict(self.kind.Config, self.config["parser"], "parser settings")
        return make_setup(
            self.kind,
            ResultData(dataset, split, *sizes, note),
            facts["variant"],
            recorded(config),
            recorded(from_dict(TrainingConfig, facts["settings"])),
            types=self.types,
            held=int(facts.get("held_out", 0)),
            parameters=parameters,
        )


def run_name(dataset: str, split: str, variant: str, seed: int) -> str:
    """What the folder of a run is called."""
    return f"{dataset}-{split}-{variant}-{seed}"

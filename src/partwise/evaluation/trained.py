"""The setup of a result, from a run's settings or from what a saved parser notes of its training.

Both ways give the same setup, so that what a parser is tested on later can be added to the results
of the run that trained it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from partwise.errors import DataError
from partwise.evaluation.figures import on_dev, on_graphs
from partwise.evaluation.result import GRAPH, Setup

INNER = "-inner-"
"""In the name of a split that was made of the training set to choose settings by."""


def make_setup(
    *,
    dataset: str,
    split: str,
    variant: str,
    types: str,
    parser: Mapping[str, Any],
    loop: Mapping[str, Any],
    sizes: tuple[int, int | None, int],
    parameters: int | None = None,
    note: str = "",
) -> Setup:
    """The setup of a span parser's result.

    Args:
        types: which types the domain had, ``sharp`` or ``paper``.
        parser, loop: settings of the parser and of the training loop.
        sizes: number of questions in train, dev and test.
        parameters: number of trained parameters, if they are counted already.
        note: what is to know of the data.
    """
    return Setup(
        system="span",
        dataset=dataset,
        split=split,
        variant=variant,
        protocol=protocol(loop),
        encoder=str(parser["encoder"]).rstrip("/").rsplit("/", 1)[-1],
        parameters=parameters,
        train_size=sizes[0],
        test_size=sizes[2],
        settings={
            "types": types,
            "parser": dict(parser),
            "loop": {name: value for name, value in loop.items() if name != "seed"},
        },
        dev_size=sizes[1],
        data=note or None,
    )


def make_graph_setup(
    *,
    dataset: str,
    split: str,
    variant: str,
    parser: Mapping[str, Any],
    loop: Mapping[str, Any],
    held: int,
    sizes: tuple[int, int | None, int],
    parameters: int | None = None,
    note: str = "",
) -> Setup:
    """The setup of a graph parser's result.

    Args:
        parser, loop: settings of the parser and of the training loop.
        held: number of questions of train that the epoch was chosen on.
        sizes, parameters, note: as for `make_setup`.
    """
    return Setup(
        system=GRAPH,
        dataset=dataset,
        split=split,
        variant=variant,
        protocol=graph_protocol(loop, held, str(parser["protocol"])),
        encoder=str(parser["encoder"]).rstrip("/").rsplit("/", 1)[-1],
        parameters=parameters,
        train_size=sizes[0],
        test_size=sizes[2],
        settings={
            "parser": dict(parser),
            "loop": {name: value for name, value in loop.items() if name != "seed"},
            "held": held,
        },
        dev_size=sizes[1],
        data=note or None,
    )


def protocol(loop: Mapping[str, Any]) -> str:
    """How the weights were chosen."""
    return f"best of {loop['epochs']} epochs on dev (denotation, exact match){_stop(loop)}"


def graph_protocol(loop: Mapping[str, Any], held: int, kind: str) -> str:
    """How the weights of a graph parser were chosen; under the paper's protocol, what was given.

    The epoch kept is the latest that is within one standard error of the best.

    Args:
        held: number of questions of train that the epoch was chosen on.
        kind: ``full`` or ``paper``, as `GraphParserConfig.protocol`.
    """
    paper = kind == "paper"
    given = "; edges only, the number of variables given from gold" if paper else ""
    if not held:
        return f"last of {loop['epochs']} epochs{given}"
    figure = "edges match" if paper else "exact match"
    chosen = f"on {held} held-out questions of train ({figure})"
    near = f"latest of {loop['epochs']} epochs within one standard error of the best"
    return f"{near} {chosen}{_stop(loop)}{given}"


def _stop(loop: Mapping[str, Any]) -> str:
    return f", patience {loop['patience']}" if loop["patience"] else ""


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
    def graphs(self) -> bool:
        """Whether it predicts query graphs, and not programs."""
        return self.config.get("kind") == GRAPH

    @property
    def _protocol(self) -> str:
        return str(self.config["parser"]["protocol"])

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
        found: dict[str, float] = {}
        if dataset == self.facts["dataset"]:
            dev = self.facts["dev"]
            found |= on_dev(on_graphs(dev, self._protocol) if self.graphs else dev)
            if split == self.facts["split"] and "chart_share" in self.facts:
                found["chart_share"] = self.facts["chart_share"]
        return found

    def setup(
        self, dataset: str, split: str, test_size: int, parameters: int, note: str = ""
    ) -> Setup:
        """The setup of its result on a test set, that of its own split or another."""
        found = self.facts["dev"].get("n") if dataset == self.facts["dataset"] else None
        common: dict[str, Any] = {
            "dataset": dataset,
            "split": split,
            "variant": self.facts["variant"],
            "parser": self.config["parser"],
            "loop": self.facts["settings"],
            "sizes": (self.facts["train_size"], found, test_size),
            "parameters": parameters,
            "note": note,
        }
        if self.graphs:
            return make_graph_setup(held=int(self.facts.get("held_out", 0)), **common)
        return make_setup(types=self.types, **common)


def run_name(dataset: str, split: str, variant: str, seed: int) -> str:
    """What the folder of a run is called."""
    return f"{dataset}-{split}-{variant}-{seed}"

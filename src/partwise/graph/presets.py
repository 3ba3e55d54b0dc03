"""The settings of a graph parser that are used where nothing else is said.

Chosen on inner splits of the training sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from partwise.graph.config import DECLARED, LEARNED, GraphParserConfig
from partwise.interface.settings import former_names, recorded, spelled
from partwise.language.graph_domain import GraphDomain

PRESETS: dict[str, dict[str, Any]] = {
    "flat": {
        # With few steps a softmax that grounds all in one place may not come out of it.
        "batch_size": 64,
        "head_rate": 5e-3,
        "weight_decay": 0.1,
        "epochs": 10,
        "dx": 32,
        "layers": 2,
        "dropout": 0.3,
        "hidden": 64,
        "constrained": True,
    },
    "latent": {
        "batch_size": 256,
        "head_rate": 5e-3,
        "epochs": 8,
        "dx": 32,
        "dh": 64,
        "layers": 1,
        "dropout": 0.0,
        "hidden": 128,
        "sigmoid_attention": True,
        "heads": 2,
        "members": 4,
    },
}
"""Composition -> settings of the parser and of its training that are not those of their classes."""


def preset_of(composition: str, protocol: str) -> dict[str, Any]:
    """The preset of a composition; the paper's decoding is not constrained."""
    settings = PRESETS.get(composition, {}).items()
    return {n: value for n, value in settings if protocol != "paper" or n != "constrained"}


def presets(
    domain: GraphDomain, given: Mapping[str, Any], of_data: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings to use where the user gives none; see `Parser.presets`.

    The composition is ``latent`` where the domain has phrase rules or word classes are learned,
    else ``flat``.

    Args:
        of_data: composition -> what the data set suggests, over the preset; and what it suggests
            for all.
    """
    former = former_names(GraphParserConfig)
    protocol = given.get("protocol", "full")
    composed = domain.phrases or given.get("word_classes", DECLARED) != DECLARED
    default = "latent" if composed else "flat"
    for_all = {name: value for name, value in of_data.items() if not isinstance(value, Mapping)}
    default = "flat" if protocol == "paper" else for_all.get("composition", default)
    composition = given.get("composition", default)
    suggested = {**for_all, **of_data.get(composition, {})}.items()
    return {
        **preset_of(composition, protocol),
        **{former.get(name, name): value for name, value in suggested},
        "composition": composition,
    }


def variant(config: GraphParserConfig) -> str:
    """``latent``, and whatever else is not its preset: ``flat-paper``, ``flat-dx64``;
    ``undeclared`` where word classes are learned."""
    own = {one.name for one in fields(GraphParserConfig)}
    preset = preset_of(config.composition, config.protocol).items()
    changes = {name: value for name, value in preset if name in own}
    plain = GraphParserConfig(composition=config.composition, protocol=config.protocol)
    usual = recorded(replace(plain, **changes))
    protocol = [] if config.protocol == "full" else [config.protocol]
    chosen = recorded(config)
    classes = chosen.pop("word_classes", DECLARED)
    words = {DECLARED: [], LEARNED: ["undeclared"]}.get(classes, ["given_words"])
    others = (spelled(n, v) for n, v in chosen.items() if v != usual.get(n))
    return "-".join([config.composition, *words, *protocol, *others])

"""The settings of a graph parser that are used where nothing else is said.

Chosen on inner splits of the training sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.errors import PartwiseError
from partwise.graph.config import COMPOSITIONS, GraphParserConfig
from partwise.graph.grounding.sequence import SEQUENCES
from partwise.interface.settings import former_names, recorded, spelled
from partwise.language.graph_domain import GraphDomain

_COMPOSED: dict[str, Any] = {
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
}
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
    # Only where the rules come from differs.
    "declared": _COMPOSED,
    "latent": _COMPOSED,
}
"""Composition -> settings of the parser and of its training that are not those of their classes."""


def composition_of(domain: GraphDomain, given: Mapping[str, Any]) -> str:
    """The composition that settings ask for; else ``declared`` where the domain has phrase rules.

    Raises:
        PartwiseError: if there is none of that name.
    """
    default = "declared" if domain.phrases and given.get("protocol") != "paper" else "flat"
    composition = str(given.get("composition", default))
    if composition not in COMPOSITIONS:
        raise PartwiseError(f"composition {composition!r} is none of {', '.join(COMPOSITIONS)}")
    return composition


def preset_of(composition: str, protocol: str = "full") -> dict[str, Any]:
    """The preset of a composition; the paper's decoding is not constrained."""
    settings = dict(PRESETS[composition])
    if protocol == "paper":
        settings.pop("constrained", None)
    return settings


def presets(
    domain: GraphDomain, given: Mapping[str, Any], of_data: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings to use where the user gives none; see `Parser.presets`.

    Args:
        of_data: composition -> what the data set suggests, over the preset.
    """
    former = former_names(GraphParserConfig)
    named = {former.get(name, name): value for name, value in given.items()}
    composition = composition_of(domain, named)
    suggested = of_data.get(composition, {})
    return {
        **preset_of(composition, str(named.get("protocol", "full"))),
        **{former.get(name, name): value for name, value in suggested.items()},
        "composition": composition,
    }


def checked(domain: GraphDomain, config: GraphParserConfig) -> None:
    """Check that a domain and settings go together.

    Raises:
        PartwiseError: for a composing parser of a domain without phrase rules, and for an encoder
            that the composition cannot use.
    """
    if config.composition == "declared" and not domain.phrases:
        raise PartwiseError(
            f"the domain {domain.name} declares no phrase rules; use --composition flat"
        )
    if config.encoder == BiLSTMEncoder.name:
        raise PartwiseError(
            f"{config.encoder} is an encoder of span parsers; graph parsers have "
            f"{', '.join(SEQUENCES)}, and pretrained ones"
        )
    if config.composition != "flat" and config.encoder not in SEQUENCES:
        raise PartwiseError(
            f"a composing parser encodes phrases and not whole questions, so its encoder is one of "
            f"{', '.join(SEQUENCES)}, not {config.encoder}; or use --composition flat"
        )


def variant(config: GraphParserConfig) -> str:
    """``declared``, and whatever else is not its preset: ``flat-paper``, ``flat-dx64``."""
    names: list[str] = [config.composition]
    if config.protocol != "full":
        names.append(config.protocol)
    former = {now: then for then, now in former_names(GraphParserConfig).items()}
    preset = preset_of(config.composition, config.protocol)
    usual = {
        **recorded(GraphParserConfig()),
        **{former.get(name, name): value for name, value in preset.items()},
    }
    for name, value in recorded(config).items():
        if name not in ("composition", "protocol") and value != usual.get(name):
            names.append(spelled(name, value))
    return "-".join(names)

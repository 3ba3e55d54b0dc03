"""The settings of a graph parser that are used where nothing else is said.

Chosen on inner splits of the training sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.errors import PartwiseError
from partwise.graph.config import COMPOSITIONS, GraphParserConfig
from partwise.graph.grounding.sequence import SEQUENCES
from partwise.language.graph_domain import GraphDomain
from partwise.training.config import TrainingConfig

USUAL: dict[str, dict[str, Any]] = {
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
    "declared": {
        "batch_size": 256,
        "head_rate": 5e-3,
        "epochs": 8,
        "dx": 32,
        "dh": 64,
        "layers": 1,
        "dropout": 0.0,
        "hidden": 128,
        "gates": True,
        "heads": 2,
        "members": 4,
    },
}
"""Composition -> settings of the parser and of the loop that are not those of their classes."""
# Only where the rules come from differs.
USUAL["latent"] = USUAL["declared"]
PARSER: dict[str, Any] = {f.name: f.default for f in fields(GraphParserConfig)}
LOOP: dict[str, Any] = {f.name: f.default for f in fields(TrainingConfig)}


def usual_of(composition: str, protocol: str = "full") -> dict[str, Any]:
    """What is usual for a composition and a protocol; the paper's decoding is not constrained."""
    found = dict(USUAL[composition])
    if protocol == "paper":
        found.pop("constrained", None)
    return found


def usual_composition(domain: GraphDomain) -> str:
    """``declared`` where the domain has phrase rules."""
    return "declared" if domain.phrases else "flat"


def composition_of(domain: GraphDomain, given: Mapping[str, Any]) -> str:
    """The composition that settings ask for, or what is usual for the domain.

    Raises:
        PartwiseError: if there is none of that name.
    """
    paper = given.get("protocol") == "paper"
    found = str(given.get("composition", "flat" if paper else usual_composition(domain)))
    if found not in COMPOSITIONS:
        raise PartwiseError(f"composition {found!r} is none of {', '.join(COMPOSITIONS)}")
    return found


def usual_settings(
    domain: GraphDomain,
    given: Mapping[str, Any],
    usual: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[GraphParserConfig, TrainingConfig]:
    """The usual settings with others over them.

    Args:
        given: settings of the parser and of the loop, by name.
        usual: composition -> what is usual for the data, over what is usual everywhere.

    Raises:
        PartwiseError: for an unknown name or a value out of range, and for composing parsers of a
            domain without phrase rules.
    """
    composition = composition_of(domain, given)
    if composition == "declared" and not domain.phrases:
        raise PartwiseError(
            f"the domain {domain.name} declares no phrase rules; use --composition flat"
        )
    of_data = (usual or {}).get(composition, {})
    usually = usual_of(composition, str(given.get("protocol", "full")))
    found = {**usually, **of_data, **given, "composition": composition}
    encoder = found.get("encoder", PARSER["encoder"])
    if encoder == BiLSTMEncoder.name:
        raise PartwiseError(
            f"{encoder} is an encoder of span parsers; graph parsers have {', '.join(SEQUENCES)}, "
            "and pretrained ones"
        )
    if composition != "flat" and encoder not in SEQUENCES:
        raise PartwiseError(
            f"a composing parser reads phrases and not whole questions, so its encoder is one of "
            f"{', '.join(SEQUENCES)}, not {encoder}; or use --composition flat"
        )
    unknown = sorted(set(found) - {*PARSER, *LOOP})
    if unknown:
        raise PartwiseError(f"no setting {unknown[0]!r} of graph parsers or their training")
    return (
        GraphParserConfig(**{name: value for name, value in found.items() if name in PARSER}),
        TrainingConfig(**{name: value for name, value in found.items() if name in LOOP}),
    )

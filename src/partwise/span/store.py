"""A saved span parser: a folder with config.json, model.safetensors, vocabularies and a card."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partwise.chart.algebra.type import TypeAlgebra
from partwise.encoders.factory import load_encoder
from partwise.errors import CheckpointError, PartwiseError
from partwise.language.domain import Domain
from partwise.span.config import SpanParserConfig
from partwise.span.labels import Labels
from partwise.span.parser import SpanParser
from partwise.training.folder import (
    FORMAT,
    filled,
    known,
    read_config,
    reading,
    save_encoder,
    write_folder,
)
from partwise.training.layout import CONFIG, ENCODER, WEIGHTS

__all__ = ["CONFIG", "ENCODER", "FORMAT", "WEIGHTS", "load", "save"]


def save(
    parser: SpanParser,
    folder: Path,
    facts: Mapping[str, Any] | None = None,
    half: bool = False,
) -> None:
    """Write a parser to a folder.

    Args:
        facts: what is worth knowing of its training, for config.json and the model card.
        half: write the weights in half precision, in half the space.

    Raises:
        CheckpointError: if it cannot be written; what stood in the folder is left as it was.
    """
    encoder, labels = parser.encoder.config(), list(parser.labels.names)
    config = {
        "kind": parser.kind,
        "domain": parser.domain.name,
        "about": f"Encoder: {encoder.get('name', encoder['kind'])}. {len(labels)} labels.",
        "labels": labels,
        "encoder": encoder,
        "parser": parser.config.to_dict(),
        "temperature": parser.temperature,
        "training": dict(facts or {}),
    }

    def files(place: Path) -> None:
        save_encoder(parser.encoder, place)

    write_folder(folder, parser, config, files, half, parser.domain.examples)


def load(folder: Path, domains: Mapping[str, Any], domain: Domain | None = None) -> SpanParser:
    """Read a parser from a folder.

    Args:
        domains: name -> maker of the domains that are known by name.
        domain: the domain, if it is none of those.

    Raises:
        CheckpointError: if the folder is missing, damaged, of another version, or of another
            vocabulary than its domain's.
    """
    config = read_config(folder, SpanParser.kind)
    with reading(folder):
        language = domain if domain is not None else known(config["domain"], domains)()
        if not isinstance(language, Domain):
            raise PartwiseError(f"{config['domain']!r} is no domain")
        temperature = float(config["temperature"])
        if not 0 < temperature < math.inf:
            raise PartwiseError(f"the temperature is {temperature}, not a positive number")
        settings = SpanParserConfig.from_dict(config["parser"])
        _same_labels(folder, config["labels"], Labels(language, settings.tied))
        types = TypeAlgebra(language)

    def make() -> SpanParser:
        encoder = load_encoder(config["encoder"], folder / ENCODER)
        return SpanParser(language, encoder, settings, types)

    parser = filled(folder, make)
    parser.temperature = temperature
    return parser


def _same_labels(folder: Path, before: list[str], labels: Labels) -> None:
    """Entities may come and go; what else there is to say must be what it was."""
    now = list(labels.names)
    if before != now:
        changed = sorted(set(before) ^ set(now))[:5]
        raise CheckpointError(
            f"{folder} was trained on another vocabulary of {labels.domain.name} (differs in "
            f"{', '.join(changed) or 'order'}); train it again"
        )

"""A saved graph parser: config.json, model.safetensors, vocabulary.json and a card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError, PartwiseError
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.graph.vocabularies import Vocabularies
from partwise.language.graph_domain import GraphDomain
from partwise.training.store import (
    ENCODER,
    filled,
    read_config,
    reading,
    save_encoder,
    write_folder,
    write_weights,
)

VOCABULARY = "vocabulary.json"


def save(
    parser: GraphParser,
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
    names, settings = parser.reading.vocabularies, parser.config
    config = {
        "kind": parser.kind,
        "domain": parser.domain.name,
        "about": f"Composition: {settings.composition}. Encoder: {settings.encoder}. "
        f"{parser.size:,} parameters, {len(names.labels.relations)} relations, "
        f"{len(names.labels.attributes)} attributes.",
        "parser": settings.to_dict(),
        "training": dict(facts or {}),
    }

    def files(place: Path) -> None:
        write_json(place / VOCABULARY, names.to_dict())
        # All members have the same one, each with weights of its own.
        for encoder in parser.encoders[:1]:
            save_encoder(encoder, place)
        write_weights(place, parser, half)

    write_folder(folder, config, files, next(iter(parser.domain.examples), "..."))


def load(
    folder: Path, domains: Mapping[str, GraphDomain], domain: GraphDomain | None = None
) -> GraphParser:
    """Read a parser from a folder.

    Args:
        domains: those that are known by name.
        domain: the domain, if it is none of those.

    Raises:
        CheckpointError: if the folder is missing, damaged, of another version, or of other phrase
            rules than its domain's.
    """
    config = read_config(folder, GraphParser.kind)
    with reading(folder):
        language = domain if domain is not None else _known(config["domain"], domains)
        if not isinstance(language, GraphDomain):
            raise PartwiseError(f"{config['domain']!r} is no domain of query graphs")
        settings = GraphParserConfig.from_dict(config["parser"])
    names, files = _vocabularies(folder / VOCABULARY), folder / ENCODER
    return filled(folder, lambda: GraphParser.with_vocabularies(language, settings, names, files))


def _known(name: str, domains: Mapping[str, GraphDomain]) -> GraphDomain:
    if name not in domains:
        raise CheckpointError(
            f"the domain {name!r} is not built in ({', '.join(domains)}); pass it as `domain`"
        )
    return domains[name]


def _vocabularies(file: Path) -> Vocabularies:
    values = read_json(file)
    try:
        return Vocabularies.from_dict(values)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"{file} is damaged ({type(error).__name__}: {error}); copy or train it again"
        ) from error

"""A saved parser: a folder with config.json, model.safetensors, vocabularies and a model card."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partwise.domain import Domain
from partwise.encoders.factory import load_encoder
from partwise.errors import CheckpointError, PartwiseError
from partwise.parsers.config import SpanParserConfig
from partwise.parsers.span import SpanParser
from partwise.training.checkpoint import (
    read_json,
    read_tensors,
    write_json,
    write_tensors,
)

FORMAT = 1
CONFIG, WEIGHTS, CARD, ENCODER = "config.json", "model.safetensors", "README.md", "encoder"


def save(parser: SpanParser, folder: Path, facts: Mapping[str, Any] | None = None) -> None:
    """Write a parser to a folder.

    Args:
        facts: what is worth knowing of its training, for config.json and the model card.

    Raises:
        CheckpointError: if it cannot be written; what stood in the folder is left as it was.
    """
    staging = folder.with_name(f".{folder.name}.partial")
    try:
        _fill(parser, staging, facts)
        _move(staging, folder)
    except OSError as error:
        raise CheckpointError(
            f"cannot write {folder}: {error}; free some space or choose another folder"
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _fill(parser: SpanParser, folder: Path, facts: Mapping[str, Any] | None) -> None:
    """Write all files into a folder beside, so that the old ones stand until all is written."""
    (folder / ENCODER).mkdir(parents=True, exist_ok=True)
    try:
        parser.encoder.save_files(folder / ENCODER)
    except Exception as error:
        # The tokenizers library raises a plain Exception where it cannot write.
        raise CheckpointError(f"cannot write the encoder's files: {error}") from error
    write_tensors(folder / WEIGHTS, parser.state_dict())
    config = {
        "format": FORMAT,
        "kind": parser.kind,
        "domain": parser.domain.name,
        "categories": list(parser.domain.categories),
        "encoder": parser.encoder.config(),
        "parser": parser.config.to_dict(),
        "training": dict(facts or {}),
    }
    write_json(folder / CONFIG, config)
    (folder / CARD).write_text(_card(config), encoding="utf-8")


def _move(staging: Path, folder: Path) -> None:
    """Put the files in their places; others that stand there are left alone."""
    for file in sorted(staging.rglob("*")):
        if file.is_file():
            place = folder / file.relative_to(staging)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file, place)


def load(folder: Path, domains: Mapping[str, Any], domain: Domain | None = None) -> SpanParser:
    """Read a parser from a folder.

    Args:
        domains: name -> maker of the domains that are known by name.
        domain: the domain, if it is none of those.

    Raises:
        CheckpointError: if the folder is missing, damaged, of another version, or of another
            vocabulary than its domain's.
    """
    if not folder.is_dir():
        raise CheckpointError(
            f"there is no folder {folder}; train a parser first: partwise train --help"
        )
    config = read_json(folder / CONFIG)
    try:
        if config["format"] != FORMAT or config["kind"] != SpanParser.kind:
            raise CheckpointError(
                f"{folder} holds a {config['kind']} parser of format {config['format']}; this "
                f"version reads span parsers of format {FORMAT}"
            )
        language = domain if domain is not None else _known(config["domain"], domains)
        _same_vocabulary(folder, config["categories"], language)
        encoder = load_encoder(config["encoder"], folder / ENCODER)
        settings = SpanParserConfig.from_dict(config["parser"])
        parser = SpanParser(language, encoder, settings)
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, OSError) as error:
        raise CheckpointError(
            f"{folder / CONFIG} is damaged or lacks a file beside it ({type(error).__name__}: "
            f"{error}); copy or train it again"
        ) from error
    except CheckpointError:
        raise
    except PartwiseError as error:
        raise CheckpointError(f"{folder / CONFIG}: {error}; train it again") from error
    tensors = read_tensors(folder / WEIGHTS)
    try:
        parser.load_state_dict(tensors)
    except RuntimeError as error:
        raise CheckpointError(
            f"{folder / WEIGHTS} does not fit {CONFIG}: {str(error).splitlines()[-1].strip()}"
        ) from error
    parser.eval()
    return parser


def _known(name: str, domains: Mapping[str, Any]) -> Domain:
    if name not in domains:
        raise CheckpointError(
            f"the domain {name!r} is not built in ({', '.join(domains)}); pass it as `domain`"
        )
    made = domains[name]()
    if not isinstance(made, Domain):
        raise PartwiseError(f"{name!r} is no domain")
    return made


def _same_vocabulary(folder: Path, categories: list[str], domain: Domain) -> None:
    now = list(domain.categories)
    if categories != now:
        changed = sorted(set(categories) ^ set(now))[:5]
        raise CheckpointError(
            f"{folder} was trained on another vocabulary of {domain.name} (differs in "
            f"{', '.join(changed) or 'order'}); train it again"
        )


def _card(config: Mapping[str, Any]) -> str:
    facts = config["training"]
    rows = "\n".join(f"| {key} | {value} |" for key, value in facts.items())
    table = f"\n| training | |\n|---|---|\n{rows}\n" if rows else ""
    return (
        f"# A Partwise span parser for `{config['domain']}`\n\n"
        f"Encoder: {config['encoder'].get('name', config['encoder']['kind'])}. "
        f"{len(config['categories'])} categories.\n{table}\n"
        "```python\nfrom partwise import SpanParser\n\n"
        'parser = SpanParser.load("this folder")\n'
        'print(parser.parse("which states border the largest state?").program)\n```\n'
    )

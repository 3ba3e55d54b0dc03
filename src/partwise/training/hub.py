"""Saved parsers by name: a folder, one of the package, or a Hugging Face repository."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from partwise.errors import CheckpointError
from partwise.interface.domain import AnyDomain
from partwise.interface.files import standing
from partwise.interface.parser import Parser
from partwise.interface.registry import PARSERS
from partwise.training.store import CARD, CONFIG, ENCODER, WEIGHTS, kind_of, steadily

_REPOSITORY = re.compile(r"(hf:)?([\w.-]+/[\w.-]+)")
_WANTED = (CONFIG, WEIGHTS, CARD, "*.json", f"{ENCODER}/*")
"""What is fetched of a repository; never code."""


def shipped() -> dict[str, Path]:
    """The parsers that come with the package: name -> folder."""
    root = Path(str(files("partwise.domains.pretrained")))
    return {place.parent.name: place.parent for place in sorted(root.glob(f"*/{CONFIG}"))}


def load_parser(name: str | Path, domain: AnyDomain[Any] | None = None) -> Parser[Any]:
    """A saved parser of any kind.

    Args:
        name: as for `find_pretrained`.
        domain: needed for a domain that is not installed as a plug-in.

    Raises:
        CheckpointError: if there is none, it cannot be fetched, or it is damaged.
        PluginError: for a kind of parser that is not installed.
    """

    def read(folder: Path) -> Parser[Any]:
        return PARSERS.find(kind_of(folder)).from_pretrained(folder, domain)

    return steadily(find_pretrained(name), read)


def find_pretrained(name: str | Path) -> Path:
    """The folder of a saved parser.

    Args:
        name: a folder (a run's folder stands for the model inside), the name of a parser that
            comes with the package, or hf:OWNER/NAME of a Hugging Face repository (the ``hf:`` may
            be left out of a text), which is fetched unless it was before.

    Raises:
        CheckpointError: if there is none, or it cannot be fetched.
    """
    folder = standing(model_folder(Path(name)))
    if folder is not None:
        return folder
    known = shipped()
    if str(name) in known:
        return known[str(name)]
    repository = _REPOSITORY.fullmatch(str(name))
    # A path that is misspelt must not reach for the network.
    if repository is not None and (repository[1] or isinstance(name, str)):
        return _fetched(repository[2])
    raise CheckpointError(
        f"there is no saved parser {str(name)!r}: it is no folder, none of those that come with "
        f"the package ({', '.join(known) or 'none'}), and no hf:OWNER/NAME of a Hugging Face "
        "repository; train one with: partwise train --help"
    )


def model_folder(given: Path) -> Path:
    """The folder itself, or ``model`` in the folder of a training run."""
    inside = given / "model"
    return inside if standing(inside) is not None and not (given / CONFIG).exists() else given


def _fetched(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=list(_WANTED)))
    except (HFValidationError, HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise CheckpointError(
            f"{name!r} is no folder here, and cannot be fetched as a repository ({reason}); check "
            "the name and the connection"
        ) from error

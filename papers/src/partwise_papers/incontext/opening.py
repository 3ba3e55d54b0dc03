"""The language model that settings name, and whether a saved parser may use it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from partwise.errors import PartwiseError
from partwise_papers.incontext.config import InContextSettings
from partwise_papers.incontext.endpoint import EndpointModel
from partwise_papers.incontext.local import LocalModel, gguf_file, sha256_of
from partwise_papers.incontext.model import LanguageModel

ALLOWED = "PARTWISE_ENDPOINT"
"""The environment variable with the URL that saved parsers may ask."""


def open_model(config: InContextSettings) -> LanguageModel:
    """The model of some settings. An endpoint is not asked anything yet.

    Raises:
        PartwiseError: if it is not there, or not installed.
    """
    if config.endpoint:
        known = config.model, config.endpoint_grammar, config.timeout
        return EndpointModel(config.endpoint, *known)
    return LocalModel(gguf_file(config.model), config.context, config.model_threads)


def check_saved(config: InContextSettings, facts: Mapping[str, Any]) -> None:
    """Check that the model of a saved parser is the one that it was saved with.

    A folder may come from a stranger, who must not choose where questions and a key are sent.

    Args:
        facts: of the model, as they were saved.

    Raises:
        PartwiseError: for another file, and for an endpoint that the user does not name.
    """
    if config.endpoint:
        if os.environ.get(ALLOWED) != config.endpoint:
            raise PartwiseError(
                f"it sends questions to {config.endpoint:.200}; to let it, set {ALLOWED} to this "
                "URL"
            )
        return
    file = gguf_file(config.model)
    if sha256_of(file) != facts.get("sha256"):
        raise PartwiseError(
            f"{file} is not the model {facts.get('name')!s:.100} that it was saved with; get that "
            "file, or train the parser again"
        )

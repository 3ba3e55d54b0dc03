"""Output forms by name."""

from __future__ import annotations

from typing import Any

from partwise.errors import CheckpointError
from partwise_papers.seq2seq.forms import Form, Text
from partwise_papers.seq2seq.query_forms import Lossy, Reversible
from partwise_papers.seq2seq.rules import Rules

FORMS: dict[str, type[Form]] = {"text": Text, "rules": Rules, "rir": Reversible, "lir": Lossy}
"""Form of `Seq2SeqConfig` -> its class."""


def form_of(name: str, domain: Any, saved: Any) -> Form:
    """A form of a saved parser.

    Raises:
        CheckpointError: if what was saved is damaged.
    """
    try:
        return FORMS[name].from_json(domain, saved)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"the form of the outputs is damaged ({type(error).__name__}: {error}); copy the "
            "parser or train it again"
        ) from error

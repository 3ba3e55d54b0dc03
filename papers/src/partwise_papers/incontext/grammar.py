"""The grammar that a domain's programs are written by, for language models."""

from __future__ import annotations

from typing import Any

from partwise.errors import DomainError
from partwise_papers.constrained.gbnf import to_gbnf


def grammar_of(domain: Any) -> str | None:
    """A grammar of all programs as GBNF text whose first rule is ``root``; None if there is none,
    as for a domain with ever larger types."""
    try:
        return to_gbnf(domain)
    except DomainError:
        return None

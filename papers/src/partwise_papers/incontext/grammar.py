"""The grammar that a domain's programs are written by, for language models."""

from __future__ import annotations

from typing import Any


def grammar_of(domain: Any) -> str | None:
    """A grammar of all programs as GBNF text whose first rule is ``root``; None if there is none.

    Args:
        domain: one that can say it has a method ``gbnf`` that gives the text.
    """
    gbnf = getattr(domain, "gbnf", None)
    return None if gbnf is None else str(gbnf())

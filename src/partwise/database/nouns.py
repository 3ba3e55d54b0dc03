"""English nouns, for one thing and for several."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from unittest.mock import patch


@lru_cache(maxsize=4096)
def plural(label: str) -> str:
    """A label for several: ``order items``; the same for what has no other form, or is one for
    several: ``runways``."""
    made = str(_engine().plural_noun(label) or label) if label else ""
    twice = {one for one in made.split() if one.endswith("ss")} - {*label.split()}
    return label if twice else made


@lru_cache(maxsize=4096)
def singular(noun: str) -> str:
    """A noun for one; the same for what has no other form."""
    made = _engine().singular_noun(noun)
    return str(made) if made else noun


@lru_cache(maxsize=1)
def _engine() -> Any:
    # The library has the types of its arguments checked as it runs. To prepare for this takes more
    # than a second at each start, and the types are checked here.
    with patch("typeguard.typechecked", lambda checked: checked):
        import inflect

    engine = inflect.engine()
    for noun in ("staff", "personnel", "crew", "inventory"):
        engine.defnoun(noun, noun)
    return engine

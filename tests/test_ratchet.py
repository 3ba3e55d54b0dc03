"""The ratchet of the project's size: what it lets through."""

from __future__ import annotations

import tomllib
from pathlib import Path
from runpy import run_path

from cases import cases

RATCHET = run_path(str(Path(__file__).parent.parent / "scripts" / "ratchet.py"))


@cases("figure, value, said")
def test_a_figure_rises_only_with_a_reason(
    figure: dict[str, object], value: int, said: str
) -> None:
    found = "".join(RATCHET["problems"]({"core lines": figure}, {"core lines": value}))
    assert said in found
    assert bool(said) == bool(found)


def test_what_fell_is_written_down_and_reasons_stay() -> None:
    figures = {
        "core lines": {"most": 100, "lowest": 90, "buys": "more"},
        "core files": {"most": 9, "lowest": 9},
    }
    text = RATCHET["tighten"](figures, {"core lines": 95, "core files": 8})
    assert tomllib.loads(text) == {
        "core lines": {"most": 95, "lowest": 90, "buys": "more"},
        "core files": {"most": 8, "lowest": 8},
    }

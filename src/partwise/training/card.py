"""The model card of a saved parser: what it is, how it is used, how good it is, how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

METRICS = ("denotation", "exact_match")
ASIDE = frozenset({"dev", "test", "tested", "settings"})
"""Facts of a training that have a place of their own in the card."""


def model_card(config: Mapping[str, Any], question: str) -> str:
    """The card in Markdown, with the head that model hubs read.

    Args:
        config: the content of config.json.
        question: one that the parser can answer, for the example.
    """
    kind, facts = config["kind"], config["training"]
    head = ("library_name: partwise", f"tags: [partwise, semantic-parsing, {kind}-parser]")
    parts = [
        "\n".join(("---", *head, "---")),
        f"# A Partwise {kind} parser for `{config['domain']}`",
        config["about"],
        f"```python\n{_use(question)}\n```",
        *_figures(facts),
        *_making(facts),
    ]
    return "\n\n".join(parts) + "\n"


def _use(question: str) -> str:
    return (
        "from partwise import answer, load_parser\n\n"
        'parser = load_parser("this folder")\n'
        f"print(*answer(parser, [{question!r}]))"
    )


def _figures(facts: Mapping[str, Any]) -> list[str]:
    """How often it is right, on dev and on test where that was measured."""
    known = {part: facts[part] for part in ("dev", "test") if isinstance(facts.get(part), Mapping)}
    rows = [
        f"| {part} | {' | '.join(_percent(found.get(name)) for name in METRICS)} | {found['n']} |"
        for part, found in known.items()
        if "n" in found
    ]
    if not rows:
        return []
    table = ["| questions of | denotation | exact match | number |", "|---|---|---|---|", *rows]
    said = ["## Figures", "\n".join(table)]
    shares = known.get("test", {}).get("calibration")
    if shares:
        said.append(
            f"Calibration error on test: {_percent(shares['after'])} "
            f"({_percent(shares['before'])} before a temperature was fitted on dev). Where the "
            f"least probable tenth is left unanswered, {_percent(shares['at_90'])} of the answers "
            "are right."
        )
    return said


def _making(facts: Mapping[str, Any]) -> list[str]:
    """What is known of the training."""
    rows = [
        f"| {name.replace('_', ' ')} | {value} |"
        for name, value in facts.items()
        if name not in ASIDE and not isinstance(value, Mapping)
    ]
    settings = facts.get("settings")
    if isinstance(settings, Mapping):
        rows.append("| settings | " + ", ".join(f"{k}={v}" for k, v in settings.items()) + " |")
    return ["## Training", "\n".join(("| | |", "|---|---|", *rows))] if rows else []


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"

"""Model cards say what was measured, and nothing of what was not."""

from __future__ import annotations

from typing import Any

from partwise.training.store import model_card

TRUST = {"before": 0.07, "after": 0.045, "at_90": 0.969}
CONFIG: dict[str, Any] = {
    "kind": "span",
    "domain": "library",
    "about": "Encoder: bilstm. 12 labels.",
    "training": {
        "dataset": "own",
        "best_epoch": 3,
        "dev": {"denotation": 0.5, "exact_match": 0.25, "n": 8},
        "test": {"exact_match": 1.0, "n": 4, "calibration": TRUST},
        "tested": {"library own": 1.0},
        "settings": {"epochs": 3, "seed": 0},
    },
}


def test_a_card_shows_use_figures_and_training() -> None:
    card = model_card(CONFIG, "who wrote emma?")
    assert card.startswith("---\nlibrary_name: partwise\n")
    assert "# A Partwise span parser for `library`" in card
    assert "print(*answer(parser, ['who wrote emma?']))" in card
    assert "| dev | 50.0 % | 25.0 % | 8 |" in card
    assert "| test | – | 100.0 % | 4 |" in card
    assert "Calibration error on test: 4.5 % (7.0 % before" in card
    assert "| best epoch | 3 |" in card
    assert "| settings | epochs=3, seed=0 |" in card
    assert "{" not in card


def test_a_card_without_facts_claims_nothing() -> None:
    card = model_card({**CONFIG, "kind": "graph", "training": {}}, "...")
    assert "load_parser" in card
    assert "##" not in card

"""The files in the folder of a saved parser."""

from __future__ import annotations

CONFIG, WEIGHTS, CARD = "config.json", "model.safetensors", "README.md"
ENCODER = "encoder"
"""The folder of an encoder's files beside its weights, in a parser's folder."""

"""All that a graph parser knows by name, learned from its training questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from partwise.grounding.vocabulary import Labels, Vocabulary
from partwise.phrases.plausible import Plausibility


@dataclass(frozen=True)
class Vocabularies:
    """Tags, words and labels; and which labels go together, where phrases are composed.

    Attributes:
        shared: categories of which coordinated phrases stand for one node.
        rules: the phrase rules that were trained on.
    """

    tags: Vocabulary
    words: Vocabulary
    labels: Labels
    plausibility: Plausibility | None = None
    shared: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        known = self.plausibility
        return {
            "tags": list(self.tags.names),
            "words": list(self.words.names),
            "labels": self.labels.to_dict(),
            "plausibility": None if known is None else known.to_dict(),
            "shared": list(self.shared),
            "rules": list(self.rules),
        }

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Vocabularies:
        """From JSON."""
        known = values["plausibility"]
        return Vocabularies(
            Vocabulary(tuple(str(name) for name in values["tags"])),
            Vocabulary(tuple(str(name) for name in values["words"])),
            Labels.from_dict(values["labels"]),
            None if known is None else Plausibility.from_dict(known),
            tuple(str(category) for category in values["shared"]),
            tuple(str(rule) for rule in values["rules"]),
        )

"""All that a graph parser knows by name, learned from its training questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from partwise.graph.grounding.vocabulary import Labels, Vocabulary
from partwise.graph.phrases.habits import Habits
from partwise.graph.phrases.plausible import Plausibility


@dataclass(frozen=True)
class Vocabularies:
    """Tags, words and labels; and which labels go together, where phrases are composed.

    Attributes:
        shared: categories of which coordinated phrases stand for one node.
        rules: the phrase rules that were trained on.
        habits: how phrases of these rules stand in each other.
    """

    tags: Vocabulary
    words: Vocabulary
    labels: Labels
    plausibility: Plausibility | None = None
    shared: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    habits: Habits | None = None

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
            "habits": None if self.habits is None else self.habits.to_dict(),
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
            # Parsers that were saved before there were any have none.
            None if values.get("habits") is None else Habits.from_dict(values["habits"]),
        )

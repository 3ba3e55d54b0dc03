"""All that a graph parser knows by name, learned from its training questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from partwise.graph.classes.word_classes import WordClasses
from partwise.graph.grounding.labels import GraphLabels, NameIndex
from partwise.graph.preference import RuleChains, SelectionalPreference


@dataclass(frozen=True)
class GraphVocabulary:
    """Tags, words and labels, and what chooses between trees where phrases are composed.

    Attributes:
        preference: which labels go together at a node.
        shared: categories of which coordinated phrases stand for one node.
        rules: the phrase rules that were trained on.
        chains: how constituents of these rules stand in each other.
        classes: word classes that were learned, which have a file of their own.
    """

    tags: NameIndex
    words: NameIndex
    labels: GraphLabels
    preference: SelectionalPreference | None = None
    shared: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    chains: RuleChains | None = None
    classes: WordClasses | None = None

    def to_dict(self) -> dict[str, Any]:
        """The vocabulary as JSON values."""
        return {
            "tags": list(self.tags.names),
            "words": list(self.words.names),
            "labels": self.labels.to_dict(),
            # The names of saved files.
            "plausibility": None if self.preference is None else self.preference.to_dict(),
            "shared": list(self.shared),
            "rules": list(self.rules),
            "habits": None if self.chains is None else self.chains.to_dict(),
        }

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> GraphVocabulary:
        """Read the output of `to_dict`."""
        # Parsers that were saved before there were any chains have none.
        preference, chains = values["plausibility"], values.get("habits")
        return GraphVocabulary(
            NameIndex(tuple(map(str, values["tags"]))),
            NameIndex(tuple(map(str, values["words"]))),
            GraphLabels.from_dict(values["labels"]),
            None if preference is None else SelectionalPreference.from_dict(preference),
            tuple(map(str, values["shared"])),
            tuple(map(str, values["rules"])),
            None if chains is None else RuleChains.from_dict(chains),
        )

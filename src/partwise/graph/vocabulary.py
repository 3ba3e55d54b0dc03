"""What a graph parser knows by number: tags, words and labels, all from training questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import count
from typing import Any

from partwise.graph.alignment import SAME, Attribute
from partwise.graph.classes.words import WordClasses
from partwise.graph.preference import RuleChains, SelectionalPreference

PAD, UNKNOWN = 0, 1
SPECIAL = ("<pad>", "<unknown>")
SEPARATOR, NIL = "<sep>", "<nil>"


def variable_tag(number: int) -> str:
    """The tag of a variable that is appended to a sequence."""
    return f"?x{number}"


class NameIndex(dict[str, int]):
    """Names by number; those of `PAD` and `UNKNOWN` come first."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(zip(names, count()))

    @staticmethod
    def of(names: Iterable[str]) -> NameIndex:
        """All distinct names, sorted."""
        return NameIndex((*SPECIAL, *sorted(set(names))))

    def __missing__(self, name: str) -> int:
        return UNKNOWN


@dataclass(frozen=True)
class GraphLabels:
    """The outputs of the decoder at a pair of nodes: relations, attributes, then the answer.

    Attributes:
        relations: predicates between nodes, `SAME` among them where phrases are composed.
        attributes: (predicate, constant), at a node paired with itself.
        answers: whether there is an output for the node that is asked for.
    """

    relations: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    answers: bool = False

    @property
    def size(self) -> int:
        return len(self.relations) + len(self.attributes) + int(self.answers)

    @property
    def plus(self) -> slice:
        start = len(self.relations)
        return slice(start, start + len(self.attributes))

    @property
    def answer(self) -> int:
        """The output for the node that is asked for, if there is one."""
        return self.size - 1

    @property
    def structural(self) -> list[int]:
        """Outputs that come from structure alone (that two nodes are one, what is asked for), so
        that a word that was never seen there cannot change them."""
        same = [self.numbers[SAME]] if SAME in self.numbers else []
        return [*same, self.answer] if self.answers else same

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.relations)}

    def number(self, predicate: str, target: str) -> int:
        """The output for a triple: of an attribute, or else of an edge."""
        pair = predicate, target
        if pair in self.attributes:
            return len(self.relations) + self.attributes.index(pair)
        return self.numbers[predicate]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> GraphLabels:
        attributes = tuple((str(p), str(c)) for p, c in values["attributes"])
        relations = tuple(map(str, values["relations"]))
        return GraphLabels(relations, attributes, bool(values["answers"]))


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
        return {
            "tags": list(self.tags),
            "words": list(self.words),
            "labels": self.labels.to_dict(),
            # The names of saved files.
            "plausibility": None if self.preference is None else self.preference.to_dict(),
            "shared": list(self.shared),
            "rules": list(self.rules),
            "habits": None if self.chains is None else self.chains.to_dict(),
        }

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> GraphVocabulary:
        # Parsers that were saved before there were any chains have none.
        preference, chains = values["plausibility"], values.get("habits")
        return GraphVocabulary(
            NameIndex(map(str, values["tags"])),
            NameIndex(map(str, values["words"])),
            GraphLabels.from_dict(values["labels"]),
            None if preference is None else SelectionalPreference.from_dict(preference),
            tuple(map(str, values["shared"])),
            tuple(map(str, values["rules"])),
            None if chains is None else RuleChains.from_dict(chains),
        )

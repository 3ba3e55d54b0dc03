"""What a graph parser knows by number: tags, words and labels, all from training questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from partwise.errors import PartwiseError
from partwise.graph.grounding.batch import UNKNOWN

SPECIAL = ("<pad>", "<unknown>")
SEPARATOR, NIL = "<sep>", "<nil>"


def variable_tag(number: int) -> str:
    """The tag of a variable that is appended to a sequence."""
    return f"?x{number}"


@dataclass(frozen=True)
class Vocabulary:
    """Names by number; those of `batch.PAD` and `batch.UNKNOWN` come first."""

    names: tuple[str, ...]
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_numbers", {n: i for i, n in enumerate(self.names)})

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> int:
        return self._numbers.get(name, UNKNOWN)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    @staticmethod
    def of(names: Iterable[str]) -> Vocabulary:
        """All distinct names, sorted."""
        return Vocabulary((*SPECIAL, *sorted(set(names))))


SAME = "="
"""The relation of two nodes that are one."""
ANSWER_LABEL = "?"
"""What the node that a question asks for bears."""


@dataclass(frozen=True)
class Labels:
    """What may stand at a pair of nodes.

    Attributes:
        relations: predicates between nodes, `SAME` among them where phrases are composed.
        attributes: (predicate, constant), at a node paired with itself.
        answers: whether a node can also say that it is what is asked for.
    """

    relations: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]
    answers: bool = False

    @property
    def size(self) -> int:
        """Number of outputs."""
        return len(self.relations) + len(self.attributes) + int(self.answers)

    @property
    def plus(self) -> slice:
        """Outputs of attributes."""
        start = len(self.relations)
        return slice(start, start + len(self.attributes))

    @property
    def answer(self) -> int:
        """The output for the node that is asked for."""
        if not self.answers:
            raise PartwiseError("only composing parsers have an output for the answer")
        return self.size - 1

    @property
    def structural(self) -> list[int]:
        """Labels that tell of structure alone."""
        same = [self.relation(SAME)] if SAME in self.relations else []
        return [*same, self.answer] if self.answers else same

    def number(self, predicate: str, target: str) -> int:
        """The output that says a triple: of an attribute, or else of an edge."""
        pair = predicate, target
        if pair in self.attributes:
            return len(self.relations) + self.attributes.index(pair)
        return self.relation(predicate)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Relation -> number."""
        return {name: number for number, name in enumerate(self.relations)}

    def relation(self, name: str) -> int:
        """Number of a relation."""
        return self.relations.index(name)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "relations": list(self.relations),
            "attributes": [list(pair) for pair in self.attributes],
            "answers": self.answers,
        }

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Labels:
        """From JSON."""
        return Labels(
            tuple(str(name) for name in values["relations"]),
            tuple((str(p), str(c)) for p, c in values["attributes"]),
            bool(values["answers"]),
        )

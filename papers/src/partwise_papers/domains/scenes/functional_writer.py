"""Terms of the scenes domain, written as functional programs; see `functional`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from partwise.errors import DataError
from partwise.language.program import Term
from partwise_papers.domains.scenes.functional import COMPARISONS
from partwise_papers.domains.scenes.scene import ATTRIBUTE_OF, ATTRIBUTES, RELATIONS


def to_functional(program: Term) -> list[dict[str, Any]]:
    """The functional program of a term, its nodes in topological order, inputs first.

    Raises:
        DataError: for a term that is no program of the scenes domain; says which part.
    """
    writer = _Writer()
    writer.whole(program)
    return writer.nodes


class _Writer:
    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []

    def add(self, function: str, *inputs: int, value: str | None = None) -> int:
        self.nodes.append(
            {
                "inputs": list(inputs),
                "function": function,
                "value_inputs": [] if value is None else [value],
            }
        )
        return len(self.nodes) - 1

    def whole(self, term: Term) -> int:
        """The node of a program that answers."""
        comparison = next((c for c, name in COMPARISONS.items() if name == term.symbol), None)
        match term.symbol, term.args or ():
            case "count" | "exist", (things,):
                return self.add(term.symbol, self.set(things))
            case "query", (kind, things):
                return self.query(self.attribute(kind, term), things)
            case "query_attribute_equal", (kind, first, second):
                name = self.attribute(kind, term)
                left = self.query(name, first)
                return self.add(f"equal_{name}", left, self.query(name, second))
            case _, (first, second) if comparison is not None:
                left = self.add("count", self.set(first))
                return self.add(comparison, left, self.add("count", self.set(second)))
        raise DataError(f"no functional program answers like this: {term}")

    def query(self, attribute: str, things: Term) -> int:
        return self.add(f"query_{attribute}", self.one(things))

    def one(self, term: Term) -> int:
        return self.add("unique", self.set(term))

    def set(self, term: Term) -> int:
        """The node of a set of objects."""
        match term.symbol, term.args:
            case "scene", ():
                return self.add("scene")
            case "filter", (*concepts, things) if concepts:
                number = self.set(things)
                for concept in concepts:
                    kind = ATTRIBUTE_OF.get(self.word(concept, ATTRIBUTE_OF, term))
                    number = self.add(f"filter_{kind}", number, value=concept.symbol)
                return number
            case "relate", (relation, things):
                name = self.word(relation, RELATIONS, term)
                return self.add("relate", self.one(things), value=name)
            case "relate_attribute_equal", (kind, things):
                return self.add(f"same_{self.attribute(kind, term)}", self.one(things))
            case "union" | "intersect", (first, second):
                left = self.set(first)
                return self.add(term.symbol, left, self.set(second))
        raise DataError(f"no functional program describes objects like this: {term}")

    def attribute(self, term: Term, of: Term) -> str:
        return self.word(term, ATTRIBUTES, of)

    @staticmethod
    def word(term: Term, allowed: Sequence[str] | Mapping[str, Any], of: Term) -> str:
        if term.args is not None or term.quoted or term.symbol not in allowed:
            raise DataError(f"{term} is not one of {', '.join(allowed)}: in {of}")
        return term.symbol

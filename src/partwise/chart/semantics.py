"""What a span tree means: its partial programs, folded from the words up by the type algebra."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from partwise.chart.algebra.composition import Meaning, blank, combine
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.tree import SpanTree
from partwise.errors import ProgramTypeError
from partwise.language.program import Term

OPEN = "·"
"""How a program text writes a required argument that is still open, as in ``loc_2(·)``."""


@dataclass(frozen=True)
class Node:
    """A node of a span tree with its meaning, for people and for drawings.

    Attributes:
        label: the constant's category, or "join".
        kind: what `label` is.
        program_text: the partial program, with `OPEN` for required arguments.
        type_text: the name of its type state.
        term: the program, if the node open_types nothing more.
        function: index of the child that took the others as its argument; None for fewer than
            two children.
    """

    start: int
    end: int
    label: str
    kind: Literal["predicate", "entity", "join"]
    program_text: str
    type_text: str
    term: Term | None
    state: int
    function: int | None = None
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        """All nodes, this one first."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_tree(tree: SpanTree, types: TypeAlgebra) -> Node:
    """The nodes of a span tree with their partial programs.

    Raises:
        ProgramTypeError: naming the first parts (from the words up) that do not compose.
    """
    return _Fold(types).fold(tree)[0]


def program(tree: SpanTree, types: TypeAlgebra) -> Term:
    """The whole program of a span tree, with the domain's root predicate around it.

    Raises:
        ProgramTypeError: if the parts do not compose, or not to something that may be asked for.
    """
    return program_of(read_tree(tree, types), types)


def program_of(node: Node, types: TypeAlgebra) -> Term:
    """As `program`, of the root of a tree that has been read.

    Raises:
        ProgramTypeError: if it is nothing that may be asked for.
    """
    if node.term is None or not types.final[node.state]:
        raise ProgramTypeError(f"a whole program may not be {node.type_text}: {node.program_text}")
    return types.domain.wrap(node.term)


class _Fold:
    """Computes a node and its meaning from those of its children."""

    def __init__(self, types: TypeAlgebra) -> None:
        self.types = types

    def fold(self, tree: SpanTree) -> tuple[Node, Meaning]:
        parts = [self.fold(child) for child in tree.children]
        meanings = [meaning for _, meaning in parts]
        function: int | None = None
        match meanings:
            case []:
                meaning = self._constant(tree)
            case [only]:
                meaning = only
            case [left, right]:
                meaning, first = self._compose(left, right)
                function = 0 if first else 1
            case [left, middle, right]:
                outer, first = self._compose(left, right, outer=True)
                meaning, over = self._compose(middle, outer)
                function = 1 if over else 0 if first else 2
            case _:
                raise ProgramTypeError(
                    f"a node over words {tree.start}..{tree.end} has {len(parts)} children; "
                    "at most three compose"
                )
        return self._node(tree, meaning, function, tuple(node for node, _ in parts)), meaning

    def _constant(self, tree: SpanTree) -> Meaning:
        vocabulary = self.types.domain.vocabulary
        if not (0 <= tree.label < vocabulary.n_predicates or vocabulary.is_entity(tree.label)):
            raise ProgramTypeError(
                f"a node over words {tree.start}..{tree.end} has no children and no constant"
            )
        return blank(self.types, tree.label)

    def _compose(self, left: Meaning, right: Meaning, outer: bool = False) -> tuple[Meaning, bool]:
        """The composed meaning, and whether the left part was the function."""
        states = left.state, right.state
        how = self.types.compositions.get(states)
        if how is None and outer:
            how = self.types.outer_compositions.get(states)
        if how is None:
            shown = " and ".join(
                f"{self._text(part)}: {self.types.name(part.state)}" for part in (left, right)
            )
            raise ProgramTypeError(f"these parts do not compose: {shown}")
        return combine(self.types, how, left, right), how.left_is_function

    def _text(self, meaning: Meaning) -> str:
        return self._open_term(meaning).text()

    def _open_term(self, meaning: Meaning) -> Term:
        if meaning.term is not None:
            return meaning.term
        open_type = self.types.open_types[meaning.state]
        wanted = {slot for s in open_type for slot, _, optional in s.params if not optional}
        if meaning.waiting is not None:
            wanted = set()
        args = [
            self._open_term(arg) if isinstance(arg, Meaning) else Term(OPEN) if i in wanted else arg
            for i, arg in enumerate(meaning.args)
        ]
        return self.types.domain.vocabulary[meaning.constant].term(args)

    def _node(
        self, tree: SpanTree, meaning: Meaning, function: int | None, children: tuple[Node, ...]
    ) -> Node:
        kind: Literal["predicate", "entity", "join"] = "join"
        label = "join"
        if not children:
            constant = self.types.domain.vocabulary[tree.label]
            kind = "entity" if constant.is_entity else "predicate"
            label = constant.category
        return Node(
            start=tree.start,
            end=tree.end,
            label=label,
            kind=kind,
            program_text=self._text(meaning),
            type_text=self.types.name(meaning.state),
            term=meaning.term,
            state=meaning.state,
            function=function,
            children=children,
        )

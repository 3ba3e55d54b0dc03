"""What a span tree means: its partial programs, folded from the words up by the type algebra."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from partwise.chart.algebra.composition import Meaning, blank, combine
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.tree import SpanTree
from partwise.errors import ProgramTypeError
from partwise.language.constants import Constant
from partwise.language.program import Term

OPEN = "·"
"""How a program text writes a required argument that is still open, as in ``loc_2(·)``."""


@dataclass(frozen=True)
class MeaningNode:
    """A node of a span tree with its meaning, for people and for drawings.

    Attributes:
        label: the constant's category, or "join".
        kind: what `label` is.
        program_text: the partial program, with `OPEN` for required arguments.
        type_text: the name of its type state.
        term: the program, if the node needs nothing more.
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
    children: tuple[MeaningNode, ...] = ()

    def walk(self) -> Iterator[MeaningNode]:
        """All nodes, this one first."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_tree(tree: SpanTree, types: TypeAlgebra) -> MeaningNode:
    """The nodes of a span tree with their partial programs.

    Raises:
        ProgramTypeError: naming the first parts (from the words up) that do not compose.
    """
    return _fold(tree, types)[0]


def program(tree: SpanTree, types: TypeAlgebra) -> Term:
    """The whole program of a span tree, with the domain's root predicate around it.

    Raises:
        ProgramTypeError: if the parts do not compose, or not to something that may be asked for.
    """
    return program_of(read_tree(tree, types), types)


def program_of(node: MeaningNode, types: TypeAlgebra) -> Term:
    """As `program`, of the root of a tree that has been read.

    Raises:
        ProgramTypeError: if it is nothing that may be asked for.
    """
    term = types.finished(node.state, node.term)
    if term is None or not types.final[node.state]:
        raise ProgramTypeError(f"a whole program may not be {node.type_text}: {node.program_text}")
    return types.domain.wrap(term)


def _fold(tree: SpanTree, types: TypeAlgebra) -> tuple[MeaningNode, Meaning]:
    """A node and its meaning from those of its children."""
    parts = [_fold(child, types) for child in tree.children]
    function: int | None = None
    label = "join"
    kind: Literal["predicate", "entity", "join"] = "join"
    match [meaning for _, meaning in parts]:
        case []:
            constant = _constant(tree, types)
            label, kind = constant.category, "entity" if constant.is_entity else "predicate"
            meaning = blank(types, tree.label)
        case [only]:
            meaning = only
        case [left, right]:
            meaning, first = _compose(types, left, right)
            function = 0 if first else 1
        case [left, middle, right]:
            outer, first = _compose(types, left, right, outer=True)
            meaning, over = _compose(types, middle, outer)
            function = 1 if over else 0 if first else 2
        case _:
            raise ProgramTypeError(
                f"a node over words {tree.start}..{tree.end} has {len(parts)} children; "
                "at most three compose"
            )
    node = MeaningNode(
        start=tree.start,
        end=tree.end,
        label=label,
        kind=kind,
        program_text=_open_term(types, meaning).text(),
        type_text=types.name(meaning.state),
        term=meaning.term,
        state=meaning.state,
        function=function,
        children=tuple(node for node, _ in parts),
    )
    return node, meaning


def _constant(tree: SpanTree, types: TypeAlgebra) -> Constant:
    vocabulary = types.domain.vocabulary
    if not (0 <= tree.label < vocabulary.n_predicates or vocabulary.is_entity(tree.label)):
        raise ProgramTypeError(
            f"a node over words {tree.start}..{tree.end} has no children and no constant"
        )
    return vocabulary[tree.label]


def _compose(
    types: TypeAlgebra, left: Meaning, right: Meaning, outer: bool = False
) -> tuple[Meaning, bool]:
    """The composed meaning, and whether the left part was the function."""
    states = left.state, right.state
    how = types.compositions.get(states)
    if how is None and outer:
        how = types.outer_compositions.get(states)
    if how is None:
        shown = " and ".join(
            f"{_open_term(types, part).text()}: {types.name(part.state)}" for part in (left, right)
        )
        raise ProgramTypeError(f"these parts do not compose: {shown}")
    return combine(types, how, left, right), how.left_is_function


def _open_term(types: TypeAlgebra, meaning: Meaning) -> Term:
    """The program of a meaning, with `OPEN` for the required arguments that it lacks."""
    if meaning.term is not None:
        return meaning.term
    open_type = types.open_types[meaning.state]
    wanted = {slot for s in open_type for slot, _, optional in s.params if not optional}
    if meaning.waiting is not None:
        wanted = set()
    args = [
        _open_term(types, arg) if isinstance(arg, Meaning) else Term(OPEN) if i in wanted else arg
        for i, arg in enumerate(meaning.args)
    ]
    return types.domain.vocabulary[meaning.constant].term(args)

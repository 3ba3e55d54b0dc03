"""What span trees mean: partial programs and how two compose, the nodes of a tree, derivations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from partwise.chart.scores import Marginals, SpanTree
from partwise.chart.type_algebra import Composition, TypeAlgebra
from partwise.errors import ProgramTypeError
from partwise.language.constants import Constant
from partwise.language.program import Term
from partwise.language.text import Words

Args = tuple["Term | Meaning | None", ...]


@dataclass(frozen=True)
class Meaning:
    """A constant (by its number in `Domain.vocabulary`) with some arguments filled, and its state.
    An argument is a closed program, or an open meaning that waits for its own argument, or None.
    `term`: the program, if it needs nothing more."""

    constant: int
    args: Args
    state: int
    term: Term | None = field(compare=False)

    @property
    def waiting(self) -> int | None:
        """The slot whose argument waits for one of its own, if there is one."""
        return next((n for n, arg in enumerate(self.args) if isinstance(arg, Meaning)), None)


def blank(types: TypeAlgebra, constant: int) -> Meaning:
    return _meaning(types, constant, _no_args(types, constant), int(types.start[constant]))


def combine(types: TypeAlgebra, how: Composition, left: Meaning, right: Meaning) -> Meaning:
    """The meaning of two parts that compose as `how` says."""
    if how.conjunction is not None:
        return conjoined(types, how, how.conjunction, left, right)
    function, value = function_and_value(types, how, left, right)
    return filled(types, function, how.slot, value, how.state)


def function_and_value(
    types: TypeAlgebra, how: Composition, left: Meaning, right: Meaning
) -> tuple[Meaning, Term | Meaning]:
    """The part that takes the other, and what it takes; each within its type shift."""
    function, argument = (left, right) if how.left_is_function else (right, left)
    taken = _shifted(types, argument, how.shift_argument)
    function = _shifted(types, function, how.shift_function)
    return function, taken if taken.term is None else taken.term


def conjoined(
    types: TypeAlgebra, how: Composition, number: int, left: Meaning, right: Meaning
) -> Meaning:
    """A conjunction of a part with another one, or with the parts of a conjunction."""
    first, second = function_and_value(types, how, left, right)
    constant = types.domain.vocabulary.n_listed + number
    more = right.args if right.constant == constant and how.shift_argument is None else (second,)
    return _meaning(types, constant, tuple(sorted((first.term, *more), key=str)), how.state)


def filled(
    types: TypeAlgebra, function: Meaning, slot: int, value: Term | Meaning, state: int
) -> Meaning:
    """A function with an argument in its slot, or in the slot of the part that waits for it."""
    if function.waiting is not None:
        # A composed function: the value goes to the part that waits for it, and closes it.
        inner = function.args[function.waiting]
        assert isinstance(inner, Meaning)
        value = _spelled(types, filled(types, inner, slot, value, inner.state))
        slot = function.waiting
    args = _sorted(types, function.constant, _put(function.args, slot, value))
    return _meaning(types, function.constant, args, state)


def _meaning(types: TypeAlgebra, constant: int, args: Args, state: int) -> Meaning:
    made = Meaning(constant, args, state, None)
    return Meaning(constant, args, state, _spelled(types, made)) if types.closed[state] else made


def _no_args(types: TypeAlgebra, constant: int) -> Args:
    return (None,) * len(types.domain.vocabulary[constant].defaults)


def _spelled(types: TypeAlgebra, meaning: Meaning) -> Term:
    """The program as it stands; required arguments that are open are left out."""
    args = [_spelled(types, a) if isinstance(a, Meaning) else a for a in meaning.args]
    return types.domain.vocabulary[meaning.constant].term(args)


def _shifted(types: TypeAlgebra, meaning: Meaning, number: int | None) -> Meaning:
    """A meaning within a type shift; itself for None."""
    if number is None:
        return meaning
    slot, state = types.type_shifts[meaning.state, number]
    constant = types.domain.vocabulary.n_listed + number
    return _meaning(types, constant, _put(_no_args(types, constant), slot, meaning.term), state)


def _sorted(types: TypeAlgebra, constant: int, args: Args) -> Args:
    """The arguments with those that may be swapped in their order: by text, open ones last."""
    slots = types.domain.vocabulary[constant].commutes
    if not slots:
        return args

    def key(arg: Term | Meaning | None) -> tuple[bool, str]:
        return arg is None, str(_spelled(types, arg) if isinstance(arg, Meaning) else arg)

    for slot, arg in zip(slots, sorted((args[s] for s in slots), key=key), strict=True):
        args = _put(args, slot, arg)
    return args


def _put(args: Args, slot: int, value: Term | Meaning | None) -> Args:
    return (*args[:slot], value, *args[slot + 1 :])


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
    """The nodes of a span tree with their partial programs. Raises ProgramTypeError naming the
    first parts (from the words up) that do not compose."""
    return _fold(tree, types)[0]


def program(tree: SpanTree, types: TypeAlgebra) -> Term:
    """The whole program of a span tree, with the domain's root predicate around it. Raises
    ProgramTypeError if the parts do not compose, or not to something that may be asked for."""
    return program_of(read_tree(tree, types), types)


def program_of(node: MeaningNode, types: TypeAlgebra) -> Term:
    """As `program`, of the root of a tree that has been read. Raises ProgramTypeError if it is
    nothing that may be asked for."""
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


@dataclass(frozen=True)
class TreeDerivation:
    """A span tree with its meaning, over the words of its question. `scores`: span -> score of its
    label; empty if they are not known."""

    node: MeaningNode
    words: Words
    scores: Mapping[tuple[int, int], float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The nodes as JSON values, `children` nested; `start` and `end` count words, end excluded.
        The score of a node is null if it is not known or not finite."""
        return self._node_json(self.node)

    def _node_json(self, node: MeaningNode) -> dict[str, Any]:
        score = self.scores.get((node.start, node.end), math.nan)
        return {
            "start": node.start,
            "end": node.end,
            "words": self.words.span(node.start, node.end),
            "category": node.label,
            "kind": node.kind,
            "program": node.program_text,
            "type": node.type_text,
            "score": score if math.isfinite(score) else None,
            "function": node.function,
            "children": [self._node_json(child) for child in node.children],
        }


@dataclass(frozen=True)
class SpanPosteriors:
    """How probable each label is on each span of a question.

    Attributes:
        marginals: of the question's spans.
        categories: of the columns of `marginals.constants`.
        words: of the question.
    """

    marginals: Marginals
    categories: Sequence[str]
    words: Words

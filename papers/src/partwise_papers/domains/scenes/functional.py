"""CLEVR's functional programs, read into terms.

A functional program (Johnson et al. 2017, section 3) is a list of nodes; each has a function, the
numbers of the nodes that it takes, and maybe a value, and the last one is the whole. In terms, a
chain of ``filter_*`` is one `filter`; ``unique`` is not written, since all that demands a single
object says so by itself; ``equal_color`` over two ``query_color`` is
``query_attribute_equal(color, ...)``, and likewise with counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partwise.errors import DataError
from partwise.language.program import Term
from partwise_papers.domains.scenes.scene import ATTRIBUTE_OF, ATTRIBUTES, RELATIONS

Node = Mapping[str, Any]
"""``{"function": "filter_color", "inputs": [0], "value_inputs": ["red"]}``; "type" for "function"
in what the official generator writes."""

SET, ONE, NUMBER, TRUTH = "objects", "one object", "a number", "yes or no"
COMPARISONS = {
    "equal_integer": "count_equal",
    "less_than": "count_less",
    "greater_than": "count_greater",
}
OF_ATTRIBUTE = {"query": "query", "same": "relate_attribute_equal"}
MAX_DEPTH = 150


@dataclass(frozen=True)
class Function:
    """What a function takes (kinds of inputs, and the values it may be given) and gives."""

    takes: tuple[str, ...]
    gives: str
    values: Sequence[str] = ()


def _functions() -> dict[str, Function]:
    found = {
        "scene": Function((), SET),
        "unique": Function((SET,), ONE),
        "relate": Function((ONE,), SET, RELATIONS),
        "union": Function((SET, SET), SET),
        "intersect": Function((SET, SET), SET),
        "count": Function((SET,), NUMBER),
        "exist": Function((SET,), TRUTH),
    }
    found |= {name: Function((NUMBER, NUMBER), TRUTH) for name in COMPARISONS}
    for kind, values in ATTRIBUTES.items():
        found[f"filter_{kind}"] = Function((SET,), SET, values)
        found[f"same_{kind}"] = Function((ONE,), SET)
        found[f"query_{kind}"] = Function((ONE,), f"a {kind}")
        found[f"equal_{kind}"] = Function((f"a {kind}", f"a {kind}"), TRUTH)
    return found


FUNCTIONS = _functions()
"""All functions that a program of the data sets may have, by name."""


def from_functional(nodes: Sequence[Node]) -> Term:
    """The term of a functional program; nodes that the last one does not need are not read.

    A chain of filters is one `filter`; else the term is as the program is written, so
    `Scenes.canonical` makes it canonical.

    Raises:
        DataError: for an unknown function, a wrong number or kind of inputs or values, an input
            that is no node, or nodes that take each other in a circle; says which node.
    """
    return _Fold(nodes).last()


def _term(name: str, values: tuple[str, ...], inputs: tuple[Term, ...]) -> Term:
    """The term of a node whose inputs are these."""
    head, _, kind = name.partition("_")
    if name == "unique":
        return inputs[0]
    if head == "filter":
        return _filter(values[0], inputs[0])
    if name in COMPARISONS or head == "equal":
        # What is compared, a count or a query, is not written: the set that it is of is.
        sets = tuple((term.args or ())[-1] for term in inputs)
        if name in COMPARISONS:
            return Term(COMPARISONS[name], sets)
        return Term("query_attribute_equal", (Term(kind), *sets))
    if head in OF_ATTRIBUTE:
        return Term(OF_ATTRIBUTE[head], (Term(kind), *inputs))
    return Term(name, (*map(Term, values), *inputs))


class _Fold:
    """Makes a term of each node that the last one needs, inputs first."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.known: dict[int, Term] = {}
        self.open: list[int] = []

    def last(self) -> Term:
        if not self.nodes:
            raise DataError("the functional program has no nodes")
        return self.at(len(self.nodes) - 1)

    def at(self, number: int) -> Term:
        if number in self.open:
            circle = " -> ".join(map(str, [*self.open[self.open.index(number) :], number]))
            raise DataError(f"the nodes of the functional program go in a circle: {circle}")
        if number not in self.known:
            if len(self.open) > MAX_DEPTH:
                raise DataError(f"node {number}: nested deeper than {MAX_DEPTH} functions")
            self.open.append(number)
            name, inputs, values = self.check_node(number)
            self.known[number] = _term(name, tuple(values), tuple(map(self.at, inputs)))
            self.open.pop()
        return self.known[number]

    def check_node(self, number: int) -> tuple[str, Sequence[int], Sequence[str]]:
        node = self.nodes[number]
        name = self.name(number)
        function = FUNCTIONS[name]
        inputs, values = node.get("inputs", ()), node.get("value_inputs", ())
        for what, given, wanted in (
            ("inputs", inputs, len(function.takes)),
            ("value_inputs", values, 1 if function.values else 0),
        ):
            if not isinstance(given, list | tuple) or len(given) != wanted:
                raise DataError(f"node {number}: {name} takes {wanted} {what}, not {given!r}")
        for value in values:
            if value not in function.values:
                allowed = ", ".join(function.values)
                raise DataError(f"node {number}: {name} takes one of {allowed}, not {value!r}")
        for i, kind in zip(inputs, function.takes, strict=True):
            if type(i) is not int or not 0 <= i < len(self.nodes):
                raise DataError(
                    f"node {number}: its input {i!r} is no node from 0 to {len(self.nodes) - 1}"
                )
            given = self.name(i)
            if FUNCTIONS[given].gives != kind:
                raise DataError(
                    f"node {number}: {name} takes {kind}, but node {i}, {given}, gives "
                    f"{FUNCTIONS[given].gives}"
                )
        return name, inputs, values

    def name(self, number: int) -> str:
        node = self.nodes[number]
        name = node.get("function", node.get("type")) if isinstance(node, Mapping) else None
        if not isinstance(name, str) or name not in FUNCTIONS:
            raise DataError(
                f"node {number}: unknown function {name!r}; known are {', '.join(FUNCTIONS)}"
            )
        return name


def _filter(value: str, over: Term) -> Term:
    if over.symbol != "filter" or over.args is None:
        return Term("filter", (Term(value), over))
    *concepts, inner = over.args
    kinds = {ATTRIBUTE_OF[concept.symbol] for concept in concepts}
    if ATTRIBUTE_OF[value] in kinds:
        return Term("filter", (Term(value), over))
    return Term("filter", (*concepts, Term(value), inner))

"""Sketches: query graphs without their primitives, as posets (paper, section 3), and the queries of
sketches that are filled with primitives.

The elements of a sketch are the head, the nodes and the classes of what holds of them: `RELATION`
for edges and `ATTRIBUTE` for attributes. Entities are one element, `ENTITY`, and constants are
`CONSTANT`; variables keep their names. What stands before another element in a triple precedes it.
A poset is written as its traversal paths from the top: each path with the set of its successors.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from partwise.language.query_graph import Head, QueryGraph, Triple

RELATION, ATTRIBUTE, ENTITY, CONSTANT = "P", "A", "M", "S"
HEADS: tuple[Head, ...] = ("ask", "select")

Path = tuple[str, ...]
"""Elements from the top to some element: a head, then a node, a class, a node and so on."""
Successors = dict[Path, frozenset[str]]
"""Path -> the elements that may follow it; the empty path is the top."""


class Step(NamedTuple):
    """A triple of a sketch: subject, class and object."""

    subject: str
    kind: str
    object: str


class Primitive(NamedTuple):
    """What a triple says beside its nodes: a relation, or an attribute with its constant.

    Attributes:
        constant: of an attribute; empty for a relation.
    """

    predicate: str
    constant: str = ""

    @property
    def kind(self) -> str:
        """Its class in a sketch."""
        return ATTRIBUTE if self.constant else RELATION


def is_variable(node: str) -> bool:
    """Whether a node or an element is a variable."""
    return node.startswith("?")


def with_primitives(graph: QueryGraph) -> list[tuple[Triple, Primitive]]:
    """The triples of a query, each with its primitive."""
    edges = ((edge, Primitive(edge.predicate)) for edge in sorted(graph.edges))
    attributes = (
        (attribute, Primitive(attribute.predicate, attribute.object))
        for attribute in sorted(graph.attributes)
    )
    return [*edges, *attributes]


def step_of(triple: Triple, primitive: Primitive) -> Step:
    """What a sketch says of a triple."""

    def element(node: str) -> str:
        return node if is_variable(node) else ENTITY

    end = CONSTANT if primitive.constant else element(triple.object)
    return Step(element(triple.subject), primitive.kind, end)


def steps_of(graph: QueryGraph) -> frozenset[Step]:
    """The steps of a query's sketch; what differs in primitives and entities alone is one."""
    return frozenset(step_of(*pair) for pair in with_primitives(graph))


def successors(head: Head, steps: Collection[Step]) -> Successors:
    """The poset of a sketch, by its traversal paths.

    A path ends where it comes to a variable again that stands on it. Paths begin with the nodes
    that nothing precedes; where each precedes the other, with the first one by name.
    """
    after: Successors = {(): frozenset([head]), (head,): frozenset(_sources(steps))}
    open_: list[Path] = [(head, source) for source in after[head,]]
    while open_:
        path = open_.pop()
        own = [step for step in steps if step.subject == path[-1]]
        after[path] = frozenset(step.kind for step in own)
        for kind in after[path]:
            ends = frozenset(step.object for step in own if step.kind == kind)
            after[*path, kind] = ends
            open_ += [(*path, kind, end) for end in ends if goes_on(path, end)]
    return after


def goes_on(path: Path, end: str) -> bool:
    """Whether a path that comes to a node as an object has successors there."""
    return is_variable(end) and end not in path


def _sources(steps: Collection[Step]) -> list[str]:
    """The nodes that traversal begins with, so that it reaches all."""
    targets = {step.object for step in steps if is_variable(step.object)}
    subjects = sorted({step.subject for step in steps})
    sources = [node for node in subjects if node not in targets]
    reached = _reach(sources, steps)
    for subject in subjects:
        if subject not in reached:
            sources.append(subject)
            reached |= _reach([subject], steps)
    return sources


def _reach(sources: Iterable[str], steps: Collection[Step]) -> set[str]:
    reached, open_ = set[str](), list(sources)
    while open_:
        node = open_.pop()
        if node not in reached:
            reached.add(node)
            open_ += [s.object for s in steps if s.subject == node and is_variable(s.object)]
    return reached


def sketch_of(after: Mapping[Path, Collection[str]]) -> tuple[Head, frozenset[Step]]:
    """The head and the steps of a poset; the way back from `successors`."""
    steps = (
        Step(path[-2], path[-1], end)
        for path, ends in after.items()
        if path and path[-1] in (RELATION, ATTRIBUTE)
        for end in ends
    )
    return next(head for head in HEADS if head in after[()]), frozenset(steps)


SHARE = 0.5
"""Of a relation's edges that have a filter in train, at least, where its ends must differ."""


class Filled(NamedTuple):
    """A step with a primitive and entities in the place of its classes."""

    step: Step
    triple: Triple
    primitive: Primitive


def fillings(
    steps: Iterable[Step], primitives: Iterable[Primitive], entities: Sequence[str]
) -> list[Filled]:
    """All ways to fill each of the steps, in a fixed order."""
    kinds: dict[str, list[Primitive]] = {}
    for primitive in sorted(primitives):
        kinds.setdefault(primitive.kind, []).append(primitive)
    return [
        Filled(step, Triple(subject, primitive.predicate, end), primitive)
        for step in sorted(steps)
        for primitive in kinds.get(step.kind, ())
        for subject in _nodes(step.subject, primitive, entities)
        for end in _nodes(step.object, primitive, entities)
        if subject != end
    ]


def _nodes(element: str, primitive: Primitive, entities: Sequence[str]) -> Iterator[str]:
    """What an element of a sketch may stand for."""
    if element == ENTITY:
        yield from entities
    else:
        yield primitive.constant if element == CONSTANT else element


def fill_steps(graph: QueryGraph) -> frozenset[Filled]:
    """The steps of a query's sketch as the query fills them."""
    return frozenset(Filled(step_of(*pair), *pair) for pair in with_primitives(graph))


def compose_query(head: Head, chosen: Collection[Filled], differing: Collection[str]) -> QueryGraph:
    """The query of filled steps (`differing`: relations whose two ends must differ, which queries
    state as filters); raises QueryError if it selects and says nothing of what it selects."""
    edges = frozenset(step.triple for step in chosen if not step.primitive.constant)
    attributes = frozenset(step.triple for step in chosen if step.primitive.constant)
    filters = frozenset((s, o) for s, p, o in edges if p in differing)
    return QueryGraph(head, edges, attributes, filters)


def differing_relations(graphs: Iterable[QueryGraph]) -> list[str]:
    """The relations whose ends must differ in training queries."""
    edges: dict[str, list[bool]] = {}
    for graph in graphs:
        for subject, predicate, end in graph.edges:
            edges.setdefault(predicate, []).append((subject, end) in graph.filters)
    return sorted(one for one, some in edges.items() if sum(some) >= SHARE * len(some))


def likeliest(
    needed: Collection[Hashable], candidates: Sequence[Filled], odds: Sequence[float]
) -> set[Filled]:
    """The filled steps that are said: the likely ones, and for whatever is needed and these lack,
    the likeliest one that has it.

    Args:
        needed: steps, primitives and entities.
        odds: log odds of the candidates.
    """
    chosen: set[Filled] = set()
    missing = set(needed)
    for value, candidate in sorted(zip(odds, candidates, strict=True), reverse=True):
        parts = {
            candidate.step,
            candidate.primitive,
            candidate.triple.subject,
            candidate.triple.object,
        }
        if value > 0 or parts & missing:
            chosen.add(candidate)
            missing -= parts
    return chosen

"""Conjunctive queries as graphs of entities, variables, typed edges and attributes, and names of
their variables that depend on what a query says alone.

The smallest naming is searched by colour refinement with branch and bound. The text of a query is
read subject by subject, in the order in which their lines are sorted. What has been read fixes
which variables share which names: cells, each with as many names as variables. The lines of a
subject are smallest when, of each cell, the variables among their objects take the cell's smallest
names, which splits the cell. Where several variables of a cell could be the next subject with lines
that are equally small, each is tried; a branch ends when what is read is greater than the best
text. Two ways to the same text are a symmetry of the query, and what is symmetric to something
tried is not tried (as in McKay 1981, Practical graph isomorphism)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

from partwise.errors import QueryError

Head = Literal["ask", "select"]
"""``ask``: whether there is a match (CFQ writes it as a count); ``select``: what `ANSWER` is."""
ANSWER = "?x0"
"""The variable that a selecting query asks for."""
ENTITY = re.compile(r"M\d+")
"""Placeholders of the entities that a question names, in the order of the data."""
VARIABLE = re.compile(r"\?x\d+")


class Triple(NamedTuple):
    """Subject, predicate and object; a predicate may be a property path, kept as one text."""

    subject: str
    predicate: str
    object: str

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


@dataclass(frozen=True)
class QueryGraph:
    """A conjunctive query: `edges` between nodes (entities and variables), `attributes` from a node
    to a constant (its type, gender, nationality), and `filters`, pairs of nodes that must differ.
    Raises QueryError for a selecting query without `ANSWER`."""

    head: Head
    edges: frozenset[Triple]
    attributes: frozenset[Triple] = field(default=frozenset())
    filters: frozenset[tuple[str, str]] = field(default=frozenset())

    def __post_init__(self) -> None:
        if self.head == "select" and ANSWER not in self.nodes:
            raise QueryError(f"a query that selects {ANSWER} must say something of it")

    @cached_property
    def nodes(self) -> frozenset[str]:
        ends = {end for edge in self.edges for end in (edge.subject, edge.object)}
        return frozenset(ends | {attribute.subject for attribute in self.attributes})

    @cached_property
    def variables(self) -> tuple[str, ...]:
        nodes = (node for node in self.nodes if VARIABLE.fullmatch(node))
        return tuple(sorted(nodes, key=lambda name: int(name[2:])))

    @property
    def entities(self) -> tuple[str, ...]:
        """The nodes that are no variables, in order."""
        nodes = (node for node in self.nodes if not node.startswith("?"))
        return tuple(sorted(nodes, key=lambda name: (len(name), name)))

    @property
    def triples(self) -> frozenset[Triple]:
        return self.edges | self.attributes

    def rename(self, names: Mapping[str, str]) -> QueryGraph:
        """The graph with nodes renamed; those that are not in `names` keep theirs."""

        def to(node: str) -> str:
            return names.get(node, node)

        return QueryGraph(
            self.head,
            frozenset(Triple(to(s), p, to(o)) for s, p, o in self.edges),
            frozenset(Triple(to(s), p, o) for s, p, o in self.attributes),
            frozenset((to(one), to(other)) for one, other in self.filters),
        )

    def __iter__(self) -> Iterator[Triple]:
        return iter(sorted(self.triples))


MAX_VARIABLES = 50
MAX_READS = 200_000
"""How often a variable may be tried as a subject. Seven variables need fewer than 90,000: their
13,699 ordered choices, and twice seven for each of 5,040 namings."""

Block = tuple[tuple[str, str], ...]
"""The (predicate, object) of a subject's lines, and `_END`."""
Cell = tuple[frozenset[str], tuple[str, ...]]
"""Variables that share names, and these names in order."""
Targets = Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]
"""Subject -> its predicates in order, each with its objects."""

_END = ("\U0010ffff", "")
"""After the lines of a subject; the more lines of the smallest subject, the smaller the text."""


def canonical(graph: QueryGraph) -> QueryGraph:
    """The graph with its n variables named ?x0 to ?x(n-1), equal for equal queries. Of all such
    namings, the one whose (sorted triples, sorted FILTERs) is smallest, bytewise. In a query that
    selects, ?x0 keeps its name. Raises QueryError for more than `MAX_VARIABLES` variables, or for
    so many that are alike that `MAX_READS` steps do not tell them apart; never for up to 7
    variables."""
    names = VariableNames(graph).best()
    return graph if all(old == new for old, new in names.items()) else graph.rename(names)


def with_filters(graph: QueryGraph, differing: Collection[str]) -> QueryGraph:
    """The graph with FILTERs for its `differing` predicates alone, as `GraphDomain.differing`."""
    filters = frozenset((s, o) for s, p, o in graph.edges if p in differing)
    return replace(graph, filters=filters)


def expected_head(question: str, asking: Collection[str]) -> Head:
    """What a question's query gives, by its first word; `asking` as `GraphDomain.asking`."""
    return "ask" if "".join(question.split()[:1]).lower() in asking else "select"


def _targets(triples: Iterable[tuple[str, str, str]]) -> Targets:
    by_subject: dict[str, dict[str, list[str]]] = {}
    for subject, predicate, target in triples:
        by_subject.setdefault(subject, {}).setdefault(predicate, []).append(target)
    return {s: [(p, tuple(by[p])) for p in sorted(by)] for s, by in by_subject.items()}


def _split(cells: Sequence[Cell], group: frozenset[str]) -> tuple[list[Cell], list[str]]:
    """The variables of a group take the smallest names of their cells; also gives these names."""
    out: list[Cell] = []
    taken: list[str] = []
    for members, names in cells:
        inside = members & group
        count = len(inside)
        taken += names[:count]
        parts = ((inside, names[:count]), (members - inside, names[count:]))
        out += [part for part in parts if part[0]]
    return out, taken


class _Reading(NamedTuple):
    """A complete naming: the variable of each name, what was read, and what was chosen."""

    owner: dict[str, str]
    blocks: list[Block]
    path: list[str]


class VariableNames:
    def __init__(self, graph: QueryGraph) -> None:
        self.graph = graph
        ends = graph.nodes.union(*graph.filters)
        self.variables = frozenset(end for end in ends if end.startswith("?"))
        self.smallest: _Reading | None = None
        self.symmetries: list[dict[str, str]] = []
        self.reads = 0

    def best(self) -> dict[str, str]:
        """Variable -> its name. Raises QueryError for too many variables, or too many that are
        alike; see `canonical`."""
        count, graph = len(self.variables), self.graph
        if count > MAX_VARIABLES:
            raise QueryError(
                f"a query with {count} variables; at most {MAX_VARIABLES} can be named"
            )
        if count <= 1:
            return dict.fromkeys(self.variables, ANSWER)
        names = sorted(f"?x{i}" for i in range(count))
        filters = ((one, "", other) for one, other in graph.filters)
        self.steps = [
            (subject, targets)
            for targets in map(_targets, (graph.triples, filters))
            for subject in sorted({*names, *(targets.keys() - self.variables)})
        ]
        cells: list[Cell] = [(self.variables, tuple(names))]
        if graph.head == "select":
            cells, _ = _split(cells, frozenset([ANSWER]))
        self._search(cells, [], [])
        assert self.smallest is not None
        return {variable: name for name, variable in self.smallest.owner.items()}

    def _search(self, cells: list[Cell], blocks: list[Block], path: list[str]) -> int:
        """Read on to the end; gives the number of choices to go back to."""
        for subject, targets in self.steps[len(blocks) :]:
            options = self._options(cells, subject, targets)
            block = min(option[0] for option in options)
            blocks = [*blocks, block]
            ties = [(chosen, after) for lines, after, chosen in options if lines == block]
            cells = ties[0][1]
            if len(ties) == 1:
                continue
            tried: list[str] = []
            for chosen, after in ties:
                if self.smallest is not None and blocks > self.smallest.blocks[: len(blocks)]:
                    break
                if not tried or chosen not in self._orbits(tried, path):
                    tried.append(chosen)
                    back = self._search(after, blocks, [*path, chosen])
                    if back < len(path):
                        return back
            return len(path)
        return self._end(cells, blocks, path)

    def _options(
        self, cells: list[Cell], subject: str, targets: Targets
    ) -> list[tuple[Block, list[Cell], str]]:
        members = [subject]
        if subject.startswith("?"):
            cell = next(cell for cell in cells if subject in cell[1])
            # Whose lines are none need not be told apart here; what has some comes first.
            members = sorted(member for member in cell[0] if member in targets)
            if not members:
                return [((_END,), cells, "")]
            self.reads += len(members)
            if self.reads > MAX_READS:
                raise QueryError(
                    f"a query whose {len(self.variables)} variables are too much alike to be named"
                )
        return [(*_read(cells, member, targets[member]), member) for member in members]

    def _end(self, cells: list[Cell], blocks: list[Block], path: list[str]) -> int:
        """Compare a complete reading with the best; variables that still share names are alike."""
        owner = {
            name: variable
            for members, names in cells
            for name, variable in zip(names, sorted(members), strict=True)
        }
        if self.smallest is None or blocks < self.smallest.blocks:
            self.smallest = _Reading(owner, blocks, path)
        elif blocks == self.smallest.blocks:
            self.symmetries.append({v: owner[name] for name, v in self.smallest.owner.items()})
            pairs = zip(path, self.smallest.path, strict=False)
            return next((i for i, (one, other) in enumerate(pairs) if one != other), len(path))
        return len(path)

    def _orbits(self, tried: list[str], path: list[str]) -> list[str]:
        """What symmetries that leave all choices so far in place make of variables tried."""
        keep = [sym for sym in self.symmetries if all(sym[chosen] == chosen for chosen in path)]
        reached = list(tried)
        for variable in reached:
            # Applied again and again, a permutation comes back, so inverses are not needed.
            reached += {symmetry[variable] for symmetry in keep}.difference(reached)
        return reached


def _read(
    cells: list[Cell], subject: str, lines: Sequence[tuple[str, tuple[str, ...]]]
) -> tuple[Block, list[Cell]]:
    if subject.startswith("?"):
        cells, _ = _split(cells, frozenset([subject]))
    block: list[tuple[str, str]] = []
    for predicate, objects in lines:
        fixed = [end for end in objects if not end.startswith("?")]
        cells, taken = _split(cells, frozenset(objects).difference(fixed))
        block.extend((predicate, end) for end in sorted(fixed + taken))
    return (*block, _END), cells

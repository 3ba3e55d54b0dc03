"""Distribution-based compositionality assessment: how far two parts of a pool are apart.

Keysers et al. (2020, Measuring Compositional Generalization, section 2). An example came about by
a graph of rules. Its atoms are the rules; its compounds are the small subgraphs of rules, weighted
by how much they say by themselves (`partwise_papers.splits.compounds`). Two parts differ in
their atoms, or compounds, by one minus the Chernoff coefficient of their frequencies. A split tests
compositional generalization where train and test have the same atoms in other compounds.

Where the paper leaves the choice: subgraphs are induced, children are unordered, compounds have
at least two rules, the P(G' | G) of the weights counts occurrences, and branching bounds children.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.errors import DataError
from partwise.interface.data import RuleGraph
from partwise_papers.splits.compounds import pool_subgraphs, weights

MAX_RULES = 62
"""Rules of one graph; a set of them is the bits of a signed 64-bit number."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Units(NamedTuple):
    """The different rule graphs of a pool.

    Attributes:
        of: (examples,) the unit of each example.
        graphs: the units in normal form, in the order in which they first occur.
        counts: (units,) how many examples have each.
    """

    of: Ints
    graphs: list[RuleGraph]
    counts: Ints


def units_of(rule_graphs: Sequence[RuleGraph]) -> Units:
    """Equal rule graphs found together; raises DataError for an empty pool, and for a graph that
    `normal_form` refuses."""
    if not rule_graphs:
        raise DataError("there are no rule graphs; give at least one")
    known: dict[RuleGraph, int] = {}
    found = np.empty(len(rule_graphs), np.int64)
    for place, graph in enumerate(rule_graphs):
        try:
            found[place] = known.setdefault(normal_form(graph), len(known))
        except DataError as error:
            raise DataError(f"rule graph {place}: {error}") from None
    return Units(found, list(known), np.bincount(found, minlength=len(known)))


def normal_form(graph: RuleGraph) -> RuleGraph:
    """The graph with its nodes in an order that does not depend on how they were numbered.

    Children are unordered: each node's are put in an order by what is below and above them, then
    the nodes are numbered from the roots down, depth first. Equal forms are always isomorphic
    graphs, and isomorphic trees always have equal forms. So have graphs with shared nodes, unless
    different nodes have the same rules below and above them but are shared differently.

    Raises:
        DataError: for a graph without rules or with more than `MAX_RULES`, and for edges that
            lead nowhere or around a circle.
    """
    children, parents = _neighbours(graph)
    order = _leaves_first(children, parents)
    shape = [rule.encode() for rule in graph.rules]
    for nodes, near in ((order, children), (order[::-1], parents)):
        for node in nodes:
            shape[node] = _digest(b"\0".join([shape[node], *sorted(shape[x] for x in near[node])]))
    number: dict[int, int] = {}
    roots = [node for node, above in enumerate(parents) if not above]
    todo = sorted(roots, key=shape.__getitem__, reverse=True)
    while todo:
        node = todo.pop()
        if node not in number:
            number[node] = len(number)
            todo += sorted(children[node], key=shape.__getitem__, reverse=True)
    edges = {(number[one], number[other]) for one, other in graph.edges}
    return RuleGraph(tuple(graph.rules[node] for node in number), tuple(sorted(edges)))


def rule_key(rule: str) -> int:
    """A number that stands for a rule in the same way everywhere, 0 to 2^64 - 1."""
    return int.from_bytes(_digest(rule.encode()), "little")


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=8).digest()


def _neighbours(graph: RuleGraph) -> tuple[list[set[int]], list[set[int]]]:
    """The children and the parents of each node."""
    size = len(graph.rules)
    if not 1 <= size <= MAX_RULES:
        raise DataError(
            f"it has {size} rules, where 1 to {MAX_RULES} can be compared; leave the example out"
        )
    children: list[set[int]] = [set() for _ in range(size)]
    parents: list[set[int]] = [set() for _ in range(size)]
    for parent, child in graph.edges:
        if not (0 <= parent < size and 0 <= child < size):
            raise DataError(
                f"its edge {parent} -> {child} leads outside of its {size} rules, which count "
                "from 0; mend the edge"
            )
        children[parent].add(child)
        parents[child].add(parent)
    return children, parents


def _leaves_first(children: Sequence[set[int]], parents: Sequence[set[int]]) -> list[int]:
    """All nodes, each after its children."""
    left = [len(below) for below in children]
    order = [node for node, count in enumerate(left) if not count]
    for node in order:
        for parent in parents[node]:
            left[parent] -= 1
            if not left[parent]:
                order.append(parent)
    if len(order) < len(children):
        raise DataError("its edges lead around a circle; a rule cannot depend on its own outcome")
    return order


ATOM_ALPHA = 0.5
"""Atoms should be alike in both parts: both sides count the same."""
COMPOUND_ALPHA = 0.1
"""What matters of a test compound is whether it is in train at all, hardly how often."""


@dataclass(frozen=True)
class CompoundSettings:
    """Which subgraphs count as compounds.

    Attributes:
        smallest: the fewest rules; 1 also takes single rules.
        size: the most rules, other than in chains.
        branching: the most children of a rule within the subgraph.
        chain: the most rules of a chain.
        keep: how many compounds are kept, by total weight over the pool.
    """

    smallest: int = 2
    size: int = 5
    branching: int = 2
    chain: int = 16
    keep: int = 100_000

    def __post_init__(self) -> None:
        if not (
            1 <= self.smallest <= self.size <= 8
            and self.branching >= 1
            and self.size <= self.chain <= MAX_RULES
            and self.keep >= 1
        ):
            raise DataError(
                f"no compounds can be taken with {self}; choose 1 <= smallest <= size <= 8, "
                f"branching >= 1, size <= chain <= {MAX_RULES}, keep >= 1"
            )


class Rows(NamedTuple):
    """A sparse matrix with a row for each unit of a pool.

    Attributes:
        starts: (units + 1,) where each row's entries start.
        columns, values: (entries,).
        width: the number of columns.
    """

    starts: Ints
    columns: Ints
    values: Floats
    width: int

    def total(self, amounts: Floats) -> Floats:
        """(width,) the sum of the rows, row u taken amounts[u] times."""
        each = np.repeat(amounts, np.diff(self.starts)) * self.values
        return np.bincount(self.columns, each, self.width).astype(np.float64)


class Divergences(NamedTuple):
    """How far train and test are apart, each 0 (not at all) to 1 (nothing in common)."""

    atom: float
    compound: float


def chernoff(train: Floats, test: Floats, alpha: float) -> float:
    """The Chernoff coefficient of two distributions, sum of p^alpha q^(1 - alpha), 0 to 1; raises
    DataError if a side is empty.

    Args:
        train, test: (n,) amounts, not yet divided by their sums.
        alpha: the weight of the training distribution p, between 0 and 1.
    """
    if not (train.sum() > 0 and test.sum() > 0):
        raise DataError(
            "one part has no atoms or no weighted compounds to compare; give it more examples, "
            "with rule graphs of several rules"
        )
    p, q = train / train.sum(), test / test.sum()
    return min(1.0, float((p**alpha * q ** (1 - alpha)).sum()))


@dataclass(frozen=True, eq=False)
class CompoundPool:
    """The atoms and weighted compounds of a pool of examples, found once.

    Attributes:
        units: the different rule graphs; equal ones are weighted together.
        rules: the atoms' names, in order.
        atoms: how often each rule is in each unit.
        compounds: the weight of each kept compound in each unit.
        samples: (compounds, 2) a unit in which each compound occurs, and the bits of its nodes.
        settings: which subgraphs were taken.
    """

    units: Units
    rules: tuple[str, ...]
    atoms: Rows
    compounds: Rows
    samples: Ints
    settings: CompoundSettings

    @classmethod
    def of(
        cls, rule_graphs: Sequence[RuleGraph], settings: CompoundSettings | None = None
    ) -> CompoundPool:
        """Find the atoms and compounds of a pool; P(G' | G) is estimated on all of it; raises
        DataError for an empty pool or a graph that cannot be used.

        Time and memory grow with the number of subgraphs, some 100 for a tree of 15 rules.
        """
        settings = settings or CompoundSettings()
        units = units_of(rule_graphs)
        rules, atoms = _atoms(units)
        compounds, samples = _compounds(units, settings)
        return cls(units, rules, atoms, compounds, samples, settings)

    def amounts(self, indices: Iterable[int]) -> Floats:
        """(units,) how many of the examples at `indices` are of each unit."""
        chosen = np.fromiter(indices, np.int64)
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(self.units.of):
            raise DataError(
                f"the pool has examples 0 to {len(self.units.of) - 1}, not {chosen.min()} to "
                f"{chosen.max()}; use indices into the list that the pool was made of"
            )
        size = len(self.units.graphs)
        return np.bincount(self.units.of[chosen], minlength=size).astype(np.float64)

    def divergences(self, train: Iterable[int], test: Iterable[int]) -> Divergences:
        """How far two parts are apart, given by their examples' places in the pool; raises
        DataError if a part has no examples, or none with weighted compounds."""
        one, other = self.amounts(train), self.amounts(test)
        atoms = chernoff(self.atoms.total(one), self.atoms.total(other), ATOM_ALPHA)
        compounds = chernoff(self.compounds.total(one), self.compounds.total(other), COMPOUND_ALPHA)
        return Divergences(1.0 - atoms, 1.0 - compounds)


def _atoms(units: Units) -> tuple[tuple[str, ...], Rows]:
    rules = tuple(sorted({rule for graph in units.graphs for rule in graph.rules}))
    number = {rule: place for place, rule in enumerate(rules)}
    counts = [Counter(graph.rules) for graph in units.graphs]
    starts = np.cumsum([0, *map(len, counts)])
    columns = np.array([number[rule] for count in counts for rule in count])
    values = np.array([float(many) for count in counts for many in count.values()])
    return rules, Rows(starts, columns, values, len(rules))


def _compounds(units: Units, settings: CompoundSettings) -> tuple[Rows, Ints]:
    nodes, rules, children, parents = _pack(units.graphs)
    smallest, size, branching, chain, _ = vars(settings).values()
    firsts, sets, keys = pool_subgraphs(
        nodes, rules, children, parents, smallest, size, branching, chain
    )
    names, first, ids = np.unique(keys, return_index=True, return_inverse=True)
    pool = nodes, children, parents, firsts, sets, ids.astype(np.int32)
    starts, columns, values = weights(pool, units.counts, len(names), size)
    rows = Rows(starts, columns, values, len(names))
    totals = rows.total(units.counts.astype(np.float64))
    heaviest = np.lexsort((names, -totals))[: settings.keep]
    heaviest = heaviest[totals[heaviest] > 0]
    owner = np.searchsorted(firsts, first[heaviest], side="right") - 1
    return _keep(rows, heaviest), np.stack([owner, sets[first[heaviest]]], axis=1)


def _pack(graphs: Sequence[RuleGraph]) -> tuple[Ints, np.ndarray, Ints, Ints]:
    """Where each graph's nodes start; each node's rule, children and parents (as bits)."""
    starts = np.cumsum([0, *(len(graph.rules) for graph in graphs)])
    number = {rule: rule_key(rule) for rule in {rule for graph in graphs for rule in graph.rules}}
    rules = np.array([number[rule] for graph in graphs for rule in graph.rules], np.uint64)
    children, parents = np.zeros(len(rules), np.int64), np.zeros(len(rules), np.int64)
    for start, graph in zip(starts.tolist(), graphs, strict=False):
        for parent, child in graph.edges:
            children[start + parent] |= 1 << child
            parents[start + child] |= 1 << parent
    return starts, rules, children, parents


def _keep(rows: Rows, columns: Ints) -> Rows:
    """The matrix with these columns only, in this order."""
    number = np.full(rows.width, -1, np.int64)
    number[columns] = np.arange(len(columns))
    stays = number[rows.columns] >= 0
    before = np.concatenate([[0], np.cumsum(stays)])
    return Rows(before[rows.starts], number[rows.columns[stays]], rows.values[stays], len(columns))

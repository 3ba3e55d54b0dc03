"""Distribution-based compositionality assessment: how far two parts of a pool are apart.

Keysers et al. (2020, Measuring Compositional Generalization, section 2). An example came about by
a graph of rules. Its atoms are the rules; its compounds are the small subgraphs of rules, weighted
by how much they say by themselves (`partwise_papers.splits.compound_weights`). Two parts differ in
their atoms, or compounds, by one minus the Chernoff coefficient of their frequencies. A split tests
compositional generalization where train and test have the same atoms in other compounds.

Where the paper leaves the choice: subgraphs are induced, children are unordered, compounds have
at least two rules, the P(G' | G) of the weights counts occurrences, and branching bounds children.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from partwise.errors import DataError
from partwise.interface.data import RuleGraph
from partwise_papers.splits import compound_weights, subgraphs
from partwise_papers.splits.rule_units import (
    MAX_RULES,
    Floats,
    Ints,
    Units,
    normal_form,
    rule_key,
    units_of,
)

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
    """The Chernoff coefficient of two distributions, sum of p^alpha q^(1 - alpha), 0 to 1.

    Args:
        train, test: (n,) amounts, not yet divided by their sums.
        alpha: the weight of the training distribution p, between 0 and 1.

    Raises:
        DataError: if a side is empty.
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
        """Find the atoms and compounds of a pool; P(G' | G) is estimated on all of it.

        Time and memory grow with the number of subgraphs, some 100 for a tree of 15 rules.

        Raises:
            DataError: for an empty pool or a graph that cannot be used.
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
        """How far two parts are apart, given by their examples' places in the pool.

        Raises:
            DataError: if a part has no examples, or none with weighted compounds.
        """
        one, other = self.amounts(train), self.amounts(test)
        atoms = chernoff(self.atoms.total(one), self.atoms.total(other), ATOM_ALPHA)
        compounds = chernoff(self.compounds.total(one), self.compounds.total(other), COMPOUND_ALPHA)
        return Divergences(1.0 - atoms, 1.0 - compounds)

    @cached_property
    def compound_graphs(self) -> list[RuleGraph]:
        """The compounds as rule graphs in normal form, heaviest first."""
        return [self._induced(int(unit), int(nodes)) for unit, nodes in self.samples]

    def _induced(self, unit: int, nodes: int) -> RuleGraph:
        graph = self.units.graphs[unit]
        places = [node for node in range(len(graph.rules)) if nodes >> node & 1]
        number = {node: place for place, node in enumerate(places)}
        edges = [(number[a], number[b]) for a, b in graph.edges if a in number and b in number]
        return normal_form(RuleGraph(tuple(graph.rules[node] for node in places), tuple(edges)))


def _atoms(units: Units) -> tuple[tuple[str, ...], Rows]:
    rules = tuple(sorted({rule for graph in units.graphs for rule in graph.rules}))
    number = {rule: place for place, rule in enumerate(rules)}
    counts = [Counter(graph.rules) for graph in units.graphs]
    starts = np.cumsum([0, *map(len, counts)])
    columns = np.array([number[rule] for count in counts for rule in count])
    values = np.array([float(many) for count in counts for many in count.values()])
    return rules, Rows(starts, columns, values, len(rules))


def _compounds(units: Units, settings: CompoundSettings) -> tuple[Rows, Ints]:
    nodes, rules, children, parents = _packed(units.graphs)
    firsts, sets, keys = subgraphs.pool_subgraphs(
        nodes,
        rules,
        children,
        parents,
        settings.smallest,
        settings.size,
        settings.branching,
        settings.chain,
    )
    names, first, ids = np.unique(keys, return_index=True, return_inverse=True)
    pool = nodes, children, parents, firsts, sets, ids.astype(np.int32)
    starts, columns, values = compound_weights.weights(
        pool, units.counts, len(names), settings.size
    )
    rows = Rows(starts, columns, values, len(names))
    totals = rows.total(units.counts.astype(np.float64))
    heaviest = np.lexsort((names, -totals))[: settings.keep]
    heaviest = heaviest[totals[heaviest] > 0]
    owner = np.searchsorted(firsts, first[heaviest], side="right") - 1
    return _kept(rows, heaviest), np.stack([owner, sets[first[heaviest]]], axis=1)


def _packed(graphs: Sequence[RuleGraph]) -> tuple[Ints, np.ndarray, Ints, Ints]:
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


def _kept(rows: Rows, columns: Ints) -> Rows:
    """The matrix with these columns only, in this order."""
    number = np.full(rows.width, -1, np.int64)
    number[columns] = np.arange(len(columns))
    stays = number[rows.columns] >= 0
    before = np.concatenate([[0], np.cumsum(stays)])
    return Rows(before[rows.starts], number[rows.columns[stays]], rows.values[stays], len(columns))

"""Small rule graphs, and compound weights computed slowly and plainly."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from partwise.interface.data import RuleGraph
from partwise_papers.splits.dbca import CompoundSettings

Compound = tuple[tuple[str, ...], frozenset[tuple[int, int]]]


def same(graph: RuleGraph) -> Compound:
    """A form that exactly the isomorphic graphs share: the least over all numberings."""
    size = len(graph.rules)
    forms = []
    for order in permutations(range(size)):
        place = {node: x for x, node in enumerate(order)}
        edges = sorted({(place[a], place[b]) for a, b in graph.edges})
        forms.append((tuple(graph.rules[node] for node in order), edges))
    rules, edges = min(forms)
    return rules, frozenset(edges)


def induced(graph: RuleGraph, nodes: Sequence[int]) -> RuleGraph:
    place = {node: x for x, node in enumerate(nodes)}
    edges = {(place[a], place[b]) for a, b in graph.edges if a in place and b in place}
    return RuleGraph(tuple(graph.rules[node] for node in nodes), tuple(edges))


def connected(graph: RuleGraph) -> bool:
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        for a, b in graph.edges:
            if a in reached or b in reached:
                reached |= {a, b}
    return len(reached) == len(graph.rules)


def occurrences(
    graph: RuleGraph, settings: CompoundSettings
) -> Iterator[tuple[frozenset[int], Compound]]:
    """The nodes and the form of each wanted subgraph."""
    size = len(graph.rules)
    for count in range(settings.smallest, min(size, settings.chain) + 1):
        for nodes in combinations(range(size), count):
            part = induced(graph, nodes)
            children = Counter(a for a, _ in part.edges)
            parents = Counter(b for _, b in part.edges)
            is_chain = len(part.edges) == count - 1 and all(
                x <= 1 for x in (*children.values(), *parents.values())
            )
            small = count <= settings.size and all(
                x <= settings.branching for x in children.values()
            )
            if connected(part) and (small or is_chain):
                yield frozenset(nodes), same(part)


def weights(
    graphs: Sequence[RuleGraph], settings: CompoundSettings
) -> list[dict[Compound, Fraction]]:
    """w(G, R) of each example R, by the definition, where it is above zero."""
    found = [list(occurrences(graph, settings)) for graph in graphs]
    number: Counter[Compound] = Counter()
    inside: Counter[tuple[Compound, Compound]] = Counter()
    around: dict[tuple[int, frozenset[int]], set[Compound]] = defaultdict(set)
    for r, subgraphs in enumerate(found):
        for nodes, form in subgraphs:
            around[r, nodes] = {other for wider, other in subgraphs if nodes < wider}
            number[form] += 1
            inside.update((form, other) for other in around[r, nodes])
    result: list[dict[Compound, Fraction]] = []
    for r, subgraphs in enumerate(found):
        best: dict[Compound, Fraction] = defaultdict(Fraction)
        for nodes, form in subgraphs:
            shares = (Fraction(inside[form, x], number[form]) for x in around[r, nodes])
            best[form] = max(best[form], 1 - max(shares, default=Fraction(0)))
        result.append({form: weight for form, weight in best.items() if weight})
    return result


def shuffled(graph: RuleGraph, chance: random.Random) -> RuleGraph:
    """The graph with its nodes numbered and its edges listed in another order."""
    place = list(range(len(graph.rules)))
    chance.shuffle(place)
    rules = [""] * len(place)
    for node, to in enumerate(place):
        rules[to] = graph.rules[node]
    edges = [(place[a], place[b]) for a, b in graph.edges]
    chance.shuffle(edges)
    return RuleGraph(tuple(rules), tuple(edges))


def small_pool(count: int, seed: int = 0) -> list[RuleGraph]:
    """Trees of a made-up grammar: verbs in two voices, of nouns with or without an adjective."""
    chance = random.Random(seed)
    pool = []
    for _ in range(count):
        rules, edges = ["clause"], []

        def add(parent: int, rule: str, rules: list = rules, edges: list = edges) -> int:
            rules.append(rule)
            edges.append((parent, len(rules) - 1))
            return len(rules) - 1

        for _ in range(chance.choice((1, 1, 2))):
            verb = add(0, chance.choice(("active", "passive")))
            add(verb, f"verb {chance.randrange(8)}")
            noun = add(verb, chance.choice(("plain", "with adjective")))
            add(noun, f"noun {chance.randrange(6)}")
            if rules[noun] == "with adjective":
                add(noun, f"adjective {chance.randrange(5)}")
        pool.append(RuleGraph(tuple(rules), tuple(edges)))
    return pool

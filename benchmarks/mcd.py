"""Time, memory and divergences of MCD splits, on trees of a random grammar.

    python benchmarks/mcd.py [--sizes 10000,50000] [--restarts 6] [--films]

The grammar has clauses in two voices, noun phrases that nest, coordination everywhere and 61
words. With `--films` the rule graphs are those of generated questions about films. JSON, a random
split beside for comparison.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections.abc import Callable, Iterator

from partwise.interface.data import RuleGraph
from partwise_papers.films.generate import generate
from partwise_papers.splits.dbca import CompoundPool
from partwise_papers.splits.examples import rule_graphs
from partwise_papers.splits.mcd import McdSettings, mcd_split

WORDS = {"verb": 15, "role": 20, "adjective": 12, "noun": 14}
LEAST, MOST, NESTED = 6, 28, 3
TEST = 0.2


class Tree:
    """One derivation, drawn rule by rule."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.rules: list[str] = []
        self.edges: list[tuple[int, int]] = []
        self.nested = 0
        self.sentence()

    def node(self, rule: str, *children: Callable[[], int]) -> int:
        place = len(self.rules)
        self.rules.append(rule)
        for child in children:
            self.edges.append((place, child()))
        return place

    def several(self, what: str, one: Callable[[], int], share: float) -> Callable[[], int]:
        """One of a kind, or with the chance `share` two or three coordinated ones."""

        def draw() -> int:
            if self.chance.random() >= share:
                return one()
            count = 2 if self.chance.random() < 0.7 else 3
            return self.node(f"{what} and {what}" if count == 2 else f"{what} list", *[one] * count)

        return draw

    def word(self, kind: str) -> Callable[[], int]:
        return lambda: self.node(f"{kind} {self.chance.randrange(WORDS[kind])}")

    def entity(self) -> int:
        return self.node("entity")

    def sentence(self) -> int:
        clauses = self.several("clause", self.clause, 0.33)
        kind = self.chance.choices(("did", "who", "which", "was"), (4, 3, 2, 1))[0]
        below = {
            "did": (self.phrase, clauses),
            "who": (clauses,),
            "which": (self.kind, clauses),
            "was": (self.phrase, self.phrase),
        }
        return self.node(kind, *below[kind])

    def clause(self) -> int:
        voice = self.chance.choice(("active", "passive"))
        return self.node(voice, self.several("verb", self.word("verb"), 0.25), self.phrase)

    def phrase(self) -> int:
        drawn = self.chance.random()
        if 0.55 <= drawn < 0.8:
            return self.node("a kind", self.kind)
        if drawn < 0.55 or self.nested >= NESTED:
            return self.several("entity", self.entity, 0.35)()
        self.nested += 1
        roles = self.several("role", self.word("role"), 0.25)
        return self.node("role of", self.phrase, roles)

    def kind(self) -> int:
        self.nested += 1
        drawn = self.chance.random()
        if drawn < 0.5 or self.nested >= NESTED:
            return self.node("noun alone", self.word("noun"))
        if drawn < 0.7:
            return self.node("adjective noun", self.word("adjective"), self.word("noun"))
        clauses = self.several("clause", self.clause, 0.2)
        return self.node("noun that", self.word("noun"), clauses)


def trees(seed: int) -> Iterator[RuleGraph]:
    """Derivations of a useful size, without end."""
    chance = random.Random(seed)
    while True:
        tree = Tree(chance)
        if LEAST <= len(tree.rules) <= MOST:
            yield RuleGraph(tuple(tree.rules), tuple(tree.edges))


def timed(graphs: list[RuleGraph], restarts: int) -> dict[str, object]:
    """One pool: its compounds, a random split, and MCD splits with and without unused ones."""
    start = time.perf_counter()
    pool = CompoundPool.of(graphs)
    shown: dict[str, object] = {
        "examples": len(graphs),
        "different": len(pool.units.graphs),
        "rules_each": round(sum(len(g.rules) for g in graphs) / len(graphs), 1),
        "atoms": len(pool.rules),
        "compounds": pool.compounds.width,
        "entries": len(pool.compounds.values),
        "compound_seconds": round(time.perf_counter() - start, 1),
    }
    order = random.Random(0).sample(range(len(graphs)), len(graphs))
    border = round(TEST * len(graphs))
    by_chance = pool.divergences(order[border:], order[:border])
    shown["random"] = {k: round(v, 4) for k, v in by_chance._asdict().items()}
    for unused in (0.5, 0.0):
        start = time.perf_counter()
        split = mcd_split(graphs, McdSettings(TEST, unused=unused, restarts=restarts), pool)
        shown[f"mcd, unused {unused}"] = {
            **{name: round(value, 4) for name, value in split.divergences._asdict().items()},
            "train": len(split.train),
            "test": len(split.test),
            "seconds": round(time.perf_counter() - start, 1),
        }
    shown["peak_gb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
    return shown


def main() -> None:
    """Draw or read, split, print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sizes", default="10000,50000")
    arguments.add_argument("--restarts", type=int, default=6)
    arguments.add_argument("--films", action="store_true")
    given = arguments.parse_args()
    drawn = trees(1)
    # A first split compiles what the others are timed on.
    few = [next(drawn) for _ in range(300)]
    mcd_split(few, McdSettings(TEST, max_atom_divergence=0.3, restarts=1))
    sizes = [int(size) for size in given.sizes.split(",")]
    if given.films:
        pools = [rule_graphs(generate(size, 1)) for size in sizes]
    else:
        pools = [[next(drawn) for _ in range(size)] for size in sizes]
    print(json.dumps([timed(graphs, given.restarts) for graphs in pools], indent=2))


if __name__ == "__main__":
    main()

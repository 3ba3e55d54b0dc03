"""The graphs of fragments put together, against a twin that goes pair by pair."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from languages import domain, parts_of

from cases import rows
from partwise.graph.composed import Assembler, connect_probabilities
from partwise.graph.grammar.decomposition import Decomposition, decompose
from partwise.graph.grammar.phrases import ConstituencyChart, read_grammar
from partwise.graph.grammar.tokens import Tagger
from partwise.graph.vocabulary import SAME, GraphLabels
from partwise.language.query_graph import Triple

SHOP = domain("shop")
QUESTIONS = tuple(rows(globals(), "QUESTIONS"))
LABELS = GraphLabels((SAME, "p", "q"), (("type", "A"), ("type", "B")), answers=True)
SAME_AT, P, Q, A, B, ASKED = range(6)
NOTHING = np.zeros((2, 12))
"""No edge implies an attribute."""


def cut(question: str) -> Decomposition:
    grammar = read_grammar(SHOP.phrases)
    tokens = Tagger(SHOP)(question)
    (tree,) = ConstituencyChart(grammar, tokens.classes).trees(1)
    return decompose(tree, tokens.texts, grammar)


def silent(fragments: Decomposition) -> list[np.ndarray]:
    return [np.full((len(p.slots), len(p.slots), LABELS.size), 1e-9) for p in fragments.fragments]


def units(slot: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [slot] if max(slot) < 0 else [(node,) for node in slot]


class Twin:
    """What the fragments say, one saying at a time."""

    def __init__(
        self,
        fragments: Decomposition,
        said: list[np.ndarray],
        implied: np.ndarray,
        shared: tuple[str, ...],
    ) -> None:
        self.fragments, self.said, self.implied, self.shared = fragments, said, implied, shared
        self.one = self.classes()

    def pairs(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Conjuncts that some fragment says are one."""
        found = []
        for placed, mine in zip(self.fragments.fragments, self.said, strict=True):
            for one, other in itertools.permutations(range(len(placed.slots)), 2):
                if mine[one, other, SAME_AT] > 0.5:
                    found += itertools.product(units(placed.slots[one]), units(placed.slots[other]))
            for name, slot in zip(placed.fragment.slots, placed.slots, strict=True):
                if name in self.shared:
                    found += itertools.product(units(slot), units(slot))
        return found

    def classes(self) -> list[set[tuple[int, ...]]]:
        found = [{u} for p in self.fragments.fragments for s in p.slots for u in units(s)]
        for one, other in self.pairs():
            joined = set().union(*(c for c in found if one in c or other in c))
            found = [c for c in found if not c & joined] + [joined]
        return found

    def entities_of(self, unit: tuple[int, ...]) -> set[tuple[int, ...]]:
        mine = next(c for c in self.one if unit in c)
        return {u for u in mine if max(u) < 0}

    def names(self, unit: tuple[int, ...]) -> tuple[str, ...]:
        named = self.entities_of(unit)
        if named:
            (only,) = named
            return tuple(dict.fromkeys(self.fragments.entities[node] for node in only))
        mine = next(c for c in self.one if unit in c)
        return (f"?{min(node for (node,) in mine)}",)

    def sayings(self) -> list[tuple[Triple, int, int]]:
        """What all fragments say, and between which slots."""
        found = []
        for placed, mine in zip(self.fragments.fragments, self.said, strict=True):
            for one, other in itertools.permutations(range(len(placed.slots)), 2):
                for label in (P, Q):
                    if mine[one, other, label] <= 0.5:
                        continue
                    for left in units(placed.slots[one]):
                        for right in units(placed.slots[other]):
                            for s in self.names(left):
                                for o in self.names(right):
                                    edge = Triple(s, LABELS.relations[label], o)
                                    found.append((edge, one, other))
        return [one for one in found if one[0].subject != one[0].object]

    def edges(self) -> set[Triple]:
        return {edge for edge, _, _ in self.sayings()}

    def spoken(self) -> dict[str, dict[tuple[int, int], np.ndarray]]:
        """What each place where a node is spoken of says of it."""
        found: dict[str, dict[tuple[int, int], np.ndarray]] = {}
        for number, placed in enumerate(self.fragments.fragments):
            for slot, nodes in enumerate(placed.slots):
                for unit in units(nodes):
                    for name in self.names(unit):
                        found.setdefault(name, {})[number, slot] = self.said[number][slot, slot]
        return found

    def chance(self, name: str, label: int) -> float:
        """Some place says it."""
        return 1.0 - math.prod(1.0 - place[label] for place in self.spoken()[name].values())

    def columns(self, name: str) -> set[int]:
        """Edges that begin at the node as a head, end there, and the same as an argument."""
        found = set()
        for edge, one, other in self.sayings():
            relation = LABELS.relations.index(edge.predicate)
            if edge.subject == name:
                found.add(relation + (0 if one == 0 else 6))
            if edge.object == name:
                found.add(relation + (3 if other == 0 else 9))
        return found

    def borne(self, name: str, attribute: int) -> float:
        """Some place says it, and no edge of the node implies it."""
        unsaid = math.prod(1.0 - self.implied[attribute, column] for column in self.columns(name))
        return self.chance(name, A + attribute) * unsaid

    def attributes(self) -> set[Triple]:
        return {
            Triple(name, *LABELS.attributes[number])
            for name in self.spoken()
            for number in range(2)
            if self.borne(name, number) > 0.5
        }

    def log_probability(self) -> float:
        total = 0.0
        for mine in self.said:
            for one, other in itertools.permutations(range(len(mine)), 2):
                total += sum(math.log(max(c, 1 - c)) for c in mine[one, other, : Q + 1])
        for name in self.spoken():
            for number in range(2):
                chance = self.borne(name, number)
                total += math.log(max(chance, 1.0 - chance))
        return total


def renamed(triples: set[Triple], to: dict[str, str]) -> set[Triple]:
    return {Triple(to.get(s, s), p, to.get(o, o)) for s, p, o in triples}


@settings(max_examples=200)
@given(
    st.sampled_from(QUESTIONS),
    st.integers(0, 2**32 - 1),
    st.floats(0.0, 0.4),
    st.sampled_from([(), ("Verb",)]),
)
def test_pieces_put_together_are_those_of_the_twin(
    question: str, seed: int, same: float, shared: tuple[str, ...]
) -> None:
    rng = np.random.default_rng(seed)
    fragments = cut(question)
    said = [rng.beta(0.5, 0.8, one.shape) for one in silent(fragments)]
    for one in said:
        one[..., SAME_AT] = rng.random(one.shape[:2]) * (0.5 + same)
    implied = rng.beta(0.4, 0.8, NOTHING.shape)
    twin = Twin(fragments, said, implied, shared)
    assume(all(len({u for u in c if max(u) < 0}) < 2 for c in twin.one))
    assembler = Assembler(fragments, said, LABELS, implied)
    found = assembler.graph(shared)
    # A class of variables may be named by any of its phrases; both name it once.
    to: dict[str, str] = {}
    for one in twin.one:
        (name,) = {twin.names(unit) for unit in one}
        if name[0].startswith("?"):
            to |= {f"?{node}": name[0] for (node,) in one}
    assert renamed(found.edges, to) == twin.edges()
    assert renamed(found.attributes, to) == twin.attributes()
    assert assembler.log_probability == pytest.approx(twin.log_probability(), abs=1e-4)
    asked = {name: twin.chance(name, ASKED) for name in twin.spoken()}
    assert found.answer is not None
    assert asked[to.get(found.answer, found.answer)] == pytest.approx(max(asked.values()))
    assert set(found.sources) == found.edges | found.attributes
    for number, pair, strength in assembler.sources.values():
        assert said[number][pair].max() >= strength


def components(said: np.ndarray) -> list[set[int]]:
    return parts_of(np.argwhere(said[:, :, : Q + 1].max(2) > 0.5).tolist(), range(len(said)))


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.floats(0.05, 2.0))
def test_pieces_are_connected_probabilities(seed: int, size: int, shape: float) -> None:
    """By as few new links as there are gaps, each the likeliest between what it joins."""
    said = np.random.default_rng(seed).beta(shape, 2.0, (size, size, LABELS.size))
    before = said.copy()
    found = connect_probabilities(said, LABELS)
    assert (said == before).all()
    changed = np.argwhere(found != said)
    assert len(changed) == len(components(said)) - 1
    assert len(components(found)) == 1
    for one, other, label in changed:
        assert one != other
        assert found[one, other, label] == pytest.approx(0.5, abs=1e-5)
        cut_off = found.copy()
        cut_off[one, other, label] = 0.0
        assert said[one, other, label] == said[one, other, : Q + 1].max()
        rest = next(part for part in components(cut_off) if int(one) in part)
        across = [
            said[a, b, : Q + 1].max()
            for a, b in itertools.permutations(range(size), 2)
            if (a in rest) != (b in rest)
        ]
        assert said[one, other, label] == max(across)

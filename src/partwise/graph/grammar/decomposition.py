"""Constituency trees decomposed into fragments: what the graph decoder reads at once.

A fragment is a constituent with each constituent inside it as one node. Coordinated words
distribute, and so do repeated ones: the constituent gives a fragment for each of them, over the
same nodes, and for each combination if several of its parts are coordinated. "directed and edited
by M0 's editor" gives "directed by Thing" and "edited by Thing"; "influenced and was influenced by
M0" gives "influenced Thing" and "was influenced by Thing". Coordinated entities and constituents do
not distribute: they share one slot.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from partwise.graph.grammar.phrases import (
    ConstituencyChart,
    Constituent,
    PhraseGrammar,
    Symbol,
    read_grammar,
)
from partwise.graph.grammar.tokens import ENTITY, TaggedTokens
from partwise.interface.budget import Work

VARIANT = 30_000
"""How many joins of a chart of spans take as long as a fragment, until it is part of a graph."""
Node = int
"""A node of a question: the number of a constituent, or -1 - token for an entity."""
Slot = tuple[Node, ...]
"""What stands for one node of a fragment: several nodes where they are coordinated."""


@dataclass(frozen=True)
class Element:
    """A part of a fragment: its symbol, and the word there; a node has none."""

    name: str
    words: tuple[str, ...]

    @property
    def is_node(self) -> bool:
        return _is_node(self.name)


@dataclass(frozen=True)
class Fragment:
    """A rule instance: a category, its elements, and whether it has a node of its own."""

    category: str
    elements: tuple[Element, ...]
    headed: bool

    @property
    def slots(self) -> tuple[str, ...]:
        """What stands in each slot; "" for the constituent's own node, which comes first."""
        nodes = tuple(element.name for element in self.elements if element.is_node)
        return ("", *nodes) if self.headed else nodes


@dataclass(frozen=True)
class PlacedFragment:
    """A fragment of a question.

    Attributes:
        slots: for each node of the fragment the nodes of the question; the constituent's own node
            comes first, if it has one.
        tokens: for each element its tokens.
    """

    fragment: Fragment
    slots: tuple[Slot, ...]
    tokens: tuple[tuple[int, ...], ...]

    @property
    def head(self) -> Node | None:
        """The constituent's own node."""
        return self.slots[0][0] if self.fragment.headed else None


@dataclass(frozen=True)
class Decomposition:
    """All fragments of a question, inner ones first.

    Attributes:
        nodes: constituents that have a node of their own.
        entities: node -> the entity's name.
    """

    fragments: tuple[PlacedFragment, ...]
    nodes: tuple[Node, ...]
    entities: dict[Node, str]


class _Part(NamedTuple):
    """A part of a constituent: its number there, its symbol, its token if any, and its nodes."""

    number: int
    symbol: Symbol
    tokens: tuple[int, ...]
    nodes: Slot

    @property
    def is_node(self) -> bool:
        return _is_node(self.symbol.name)


class ConstituencyParser:
    """At most `limit` constituency trees of a question by rules, with their decompositions."""

    def __init__(self, rules: Sequence[str], limit: int) -> None:
        self.grammar, self.limit = read_grammar(rules), limit

    def trees(
        self, tokens: TaggedTokens, work: Work | None = None
    ) -> list[tuple[Constituent, Decomposition]]:
        """The trees with the fewest constituents first; a `TooCostlyError` if that is too much."""
        work = work or Work()
        chart = ConstituencyChart(self.grammar, tokens.classes, work)
        trees = chart.trees(self.limit)
        return [(tree, decompose(tree, tokens.texts, self.grammar, work)) for tree in trees]


def decompose(
    tree: Constituent, words: Sequence[str], grammar: PhraseGrammar, work: Work | None = None
) -> Decomposition:
    work = work or Work()
    placed: list[PlacedFragment] = []
    own: dict[int, Slot] = {}
    nodes: list[Node] = []
    entities: dict[Node, str] = {}
    for number, constituent in enumerate(tree.constituents()):
        parts = []
        for place, (symbol, part) in enumerate(constituent.parts):
            if isinstance(part, Constituent):
                parts.append(_Part(place, symbol, (), own[id(part)]))
            elif symbol.name == ENTITY:
                parts.append(_Part(place, symbol, (part,), (-1 - part,)))
                entities[-1 - part] = words[part]
            else:
                parts.append(_Part(place, symbol, (part,), ()))
        groups = grammar.rules[constituent.rule].groups
        distributed = _distribute(parts, groups, range(len(groups)), work)
        ways = (variant for chosen in distributed for variant in _by_place(chosen))
        variants = list(work.each(ways, VARIANT))
        if len(variants) == 1 and len(variants[0]) == 1 and variants[0][0].is_node:
            # A constituent of nothing but nodes is no more than they are.
            own[id(constituent)] = tuple(node for part in parts for node in part.nodes)
            continue
        own[id(constituent)] = (number,)
        headed = constituent.category != grammar.root
        nodes += [number] * headed
        head = ((number,),) * headed
        placed += (_place(constituent.category, head, variant, words) for variant in variants)
    return Decomposition(tuple(placed), tuple(nodes), entities)


def _place(
    category: str, head: tuple[Slot, ...], variant: Sequence[_Part], words: Sequence[str]
) -> PlacedFragment:
    elements = tuple(
        Element(part.symbol.name, () if part.is_node else tuple(words[t] for t in part.tokens))
        for part in variant
    )
    slots = (*head, *(part.nodes for part in variant if part.is_node))
    tokens = tuple(part.tokens for part in variant)
    return PlacedFragment(Fragment(category, elements, bool(head)), slots, tokens)


def units(slot: Slot) -> list[Slot]:
    """What stands in a slot: coordinated entities as one, coordinated constituents one by one."""
    return [slot] if all(node < 0 for node in slot) else [(node,) for node in slot]


def _is_node(name: str) -> bool:
    return name == ENTITY or name[0].isupper()


def _distribute(
    parts: list[_Part], places: Sequence[frozenset[int]], groups: Collection[int], work: Work
) -> list[list[_Part]]:
    """Parts with one member of each of some coordinations that has words; nodes stay together.
    `places` has for each coordination of the rule the places inside it."""
    outer = [g for g in groups if not any(places[g] < places[other] for other in groups)]
    rest, choices = parts, []
    for group in outer:
        inner = [g for g in groups if places[g] < places[group]]
        within = {*places[group], *(-1 - g for g in (group, *inner))}
        mine = [part for part in rest if part.symbol.place in within]
        rest = [part for part in rest if part.symbol.place not in within]
        if not mine:
            continue
        if all(part.is_node for part in mine if part.symbol.place >= 0):
            choices.append([mine])
            continue
        joined = itertools.groupby(mine, key=lambda part: part.symbol.place == -1 - group)
        members = [list(member) for is_joint, member in joined if not is_joint]
        choices.append([one for m in members for one in _distribute(m, places, inner, work)])
    chosen = work.each(itertools.product(*choices), VARIANT)
    return [[*rest, *itertools.chain(*each)] for each in chosen]


def _by_place(parts: Sequence[_Part]) -> Iterator[tuple[_Part, ...]]:
    """One part for each place in the rule: all nodes there, or one of the words repeated there."""
    by_place: dict[int, list[_Part]] = defaultdict(list)
    for part in sorted(parts, key=lambda one: (one.symbol.place, one.number)):
        if part.symbol.place >= 0:
            by_place[part.symbol.place].append(part)
    for place, some in by_place.items():
        if some[0].is_node:
            tokens = tuple(token for part in some for token in part.tokens)
            nodes = tuple(node for part in some for node in part.nodes)
            by_place[place] = [some[0]._replace(tokens=tokens, nodes=nodes)]
    return itertools.product(*by_place.values())

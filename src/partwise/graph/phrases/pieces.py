"""Phrases as pieces: what the graph decoder reads at once.

A piece is a phrase with each phrase inside it as one node. What is coordinated distributes where
there are words in it, and so do words that are repeated: the phrase gives a piece for each of them,
over the same nodes, and for each combination if it has several such parts. "directed and edited by
M0 's editor" gives "directed by Thing" and "edited by Thing"; "influenced and was influenced by M0"
gives "influenced Thing" and "was influenced by Thing". Coordinated entities and phrases do not
distribute: they stand in one slot together.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from partwise.graph.phrases.chart import Phrase
from partwise.graph.phrases.grammar import Grammar, Symbol

ENTITY = "entity"
"""The word class of entities; they and phrases are the nodes of a piece."""

Part = tuple[Symbol, "int | Phrase"]
Numbered = tuple[Part, int]
"""A part of a phrase, and its number there."""
Variant = dict[int, list[Numbered]]
"""A way in which a phrase distributes: its parts, with their numbers, by place in the rule."""


@dataclass(frozen=True)
class Element:
    """A part of a piece: its symbol, and the word there; a node has none."""

    name: str
    words: tuple[str, ...]

    @property
    def is_node(self) -> bool:
        """Whether it stands for nodes."""
        return self.name == ENTITY or self.name[0].isupper()


@dataclass(frozen=True)
class Piece:
    """What the decoder reads: a rule's category and its elements.

    Attributes:
        headed: whether the phrase has a node of its own, beside those of its elements.
    """

    category: str
    elements: tuple[Element, ...]
    headed: bool

    @property
    def slots(self) -> tuple[str, ...]:
        """What stands in each slot; "" for the phrase's own node, which comes first."""
        nodes = tuple(element.name for element in self.elements if element.is_node)
        return ("", *nodes) if self.headed else nodes


Node = int
"""A node of a question's phrases: the number of a phrase, or -1 - token for an entity."""


@dataclass(frozen=True)
class PlacedPiece:
    """A piece of a question.

    Attributes:
        slots: for each node of the piece the nodes of the question that stand there, more than
            one where they are coordinated; the head comes first, if there is one.
        tokens: for each element its tokens.
    """

    piece: Piece
    slots: tuple[tuple[Node, ...], ...]
    tokens: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Pieces:
    """All pieces of a question, inner ones first.

    Attributes:
        nodes: phrases that have a node of their own.
        entities: token -> the entity's name.
    """

    pieces: tuple[PlacedPiece, ...]
    nodes: tuple[Node, ...]
    entities: dict[Node, str]


class Cutter:
    """Cuts phrase trees into pieces."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def cut(self, tree: Phrase, words: Sequence[str]) -> Pieces:
        """The pieces of a tree over tokens."""
        found: list[PlacedPiece] = []
        heads: dict[int, tuple[Node, ...]] = {}
        nodes: list[Node] = []
        entities: dict[Node, str] = {}
        for number, phrase in enumerate(tree.phrases()):
            variants = self._variants(phrase)
            inner = self._nodes(phrase, heads, words, entities)
            if self._passes(phrase, variants):
                heads[id(phrase)] = tuple(itertools.chain.from_iterable(inner.values()))
                continue
            headed = phrase.category != self.grammar.root
            head: tuple[tuple[Node, ...], ...] = ((number,),) if headed else ()
            heads[id(phrase)] = (number,)
            nodes += [number] if headed else []
            for variant in variants:
                found.append(self._piece(phrase, variant, head, inner, words))
        return Pieces(tuple(found), tuple(nodes), entities)

    def _passes(self, phrase: Phrase, variants: list[Variant]) -> bool:
        """A phrase of nothing but nodes is no more than they are."""
        symbols = [parts[0][0][0] for parts in variants[0].values()]
        return len(variants) == 1 and len(symbols) == 1 and _is_node(symbols[0].name)

    @staticmethod
    def _nodes(
        phrase: Phrase,
        heads: dict[int, tuple[Node, ...]],
        words: Sequence[str],
        entities: dict[Node, str],
    ) -> dict[int, tuple[Node, ...]]:
        """The nodes of each part, by its place among the phrase's parts."""
        found: dict[int, tuple[Node, ...]] = {}
        for place, (symbol, part) in enumerate(phrase.parts):
            if isinstance(part, Phrase):
                found[place] = heads[id(part)]
            elif symbol.name == ENTITY:
                found[place] = (-1 - part,)
                entities[-1 - part] = words[part]
        return found

    def _variants(self, phrase: Phrase) -> list[Variant]:
        """The phrase's parts by place in the rule, for each way in which it distributes."""
        rule = self.grammar.rules[phrase.rule]
        numbered = [(part, place) for place, part in enumerate(phrase.parts)]
        found = []
        for chosen in _distributed(numbered, rule.groups, range(len(rule.groups))):
            by_place: Variant = {}
            for part, place in sorted(chosen, key=lambda one: one[1]):
                if part[0].place >= 0:
                    by_place.setdefault(part[0].place, []).append((part, place))
            found += _one_of_each(dict(sorted(by_place.items())))
        return found

    def _piece(
        self,
        phrase: Phrase,
        variant: Variant,
        head: tuple[tuple[Node, ...], ...],
        inner: dict[int, tuple[Node, ...]],
        words: Sequence[str],
    ) -> PlacedPiece:
        elements: list[Element] = []
        slots = list(head)
        tokens: list[tuple[int, ...]] = []
        for parts in variant.values():
            name = parts[0][0][0].name
            if _is_node(name):
                slots.append(tuple(itertools.chain.from_iterable(inner[p] for _, p in parts)))
                elements.append(Element(name, ()))
            else:
                spelled = {words[at] for (_, at), _ in parts if isinstance(at, int)}
                elements.append(Element(name, tuple(sorted(spelled))))
            tokens.append(tuple(at for (_, at), _ in parts if isinstance(at, int)))
        piece = Piece(phrase.category, tuple(elements), bool(head))
        return PlacedPiece(piece, tuple(slots), tuple(tokens))


def _is_node(name: str) -> bool:
    return name == ENTITY or name[0].isupper()


def _distributed(
    parts: list[Numbered], places: Sequence[frozenset[int]], groups: Collection[int]
) -> list[list[Numbered]]:
    """Parts with one member of each coordination that has words; nodes stay together.

    Args:
        places: for each coordination of the rule the places inside it.
        groups: the coordinations to look at.
    """
    outer = [g for g in groups if not any(places[g] < places[other] for other in groups)]
    rest, choices = parts, []
    for group in outer:
        inner = [g for g in groups if places[g] < places[group]]
        mine = [
            n
            for n in rest
            if n[0][0].place in {*places[group], -1 - group, *(-1 - g for g in inner)}
        ]
        rest = [n for n in rest if n not in mine]
        if not mine:
            continue
        if all(_is_node(n[0][0].name) for n in mine if n[0][0].place >= 0):
            choices.append([mine])
            continue
        members = _members(mine, -1 - group)
        choices.append([one for m in members for one in _distributed(m, places, inner)])
    return [
        [*rest, *itertools.chain.from_iterable(chosen)] for chosen in itertools.product(*choices)
    ]


def _one_of_each(variant: Variant) -> list[Variant]:
    """The same with one of the words that are repeated at a place, for each of them."""
    choices = [
        [parts] if _is_node(parts[0][0][0].name) else [[part] for part in parts]
        for parts in variant.values()
    ]
    return [dict(zip(variant, chosen, strict=True)) for chosen in itertools.product(*choices)]


def _members(parts: list[Numbered], join: int) -> list[list[Numbered]]:
    """The coordinated members, without what joins them."""
    members: list[list[Numbered]] = [[]]
    for one in parts:
        if one[0][0].place == join:
            if members[-1]:
                members.append([])
        else:
            members[-1].append(one)
    return members

"""Phrases as pieces: what the graph decoder reads at once.

A piece is a phrase with everything coordinated in it folded together and each phrase inside it as
one node. "directed and edited by M0 's editor" is the piece ``past{directed, edited} by Thing``.
Where the coordinated parts are built differently ("that influenced and was influenced by M0"), the
phrase gives one piece for each way, over the same nodes: coordination distributes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from partwise.phrases.chart import Phrase
from partwise.phrases.grammar import Grammar, Symbol

ENTITY = "entity"
"""The word class of entities; they and phrases are the nodes of a piece."""

Part = tuple[Symbol, "int | Phrase"]
Variant = dict[int, list[tuple[Part, int]]]
"""A way in which a phrase distributes: its parts, with their numbers, by place in the rule."""


@dataclass(frozen=True)
class Element:
    """A part of a piece: its symbol, and the words there; a node has none."""

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
        self.outer = [self._maximal(rule.groups) for rule in grammar.rules]

    @staticmethod
    def _maximal(groups: Sequence[frozenset[int]]) -> list[int]:
        return [
            number
            for number, inside in enumerate(groups)
            if not any(inside < other for other in groups)
        ]

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
        rest = numbered
        choices: list[list[list[tuple[Part, int]]]] = []
        for group in self.outer[phrase.rule]:
            inside = rule.groups[group]
            joins = {-1 - g for g, places in enumerate(rule.groups) if places <= inside}
            mine = [n for n in rest if n[0][0].place in inside or n[0][0].place in joins]
            rest = [n for n in rest if n not in mine]
            if mine:
                choices.append(_by_build(mine, -1 - group))
        found = []
        for chosen in itertools.product(*choices):
            kept = sorted((*rest, *itertools.chain.from_iterable(chosen)), key=lambda n: n[1])
            by_place: dict[int, list[tuple[Part, int]]] = {}
            for part, place in kept:
                if part[0].place >= 0:
                    by_place.setdefault(part[0].place, []).append((part, place))
            found.append(dict(sorted(by_place.items())))
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


def _by_build(parts: list[tuple[Part, int]], join: int) -> list[list[tuple[Part, int]]]:
    """Coordinated members that are built alike, together."""
    members: list[list[tuple[Part, int]]] = [[]]
    for numbered in parts:
        if numbered[0][0].place == join:
            if members[-1]:
                members.append([])
        else:
            members[-1].append(numbered)
    alike: dict[frozenset[int], list[tuple[Part, int]]] = {}
    for member in members:
        built = frozenset(part[0].place for part, _ in member if part[0].place >= 0)
        alike.setdefault(built, []).extend(member)
    return list(alike.values())

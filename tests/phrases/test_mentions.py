"""Where a question speaks of a node."""

from __future__ import annotations

import pytest

from partwise.phrases.examples import edges_at
from partwise.phrases.mentions import Mentions
from partwise.phrases.pieces import Element, Piece, PlacedPiece


def placed(category: str, own: int | None, *slots: tuple[int, ...]) -> PlacedPiece:
    elements = tuple(Element("Thing", ()) for _ in slots)
    head = () if own is None else ((own,),)
    return PlacedPiece(Piece(category, elements, own is not None), (*head, *slots), ())


# "did a film director that directed M0 direct M1"
INNER = placed("Past", 0, (-8,))
REL = placed("Rel", 1, (0,))
NOUN = placed("Thing", 2, (1,))
VERB = placed("Verb", 3, (-10,))
QUESTION = placed("Question", None, (2,), (3,))
PIECES = (INNER, REL, NOUN, VERB, QUESTION)


def test_a_noun_phrase_is_one_mention_and_the_clause_another() -> None:
    """All four phrases are of the one who directs."""
    mentions = Mentions(PIECES, lambda phrase: ("?x0",))
    found = [mentions.of(piece, "?x0") for piece in PIECES]
    assert found == [("of", 2)] * 3 + [("of", 3), ("about", None)]


@pytest.mark.parametrize("name", ["M0", "?x9"])
def test_a_phrase_of_another_node_speaks_about_it(name: str) -> None:
    mentions = Mentions(PIECES, lambda phrase: ("?x0",))
    found = [mentions.of(piece, name) for piece in PIECES]
    assert found == [*(("about", phrase) for phrase in range(4)), ("about", None)]


def test_a_phrase_of_another_node_between_parts_a_mention() -> None:
    """ "A person whose sibling directed M0": the innermost phrase is of the sibling."""
    names = {0: ("?x1",), 1: ("?x0",), 2: ("?x0",), 3: ("?x0",)}
    mentions = Mentions(PIECES, names.__getitem__)
    assert mentions.of(INNER, "?x1") == ("of", 0)
    assert mentions.of(REL, "?x1") == ("about", 1)
    assert mentions.of(REL, "?x0") == ("of", 2)


def test_edges_at_a_slot() -> None:
    links = {(0, 1): {("p", True), ("=", True)}, (0, 2): {("q", False)}, (1, 2): {("r", True)}}
    assert edges_at(0, links) == {("p", True), ("q", False)}
    assert edges_at(1, links) == {("p", False), ("r", True)}
    assert edges_at(2, links) == {("q", True), ("r", False)}

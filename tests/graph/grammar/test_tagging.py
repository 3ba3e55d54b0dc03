"""Tokens of questions by word lists."""

from __future__ import annotations

from kitchen import KITCHEN

from partwise.graph.grammar.tagging import Tagger

TAGGER = Tagger(KITCHEN)


def test_a_question() -> None:
    tokens = TAGGER("Did M12 's night cook sell a hot soup")
    assert tokens.texts == ("did", "M12", "'s", "night cook", "sell", "a", "hot", "soup")
    assert tokens.spans == ((0, 1), (1, 2), (2, 3), (3, 5), (5, 6), (6, 7), (7, 8), (8, 9))
    assert tokens.classes[1] == {"entity"}
    assert tokens.classes[3] == {"role", "noun", "night cook"}
    assert tokens.classes[4] == {"verb", "sell"}
    assert tokens.classes[5] == {"a"}
    assert len(tokens) == 8


def test_part_of_a_phrase_is_a_word_of_its_own() -> None:
    tokens = TAGGER("night night cook cook")
    assert tokens.texts == ("night", "night cook", "cook")
    assert tokens.classes[0] == {"night"}
    assert tokens.classes[2] == {"verb", "cook"}


def test_no_words() -> None:
    assert len(TAGGER("")) == 0

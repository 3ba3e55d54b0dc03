"""Noun phrases grafted on entities: the words and the graphs must go together."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from partwise.domains.films.domain import FILMS
from partwise.graph.alignment import align_all
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.tokens import ENTITY, Tagger
from partwise.graph.recombination import Recombiner
from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph, Triple
from partwise_papers.films.generate import generate


@pytest.fixture(scope="module")
def examples() -> list[Example[QueryGraph]]:
    return generate(700, 11)


@pytest.fixture(scope="module")
def grafting(examples: list[Example[QueryGraph]]) -> Recombiner:
    return Recombiner(examples, Tagger(FILMS))


def made(
    grafting: Recombiner, examples: list[Example[QueryGraph]], share: float
) -> list[Example[QueryGraph]]:
    """Examples in which something was replaced."""
    draw = random.Random(3)
    pairs = [(example, grafting(example, share, draw)) for example in examples]
    return [new for old, new in pairs if new is not old]


def test_what_is_made_is_a_question_of_its_graph(
    grafting: Recombiner, examples: list[Example[QueryGraph]]
) -> None:
    found = made(grafting, examples[:400], 1.0)
    assert len(found) > 120
    tagger = Tagger(FILMS)
    for example in found:
        tokens = tagger(example.question)
        mentioned = {
            text
            for text, kinds in zip(tokens.texts, tokens.classes, strict=True)
            if ENTITY in kinds
        }
        assert mentioned == set(example.meaning.entities)
        assert len(tokens.question) <= grafting.longest
        assert len(example.meaning.variables) <= grafting.most


def test_phrases_and_graphs_still_align(
    grafting: Recombiner, examples: list[Example[QueryGraph]]
) -> None:
    """The declared rules explain nearly all of what was made."""
    tagger, reader = Tagger(FILMS), ConstituencyParser(FILMS.phrases, 8)
    found = made(grafting, examples[:400], 0.7)

    def read(some: list[Example[QueryGraph]]) -> list:
        return [
            ([p for _, p in reader.trees(tagger(example.question))], example.meaning)
            for example in some
        ]

    # Learned from the given questions, asked of the made ones.
    chosen = align_all([*read(examples[:400]), *read(found)]).chosen[400:]
    assert sum(place is not None for place in chosen) > 0.93 * len(chosen)


def test_phrases_are_many(grafting: Recombiner) -> None:
    named = {re.sub(r"m\d+", "m", " ".join(one.words).lower()) for one in grafting.phrases}
    assert len(named) > 12


def test_share_and_draw(grafting: Recombiner, examples: list[Example[QueryGraph]]) -> None:
    some = examples[:300]
    assert made(grafting, some, 0.0) == []
    assert made(grafting, some, 0.5) == made(grafting, some, 0.5)
    assert len(made(grafting, some, 0.2)) < len(made(grafting, some, 1.0))
    unknown = replace(some[0], question="who directed M9")
    assert grafting(unknown, 1.0, random.Random(0)) is unknown


def test_nothing_to_learn_from() -> None:
    alone = Example("who edited M1", QueryGraph("ask", frozenset({Triple("M1", "p", "?x0")})))
    assert Recombiner([], Tagger(FILMS))(alone, 1.0, random.Random(0)) is alone
    assert Recombiner([alone], Tagger(FILMS))(alone, 1.0, random.Random(0)) is alone


def test_words_that_stand_for_each_other() -> None:
    """Two questions that differ in one word show what the word says."""

    def asks(verb: str, predicate: str, more: str = "") -> Example[QueryGraph]:
        edges = {Triple("?x0", predicate, "M0")} | (
            {Triple("?x0", "edited", "M1")} if more else set()
        )
        return Example(f"who {verb} M0{more}", QueryGraph("select", frozenset(edges)))

    shown = [asks("cut", "edited"), asks("wrote", "written")]
    both = [asks("met", "met", " and cut M1"), asks("cut", "edited", " and cut M1")]
    some = [Example("who fled from M0", asks("", "fled").meaning), *shown, *both]
    swaps = Recombiner(some, Tagger(FILMS)).swaps
    assert swaps.says == {"cut": {"edited"}, "wrote": {"written"}}
    draw = random.Random(0)
    assert swaps(shown[0], ("who", "cut", "M0"), 1.0, draw)[0].meaning == shown[1].meaning
    assert swaps(some[0], ("who", "fled", "from", "M0"), 1.0, draw)[0] is some[0]
    # Two of its words may say that something was edited.
    assert swaps(both[1], ("who", "cut", "M0", "and", "cut", "M1"), 1.0, draw)[0] is both[1]

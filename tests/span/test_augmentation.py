"""Training questions made from given ones: other names, other phrases, hurried typing."""

from __future__ import annotations

import random
from dataclasses import replace
from random import Random
from typing import ClassVar

import pytest

from partwise.chart import compiled
from partwise.chart.semantics import program
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography import Geography
from partwise.encoders.base import make_encoder
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.interface.registry import load
from partwise.language.domain import Domain, entities, predicate
from partwise.language.program import Term, parse_program
from partwise.language.program_spelling import unknown_names
from partwise.language.text import tokenize
from partwise.span.augmentation import EntitySwap, HurriedTyping, Recombination
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise_papers.domains.scenes.domain import Scenes

NAMES = ("north dakota", "ohio", "iowa", "new york")


class Place:
    """A place."""


class Places(Domain):
    """Places, of which few are known."""

    name: ClassVar[str] = "places"
    answers: ClassVar[object] = Place

    @entities(names=NAMES, pattern=unknown_names(NAMES, ["border", "states"]), guess=True)
    def place(self, name: str) -> Place:
        """A place."""
        raise NotImplementedError

    @predicate("border")
    def border(self, x: Place) -> Place:
        """What is next to it."""
        raise NotImplementedError


def _found(question: str) -> set[str]:
    domain, words = Places(), tokenize(question)
    matches = domain.matcher.find(words)
    named = (m for m in matches if domain.vocabulary.is_entity(m.number))
    return {" ".join(words.words[m.start : m.end]) for m in named}


def test_each_part_of_unknown_words_may_be_a_name() -> None:
    assert _found("which states surround kentucky ?") == {
        "surround",
        "kentucky",
        "surround kentucky",
    }
    assert _found("states that border north dakota") == {"north dakota"}


def test_a_name_may_have_words_of_other_names() -> None:
    assert _found("which states border south dakota ?") == {"south", "south dakota"}
    assert _found("which states border dakota ?") == set()


def test_names_are_swapped_for_some_that_are_in_no_list() -> None:
    domain = Places()
    example = Example("which states border ohio ?", domain.read("border(place('ohio'))"))
    swap, draw = EntitySwap(domain), random.Random(0)
    made = [swap(example, draw) for _ in range(200)]
    names = [next(p.symbol for p in one.meaning.walk() if p.quoted) for one in made]
    expected = [f"which states border {name} ?" for name in names]
    assert [one.question for one in made] == expected
    unlisted = [name for name in names if name not in NAMES]
    assert 20 < len(unlisted) < 60
    assert any(" " in name for name in unlisted)
    assert all(name in _found(one.question) for one, name in zip(made, names, strict=True))


SCENES = TypeAlgebra(Scenes())


def example(question: str, program: str) -> Example[Term]:
    return Example(question, SCENES.domain.canonical(parse_program(program)))


CUBES = example(
    "how many cubes are left of the red sphere?",
    "count(filter(cube, relate(left, filter(red, sphere, scene()))))",
)
SAME = example(
    "is there a thing with the same size as the tiny cylinder?",
    "exist(relate_attribute_equal(size, filter(small, cylinder, scene())))",
)


def drawn(made: Recombination, given: Example[Term], count: int = 60) -> set[tuple[str, str]]:
    draw = random.Random(0)
    found = [made(given, draw) for _ in range(count)]
    return {(one.question, one.meaning.text()) for one in found if one is not given}


def test_a_phrase_takes_the_place_of_another_of_its_type() -> None:
    found = drawn(Recombination(SCENES, [CUBES, SAME]), CUBES)
    assert found == {
        (
            "how many cubes are with the same size as the tiny cylinder ?",
            "count(filter(cube, relate_attribute_equal(size, filter(small, cylinder, scene()))))",
        ),
        (
            "how many cubes are left of the tiny cylinder ?",
            "count(filter(cube, relate(left, filter(small, cylinder, scene()))))",
        ),
        ("how many tiny cylinder ?", "count(filter(small, cylinder, scene()))"),
        ("how many red sphere ?", "count(filter(red, sphere, scene()))"),
    }


def test_nothing_is_drawn_where_no_phrase_fits() -> None:
    plain = example("how many are left of the cube?", "count(relate(left, filter(cube, scene())))")
    assert Recombination(SCENES, [plain])(plain, random.Random(0)) is plain
    stranger = example("how many cubes?", "count(filter(cube, scene()))")
    assert Recombination(SCENES, [CUBES, SAME])(stranger, random.Random(0)) is stranger


def test_made_questions_type_and_have_a_tree() -> None:
    given = load("scenes", "iid").train[:150]
    made = Recombination(SCENES, given)
    longest = max(len(tokenize(one.question)) for one in given)
    deepest = max(one.meaning.depth for one in given)
    domain = Scenes()
    config = SpanParserConfig(
        encoder="bilstm", hidden=16, recombination=1.0, entity_augmentation=0.0
    )
    parser = SpanParser(domain, config, make_encoder("bilstm", [tokenize("cube")]))
    draw = random.Random(1)
    new = 0
    for one in given[:40]:
        found = made(one, draw)
        if found is one:
            continue
        new += 1
        assert found.meaning == domain.canonical(found.meaning) != domain.canonical(one.meaning)
        assert len(tokenize(found.question)) <= longest
        assert found.meaning.depth <= deepest
        assert found.answer is None
        (item,), _ = parser.training_items([found])
        scores = parser.scores(found.question)
        assert compiled.best(scores, item.target) is not None, found.question
    assert new > 20


def test_how_often_is_as_asked() -> None:
    given = [CUBES, SAME]
    for rate, expected in ((0.0, 0), (1.0, 20)):
        config = SpanParserConfig(
            encoder="bilstm", hidden=16, recombination=rate, entity_augmentation=0.0
        )
        parser = SpanParser(Scenes(), config, make_encoder("bilstm", [tokenize("cube")]))
        items, _ = parser.training_items(given)
        vary, draw = parser.variation(given), random.Random(0)
        changed = (
            0 if vary is None else sum(vary(items[0], draw) is not items[0] for _ in range(20))
        )
        assert changed == expected


def test_no_program_gets_deeper_than_those_given() -> None:
    nested = example(
        "what number of red things are behind the cube?",
        "count(filter(red, relate(behind, filter(cube, scene()))))",
    )
    deepest = max(one.meaning.depth for one in (CUBES, nested))
    made = Recombination(SCENES, [CUBES, nested])
    depths = set()
    for question, _ in (CUBES, nested), (nested, CUBES):
        one, draw = question, random.Random(0)
        depths |= {made(one, draw).meaning.depth for _ in range(60)}
    assert max(depths) == deepest


def test_without_phrases_it_is_the_parsers_own_trees_that_are_recombined() -> None:
    given = [CUBES, SAME]
    config = SpanParserConfig(
        encoder="bilstm", hidden=16, lexicon="names", recombination=1.0, entity_augmentation=0.0
    )
    parser = SpanParser(Scenes(), config, make_encoder("bilstm", [tokenize("cube")])).eval()
    items, _ = parser.training_items(given)
    vary = parser.variation(given)
    assert vary is not None
    parser.begin_epoch(items, 0)
    assert all(vary(item, random.Random(0)) is item for item in items)
    parser.begin_epoch(items, 1)
    trees = dict(parser._gold_trees(items))
    assert len(trees) == 2
    for example, tree in trees.items():
        assert program(tree, SCENES) == example.meaning
    draw = random.Random(0)
    made = {vary(item, draw).example.question for item in items for _ in range(20)}
    assert made - {item.example.question for item in items}


def test_examples_that_cannot_be_read_are_passed_over() -> None:
    unreadable = replace(CUBES, meaning=parse_program("count(nothing(1))"))
    assert drawn(Recombination(SCENES, [unreadable, CUBES, SAME]), CUBES)


def test_recombination_makes_no_trees() -> None:
    with pytest.raises(PartwiseError, match="without trees"):
        SpanParserConfig(objective="trees", recombination=0.5)
    with pytest.raises(PartwiseError, match="recombination must be at most 1"):
        SpanParserConfig(recombination=1.5)


def test_same_seed_same_questions_and_programs_stay() -> None:
    examples = load("geography", "iid").train[::20]
    typing = HurriedTyping(Geography())
    once = [typing(one, Random(n)) for n, one in enumerate(examples)]
    again = [typing(one, Random(n)) for n, one in enumerate(examples)]
    assert once == again
    assert [one.meaning for one in once] == [one.meaning for one in examples]
    changed = [a.question for a, b in zip(once, examples, strict=True) if a.question != b.question]
    assert len(changed) > len(examples) / 3

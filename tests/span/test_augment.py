"""Names that are in no list: found in questions, and put into training questions."""

from __future__ import annotations

import random
from typing import ClassVar

from partwise.interface.data import Example
from partwise.language.domain import Domain, entities, predicate
from partwise.language.program_spelling import unknown_names
from partwise.language.text import tokenize
from partwise.span.augmentation import EntitySwap

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

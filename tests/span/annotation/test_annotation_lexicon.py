"""Which lexicons an annotation tries."""

from __future__ import annotations

import pytest
from shelf import Shelf

from partwise.errors import DomainError
from partwise.language.domain import Domain, entities, predicate
from partwise.span.annotation import lexicons


class Plain(Domain):
    """A domain without a lexicon for annotation."""

    @entities(("a",))
    def thing(self, name: str) -> int: ...

    @predicate("one more", "and one")
    def more(self, x: int) -> int: ...


def test_a_domain_without_annotation_phrases_has_its_own() -> None:
    assert lexicons(Plain()) == (
        {"more": frozenset({("one", "more"), ("and", "one")}), "thing('a')": frozenset({("a",)})},
    )


def test_annotation_phrases_replace_those_of_predicates_and_add_to_those_of_entities() -> None:
    narrow, both = lexicons(Shelf())
    assert narrow["count"] == {("how", "many")}
    assert both["count"] == {("how", "many"), ("count",), ("number", "of")}
    assert narrow["red"] == both["red"] == {("red",), ("rosy",)}
    assert narrow["left"] == both["left"] == {("left",), ("left", "of"), ("beside",)}


def test_given_phrases_stand_in_place_of_the_domains() -> None:
    narrow, both = lexicons(Shelf(), {"left": ["West of"]})
    assert narrow["left"] == {("west", "of")}
    assert narrow["count"] == both["count"] == {("how", "many"), ("count",), ("number", "of")}


def test_phrases_of_an_unknown_category_are_refused() -> None:
    with pytest.raises(DomainError, match=r"shelf: .* \['leftt'\]"):
        lexicons(Shelf(), {"leftt": ["left"]})

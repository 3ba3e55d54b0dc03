"""Constants by number: entities made when asked for, and those that a pattern gives."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from partwise.chart import compiled
from partwise.chart.semantics import program
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DomainError, UnknownConstantError
from partwise.language import constants
from partwise.language.domain import Domain, entities, predicate, root, type_shift
from partwise.language.program import parse_program
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.scorer import Labels


class Book:
    """A sort."""


class Pages:
    """A sort."""


class Shelf(Domain):
    """Books, and numbers of pages."""

    name = "shelf"
    lexicon: ClassVar = {"book('dune')": ["the sand book"]}

    def __init__(self, names: tuple[str, ...] = ("emma", "dune")) -> None:
        self.names = names

    @root
    def answer(self, value: Book | Pages) -> Any:
        return value

    @entities(names=lambda domain: domain.names, aliases={"emma": ("emma woodhouse",)})
    def book(self, name: str) -> Book:
        return name  # type: ignore[return-value]

    @entities(names=("dozen",), pattern=r"\d+", bare=True)
    def pages(self, name: str) -> Pages:
        return name  # type: ignore[return-value]

    @predicate("longer")
    def longer(self, of: Book, than: Pages) -> Book:
        return (of, than)  # type: ignore[return-value]

    @type_shift
    def whole(self, of: Book) -> Pages:
        return of  # type: ignore[return-value]


def test_numbers_are_predicates_then_listed_entities_then_implied() -> None:
    known = Shelf().vocabulary
    found = [(constant.number, constant.category) for constant in known]
    assert [number for number, _ in found] == [0, 1, 2, 3, 4]
    assert [c for _, c in found] == ["longer", "book('emma')", "book('dune')", "dozen", "whole"]
    assert [known.is_entity(number) for number in range(5)] == [False, True, True, True, False]
    assert [c.category for c in known.listed(0)] == ["book('emma')", "book('dune')"]
    assert known[2].phrases == ("dune", "the sand book")
    assert known[1].phrases == ("emma", "emma woodhouse")


def test_an_entity_is_made_when_it_is_asked_for() -> None:
    names = ("dune", *(f"book {n}" for n in range(1000)))
    known = Shelf(names).vocabulary
    made = len(known._fixed)
    found = known.find("book", "book 700")
    assert found is not None
    assert found.number == 702
    assert len(known._fixed) == made + 1
    assert known[702] is found


def test_what_a_pattern_gives_has_a_number_beyond() -> None:
    known = Shelf().vocabulary
    found = known.find("", "300")
    assert found is not None
    assert (found.number, found.category, found.head) == (5, "300", "pages")
    assert known.find("", "300") is found
    assert known.is_entity(5)
    assert known.type_of(5) == 1
    assert known.find("", "dozen") is known[3]
    assert known.find("", "many") is None
    assert [constant.category for constant in known][-1] == "whole"


def test_programs_with_such_entities_are_read_typed_and_run() -> None:
    domain = Shelf()
    text = "answer(longer(book('emma'), 300))"
    assert domain.run(parse_program(text)) == ("emma", "300")
    types = TypeAlgebra(domain)
    assert str(types.check(parse_program(text)).term()) == "longer(book('emma'), 300)"
    with pytest.raises(UnknownConstantError, match="no constant many"):
        types.check(parse_program("answer(longer(book('emma'), many))"))


@pytest.mark.parametrize("tied", [True, False])
def test_a_tree_is_found_over_an_entity_never_listed(tied: bool) -> None:
    import numpy as np

    domain = Shelf()
    types, labels = TypeAlgebra(domain), Labels(domain, SpanParserConfig(type_tied=tied))
    question = labels.prepare(tokenize("emma longer 451"))
    logits = np.zeros((len(question.spans), labels.size))
    logits[question.matches[:, 0], question.matches[:, 1]] = 5.0
    logits[question.blocked] = -50.0
    best = compiled.best(question.span_scores(logits), types)
    assert best is not None
    spelled = program(best.tree, types)
    assert str(spelled) == "answer(longer(book('emma'), 451))"
    target = TargetAlgebra(types, types.check(spelled))
    assert compiled.best(question.span_scores(logits), target) is not None
    assert labels.names[-1] == "pages(*)"


def test_the_numbers_of_the_longest_unmet_are_given_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(constants, "MET", 3)
    known = Shelf().vocabulary
    numbers = [known.meet(1, str(n)) for n in range(3)]
    assert numbers == [5, 6, 7]
    assert known.generation == 1
    assert known.meet(1, "3") == 5
    assert known[5].category == "3"
    assert known.meet(1, "1") == 6
    assert known.meet(1, "0") == 6
    assert known.generation == 1


def test_what_was_prepared_is_forgotten_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "MET", 2)
    domain = Shelf()
    labels = Labels(domain)
    for text in ("emma longer 1", "emma longer 2", "emma longer 3", "emma longer 1"):
        question = labels.prepare(tokenize(text))
        named = [domain.vocabulary[n].category for n in question.columns[question.entity].tolist()]
        assert named == ["book('emma')", text[-1]]


def test_wrong_declarations_are_told() -> None:
    with pytest.raises(DomainError, match=r"declared twice: book\('emma'\)"):
        _ = Shelf(("emma", "emma", "dune")).vocabulary
    with pytest.raises(DomainError, match=r"unknown categories: \[\"book\('dune'\)\"\]"):
        _ = Shelf(("emma",)).vocabulary
    with pytest.raises(DomainError, match=r"shelf\.book: names must be a list of texts, and 7"):
        _ = Shelf(("emma", 7)).vocabulary  # type: ignore[arg-type]

    class Broken(Shelf):
        @entities(pattern="(")
        def strange(self, name: str) -> Pages:
            return name  # type: ignore[return-value]

    with pytest.raises(DomainError, match=r"shelf\.strange: '\(' is no regular expression"):
        _ = Broken().vocabulary


def test_no_constant_has_a_number_that_is_not_given() -> None:
    known = Shelf().vocabulary
    for number in (5, -1, 99):
        with pytest.raises(IndexError, match=f"shelf has no constant {number}"):
            _ = known[number]

"""Questions to answers in one call, with alternatives that mean something else."""

from __future__ import annotations

from typing import Any

import pytest

from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.semantics import read_tree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.interface.answering import answered
from partwise.interface.prediction import Prediction
from partwise.language.domain import Domain, entities, predicate, root
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize
from partwise.span.decoding import SpanDerivation


class Thing:
    """A sort."""


class Box(Domain):
    """A box of things."""

    name = "box"

    @root
    def tell(self, of: Thing) -> Any:
        return of

    @entities(names=("ball", "cube"))
    def thing(self, name: str) -> Thing:
        return name  # type: ignore[return-value]

    @predicate("big")
    def large(self, of: Thing) -> Thing:
        return f"large {of}"  # type: ignore[return-value]

    @predicate("huge")
    def huge(self, of: Thing) -> Thing:
        return f"large {of}"  # type: ignore[return-value]

    @predicate("grown")
    def old(self, of: Thing) -> Thing:
        return f"old {of}"  # type: ignore[return-value]

    @predicate("broken")
    def broken(self, of: Thing) -> Thing:
        raise ValueError("in pieces")

    def show(self, value: Any) -> list[str]:
        return [f"a {value}"]


DOMAIN = Box()
TYPES = TypeAlgebra(DOMAIN)


def reading(predicate: str, probability: float, *others: Prediction[Term]) -> Prediction[Term]:
    number = DOMAIN.categories
    words = tokenize("big ball")
    parts = (SpanTree(0, 1, number[predicate]), SpanTree(1, 2, number["thing('ball')"]))
    tree = SpanTree(0, 2, JOIN, parts)
    spelled = parse_program(f"tell({predicate}(thing('ball')))")
    derivation = SpanDerivation(read_tree(tree, TYPES), words, tree=tree)
    return Prediction(
        words.text,
        meaning=spelled,
        probability=probability,
        derivation=derivation,
        alternatives=others,
    )


def test_alternatives_with_the_same_answer_or_none_are_left_out() -> None:
    others = [reading("huge", 0.2), reading("broken", 0.1), reading("old", 0.05)]
    found = answered(reading("large", 0.6, *others), DOMAIN, k=3)
    assert found.lines == ("a large ball",)
    assert str(found) == "a large ball"
    assert (found.value, found.prediction.probability) == ("large ball", 0.6)
    assert [other.lines for other in found.alternatives] == [("a old ball",)]
    (difference,) = found.alternatives[0].differences
    assert (difference.words, difference.mine, difference.other) == ("big", ("large",), ("old",))


@pytest.mark.parametrize(("k", "wanted"), [(1, 0), (2, 1), (9, 1)])
def test_no_more_alternatives_than_asked_for(k: int, wanted: int) -> None:
    parse = reading("large", 0.6, reading("old", 0.2))
    assert len(answered(parse, DOMAIN, k).alternatives) == wanted


def test_what_does_not_run_gives_a_reason() -> None:
    found = answered(reading("broken", 0.9, reading("old", 0.1)), DOMAIN, k=2)
    assert found.lines == ()
    assert found.reason is not None
    assert "in pieces" in found.reason
    assert str(found).startswith("no answer: it does not run")
    assert [other.lines for other in found.alternatives] == [("a old ball",)]


def test_no_parse_has_its_reason_and_what_was_found() -> None:
    shy: Prediction[Term] = Prediction(
        "big ball", alternatives=(reading("old", 0.3),), reason="not sure"
    )
    found = answered(shy, DOMAIN, k=2)
    assert (found.lines, found.reason, found.text) == ((), "not sure", None)
    assert [other.lines for other in found.alternatives] == [("a old ball",)]


class Guided(Box):
    """A box where nothing is large."""

    tried = 3

    def is_empty(self, value: Any) -> bool:
        return bool(value.startswith("large"))


@pytest.mark.parametrize(
    ("others", "meant", "said", "probable"),
    [
        ((("old", 0.2),), "old", ["a old ball"], 0.2),
        ((("broken", 0.2), ("huge", 0.2), ("old", 0.1)), "large", ["a large ball"], 0.3),
        ((("old", 0.05),), "large", ["a large ball"], 0.3),
        ((), "large", ["a large ball"], 0.3),
    ],
)
def test_a_meaning_with_an_answer_is_preferred(
    others: tuple[tuple[str, float], ...], meant: str, said: list[str], probable: float
) -> None:
    parse = reading("large", 0.6, *(reading(*one) for one in others))
    found = answered(parse, Guided(), k=2)
    assert (list(found.lines), found.prediction.probability) == (said, probable)
    assert found.text == f"tell({meant}(thing('ball')))"
    assert found.prediction.doubtful == (meant == "old")


def test_the_meaning_without_an_answer_becomes_an_alternative() -> None:
    found = answered(reading("large", 0.6, reading("old", 0.2)), Guided(), k=2)
    assert [one.lines for one in found.alternatives] == [("a large ball",)]
    assert [one.prediction.probability for one in found.alternatives] == [0.2]


def test_a_refusal_is_not_tried() -> None:
    shy: Prediction[Term] = Prediction("big ball", alternatives=(reading("old", 0.3),), reason="no")
    assert answered(shy, Guided(), k=1).reason == "no"


def test_a_meaning_below_what_is_asked_for_is_not_taken() -> None:
    parse = reading("large", 0.6, reading("old", 0.2))
    assert answered(parse, Guided(), k=1, at_least=0.3).lines == ("a large ball",)
    assert answered(parse, Guided(), k=1, at_least=0.1).lines == ("a old ball",)


def test_nothing_is_run_twice() -> None:
    ran: list[str] = []

    class Counting(Guided):
        def run(self, program: Any, context: Any = None) -> Any:
            ran.append(str(program))
            return super().run(program, context)

    parse = reading("large", 0.6, reading("huge", 0.3), reading("old", 0.2), reading("broken", 0.1))
    answered(parse, Counting(), k=4)
    assert len(ran) == len(set(ran)) == 4

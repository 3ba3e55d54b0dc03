"""A domain of a user's own: what its class declares is what parser and executor see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, overload

import pytest

from cases import cases
from partwise.chart import compiled
from partwise.chart.semantics import program
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DomainError, ExecutionError, ProgramSyntaxError, UnknownConstantError
from partwise.language import constants
from partwise.language.domain import (
    Application,
    Default,
    Domain,
    default,
    entities,
    predicate,
    root,
    type_shift,
)
from partwise.language.program import parse_program
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.labels import Labels

T = TypeVar("T")
PLAIN = default("_")
ALL = default("all")


class Food: ...


class Fruit(Food): ...


class Amount: ...


class Style: ...


class One(Generic[T]): ...


class Many(Generic[T]): ...


class Kitchen(Domain):
    """Foods are strings; sets of them are sorted lists."""

    name: ClassVar[str] = "kitchen"

    def __init__(self, more: tuple[str, ...] = ()) -> None:
        self.more = more

    @root
    def serve(self, value: Many[Food] | One[Food] | Amount) -> Any:
        return value

    def _names(self) -> tuple[str, ...]:
        return ("apple", "blood orange", *self.more)

    @entities(_names, aliases={"apple": ("pomme", "pippin")})
    def fruit(self, name: str, style: Style = PLAIN) -> One[Fruit]:
        return name if isinstance(style, Default) else f"{style} {name}"  # type: ignore[return-value]

    @entities(("1", "2"), bare=True)
    def number(self, digits: str) -> Amount:
        return int(digits)  # type: ignore[return-value]

    @entities(("raw", "fried"), bare=True)
    def style(self, name: str) -> Style:
        return name  # type: ignore[return-value]

    @predicate("food", "foods", "eat")
    def food(self, x: Many[Food] = ALL) -> Many[Food]:
        return ["bread"] if isinstance(x, Default) else x  # type: ignore[return-value]

    @predicate("times")
    def times(self, n: Amount, x: One[Food]) -> Many[Food]:
        return [x] * n  # type: ignore[operator, return-value]

    @overload
    def cut(self, x: One[T]) -> Many[T]: ...

    @overload
    def cut(self, x: Many[T]) -> Many[T]: ...

    @predicate("cut", "cut up")
    def cut(self, x: Any) -> Any:
        return sorted(x)

    @predicate("burn")
    def burn(self, x: Many[Food]) -> Many[Food]:
        raise ValueError("smoke")

    def unmarked(self, x: int) -> int:
        return x


def run(text: str, domain: Domain | None = None) -> Any:
    return (domain or Kitchen()).run(parse_program(text))


def signatures(domain: Domain, category: str) -> list[str]:
    constant = domain.constants[domain.categories[category]]
    return [str(signature) for signature in constant.signatures]


def test_categories_are_predicates_then_entities_as_declared() -> None:
    assert list(Kitchen().categories) == [
        *("food", "times", "cut", "burn"),
        *("fruit('apple', _)", "fruit('blood orange', _)", "1", "2", "raw", "fried"),
    ]
    assert "fruit('fig', _)" in Kitchen(("fig",)).categories


def test_hints_are_the_signatures() -> None:
    domain = Kitchen()
    assert signatures(domain, "food") == ["(Many[Food]?) -> Many[Food]"]
    assert signatures(domain, "times") == ["(Amount, One[Food]) -> Many[Food]"]
    assert signatures(domain, "cut") == ["(One[T]) -> Many[T]", "(Many[T]) -> Many[T]"]
    assert signatures(domain, "fruit('apple', _)") == ["(Style?) -> One[Fruit]"]
    assert str(domain.root_type) == "Many[Food] | One[Food] | Amount"
    assert domain.root_name == "serve"


def test_phrases_name_categories() -> None:
    domain = Kitchen()
    number = domain.categories
    assert domain.phrases["blood", "orange"] == (number["fruit('blood orange', _)"],)
    assert domain.phrases["pippin",] == (number["fruit('apple', _)"],)
    assert domain.phrases["cut", "up"] == (number["cut"],)
    assert domain.phrases["2",] == (number["2"],)


def test_lexicon_adds_phrases() -> None:
    class Bigger(Kitchen):
        lexicon: ClassVar = {"fruit('apple', _)": ["An Apple"], "cut": ["eat"]}

    domain = Bigger()
    assert domain.phrases["an", "apple"] == (domain.categories["fruit('apple', _)"],)
    assert domain.phrases["eat",] == (domain.categories["food"], domain.categories["cut"])
    assert ("an", "apple") not in Kitchen().phrases


def test_signatures_retype_a_predicate() -> None:
    class Sharper(Kitchen):
        signatures: ClassVar = {
            "times": Callable[[Amount, One[Fruit]], Many[Fruit]],
            "cut": (Callable[[Many[T]], One[T]], Callable[[One[Fruit]], Many[Fruit]]),
            "food": Callable[[Many[Fruit]], Many[Fruit]],
        }

    domain = Sharper()
    assert signatures(domain, "times") == ["(Amount, One[Fruit]) -> Many[Fruit]"]
    assert signatures(domain, "cut") == ["(Many[T]) -> One[T]", "(One[Fruit]) -> Many[Fruit]"]
    assert signatures(domain, "food") == ["(Many[Fruit]?) -> Many[Fruit]"]
    assert run("serve(times(2, fruit('apple', _)))", domain) == ["apple", "apple"]


def test_an_override_keeps_its_mark() -> None:
    class Other(Kitchen):
        def burn(self, x: Many[Food]) -> Many[Fruit]:
            return x  # type: ignore[return-value]

    assert signatures(Other(), "burn") == ["(Many[Food]) -> Many[Fruit]"]
    assert run("serve(burn(food(all)))", Other()) == ["bread"]


@cases("text, expected")
def test_programs_run(text: str, expected: object) -> None:
    assert run(text) == expected


@cases("text")
def test_programs_are_read_as_applications(text: str) -> None:
    domain = Kitchen()
    read = domain.interpret(parse_program(text))
    assert isinstance(read, Application)
    assert domain.wrap(read.term()).text() == text


def test_an_optional_argument_left_out_is_none() -> None:
    read = Kitchen().interpret(parse_program("serve(food(all))"))
    assert read.args == (None,)
    assert [part.constant.category for part in read.walk()] == ["food"]


@cases("text, message")
def test_unknown_constants_when_read(text: str, message: str) -> None:
    with pytest.raises(UnknownConstantError, match=message):
        Kitchen().interpret(parse_program(text))


@cases("text")
def test_unknown_constants_when_run(text: str) -> None:
    with pytest.raises(UnknownConstantError):
        run(text)


def test_failures_of_the_executor_are_wrapped() -> None:
    with pytest.raises(
        ExecutionError, match="burn failed with ValueError: smoke in burn"
    ) as caught:
        run("serve(cut(burn(food(all))))")
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(ExecutionError, match="cut failed with TypeError"):
        run("serve(cut(1))")
    with pytest.raises(ExecutionError, match="times lacks its argument 2"):
        run("serve(times(1))")


def test_failures_of_bare_names_are_wrapped() -> None:
    class Odd(Kitchen):
        def number(self, digits: str) -> Amount:
            raise ZeroDivisionError

    with pytest.raises(ExecutionError, match="number failed with ZeroDivisionError"):
        run("serve(1)", Odd())


def test_a_missing_hint_is_told() -> None:
    class Vague(Kitchen):
        @predicate("x")
        def vague(self, x) -> Many[Food]:  # type: ignore[no-untyped-def]
            return x  # type: ignore[no-any-return]

    with pytest.raises(DomainError, match=r"kitchen\.vague: missing hint 'x'"):
        _ = Vague().constants


def test_an_undefined_hint_is_told() -> None:
    class Vague(Kitchen):
        @predicate("x")
        def vague(self, x: Nowhere) -> Many[Food]:  # type: ignore[name-defined]  # noqa: F821
            return x  # type: ignore[no-any-return]

    with pytest.raises(DomainError, match=r"kitchen\.vague: missing hint name 'Nowhere'"):
        _ = Vague().constants


def test_a_hint_that_is_no_type_is_told() -> None:
    class Vague(Kitchen):
        signatures: ClassVar = {"burn": Callable[[Many[Food]], "Food"]}

    with pytest.raises(DomainError, match="as a type"):
        _ = Vague().constants


def test_a_wrong_arity_is_told() -> None:
    class Wrong(Kitchen):
        signatures: ClassVar = {"burn": Callable[[Many[Food], Amount], Many[Food]]}

    with pytest.raises(DomainError, match=r"kitchen\.signatures\['burn'\]: wrong arity"):
        _ = Wrong().constants


def test_duplicates_are_told() -> None:
    with pytest.raises(DomainError, match=r"declared twice: fruit\('apple', _\)"):
        _ = Kitchen(("apple",)).constants
    with pytest.raises(DomainError, match="declared twice: burn"):
        _ = type(
            "Twice", (Kitchen,), {"more_names": entities(("burn",), bare=True)(_constructor)}
        )().constants


def _constructor(self: Kitchen, name: str) -> Style:
    return Style()


def test_a_lexicon_for_nothing_is_told() -> None:
    class Wrong(Kitchen):
        lexicon: ClassVar = {"apple": ["an apple"]}

    with pytest.raises(DomainError, match=r"unknown categories: \['apple'\]"):
        _ = Wrong().constants


def test_two_roots_are_told() -> None:
    class Wrong(Kitchen):
        @root
        def tell(self, value: Many[Food]) -> Any:
            return value

    with pytest.raises(DomainError, match="more than one @root: serve, tell"):
        _ = Wrong().root_name


def test_a_domain_without_a_root() -> None:
    class Loose(Domain):
        @predicate("one")
        def one(self) -> Amount:
            return 1  # type: ignore[return-value]

    domain = Loose()
    assert domain.root_type is None
    assert domain.wrap(parse_program("one()")) == parse_program("one()")
    assert domain.interpret(parse_program("one()")).constant.category == "one"
    assert run("one()", domain) == 1
    assert not Domain().constants


def test_empty_answers() -> None:
    domain = Kitchen()
    assert domain.is_empty([])
    assert domain.is_empty(None)
    assert not domain.is_empty(0)
    assert domain.show(3) == ["3"]


@pytest.mark.parametrize("name", ["middles", "floating", "fronting", "following", "normalize"])
def test_members_with_former_names_say_the_new_one(name: str) -> None:
    with pytest.raises(DomainError, match=f"Old.{name} is now called"):
        type("Old", (Domain,), {name: ()})


@pytest.mark.parametrize("name", ["run", "read", "show", "name"])
def test_predicates_do_not_hide_members_of_domains(name: str) -> None:
    def method(self: Domain) -> Food: ...

    with pytest.raises(DomainError, match=f"{name} cannot be a predicate"):
        type("Strange", (Domain,), {name: predicate("word")(method)})


def test_programs_are_read_and_written() -> None:
    text = "serve(food(all))"
    assert Kitchen().write(Kitchen().read(text)) == text
    with pytest.raises(ProgramSyntaxError):
        Kitchen().read("serve(food(all)")


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

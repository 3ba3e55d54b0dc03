"""What languages from outside need: each kind of declaration, learned by a tiny parser."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import ClassVar, NewType

import pytest
from trips import Trips  # noqa: F401

from cases import cases, rows
from partwise.errors import UnknownConstantError
from partwise.interface.data import Dataset, Example
from partwise.language.domain import After, Before, Domain, default, entities, predicate, type_shift
from partwise.language.program import parse_program
from partwise.language.text import tokenize
from partwise.language.values import Many, Number, One
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import train
from partwise.training.trainer import TrainingConfig

pytestmark = pytest.mark.usefixtures("no_state")

Pairs = dict[str, str]


def learned(domain: Domain, pairs: Pairs, folder: Path, epochs: int = 20) -> SpanParser:
    """A parser that was trained on the pairs; it must get them all."""
    examples = [Example(question, parse_program(program)) for question, program in pairs.items()]
    data = Dataset(domain.name, "all", train=examples, dev=examples, test=[])
    config = SpanParserConfig(encoder="bilstm", hidden=32)
    settings = TrainingConfig(epochs=epochs, batch_size=4, head_rate=1e-2)
    session = train(SpanParser, domain, data, config, settings, folder=folder, progress=False)
    parser = session.parser
    assert isinstance(parser, SpanParser)
    assert_parses(parser, pairs)
    return parser


def assert_parses(parser: SpanParser, pairs: Pairs) -> None:
    """Each question is parsed to its program."""
    for question, program in pairs.items():
        (best,) = parser.parse([question])
        assert best.meaning is not None, question
        wanted = parser.domain.canonical(parse_program(program))
        assert str(parser.domain.canonical(best.meaning)) == str(wanted), question


class Job: ...


class Pay: ...


class Salaries(Domain):
    """Predicates with signs in their names."""

    name: ClassVar[str] = "salaries"

    @predicate("jobs")
    def jobs(self) -> Many[Job]: ...  # type: ignore[empty-body]

    @entities(pattern=r"\d+", bare=True)
    def amount(self, name: str) -> Number:
        return Number(int(name))

    @predicate("at most", "up to", name="_<=")
    def at_most(self, of: Many[Job], pay: Number) -> Many[Job]: ...  # type: ignore[empty-body]

    @predicate("above", "over", name=">")
    def above(self, of: Many[Job], pay: Number) -> Many[Job]: ...  # type: ignore[empty-body]

    @predicate("paid", "salary", name="jobs.salary")
    def salary(self, of: Many[Job]) -> Many[Pay]: ...  # type: ignore[empty-body]


class Person: ...


class Thing: ...


class Event: ...


class Gifts(Domain):
    """Arguments with names, some of them optional."""

    name: ClassVar[str] = "gifts"
    directional: ClassVar = {"give": ["theme", "recipient"]}

    @entities(("emma", "liam", "noah"), bare=True)
    def person(self, name: str) -> One[Person]: ...  # type: ignore[empty-body]

    @entities(("cake", "book"), bare=True)
    def thing(self, name: str) -> One[Thing]: ...  # type: ignore[empty-body]

    @predicate("gave")
    def give(  # type: ignore[empty-body]
        self,
        *,
        agent: One[Person],
        theme: One[Thing] = default(),
        recipient: One[Person] = default(),
    ) -> Event: ...


class Language: ...


class Place: ...


class Postings(Domain):
    """Jobs that are described by names and phrases alone."""

    name: ClassVar[str] = "postings"

    @entities(("java", "python", "cobol"))
    def language(self, name: str) -> Many[Language]: ...  # type: ignore[empty-body]

    @entities(("austin", "boston"))
    def city(self, name: str) -> One[Place]: ...  # type: ignore[empty-body]

    @predicate("oldest", "newest")
    def oldest(self, of: Many[Language]) -> Many[Language]: ...  # type: ignore[empty-body]

    @predicate("not", "without")
    def without(self, of: Many[Job]) -> Many[Job]: ...  # type: ignore[empty-body]

    @predicate("count", "how many")
    def count(self, of: Many[Job]) -> Number: ...  # type: ignore[empty-body]

    @type_shift(name="job", of_phrases=True)
    def using(self, language: Many[Language]) -> Many[Job]: ...  # type: ignore[empty-body]

    @type_shift(name="loc", of_phrases=True)
    def located(self, city: One[Place]) -> Many[Job]: ...  # type: ignore[empty-body]

    @type_shift(name="and")
    def both(self, *parts: Many[Job]) -> Many[Job]: ...  # type: ignore[empty-body]

    answers: ClassVar = Many[Job] | Number


class Wishes(Domain):
    """Who wants what, where who wants to do something is who does it."""

    name: ClassVar[str] = "wishes"
    preceding: ClassVar = {"want": ["agent"], "try": ["agent"]}
    directional: ClassVar = {"want": ["what"], "try": ["what"]}
    shared: ClassVar = {"want": {"what.agent": "agent"}, "try": {"what.agent": "agent"}}

    @entities(("emma", "liam", "noah"), bare=True)
    def person(self, name: str) -> One[Person]: ...  # type: ignore[empty-body]

    @predicate("sleep", "slept")
    def sleep(self, *, agent: One[Person] = default()) -> Event:
        return ("sleep", agent)  # type: ignore[return-value]

    @predicate("smile", "smiled")
    def smile(self, *, agent: One[Person] = default()) -> Event: ...  # type: ignore[empty-body]

    @predicate("wanted")
    def want(self, *, agent: One[Person] = default(), what: Event) -> Event:
        return ("want", agent, what)  # type: ignore[return-value]

    @predicate("tried", "try", name="try")
    def attempt(  # type: ignore[empty-body]
        self, *, agent: One[Person] = default(), what: Event
    ) -> Event: ...


class Kilometres: ...


class Trail: ...


DIGITS = r"\d+"


def kilometres(text: str) -> str:
    """The name of a length: ``3 km``."""
    return f"{int(re.findall(DIGITS, text)[0])} km"


def dollars(text: str) -> str:
    """The name of a price."""
    return text.lstrip("$").replace(",", "")


def day(text: str) -> str:
    """The name of a day."""
    return date.fromisoformat(text).isoformat()


class Trails(Domain):
    """Numbers, prices, lengths and days."""

    name: ClassVar[str] = "trails"

    @entities(pattern=r"\d+", bare=True, aliases={"5": ("five", "half a dozen or so")})
    def number(self, name: str) -> Number: ...  # type: ignore[empty-body]

    @entities(pattern=r"\d+ ?(km|kilomet(re|er)s?)", normal=kilometres)
    def length(self, name: str) -> One[Kilometres]: ...  # type: ignore[empty-body]

    @entities(pattern=r"\$\d[\d,]*|\d+", normal=dollars)
    def price(self, name: str) -> One[Pay]: ...  # type: ignore[empty-body]

    @entities(pattern=r"\d{4}-\d\d-\d\d", normal=day)
    def day(self, name: str) -> One[date]: ...  # type: ignore[empty-body]

    @predicate("trails")
    def trails(self) -> Many[Trail]: ...  # type: ignore[empty-body]

    @predicate("over", name=">")
    def over(self, of: Many[Trail], length: One[Kilometres]) -> Many[Trail]: ...  # type: ignore[empty-body]

    @predicate("opened before")
    def before(self, of: Many[Trail], day: One[date]) -> Many[Trail]: ...  # type: ignore[empty-body]

    @predicate("under", "for less than")
    def cheaper(self, of: Many[Trail], price: One[Pay]) -> Many[Trail]: ...  # type: ignore[empty-body]

    @predicate("first")
    def first(self, of: Many[Trail], count: Number) -> Many[Trail]: ...  # type: ignore[empty-body]

    @predicate("to", "until")
    def between(self, low: Before[One[date]], high: After[One[date]]) -> Many[Trail]: ...  # type: ignore[empty-body]


def test_what_a_pattern_finds_may_be_none_after_all() -> None:
    domain = Trails()
    names = {
        domain.vocabulary[m.number].category for m in domain.matcher.find(tokenize("1999-99-01 5"))
    }
    assert names == {
        "5",
        "1999",
        "99",
        "price('1999')",
        "price('99')",
        "price('5')",
        "01",
        "price('01')",
    }
    with pytest.raises(UnknownConstantError, match=r"no entity price\('5,000'\)"):
        domain.interpret(parse_program("cheaper(trails(), price('5,000'))"))


class Kitchen(Domain):
    """Verbs of two parts, and questions for what stands behind the verb."""

    name: ClassVar[str] = "kitchen"
    extraction: ClassVar = ("give",)
    preceding: ClassVar = {"give": ["agent"], "say": ["agent"]}
    directional: ClassVar = {"give": ["recipient"], "say": ["what"]}

    @entities(("emma", "liam", "noah"), bare=True)
    def person(self, name: str) -> One[Person]: ...  # type: ignore[empty-body]

    @entities(("lid", "pot", "pan"), bare=True)
    def thing(self, name: str) -> One[Thing]: ...  # type: ignore[empty-body]

    @predicate("what")
    def asked(self) -> One[Thing]: ...  # type: ignore[empty-body]

    @predicate("take ... off")
    def remove(self, what: One[Thing]) -> Event: ...  # type: ignore[empty-body]

    @predicate("take")
    def take(self, what: One[Thing]) -> Event: ...  # type: ignore[empty-body]

    @predicate("take ... up")
    def lift(self, what: One[Thing]) -> Event: ...  # type: ignore[empty-body]

    @predicate("of")
    def part(self, one: One[Thing], of: One[Thing]) -> One[Thing]: ...  # type: ignore[empty-body]

    @predicate("give", "gave")
    def give(  # type: ignore[empty-body]
        self, agent: One[Person], recipient: One[Person], theme: One[Thing]
    ) -> Event: ...

    @predicate("say", "said")
    def say(self, agent: One[Person], what: Event) -> Event: ...  # type: ignore[empty-body]


Dish = NewType("Dish", list)
Menu = NewType("Menu", list)
Spice = NewType("Spice", str)


class Dishes(Domain):
    """Names inside predicates, predicates that need no word, and decorators together."""

    name: ClassVar[str] = "dishes"
    answers = Menu

    @entities(("pepper", "salt"))
    def spice(self, name: str) -> Spice: ...  # type: ignore[empty-body]

    @entities(("lima", "new york"), {"lima": ("lima",)}, inside="origin")
    def city(self, name: str) -> Dish: ...  # type: ignore[empty-body]

    @entities(pattern=r"\d+ [ap]m", bare=True)
    def hour(self, name: str) -> Number: ...  # type: ignore[empty-body]

    @type_shift("dishes", "hot")
    def seasoned(self, spice: Spice) -> Dish: ...  # type: ignore[empty-body]

    @type_shift(of_phrases=True)
    def menu(self, dish: Dish) -> Menu: ...  # type: ignore[empty-body]

    @type_shift(name="and")
    def both(self, *parts: Dish) -> Dish: ...  # type: ignore[empty-body]

    @predicate("soups", name="soup")
    @predicate("cakes", name="cake")
    def kind(self, *, at: Number = default(), with_: Spice = default()) -> Dish: ...  # type: ignore[empty-body]


@cases("language, domain")
def test_what_a_language_declares_is_learned(
    language: str, domain: type[Domain], tmp_path: Path
) -> None:
    pairs, new = (
        {question: program for of, question, program in rows(globals(), language) if of == kind}
        for kind in ("learned", "new")
    )
    parser = learned(domain(), pairs, tmp_path)
    assert_parses(parser, new)
    if domain is Dishes:
        (best,) = parser.parse(["soups at 5 pm"])
        assert str(best.meaning) == "menu(soup(at='5 pm'))"


@cases("program, message")
def test_what_no_program_of_dishes_may_say(program: str, message: str) -> None:
    with pytest.raises(UnknownConstantError, match=re.escape(message)):
        Dishes().interpret(parse_program(program))

"""What languages from outside need: each kind of declaration, learned by a tiny parser."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import ClassVar, NewType

import pytest
from trips import Trips

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


def test_names_with_signs_in_them(tmp_path: Path) -> None:
    pairs = {
        "jobs at most 30": "_<=(jobs(), 30)",
        "jobs up to 400": "_<=(jobs(), 400)",
        "show jobs over 50": ">(jobs(), 50)",
        "which jobs are above 8 ?": "(> (jobs) 8)",
        "what are jobs over 20 paid ?": "(jobs.salary (> (jobs) 20))",
        "the salary of jobs": "jobs.salary(jobs())",
    }
    parser = learned(Salaries(), pairs, tmp_path)
    assert_parses(parser, {"the salary of jobs up to 90": "jobs.salary(_<=(jobs(), 90))"})


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


def test_arguments_with_names(tmp_path: Path) -> None:
    pairs = {
        "emma gave the cake to liam": "give(agent=emma, theme=cake, recipient=liam)",
        "noah gave a book to emma": "give(theme=book, recipient=emma, agent=noah)",
        "liam gave a cake": "give(agent=liam, theme=cake)",
        "liam gave emma the book": "give(agent=liam, recipient=emma, theme=book)",
    }
    parser = learned(Gifts(), pairs, tmp_path)
    assert_parses(
        parser, {"noah gave a cake to liam": "give(agent=noah, theme=cake, recipient=liam)"}
    )


def test_conjunctions_of_any_number_of_parts(tmp_path: Path) -> None:
    pairs = {
        "flights from boston to denver on monday": (
            "and(flight(), from(boston), to(denver), day(monday))"
        ),
        "flights to dallas": "and(flight(), to(dallas))",
        "show flights on friday from denver": "and(from(denver), day(friday), flight())",
        "cheapest flights from dallas": "cheapest(and(flight(), from(dallas)))",
        "fares of flights into boston": "fare(and(to(boston), flight()))",
    }
    parser = learned(Trips(), pairs, tmp_path)
    assert_parses(
        parser,
        {
            "flights on monday to boston from dallas": (
                "and(from(dallas), to(boston), day(monday), flight())"
            )
        },
    )


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


def test_predicates_without_a_word(tmp_path: Path) -> None:
    pairs = {
        "java jobs": "job(language('java'))",
        "jobs in austin": "loc(city('austin'))",
        "python jobs in boston": "and(job(language('python')), loc(city('boston')))",
        "jobs for the oldest language cobol": "job(oldest(language('cobol')))",
        "how many java jobs": "count(job(language('java')))",
        "austin jobs without cobol": "and(loc(city('austin')), without(job(language('cobol'))))",
    }
    parser = learned(Postings(), pairs, tmp_path)
    assert_parses(
        parser,
        {"cobol jobs in austin": "and(job(language('cobol')), loc(city('austin')))"},
    )


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


def test_one_phrase_for_two_arguments(tmp_path: Path) -> None:
    pairs = {
        "emma slept": "sleep(agent=emma)",
        "emma wanted to sleep": "want(agent=emma, what=sleep(agent=emma))",
        "liam wanted noah to smile": "want(agent=liam, what=smile(agent=noah))",
        "noah tried to smile": "try(what=smile(agent=noah), agent=noah)",
        "liam wanted to try to sleep": (
            "want(agent=liam, what=try(agent=liam, what=sleep(agent=liam)))"
        ),
        "noah smiled": "smile(agent=noah)",
    }
    parser = learned(Wishes(), pairs, tmp_path)
    assert_parses(
        parser,
        {
            "liam tried to smile": "try(agent=liam, what=smile(agent=liam))",
            "emma wanted noah to sleep": "want(agent=emma, what=sleep(agent=noah))",
        },
    )


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


def test_numbers_days_and_units(tmp_path: Path) -> None:
    pairs = {
        "trails over 3 km": ">(trails(), length('3 km'))",
        "show trails over 12 kilometres": ">(trails(), length('12 km'))",
        "trails opened before 2001-05-03": "before(trails(), day('2001-05-03'))",
        "trails for less than $5,000": "cheaper(trails(), price('5000'))",
        "trails under $30 .": "cheaper(trails(), price('30'))",
        "the first five trails": "first(trails(), 5)",
        "first 12 trails": "first(trails(), 12)",
        "from 2001-05-03 to 1999-01-01": "between(day('2001-05-03'), day('1999-01-01'))",
        "1998-05-03 until 2000-01-01": "between(day('1998-05-03'), day('2000-01-01'))",
    }
    parser = learned(Trails(), pairs, tmp_path)
    assert_parses(
        parser,
        {
            "trails over 007km": ">(trails(), length('7 km'))",
            "trails under $1,250,000": "cheaper(trails(), price('1250000'))",
            "2011-05-03 to 2011-05-04": "between(day('2011-05-03'), day('2011-05-04'))",
            "first half a dozen or so trails": "first(trails(), 5)",
        },
    )


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


def test_phrases_with_a_gap(tmp_path: Path) -> None:
    pairs = {
        "take the lid": "take(lid)",
        "take the pan off": "remove(pan)",
        "take the pot up": "lift(pot)",
        "take the lid of the pan": "take(part(lid, pan))",
        "take the lid of the pot off": "remove(part(lid, pot))",
    }
    parser = learned(Kitchen(), pairs, tmp_path)
    assert_parses(parser, {"take the lid of the pan up": "lift(part(lid, pan))"})


def test_an_argument_far_in_front(tmp_path: Path) -> None:
    pairs = {
        "noah gave liam a pan": "give(noah, liam, pan)",
        "what did noah give liam": "give(noah, liam, asked())",
        "emma said that noah gave liam the pot": "say(emma, give(noah, liam, pot))",
        "what did emma say that liam gave noah": "say(emma, give(liam, noah, asked()))",
        "what did noah say emma said liam gave emma": (
            "say(noah, say(emma, give(liam, emma, asked())))"
        ),
    }
    parser = learned(Kitchen(), pairs, tmp_path)
    assert_parses(
        parser, {"what did liam say that emma gave noah": "say(liam, give(emma, noah, asked()))"}
    )


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


def test_names_inside_predicates_and_predicates_that_need_no_word(tmp_path: Path) -> None:
    pairs = {
        "soups from lima": "menu(and(soup(), origin(city('lima'))))",
        "new york cakes": "menu(and(cake(), origin(city('new york'))))",
        "salt dishes": "menu(seasoned(spice('salt')))",
        "pepper lima": "menu(and(seasoned(spice('pepper')), origin(city('lima'))))",
        "soups at 5 pm": "(menu (soup :at '5 pm'))",
        "cakes with salt": "(menu (cake :with (spice 'salt')))",
        "cakes at 7 am from lima": "(menu (and (cake :at '7 am') (origin (city 'lima'))))",
    }
    parser = learned(Dishes(), pairs, tmp_path)
    assert_parses(parser, {"pepper dishes": "menu(seasoned(spice('pepper')))"})
    (best,) = parser.parse(["soups at 5 pm"])
    assert str(best.meaning) == "menu(soup(at='5 pm'))"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("menu(city('lima'))", "dishes has city('lima') only inside origin(...)"),
        ("menu(soup(hot='5 pm'))", "no argument that is called hot; there are: at, with"),
    ],
)
def test_what_no_program_of_dishes_may_say(program: str, message: str) -> None:
    with pytest.raises(UnknownConstantError, match=re.escape(message)):
        Dishes().interpret(parse_program(program))

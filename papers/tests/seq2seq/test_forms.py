"""Forms of outputs: queries as RIR and LIR, and programs as production rules."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NewType, TypeVar, overload

import pytest

import partwise.interface.registry as registry
from cases import cases, rows
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.interface.parser import Checkpoints
from partwise.language.domain import Domain, default, entities, predicate, type_shift
from partwise.language.sparql import parse_query
from partwise.language.text import tokenize
from partwise.training.trainer import TrainingConfig
from partwise_papers.seq2seq.config import SYSTEMS, Seq2SeqConfig
from partwise_papers.seq2seq.decoding import END, OutputVocabulary
from partwise_papers.seq2seq.forms import Form
from partwise_papers.seq2seq.parser import FORMS, Seq2SeqParser, form_of
from partwise_papers.seq2seq.rules import Rules, products

# RIR and LIR: what they look like, and that queries come back.


DATA = Path(os.environ.get("PARTWISE_DATA", Path(__file__).parents[4] / "shared" / "data"))
QUERIES = dict(rows(globals(), "QUERIES"))


def learned(name: str, domain: str = "wikidata") -> Form:
    """A form that has seen the queries above."""
    examples: list[Example[Any]] = [Example("?", parse_query(text)) for text in QUERIES]
    return FORMS[name].learn(registry.named_domain(domain), examples)


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize(("name", "place"), [("rir", 0), ("lir", 1)])
def test_queries_are_written_as_expected_and_come_back(text: str, name: str, place: int) -> None:
    form, query = learned(name), parse_query(text)
    assert " ".join(form.tokens(query)) == QUERIES[text][place]
    assert form.meaning(form.tokens(query)) == query


def test_types_of_cfq_are_not_grouped() -> None:
    form = learned("rir", "freebase")
    query = parse_query("SELECT count(*) WHERE { M0 a ns:film.actor . M0 a ns:people.person }")
    assert " ".join(form.tokens(query)[4:-1]) == "M0 a ns:film.actor . M0 a ns:people.person"
    assert form.meaning(form.tokens(query)) == query


def test_variables_are_named_by_mention_whatever_they_were_called() -> None:
    form = learned("lir")
    one = parse_query("ASK WHERE { ?x3 wdt:P58 M0 . ?x3 wdt:P57 ?x1 . ?x1 wdt:P57 M1 }")
    tokens = form.tokens(one)
    assert tokens.count("var") == 2
    assert form.domain.canonical(form.meaning(tokens)) == form.domain.canonical(one)


def test_names_that_differ_by_prefix_only_keep_it() -> None:
    query = parse_query("ASK WHERE { M0 a:P1 M1 . M0 b:P1 M1 . M0 a:P2 M1 }")
    form = FORMS["rir"].learn(registry.named_domain("wikidata"), [Example("?", query)])
    assert " ".join(form.tokens(query)[3:-1]) == "M0 ( a:P1 , P2 , b:P1 ) M1"
    assert form.meaning(form.tokens(query)) == query


@cases("text")
@pytest.mark.parametrize("name", ["rir", "lir"])
def test_what_is_no_query_is_refused(text: str, name: str) -> None:
    with pytest.raises(PartwiseError):
        learned(name).meaning(text.split())


def test_forms_of_queries_are_not_for_programs_and_saved_ones_are_checked() -> None:
    with pytest.raises(PartwiseError, match="for queries"):
        FORMS["lir"].learn(registry.named_domain("geography"), [])
    with pytest.raises(PartwiseError, match="damaged"):
        form_of("rir", registry.named_domain("wikidata"), 7)


@pytest.fixture(scope="module")
def mcwq() -> list[Example[Any]]:
    """Every tenth training example."""
    if not (DATA / "mcwq").is_dir():
        pytest.skip("the MCWQ files are not here")
    info = registry.DATASETS.find("mcwq")
    assert info is not None
    return info.read(DATA / "mcwq", "mcd1").train[::10]


@pytest.mark.parametrize("name", ["rir", "lir"])
def test_training_queries_of_mcwq_come_back(name: str, mcwq: list[Example[Any]]) -> None:
    domain = registry.named_domain("wikidata")
    form = FORMS[name].learn(domain, mcwq)
    form = form_of(name, domain, json.loads(json.dumps(form.to_json())))
    some = {example.meaning for example in mcwq}
    assert all(form.meaning(form.tokens(one)) == one for one in some)


Thing = NewType("Thing", object)
Person = NewType("Person", Thing)
Tool = NewType("Tool", Thing)
Act = NewType("Act", object)
Amount = NewType("Amount", object)
T = TypeVar("T", Person, Tool)


class Workshop(Domain):
    """Subtypes, type variables, overloads, arguments left out or with names, numbers, and "all"."""

    name = "workshop"
    answers = Act | Amount | Person

    @entities(["Ann", "St. Bob"])
    def person(self, name: str, of: Thing = default("_")) -> Person: ...  # type: ignore[empty-body]

    @entities(["saw"], bare=True)
    def tool(self, name: str) -> Tool: ...  # type: ignore[empty-body]

    @entities(pattern=r"\d+", bare=True)
    def amount(self, name: str) -> Amount: ...  # type: ignore[empty-body]

    @predicate("best")
    def best(self, of: T) -> T: ...  # type: ignore[empty-body]

    @predicate("give")
    def give(self, who: Person, *, what: Thing = default(), to: Person = default()) -> Act: ...  # type: ignore[empty-body]

    @overload
    def count(self, of: Person) -> Amount: ...
    @overload
    def count(self, of: Thing, least: Amount) -> Act: ...
    @predicate("count")
    def count(self, of: Thing, least: Amount = default()) -> Any: ...

    @type_shift
    def both(self, *parts: Act) -> Act: ...  # type: ignore[empty-body]


WORKSHOP = tuple(rows(globals(), "WORKSHOP"))


def examples_of(texts: Iterable[str], domain: Domain) -> list[Example[Any]]:
    return [Example("?", domain.read(text)) for text in texts]


def data(name: str, split: str) -> tuple[Domain, list[Example[Any]]]:
    """Training examples, each program once."""
    info = registry.DATASETS.find(name)
    assert info is not None
    if info.make is None and not (DATA / name).is_dir():
        pytest.skip(f"the files of {name} are not here")
    made = info.make(split) if info.make is not None else info.read(DATA / name, split)
    once = {example.meaning: example for example in made.train}
    return registry.named_domain(info.domain), list(once.values())


def learned_rules(domain: Domain, train: Sequence[Example[Any]]) -> Rules:
    """A form as a saved parser has it."""
    form = FORMS["rules"].learn(domain, train)
    saved = form_of("rules", domain, json.loads(json.dumps(form.to_json())))
    assert isinstance(form, Rules)
    assert isinstance(saved, Rules)
    assert saved.productions.rules.keys() == form.productions.rules.keys()
    return saved


def walked(
    form: Rules, train: Sequence[Example[Any]], question: str, tries: int
) -> list[tuple[str, ...]]:
    """Outputs that have come to an end in random walks over what is allowed."""
    outputs = [tokens for one in train if (tokens := tokens_of(form, one)) is not None]
    vocabulary, words = OutputVocabulary.of(outputs), tokenize(question).words
    mask, draw = form.mask(vocabulary, [words]), random.Random(1)
    ended: list[tuple[str, ...]] = []
    for _ in range(tries):
        numbers: list[int] = []
        while len(numbers) < 150:
            allowed = mask(0, numbers)
            assert allowed, form.domain.name
            number = draw.choice(list(allowed))
            if number == END:
                ended.append(tuple(vocabulary.output(numbers, words)))
                break
            numbers.append(number)
    return ended


def tokens_of(form: Rules, example: Example[Any]) -> list[str] | None:
    try:
        return form.tokens(example.meaning)
    except PartwiseError:
        return None


def test_rules_of_the_geography_are_as_expected() -> None:
    domain = registry.named_domain("geography")
    text = "answer(population_1(cityid('new york', stateid('texas'))))"
    (example,) = examples_of([text], domain)
    form = learned_rules(domain, [example])
    assert form.tokens(example.meaning) == [
        # Nothing asks for one of a city alone or of a state alone.
        "Measure[Entity[City]] | Measure[Entity[State]] -> population_1(Inhabited)",
        "Entity[City] -> cityid('...', Entity[State])",
        *("new", "york", "'"),
        "Entity[State] -> stateid('...')",
        *("texas", "'"),
    ]


def test_programs_with_everything_come_back_and_walks_type() -> None:
    domain = Workshop()
    train = examples_of(WORKSHOP, domain)
    form, algebra = learned_rules(domain, train), TypeAlgebra(domain)
    for one in train:
        tokens = form.tokens(one.meaning)
        assert domain.canonical(form.meaning(tokens)) == domain.canonical(one.meaning)
    assert "Tool -> saw" in form.productions.rules
    ended = set(walked(form, train, "give 7 to st. bob", 400))
    assert len(ended) > 50
    assert any("7" in output for output in ended)
    for output in ended:
        algebra.check(domain.read(domain.write(form.meaning(output))))


@cases("name, split, every")
def test_training_programs_come_back_and_walks_type(name: str, split: str, every: int) -> None:
    domain, train = data(name, split)
    form, algebra = learned_rules(domain, train[::every]), TypeAlgebra(domain)
    for one in train[::every]:
        tokens = tokens_of(form, one)
        if tokens is None:
            with pytest.raises(PartwiseError):
                algebra.check(one.meaning)
        else:
            assert domain.canonical(form.meaning(tokens)) == domain.canonical(one.meaning)
    ended = walked(form, train[::every], train[0].question, 60)
    assert len(ended) > 10
    for output in ended:
        algebra.check(domain.read(domain.write(form.meaning(output))))


@pytest.mark.parametrize("cut", [(0, 0), (0, -1), (1, None)])
def test_parts_of_a_derivation_are_refused(cut: tuple[int, int | None]) -> None:
    domain = Workshop()
    train = examples_of(WORKSHOP, domain)
    form = learned_rules(domain, train)
    tokens = form.tokens(train[1].meaning)
    for wrong in (tokens[slice(*cut)], [*tokens, tokens[0]]):
        with pytest.raises(PartwiseError):
            form.meaning(wrong)


def test_only_known_names_are_read() -> None:
    domain = Workshop()
    form = learned_rules(domain, examples_of(WORKSHOP, domain))
    tokens = form.tokens(domain.read("count(person('Ann', _))"))
    with pytest.raises(PartwiseError, match="names no person"):
        form.meaning([one.replace("ann", "eve") for one in tokens])


def test_products_are_exact() -> None:
    rows: Any = {("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 2)}
    made = products(rows)
    assert sum(len(first) * len(second) for first, second in made) == len(rows)
    assert {(one, other) for first, second in made for one in first for other in second} == rows


def test_rules_are_not_for_queries() -> None:
    with pytest.raises(PartwiseError, match="for programs"):
        FORMS["rules"].learn(registry.named_domain("wikidata"), [])


def test_grammar_types_from_the_start_and_reads_back(tmp_path: Path) -> None:
    domain, train = data("geography", "iid")
    train = train[:12]
    sizes: Any = {"hidden": 64, "layers": 1, "dropout": 0.0, "beam": 1, "longest": 60}
    parser = Seq2SeqParser.create(domain, Seq2SeqConfig(**SYSTEMS["grammar"], **sizes))
    parser.prepare(train)
    algebra = TypeAlgebra(domain)
    for one in parser.parse_examples(train):
        if one.meaning is not None:
            algebra.check(one.meaning)
    parser.fit(train, [], TrainingConfig(epochs=10, batch_size=4, head_rate=5e-3), Checkpoints())
    parser.save_pretrained(tmp_path / "grammar")
    again = Seq2SeqParser.from_pretrained(tmp_path / "grammar", domain)
    found = [one.meaning for one in again.parse_examples(train)]
    assert found == [one.meaning for one in parser.parse_examples(train)]
    assert any(found)

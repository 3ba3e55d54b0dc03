"""RIR and LIR: what they look like, and that queries come back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import partwise.interface.registry as registry
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.sparql import parse_query
from partwise_papers.seq2seq.forms import Form
from partwise_papers.seq2seq.parser import FORMS, form_of

DATA = Path(os.environ.get("PARTWISE_DATA", Path(__file__).parents[4] / "shared" / "data"))
QUERIES = {
    "ASK WHERE { ?x0 wdt:P108 M1 . ?x0 wdt:P26 ?x1 . ?x1 wdt:P31 wd:Q95074 . "
    "FILTER ( ?x0 != ?x1 ) }": (
        "ASK WHERE { ?x0 P108 M1 . ?x0 P26 ?x1 . ?x1 P31 Q95074 . FILTER ( ?x0 != ?x1 ) }",
        "ASK WHERE { var P108 M1 . ?x0 P26 var . ?x1 P31 Q95074 }",
    ),
    "ASK WHERE { M0 wdt:P57 M1 . M0 wdt:P57 M2 . M0 wdt:P58 M1 . M0 wdt:P58 M2 }": (
        "ASK WHERE { M0 ( P57 , P58 ) ( M1 , M2 ) }",
        "ASK WHERE { M0 ( P57 , P58 ) ( M1 , M2 ) }",
    ),
    "SELECT DISTINCT ?x0 WHERE { ?x0 wdt:P57 ?x1 . ?x0 wdt:P162|wdt:P272 ?x1 . ?x1 wdt:P26 M0 . "
    "FILTER ( ?x1 != M0 ) }": (
        "SELECT DISTINCT ?x0 WHERE { ?x0 ( P162|P272 , P57 ) ?x1 . ?x1 P26 M0 . "
        "FILTER ( ?x1 != M0 ) }",
        "SELECT DISTINCT ?x0 WHERE { ?x0 ( P162|P272 , P57 ) var . ?x1 P26 M0 }",
    ),
}


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


@pytest.mark.parametrize(
    "text",
    ["", "{ }", "ASK WHERE {", "ASK WHERE { M0 }", "ASK WHERE { M0 P1 M1", "ASK { ( M0 P1 ) M1 }"],
)
@pytest.mark.parametrize("name", ["rir", "lir"])
def test_what_is_no_query_is_refused(text: str, name: str) -> None:
    with pytest.raises(PartwiseError):
        learned(name).meaning(text.split())


def test_forms_of_queries_are_not_for_programs_and_saved_ones_are_checked() -> None:
    with pytest.raises(PartwiseError, match="for queries"):
        FORMS["lir"].learn(registry.named_domain("geography"), [])
    with pytest.raises(PartwiseError, match="damaged"):
        form_of("rir", registry.named_domain("wikidata"), 7)


@pytest.mark.parametrize("name", ["rir", "lir"])
def test_training_queries_of_mcwq_come_back(name: str) -> None:
    if not (DATA / "mcwq").is_dir():
        pytest.skip("the MCWQ files are not here")
    info = registry.DATASETS.find("mcwq")
    assert info is not None
    train = info.read(DATA / "mcwq", "mcd1").train
    domain = registry.named_domain("wikidata")
    form = FORMS[name].learn(domain, train)
    form = form_of(name, domain, json.loads(json.dumps(form.to_json())))
    some = {example.meaning for example in train[::10]}
    assert all(form.meaning(form.tokens(one)) == one for one in some)

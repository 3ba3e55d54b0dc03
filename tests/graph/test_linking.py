"""Names in questions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from languages import domain, mcwq_lines, needs_mcwq

from cases import cases, rows
from partwise import GraphParser, answer
from partwise.domains.films.domain import FILMS
from partwise.errors import ExecutionError
from partwise.graph.linking import Linked, Linker, QuestionLinker, likeliest, with_commas
from partwise.language.graph_domain import Attribute, GraphDomain
from partwise.language.query_graph import ENTITY, QueryGraph, Triple

DOMAIN = domain("linking")
PLAIN = GraphDomain("plain", "sparql", asking=frozenset())
"""Whose words are function words alone."""
NAMES: Mapping[str, Sequence[str]] = {name: iris for name, *iris in rows(globals(), "NAMES")}


@pytest.fixture(scope="module")
def linker() -> Linker:
    return Linker(NAMES, DOMAIN)


def entities(linked: Linked) -> list[str]:
    """IRIs in the order of the question."""
    return [linked.bindings[w] for w in linked.question.split() if ENTITY.fullmatch(w)]


@cases("question, pattern, iris")
def test_names_become_placeholders(linker: Linker, question: str, pattern: str, iris: str) -> None:
    linked = linker.link(question)
    assert linked.question == pattern
    assert entities(linked) == iris.split()


@cases("question, pattern")
def test_the_language_wins_over_names_like_it(linker: Linker, question: str, pattern: str) -> None:
    assert linker.link(question).question == pattern


def test_without_a_domain_only_function_words_win() -> None:
    linker = Linker(NAMES, PLAIN)
    assert linker.link("did her star edit heat").question == "did her M0 edit M1"


def test_words_that_the_language_writes_with_a_capital_win() -> None:
    domain = GraphDomain("films", "sparql", words={"adjective": ("Spanish",), "noun": ("film",)})
    names = {"Spanish": ["f:spanish"], "Film": ["f:film"], "Spanish Night": ["f:night"]}
    linker = Linker(names, domain)
    assert linker.link("Did a Spanish film").question == "Did a Spanish film"
    assert linker.link("Did a spanish Film").question == "Did a spanish M0"
    assert linker.link("Did 'Spanish' edit Spanish Night").question == "Did M0 edit M1"


def test_constants_of_the_domain_are_no_entities() -> None:
    attributes = (
        Attribute("f:country", "f:spanish"),
        Attribute("f:country", "<http://a.example/french>"),
    )
    domain = GraphDomain(
        "films", "sparql", attributes=attributes, prefixes={"f": "http://f.example/"}
    )
    names = {
        "Spanish": ["http://f.example/spanish"],
        "French": ["http://a.example/french", "http://f.example/film"],
        "Dutch": ["f:spanish"],
    }
    linked = Linker(names, domain).link("Did a Spanish Dutch French film")
    assert linked.question == "Did a Spanish M0 M1 film"
    assert linked.bindings == {"M0": "f:spanish", "M1": "http://f.example/film"}
    assert linked.ambiguous == {}


def test_words_of_the_language_keep_their_marks(linker: Linker) -> None:
    assert linker.link("Is a Co-Writer in Heat?").question == "Is a Co-Writer in M0"
    assert linker.link("Is a co-writer, star, or co-pilot?").question == (
        "Is a co-writer , star , or co pilot"
    )


def test_placeholders_that_were_typed_stay() -> None:
    linked = Linker(NAMES, PLAIN).link("Did M1's director edit Heat, Alien, M0 and M5?")
    assert linked.question == "Did M1 's director edit M2 , M3 , M0 , and M5"
    assert linked.bindings == {"M2": "f:heat", "M3": "f:alien"}


def test_ambiguous_names(linker: Linker) -> None:
    linked = linker.link("Did The Twins direct Heat?")
    assert linked.question == "Did M0 direct M1"
    assert linked.bindings == {"M0": "f:twin1", "M1": "f:heat"}
    assert linked.ambiguous == {"M0": ("f:twin1", "f:twin2", "f:twin3")}
    assert linked.names == {"M0": "The Twins", "M1": "Heat"}


def test_an_unambiguous_name_settles_an_ambiguous_one(linker: Linker) -> None:
    linked = linker.link("Did the twins edit Twin One?")
    assert linked.question == "Did M0 edit M0"
    assert linked.ambiguous == {}
    assert linker.link("Did Twin One edit the Twins").ambiguous == {}
    assert linker.link("Did the Twins edit Later Twins").bindings == {
        "M0": "f:twin1",
        "M1": "f:twin3",
    }


def test_names_that_read_alike_are_ambiguous() -> None:
    linked = Linker({"Café": ["f:1"], "CAFE": ["f:2", "f:1"]}, PLAIN).link("Who edited cafe?")
    assert linked.ambiguous == {"M0": ("f:1", "f:2")}


def test_thirty_entities() -> None:
    names = {f"Film Number{i}x": [f"f:{i}"] for i in range(30)}
    linked = Linker(names, PLAIN).link(
        "Who edited " + ", ".join(names).replace(", Film Number29x", "") + " and Film Number29x?"
    )
    expected = " , ".join(f"M{i}" for i in range(29))
    assert linked.question == f"Who edited {expected} , and M29"
    assert linked.bindings == {f"M{i}": f"f:{i}" for i in range(30)}


@cases("typed, expected")
def test_lists(typed: str, expected: str) -> None:
    assert " ".join(with_commas(typed.split())) == expected


(PIECES,) = rows(globals(), "PIECES")


@example(", ,")
@example("M0 , M1 , ,")
@example(", and , &")
@given(
    st.lists(st.sampled_from(PIECES)).map(" ".join) | st.lists(st.sampled_from(PIECES)).map("".join)
)
def test_patterns_are_words_with_blanks_and_bound_placeholders(text: str) -> None:
    linked = Linker(NAMES, DOMAIN).link(text)
    words = linked.question.split(" ") if linked.question else []
    assert all(words)
    assert all(re.fullmatch(r"\w+|'s|,", word) for word in words)
    typed = set(re.findall(r"(?<!\w)M\d+(?!\w)", unicodedata.normalize("NFC", text)))
    assert {w for w in words if ENTITY.fullmatch(w)} == typed | set(linked.bindings)
    assert not typed & set(linked.bindings)
    assert set(linked.names) == set(linked.bindings)
    assert all(linked.bindings[p] == iris[0] for p, iris in linked.ambiguous.items())
    # A pattern is its own pattern.
    assert Linker({}, PLAIN).link(linked.question).question == linked.question


@needs_mcwq
def test_published_patterns_stay_as_they_are() -> None:
    linker = Linker({}, PLAIN)
    questions = {line.split("\t")[0] for line in mcwq_lines("mcd1.test")}
    assert len(questions) > 5000
    assert [q for q in questions if linker.link(q).question != q] == []


FILM, CHARACTER = "http://f/gump", "http://f/gump_character"
LINKED = Linked("Who played M0", {"M0": FILM}, {"M0": (FILM, CHARACTER)}, {"M0": "Gump"})
PLAYED = QueryGraph("select", frozenset({Triple("?x0", "film:plays", "M0")}))


class Store:
    """Knows which queries hold by the IRI in them."""

    def __init__(self, *holds: str) -> None:
        self.holds, self.asked = holds, list[str]()

    def ask(self, query: str) -> bool:
        self.asked.append(query)
        if not self.holds:
            raise ExecutionError("the store is gone")
        return any(f"<{iri}>" in query for iri in self.holds)

    def select(self, query: str, limit: int) -> list[str]:
        raise AssertionError(query)

    def labels(self, iris: object) -> dict[str, str]:
        raise AssertionError(iris)


def test_the_first_that_fits_is_taken() -> None:
    store = Store(CHARACTER)
    found = likeliest(LINKED, PLAYED, replace(FILMS, store=store))
    assert found.bindings == {"M0": CHARACTER}
    assert found.ambiguous == {"M0": (CHARACTER, FILM)}
    assert len(store.asked) == 2


def test_the_usual_one_stays_where_it_fits() -> None:
    store = Store(FILM, CHARACTER)
    assert likeliest(LINKED, PLAYED, replace(FILMS, store=store)) == LINKED
    assert len(store.asked) == 1


@pytest.mark.parametrize("holds", [(), ("http://f/other",)])
def test_where_nothing_fits_or_the_store_fails_all_stays(holds: tuple[str, ...]) -> None:
    assert likeliest(LINKED, PLAYED, replace(FILMS, store=Store(*holds))) == LINKED


def test_other_ends_are_left_open() -> None:
    graph = QueryGraph(
        "ask",
        frozenset({Triple("M0", "film:director", "M1"), Triple("?x0", "film:sequel", "M0")}),
        frozenset({Triple("M1", "film:gender", "film:female")}),
    )
    store = Store(FILM)
    likeliest(LINKED, graph, replace(FILMS, store=store))
    (query,) = store.asked
    assert "M1" not in query
    assert "gender" not in query
    assert query.count("?x") == 2


def test_a_name_that_nothing_is_said_of_is_left_alone() -> None:
    graph = QueryGraph("ask", frozenset({Triple("M1", "film:director", "M2")}))
    store = Store(CHARACTER)
    assert likeliest(LINKED, graph, replace(FILMS, store=store)) == LINKED
    assert store.asked == []


def test_a_character_is_told_from_the_film_of_its_name() -> None:
    films = GraphParser.from_pretrained("films")
    assert str(films("Who played Forrest Gump?")) == "Tom Hanks"
    assert str(films("Who directed Forrest Gump?")) == "Robert Zemeckis"


Rewrite = Callable[[str], list[Linked]]


@pytest.fixture(scope="module")
def typed() -> Rewrite:
    return QuestionLinker(FILMS).rewrite


@cases("question, meant")
def test_fragments_become_questions(typed: Rewrite, question: str, meant: str | None) -> None:
    assert [one.question for one in typed(question)][:1] == ([] if meant is None else [meant])


def test_misspelt_names_and_surnames_are_linked(typed: Rewrite) -> None:
    (first, *_) = typed("who drected rashomno")
    assert first.question == "What directed M0"
    assert next(iter(first.bindings.values())).endswith("#Rashomon")
    assert typed("miyazaki films")[0].question == "What film was directed by M0"


def test_a_word_that_nothing_knows_is_not_passed_over(typed: Rewrite) -> None:
    assert typed("budget of titanic") == []
    assert typed("when was alien released") == []


def test_shipped_parser_answers_and_counts() -> None:
    parser = GraphParser.from_pretrained("films")
    counted, listed, bought, unread = answer(
        parser,
        [
            "how many films did orson welles direct",
            "films directed by orson welles",
            "who acquired Pixar?",
            "weather in paris",
        ],
    )
    assert counted.lines == (str(len(listed.lines)),)
    assert bought.lines == ("Walt Disney Studios",)
    assert unread.lines == ()
    assert unread.reason

"""The phrase table is learned from pairs alone, and orders variables as the question does."""

from __future__ import annotations

from partwise.language.sparql import parse_query
from partwise.language.text import tokenize
from partwise_papers.poset.naming import in_question_order
from partwise_papers.poset.phrases import PhraseTable, phrases
from partwise_papers.poset.sketch import Primitive, said

PAIRS = (
    ("Did M0 direct M1", "ASK WHERE { M1 wdt:P57 M0 }"),
    ("Did M0 write M1", "ASK WHERE { M1 wdt:P58 M0 }"),
    ("Did M0 's sibling write M1", "ASK WHERE { ?x0 wdt:P3373 M0 . M1 wdt:P58 ?x0 }"),
    ("Did a film direct M1", "ASK WHERE { ?x0 wdt:P31 wd:Q11424 . M1 wdt:P57 ?x0 }"),
    (
        "Did M0 's sibling direct a film",
        "ASK WHERE { ?x0 wdt:P31 wd:Q11424 . ?x0 wdt:P57 ?x1 . ?x1 wdt:P3373 M0 }",
    ),
)
TABLE = PhraseTable.learn(
    [(tokenize(q).words, {one for _, one in said(parse_query(text))}) for q, text in PAIRS], 1, 0.2
)
SIBLING, FILM = Primitive("wdt:P3373"), Primitive("wdt:P31", "wd:Q11424")


def test_words_find_what_they_stand_for() -> None:
    found = TABLE.found(tokenize("Did a film write M0 's sibling").words)
    assert {SIBLING, FILM, Primitive("wdt:P58")} <= set(found)
    assert (found[SIBLING][-1], found[FILM][-1]) == (6.0, 2.0)
    assert Primitive("wdt:P57") not in found


def test_words_met_once_stand_for_what_only_their_queries_say() -> None:
    dutch, direct = Primitive("wdt:P27", "wd:Q55"), Primitive("wdt:P57")
    asked = {
        **{"did m0 's dutch sibling write m1": {dutch, SIBLING}, "did m0 direct m1": {direct}},
        **{"did m0 's sibling direct m1": {direct, SIBLING}, "is m0 m1 's sibling": {SIBLING}},
    }
    table = PhraseTable.learn([(q.split(" "), some) for q, some in asked.items()], 2, 0.1).table
    assert dutch in table["dutch"]


def test_phrases_say_more_than_their_words() -> None:
    directed, director = Primitive("wdt:P57"), Primitive("wdt:P106", "wd:Q2526255")
    asked = {
        **{"was m0 a film": FILM, "was m1 a film that": FILM},
        **{"m0 's director": directed, "m1 's director": directed, "did m0 direct": directed},
        **{"was m0 a film director": director, "did a film director": director},
    }
    table = PhraseTable.learn([(q.split(" "), {one}) for q, one in asked.items()], 2, 0.1).table
    assert director in table["film director"]
    for phrase, some in table.items():
        for word in phrase.split(" ") if " " in phrase else ():
            known = table.get(word, {})
            assert all(share > known.get(one, -1.0) + 0.09 for one, share in some.items())


def test_a_table_comes_back_from_json() -> None:
    again = PhraseTable.from_json(TABLE.to_json())
    assert (again.table, again.longest) == (TABLE.table, TABLE.longest)


def test_entities_are_alike_in_phrases() -> None:
    assert list(phrases(("m3", "'s", "m4"), 2)) == [
        *(("M", 0.0), ("'s", 1.0), ("M", 2.0)),
        *(("M 's", 0.5), ("'s M", 1.5)),
    ]


def test_variables_have_numbers_in_the_order_of_the_question() -> None:
    graph = parse_query(PAIRS[-1][1])
    words = tokenize(PAIRS[-1][0]).words
    named = in_question_order(graph, words, TABLE.found(words))
    assert ("?x0", "wdt:P3373", "M0") in named.edges
    assert ("?x1", "wdt:P31", "wd:Q11424") in named.attributes


def test_what_is_asked_for_stays_the_first() -> None:
    graph = parse_query(PAIRS[-1][1].replace("ASK", "SELECT DISTINCT ?x0"))
    words = tokenize(PAIRS[-1][0]).words
    assert in_question_order(graph, words, TABLE.found(words)) == graph

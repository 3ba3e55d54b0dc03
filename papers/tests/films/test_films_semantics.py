"""Trees written by hand: their words, their queries, their rules."""

from __future__ import annotations

import pytest

from partwise.interface.data import RuleGraph
from partwise.language.sparql import parse_query
from partwise_papers.films.grammar import (
    ADJECTIVE_LEAVES,
    ENTITY,
    NOUN_LEAVES,
    ROLE_LEAVES,
    RULE_NAMES,
    VERB_LEAVES,
    Tree,
    entity,
    listed,
    rule_graph,
    words,
)
from partwise_papers.films.semantics import MEANINGS, query_graph


def verb(*bases: str) -> Tree:
    return listed("V", [VERB_LEAVES[base] for base in bases])


def by(*bases: str) -> Tree:
    return listed("BY", [Tree("by", (VERB_LEAVES[base],)) for base in bases])


def role(*names: str) -> Tree:
    return listed("ROLE", [ROLE_LEAVES[name] for name in names])


def entities(*names: str) -> Tree:
    return listed("DP", [entity(name) for name in names])


def noun(word: str, *adjectives: str) -> Tree:
    tree = NOUN_LEAVES[word]
    for adjective in adjectives:
        tree = Tree("adjective noun", (ADJECTIVE_LEAVES[adjective], tree))
    return tree


def a(nbar: Tree) -> Tree:
    return Tree("a", (nbar,))


def that(nbar: Tree, rule: str, *parts: Tree) -> Tree:
    return Tree("relative", (nbar, Tree(rule, parts)))


ONE, TWO, THREE, FOUR = (entity(f"film:{name}") for name in "ABCD")
LIST = entities("film:A", "film:B", "film:C")
CASES = (
    (
        Tree("did", (ONE, Tree("active", (verb("direct", "edit"), LIST)))),
        "Did M0 direct and edit M0 , M1 , and M2",
        "ASK { M0 film:director M0 . M1 film:director M0 . M2 film:director M0 . "
        "M0 film:editor M0 . M1 film:editor M0 . M2 film:editor M0 }",
    ),
    (
        Tree(
            "did",
            (Tree("possessive", (ONE, role("director"))), Tree("active", (verb("play"), TWO))),
        ),
        "Did M0 's director play M1",
        "ASK { M0 film:director ?x0 . ?x0 film:plays M1 }",
    ),
    (
        Tree(
            "were",
            (
                entities("film:A", "film:B"),
                listed(
                    "PASS",
                    [
                        Tree("passive", (verb("write", "direct"), THREE)),
                        Tree("passive each", (by("produce", "edit"), a(noun("actor", "female")))),
                    ],
                ),
            ),
        ),
        "Were M0 and M1 written and directed by M2 and produced by and edited by a female actor",
        "ASK { M0 film:writer M2 . M1 film:writer M2 . M0 film:director M2 . M1 film:director M2 . "
        "M0 film:producer|film:productionCompany ?x0 . M0 film:editor ?x0 . "
        "M1 film:producer|film:productionCompany ?x0 . M1 film:editor ?x0 . "
        "?x0 a film:Actor . ?x0 film:gender film:female }",
    ),
    (
        # One thing of which both sides are said; the pair must differ.
        Tree("was equal", (ONE, Tree("possessive", (TWO, role("spouse"))))),
        "Was M0 M1 's spouse",
        "ASK { M0 film:spouse M1 . FILTER ( M0 != M1 ) }",
    ),
    (
        Tree(
            "was equal", (a(noun("film director")), a(Tree("of", (role("parent", "sibling"), ONE))))
        ),
        "Was a film director a parent and sibling of M0",
        "ASK { ?x0 a film:FilmDirector . ?x0 film:child|film:subsidiary M0 . ?x0 film:sibling M0 . "
        "FILTER ( ?x0 != M0 ) }",
    ),
    (
        Tree("was adjective", (ONE, ADJECTIVE_LEAVES["French"])),
        "Was M0 French",
        "ASK { M0 film:nationality film:French }",
    ),
    (
        Tree("who", (Tree("was past", (Tree("passive", (verb("influence"), ONE)),)),)),
        "Who was influenced by M0",
        "SELECT DISTINCT ?x0 { ?x0 a film:Person . ?x0 film:influencedBy M0 }",
    ),
    (
        # A director's type follows from the predicate, an actor's does not.
        Tree("which noun", (noun("film director"), Tree("active past", (verb("direct"), ONE)))),
        "Which film director directed M0",
        "SELECT DISTINCT ?x0 { M0 film:director ?x0 }",
    ),
    (
        Tree("what noun", (noun("actor"), Tree("active past", (verb("direct"), ONE)))),
        "What actor directed M0",
        "SELECT DISTINCT ?x0 { M0 film:director ?x0 . ?x0 a film:Actor }",
    ),
    (
        # Who produced it may be a company, so the noun says more than the verb.
        Tree("what noun", (noun("film producer"), Tree("active past", (verb("produce"), ONE)))),
        "What film producer produced M0",
        "SELECT DISTINCT ?x0 { M0 film:producer|film:productionCompany ?x0 . "
        "?x0 a film:FilmProducer }",
    ),
    (
        Tree(
            "what did",
            (
                listed(
                    "GAP", [Tree("gap", (e, verb(v))) for e, v in ((ONE, "edit"), (TWO, "write"))]
                ),
            ),
        ),
        "What did M0 edit and M1 write",
        "SELECT DISTINCT ?x0 { ?x0 film:editor M0 . ?x0 film:writer M1 }",
    ),
    (
        Tree("who did", (Tree("gap", (a(noun("film")), verb("star"))),)),
        "Who did a film star",
        "SELECT DISTINCT ?x0 { ?x0 a film:Person . ?x1 film:starring ?x0 . ?x1 a film:Film }",
    ),
    (
        Tree(
            "what noun did",
            (
                that(
                    noun("person"),
                    "that gap",
                    listed(
                        "GAPF",
                        [
                            Tree("gap past", (ONE, verb("employ"))),
                            Tree("gap was", (TWO, verb("influence"))),
                            Tree(
                                "gap were each", (entities("film:C", "film:D"), by("edit", "write"))
                            ),
                        ],
                    ),
                ),
                Tree("gap", (ONE, verb("marry"))),
            ),
        ),
        "What person that M0 employed , M1 was influenced by , and M2 and M3 were edited by and "
        "written by did M0 marry",
        "SELECT DISTINCT ?x0 { ?x0 a film:Person . ?x0 film:employer M0 . "
        "M1 film:influencedBy ?x0 . "
        "M2 film:editor ?x0 . M3 film:editor ?x0 . M2 film:writer ?x0 . M3 film:writer ?x0 . "
        "M0 film:spouse ?x0 . FILTER ( M0 != ?x0 ) }",
    ),
    (
        Tree(
            "which noun did",
            (
                that(
                    noun("film"),
                    "whose",
                    Tree("adjective role", (ADJECTIVE_LEAVES["Dutch"], role("director", "editor"))),
                    Tree("was past", (Tree("passive", (verb("marry"), ONE)),)),
                ),
                Tree("gap", (TWO, verb("distribute"))),
            ),
        ),
        "Which film whose Dutch director and editor was married by M0 did M1 distribute",
        "SELECT DISTINCT ?x0 { ?x0 a film:Film . ?x0 film:director ?x1 . ?x0 film:editor ?x1 . "
        "?x1 film:nationality film:Dutch . M0 film:spouse ?x1 . ?x0 film:distributor M1 . "
        "FILTER ( M0 != ?x1 ) }",
    ),
    (
        Tree(
            "what",
            (
                Tree(
                    "active past",
                    (
                        verb("executive produce"),
                        a(that(noun("film"), "reduced", Tree("passive", (verb("write"), ONE)))),
                    ),
                ),
            ),
        ),
        "What executive produced a film written by M0",
        "SELECT DISTINCT ?x0 { ?x1 film:executiveProducer ?x0 . ?x1 a film:Film . "
        "?x1 film:writer M0 }",
    ),
    (
        Tree(
            "was",
            (
                a(
                    that(
                        noun("company"),
                        "that",
                        Tree("was noun", (a(Tree("of", (role("employer"), ONE))),)),
                    )
                ),
                Tree("passive", (verb("acquire"), TWO)),
            ),
        ),
        "Was a company that was a employer of M0 acquired by M1",
        "ASK { ?x0 a film:Company . M0 film:employer ?x0 . ?x0 film:acquiredBy M1 }",
    ),
)


@pytest.mark.parametrize(("tree", "text", "query"), CASES, ids=[case[1] for case in CASES])
def test_words_and_query(tree: Tree, text: str, query: str) -> None:
    names: dict[str, str] = {}
    assert " ".join(words(tree, names)) == text
    assert query_graph(tree, names) == parse_query(query)


def test_types_can_be_kept() -> None:
    tree, _, query = CASES[7]
    kept = query_graph(tree, {"film:A": "M0"}, implied={})
    assert kept == parse_query(query.replace("}", ". ?x0 a film:FilmDirector }"))


def test_rules_of_a_tree() -> None:
    assert rule_graph(CASES[1][0]) == RuleGraph(
        ("did", "possessive", "entity", "role director", "active", "verb play", "entity"),
        ((0, 1), (1, 2), (1, 3), (0, 4), (4, 5), (4, 6)),
    )


def test_every_phrase_rule_has_a_meaning() -> None:
    # Those of verbs and roles are read where the phrases of their sides are known.
    leaves = {leaf.rule for table in (VERB_LEAVES, ROLE_LEAVES) for leaf in table.values()}
    assert set(RULE_NAMES) - set(MEANINGS) == {
        *leaves,
        *(ENTITY, "adjective role", "by", "and DP", "and ROLE", "and V", "and BY"),
    }
    assert set(MEANINGS) <= set(RULE_NAMES)

"""Tokens, coordinated ones as groups, and trees as fragments."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kitchen import KITCHEN, cut, shown

from partwise.graph.grammar.decomposition import Element, Fragment
from partwise.graph.grammar.tokens import TaggedTokens, Tagger, group
from partwise_papers.domains.wikidata.domain import WIKIDATA

TAGGER = Tagger(KITCHEN)


def test_a_question() -> None:
    tokens = TAGGER("Did M12 's night cook sell a hot soup")
    assert tokens.texts == ("did", "M12", "'s", "night cook", "sell", "a", "hot", "soup")
    assert tokens.spans == ((0, 1), (1, 2), (2, 3), (3, 5), (5, 6), (6, 7), (7, 8), (8, 9))
    assert tokens.classes[1] == {"entity"}
    assert tokens.classes[3] == {"role", "noun", "night cook"}
    assert tokens.classes[4] == {"verb", "sell"}
    assert tokens.classes[5] == {"a"}
    assert len(tokens) == 8


def test_part_of_a_phrase_is_a_word_of_its_own() -> None:
    tokens = TAGGER("night night cook cook")
    assert tokens.texts == ("night", "night cook", "cook")
    assert tokens.classes[0] == {"night"}
    assert tokens.classes[2] == {"verb", "cook"}


def test_no_words() -> None:
    assert len(TAGGER("")) == 0


FILM_TAGGER = Tagger(WIKIDATA)


def members_of(tokens: TaggedTokens, grouping: bool = True, phrases: bool = True) -> list[str]:
    """Groups as text; their members with a blank between."""
    return [
        " ".join(tokens.texts[token] for token in one.tokens)
        for one in group(tokens, grouping, phrases)
    ]


def tags(question: str) -> list[str]:
    return [one.tag for one in group(FILM_TAGGER(question))]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("M0 , M1 , and M2", "M0 M1 M2"),
        ("M0 , M1 and M2", "M0 M1 M2"),
        ("M0 and M1 , M2", "M0 M1|,|M2"),
        ("M0 , and M1", "M0 M1"),
        ("M0 , M1 was", "M0|,|M1|was"),
        ("M0 , M1 ,", "M0|,|M1|,"),
        ("M0 and", "M0|and"),
        ("and M0", "and|M0"),
        ("M0 and directed", "M0|and|directed"),
        ("directed by , edited by , and written by M0", "directed edited written|by by by|M0"),
        ("directed by and written by M0 and M1", "directed written|by by|M0 M1"),
        ("edited and directed by and written by M0", "edited directed|by|and|written|by|M0"),
        ("directed M0 and edited M1", "directed|M0|and|edited|M1"),
        ("M0 edit , M1 write , and M2 direct", "M0|edit|,|M1|write|,|and|M2|direct"),
        ("French and male actor", "french male|actor"),
        ("did and did", "did|and|did"),
        ("M1 's writer and executive producer", "M1|'s|writer executive producer"),
        ("", ""),
    ],
)
def test_groups(question: str, wanted: str) -> None:
    assert "|".join(members_of(FILM_TAGGER(question))) == wanted


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("M0 , M1 , M2 directed", "M0 M1 M2|directed"),
        ("M0 , M1 and directed", "M0 M1|and|directed"),
        ("M0 , directed", "M0|,|directed"),
        ("M0 , M1 and M2", "M0 M1 M2"),
    ],
)
def test_open_lists_need_no_and(question: str, wanted: str) -> None:
    tokens = FILM_TAGGER(question)
    groups = group(tokens, open_=True)
    assert "|".join(" ".join(tokens.texts[n] for n in one.tokens) for one in groups) == wanted


def test_all_tokens_but_joints_are_in_one_group() -> None:
    tokens = FILM_TAGGER("Did M0 , M1 , and M2 edit , direct , and write M3 and star M4 's sibling")
    members = [token for one in group(tokens) for token in one.tokens]
    assert len(members) == len(set(members))
    left = {tokens.texts[n] for n in set(range(len(tokens))) - set(members)}
    assert left == {",", "and"}


def test_switches() -> None:
    tokens = FILM_TAGGER("directed by and written by M0 and M1")
    assert members_of(tokens, phrases=False) == ["directed", "by", "and", "written", "by", "M0 M1"]
    assert members_of(tokens, grouping=False) == list(tokens.texts)


def test_a_group_of_ambiguous_words_has_the_classes_that_all_can_have() -> None:
    assert tags("actor") == ["noun|role"]
    assert tags("director") == ["role"]
    assert tags("actor and director") == ["role"]
    assert tags("actor and film editor") == ["noun"]
    assert tags("actor and cinematographer") == ["noun|role"]
    assert tags("actor , film editor , and director") == ["noun|role", ",", "noun", ",", "and",
                                                          "role"]  # fmt: skip
    assert tags("M0 and M1") == ["entity"]
    assert tags("by") == ["by"]


def test_coordinated_and_repeated_words_distribute() -> None:
    found = cut("did M0 cook , taste , and sell a hot hot soup")
    assert [shown(p) for p in found.fragments] == [
        "Thing: a adjective{hot} noun{soup}",
        "Thing: a adjective{hot} noun{soup}",
        "Verb: verb{cook} Thing",
        "Verb: verb{taste} Thing",
        "Verb: verb{sell} Thing",
        "Question: did Thing Verb",
    ]
    thing, again, *verbs, question = found.fragments
    assert [p.fragment.headed for p in found.fragments] == [True] * 5 + [False]
    assert [thing.tokens, again.tokens] == [((8,), (9,), (11,)), ((8,), (10,), (11,))]
    assert [verb.tokens for verb in verbs] == [((2,), ()), ((4,), ()), ((7,), ())]
    soup, cooking = thing.slots[0][0], verbs[0].slots[0][0]
    assert thing.slots == again.slots == ((soup,),)
    assert {verb.slots for verb in verbs} == {((cooking,), (soup,))}
    assert question.slots == ((-2,), (cooking,))
    assert found.nodes == (soup, cooking)
    assert found.entities == {-2: "M0"}


def test_the_order_of_coordinated_words_and_how_often_they_stand_change_no_fragment() -> None:
    one, other = cut("did M0 cook and taste M1"), cut("did M3 taste , cook , and cook M2")
    assert {p.fragment for p in one.fragments} == {p.fragment for p in other.fragments}
    assert [len(one.fragments), len(other.fragments)] == [3, 4]
    assert len(one.nodes) == len(other.nodes) == 1


def listed(words: list[str]) -> str:
    """``X``, ``X and Y``, or ``X , Y , and Z``."""
    if len(words) < 3:
        return " and ".join(words)
    return f"{' , '.join(words[:-1])} , and {words[-1]}"


some_pasts = st.lists(st.sampled_from(KITCHEN.words["past"]), max_size=3)
some_roles = st.lists(st.sampled_from(KITCHEN.words["role"]), min_size=1, max_size=3)


@settings(max_examples=60)
@given(some_pasts, some_pasts.filter(bool), some_roles, st.sampled_from(["M0", "M0 and M1"]))
def test_pieces_are_those_of_the_words_one_by_one(
    active: list[str], passive: list[str], roles: list[str], owners: str
) -> None:
    clauses = [*active, f"was {listed([f'{word} by' for word in passive])}"]
    found = cut(f"who {listed(clauses)} {owners} 's {listed(roles)}")
    alone: set[Fragment] = set()
    for clause, role in itertools.product([*active, *(f"was {p} by" for p in passive)], roles):
        alone |= {p.fragment for p in cut(f"who {clause} {owners} 's {role}").fragments}
    assert {p.fragment for p in found.fragments} == alone
    assert len(found.fragments) == len(active) + len(passive) + len(roles) + 1
    assert len(found.nodes) == 2
    by_category: dict[str, set[tuple[tuple[int, ...], ...]]] = {}
    for placed in found.fragments:
        by_category.setdefault(placed.fragment.category, set()).add(placed.slots)
    assert all(len(slots) == 1 for slots in by_category.values())


def test_repeated_words_distribute_with_what_else_does() -> None:
    domain = replace(
        KITCHEN,
        words={**KITCHEN.words, "adjective": ("hot", "old")},
        phrases=("Question: adjective+ noun& entity&",),
    )
    found = cut("hot old soup and guest M0 and M1", domain)
    assert [shown(p) for p in found.fragments] == [
        "Question: adjective{hot} noun{soup} entity",
        "Question: adjective{old} noun{soup} entity",
        "Question: adjective{hot} noun{guest} entity",
        "Question: adjective{old} noun{guest} entity",
    ]
    assert {p.slots for p in found.fragments} == {((-6, -8),)}
    assert [p.tokens[:2] for p in found.fragments] == [
        ((0,), (2,)), ((1,), (2,)), ((0,), (4,)), ((1,), (4,)),
    ]  # fmt: skip


def test_phrases_of_entities_alone_are_these_entities() -> None:
    found = cut("did M0 , M3 , and M1 cook M0")
    verb, question = found.fragments
    (head,) = found.nodes
    assert verb.slots == ((head,), (-9,))
    assert question.slots == ((-2, -4, -7), (head,))
    assert question.fragment.elements[1] == Element("Thing", ())
    assert question.tokens == ((0,), (), ())
    assert found.entities == {-2: "M0", -4: "M3", -7: "M1", -9: "M0"}


def test_entities_of_a_piece_have_their_tokens() -> None:
    domain = replace(KITCHEN, phrases=("Question: did entity& verb& entity",))
    (fragment,) = cut("did M4 and M1 cook M4", domain).fragments
    assert fragment.slots == ((-2, -4), (-6,))
    assert fragment.tokens == ((0,), (1, 3), (4,), (5,))
    assert shown(fragment) == "Question: did entity verb{cook} entity"


def test_coordinated_phrases_stand_in_one_slot() -> None:
    found = cut("did M0 cook M1 , sell M2 , and taste a soup")
    *_, question = found.fragments
    verbs = tuple(p.slots[0][0] for p in found.fragments if p.fragment.category == "Verb")
    assert len(verbs) == 3
    assert question.slots == ((-2,), verbs)


def test_parts_that_are_built_differently_distribute() -> None:
    found = cut("who cooked , sold , was tasted by , and was married by M0")
    *pasts, question = found.fragments
    assert [(shown(p), p.tokens) for p in pasts] == [
        ("Past: past{cooked} Thing", ((1,), ())),
        ("Past: past{sold} Thing", ((3,), ())),
        ("Past: was past{tasted} by Thing", ((5,), (6,), (7,), ())),
        ("Past: was past{married} by Thing", ((10,), (11,), (12,), ())),
    ]
    assert {p.slots for p in pasts} == {((question.slots[0][0],), (-14,))}
    assert len(found.nodes) == 1


def test_two_coordinations_distribute_together() -> None:
    domain = replace(
        KITCHEN, phrases=("Question: who (past | was past by)& entity (verb | role of)& entity",)
    )
    found = cut("who cooked and was sold by M0 taste and maker of M1", domain)
    assert {shown(p) for p in found.fragments} == {
        "Question: who past{cooked} entity verb{taste} entity",
        "Question: who past{cooked} entity role{maker} of entity",
        "Question: who was past{sold} by entity verb{taste} entity",
        "Question: who was past{sold} by entity role{maker} of entity",
    }
    assert len(found.fragments) == 4
    assert {p.slots for p in found.fragments} == {((-7,), (-12,))}


def test_coordination_inside_coordination() -> None:
    *pasts, _ = cut("who was cooked and tasted by and sold by M0").fragments
    assert [(shown(p), p.tokens) for p in pasts] == [
        ("Past: was past{cooked} by Thing", ((1,), (2,), (5,), ())),
        ("Past: was past{tasted} by Thing", ((1,), (4,), (5,), ())),
        ("Past: was past{sold} by Thing", ((1,), (7,), (8,), ())),
    ]
    *pasts, _ = cut("who married and was cooked and tasted by M0").fragments
    assert [shown(p) for p in pasts] == [
        "Past: past{married} Thing",
        "Past: was past{cooked} by Thing",
        "Past: was past{tasted} by Thing",
    ]


def test_phrases_inside_each_other() -> None:
    found = cut("was M0 's maker and taster 's seller a guest that M1 cooked")
    assert [shown(p) for p in found.fragments] == [
        "Named: Named 's role{maker}",
        "Named: Named 's role{taster}",
        "Named: Named 's role{seller}",
        "Gap: Thing past{cooked}",
        "Rel: that Gap",
        "Thing: a noun{guest} Rel",
        "Question: was Thing Thing",
    ]
    makers, tasters, sellers, gap, rel, guest, question = found.fragments
    assert makers.slots[1] == (-2,)
    assert tasters.slots == makers.slots
    assert sellers.slots[1] == makers.slots[0]
    assert gap.slots[1] == (-12,)
    assert rel.slots[1] == gap.slots[0]
    assert guest.slots[1] == rel.slots[0]
    assert question.slots == (sellers.slots[0], guest.slots[0])


def test_a_question_that_is_but_a_phrase_has_no_piece_of_its_own() -> None:
    domain = replace(KITCHEN, phrases=("Question: Thing", "Thing: a noun"))
    (fragment,) = cut("a soup", domain).fragments
    assert shown(fragment) == "Thing: a noun{soup}"
    assert fragment.fragment.headed

"""Phrases as pieces: coordination folds and distributes, phrases of nothing but nodes vanish."""

from __future__ import annotations

from dataclasses import replace

from kitchen import KITCHEN, cut, shown

from partwise.phrases.pieces import Element


def test_coordinated_words_fold() -> None:
    found = cut("did M0 cook , taste , and sell a hot hot soup")
    assert [shown(p) for p in found.pieces] == [
        "Thing: a adjective{hot} noun{soup}",
        "Verb: verb{cook, sell, taste} Thing",
        "Question: did Thing Verb",
    ]
    thing, verb, question = found.pieces
    assert [p.piece.headed for p in found.pieces] == [True, True, False]
    assert thing.tokens == ((8,), (9, 10), (11,))
    assert verb.tokens == ((2, 4, 7), ())
    soup, cooking = (p.slots[0][0] for p in (thing, verb))
    assert verb.slots == ((cooking,), (soup,))
    assert question.slots == ((-2,), (cooking,))
    assert found.nodes == (soup, cooking)
    assert found.entities == {-2: "M0"}


def test_the_order_of_coordinated_words_and_how_often_they_stand_are_one_piece() -> None:
    one, other = cut("did M0 cook and taste M1"), cut("did M3 taste , cook , and cook M2")
    assert [p.piece for p in one.pieces] == [p.piece for p in other.pieces]


def test_phrases_of_entities_alone_are_these_entities() -> None:
    found = cut("did M0 , M3 , and M1 cook M0")
    verb, question = found.pieces
    (head,) = found.nodes
    assert verb.slots == ((head,), (-9,))
    assert question.slots == ((-2, -4, -7), (head,))
    assert question.piece.elements[1] == Element("Thing", ())
    assert question.tokens == ((0,), (), ())
    assert found.entities == {-2: "M0", -4: "M3", -7: "M1", -9: "M0"}


def test_entities_of_a_piece_have_their_tokens() -> None:
    domain = replace(KITCHEN, phrases=("Question: did entity& verb& entity",))
    (piece,) = cut("did M4 and M1 cook M4", domain).pieces
    assert piece.slots == ((-2, -4), (-6,))
    assert piece.tokens == ((0,), (1, 3), (4,), (5,))
    assert shown(piece) == "Question: did entity verb{cook} entity"


def test_coordinated_phrases_stand_in_one_slot() -> None:
    found = cut("did M0 cook M1 , sell M2 , and taste a soup")
    *_, question = found.pieces
    verbs = tuple(p.slots[0][0] for p in found.pieces if p.piece.category == "Verb")
    assert len(verbs) == 3
    assert question.slots == ((-2,), verbs)


def test_parts_that_are_built_differently_distribute() -> None:
    found = cut("who cooked , sold , was tasted by , and was married by M0")
    first, second, question = found.pieces
    assert shown(first) == "Past: past{cooked, sold} Thing"
    assert shown(second) == "Past: was past{married, tasted} by Thing"
    assert first.slots == second.slots == ((question.slots[0][0],), (-14,))
    assert len(found.nodes) == 1
    assert first.tokens == ((1, 3), ())
    assert second.tokens == ((5, 10), (6, 11), (7, 12), ())


def test_two_coordinations_distribute_together() -> None:
    domain = replace(
        KITCHEN, phrases=("Question: who (past | was past by)& entity (verb | role of)& entity",)
    )
    found = cut("who cooked and was sold by M0 taste and maker of M1", domain)
    assert {shown(p) for p in found.pieces} == {
        "Question: who past{cooked} entity verb{taste} entity",
        "Question: who past{cooked} entity role{maker} of entity",
        "Question: who was past{sold} by entity verb{taste} entity",
        "Question: who was past{sold} by entity role{maker} of entity",
    }
    assert len(found.pieces) == 4
    assert {p.slots for p in found.pieces} == {((-7,), (-12,))}


def test_coordination_inside_coordination() -> None:
    (only, _) = cut("who was cooked and tasted by and sold by M0").pieces
    assert shown(only) == "Past: was past{cooked, sold, tasted} by Thing"
    first, second, _ = cut("who married and was cooked and tasted by M0").pieces
    assert shown(first) == "Past: past{married} Thing"
    assert shown(second) == "Past: was past{cooked, tasted} by Thing"


def test_phrases_inside_each_other() -> None:
    found = cut("was M0 's maker and taster 's seller a guest that M1 cooked")
    assert [shown(p) for p in found.pieces] == [
        "Named: Named 's role{maker, taster}",
        "Named: Named 's role{seller}",
        "Gap: Thing past{cooked}",
        "Rel: that Gap",
        "Thing: a noun{guest} Rel",
        "Question: was Thing Thing",
    ]
    makers, sellers, gap, rel, guest, question = found.pieces
    assert makers.slots[1] == (-2,)
    assert sellers.slots[1] == makers.slots[0]
    assert gap.slots[1] == (-12,)
    assert rel.slots[1] == gap.slots[0]
    assert guest.slots[1] == rel.slots[0]
    assert question.slots == (sellers.slots[0], guest.slots[0])


def test_a_question_that_is_but_a_phrase_has_no_piece_of_its_own() -> None:
    domain = replace(KITCHEN, phrases=("Question: Thing", "Thing: a noun"))
    (piece,) = cut("a soup", domain).pieces
    assert shown(piece) == "Thing: a noun{soup}"
    assert piece.piece.headed

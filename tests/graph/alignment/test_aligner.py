"""Alignments of phrases with gold graphs: all there are, the right one of several, or none."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import pytest
from align_twin import all_alignments, members
from hypothesis import given, settings
from hypothesis import strategies as st
from kitchen import cut, graph, shown

from partwise.graph.alignment.aligner import Aligner, Alignment, _best
from partwise.graph.alignment.corpus import align_all, edges_at
from partwise.graph.alignment.ibm1 import SURE, FragmentCounts, IbmModel1, Incidence, content
from partwise.graph.alignment.links import Images
from partwise.graph.grammar.decomposition import Decomposition, Fragment
from partwise.language.query_graph import QueryGraph, Triple

QUESTIONS = (
    "did M0 cook M1",
    "did M0 and M1 cook M2",
    "did M0 and M1 marry and taste M0",
    "who cooked M0 and was married by M1",
    "who cooked M0 's maker",
    "was M0 M1 's maker",
    "was M0 M0 's maker and seller",
    "was a soup that M0 cooked M1",
    "did M0 cook M1 and marry a guest",
    "was M0 and M1 M2 and M3 's maker",
)


def aligned(question: str, gold: QueryGraph) -> list[Alignment]:
    return Aligner(IbmModel1()).align(cut(question), gold)


def frozen(images: Images) -> frozenset:
    return frozenset(images.items())


@st.composite
def explained(draw: st.DrawFn) -> tuple[Decomposition, QueryGraph]:
    """A question, and a graph that some choice of nodes explains, or something close to it."""
    fragments = cut(draw(st.sampled_from(QUESTIONS)))
    names = sorted({*fragments.entities.values(), "?x0", "?x1"})
    images: Images = {node: (name,) for node, name in fragments.entities.items()}
    images |= {node: (draw(st.sampled_from(names)),) for node in fragments.nodes}
    edges = set()
    labels = st.sampled_from(["p", "p", "pq", "q", ""])
    for placed in fragments.fragments:
        for one, other in itertools.combinations(placed.slots, 2):
            there, back = draw(labels), draw(labels)
            for left, right in itertools.product(members(one, images), members(other, images)):
                for a, b in itertools.product(left, right):
                    edges |= {Triple(a, p, b) for p in there if a != b}
                    edges |= {Triple(b, p, a) for p in back if a != b}
    if draw(st.booleans()) and edges:
        edges.discard(draw(st.sampled_from(sorted(edges))))
    return fragments, QueryGraph("ask", frozenset(edges))


@settings(max_examples=250)
@given(explained())
def test_alignments_are_those_of_brute_force(pair: tuple[Decomposition, QueryGraph]) -> None:
    fragments, gold = pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partwise.graph.alignment.aligner.BEAM", 10**6)
        found = Aligner(IbmModel1()).align(fragments, gold)
    wanted = {frozen(images) for images in all_alignments(fragments, gold)}
    assert {frozen(one.images) for one in found} == wanted
    assert len(found) == len(wanted)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_an_edge_of_one_of_coordinated_entities_is_not_explained() -> None:
    married = ("M0 wed M2", "M1 wed M2")
    assert aligned("did M0 and M1 marry M2", graph(*married))
    assert aligned("did M0 and M1 marry M2", graph(*married, "M2 wed M0")) == []
    assert aligned("did M0 and M1 marry M2", graph(*married, "M2 wed M0", "M2 wed M1"))


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        # An entity of the question that the graph knows nothing of.
        ("did M0 cook M1", graph("M0 made M2", "M2 made M0")),
        # Nothing holds the entities together.
        ("did M0 cook M1", graph("M0 made M2", "M1 made M3")),
        # A variable of which no phrase speaks.
        ("did M0 cook M1", graph("M1 made M0", "M1 made ?x1")),
        ("did M0 cook M1", graph("M1 made M0", attributes=("?x1 type Soup",))),
        # Too far apart.
        ("was M0 M1 's maker", graph("M1 a ?x1", "?x1 b ?x2", "?x2 c M0")),
    ],
)
def test_graphs_that_no_phrases_explain(question: str, gold: QueryGraph) -> None:
    assert aligned(question, gold) == []


def test_the_beam_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def kept(beam: Iterable[Alignment]) -> list[Alignment]:
        some = _best(beam)
        sizes.append(len(some))
        return some

    monkeypatch.setattr("partwise.graph.alignment.aligner._best", kept)
    names = ["M0", "M1", "M2", "M3", "?x1", "?x2"]
    dense = [f"{a} p {b}" for a in names for b in names if a != b]
    question = "was M0 's maker 's seller 's maker M1 's seller 's taster 's maker"
    fragments = cut(question)
    for beam in (3, 48):
        sizes.clear()
        monkeypatch.setattr("partwise.graph.alignment.aligner.BEAM", beam)
        small = graph(*(edge for edge in dense if "M2" not in edge and "M3" not in edge))
        found = Aligner(IbmModel1()).align(fragments, small)
        assert len(found) <= beam
        assert max(sizes) == beam


def learned(
    *examples: tuple[str, QueryGraph],
) -> tuple[dict[str, FragmentCounts], list[int | None]]:
    """Counts by fragment, and which trees were aligned."""
    done = align_all([([cut(question)], gold) for question, gold in examples])
    return {shown(fragment): counts for fragment, counts in done.fragments.items()}, done.chosen


PASTS = ("cooked", "tasted", "married")
TEACHING = (
    ("who cooked M0", graph("M0 made ?x0")),
    ("who tasted M1", graph("?x0 ate M1")),
    ("who cooked M2 and tasted M1", graph("M2 made ?x0", "?x0 ate M1")),
    ("who sold M0", graph("?x0 sold M0")),
)


def test_association_says_which_edge_a_word_means() -> None:
    """Both edges are between the same two nodes; "tasted" means the one that it means alone."""
    fragments, chosen = learned(
        *TEACHING,
        ("who cooked and was tasted by M0", graph("M0 made ?x0", "M0 ate ?x0")),
        ("who was cooked by M0", graph("?x0 made M0")),
    )
    assert None not in chosen
    assert set(fragments["Past: past{cooked} Thing"].labels) == {((0, 1), ("made", False))}
    assert set(fragments["Past: was past{tasted} by Thing"].labels) == {((0, 1), ("ate", False))}


def test_association_says_where_a_phrase_stands() -> None:
    """Either the clause or its subject may be the soup; verbs decide, for all clauses alike."""
    fragments, _ = learned(
        ("did M2 cook M0", graph("M0 made M2")),
        ("did M1 sell M2", graph("M1 sold M2")),
        ("did M1 cook and sell M0", graph("M0 made M1", "M1 sold M0")),
    )
    cook, sell = (fragments[f"Verb: verb{{{word}}} Thing"].labels for word in ("cook", "sell"))
    question = fragments["Question: did Thing Verb"].labels
    assert cook == {((0, 1), ("made", False)): 2}
    assert sell == {((0, 1), ("sold", True)): 2}
    assert question == {((0, 1), ("=", True)): 3}


def test_coordinated_words_share_the_edges_out() -> None:
    """One of three words was never seen alone; what is left is its own."""
    fragments, _ = learned(
        *TEACHING,
        ("who cooked , tasted , and married M0", graph("M0 made ?x0", "?x0 ate M0", "?x0 wed M0")),
    )
    labels = {word: fragments[f"Past: past{{{word}}} Thing"].labels for word in PASTS}
    assert {word: set(some) for word, some in labels.items()} == {
        "cooked": {((0, 1), ("made", False))},
        "tasted": {((0, 1), ("ate", True))},
        "married": {((0, 1), ("wed", True))},
    }
    assert fragments["Past: past{married} Thing"].times == 1


def test_an_edge_that_is_all_there_is_to_say_is_said_by_each() -> None:
    """Shared out, one of two fragments would be left with nothing, and fall apart."""
    (one,) = aligned("who tasted and was married by M0", graph("?x0 wed M0"))[:1]
    fragments = cut("who tasted and was married by M0")
    between = {("?x0", "M0"): [Triple("?x0", "wed", "M0")]}
    tasted, married, _ = fragments.fragments
    links, triples = Aligner(IbmModel1()).links([tasted, married], one.images, between)
    assert links == [{(0, 1): {("wed", True)}}] * 2
    assert triples == {Triple("?x0", "wed", "M0")}


def test_a_piece_that_was_seen_alone_decides_the_next_round() -> None:
    known = IbmModel1()
    fragments = cut("who cooked M0")
    fragment = fragments.fragments[0].fragment
    counts = FragmentCounts(4.0)
    counts.labels[(0, 1), ("made", False)] = 3
    before = known.score(fragment, (0, 1), ("made", False))
    known.observe({fragment: counts})
    assert known.score(fragment, (0, 1), ("made", False)) == pytest.approx(-0.2876820724517809)
    assert known.score(fragment, (0, 1), ("ate", False)) == pytest.approx(before - 1.0)


def test_ibm_one_by_hand() -> None:
    """Two questions, one of them with both words: the sums of each round by hand."""
    pairs = [
        (cut("who cooked M0"), graph("M0 made ?x0")),
        (cut("who cooked and tasted M0"), graph("M0 made ?x0", "?x0 ate M0")),
    ]
    table = IbmModel1(1).learn(pairs).table
    cooked, tasted = "past:cooked", "past:tasted"
    # Words of the second question share each label alike in the first round.
    assert table[cooked, "made"] == pytest.approx(1.5 / 2.0)
    assert table[cooked, "ate"] == pytest.approx(0.5 / 2.0)
    assert table[tasted, "made"] == pytest.approx(0.5)
    more = IbmModel1(2).learn(pairs).table
    made = 1.0 + 0.75 / 1.25, 0.5 / 1.25
    ate = 0.25 / 0.75, 0.5 / 0.75
    assert more[cooked, "made"] == pytest.approx(made[0] / (made[0] + ate[0]))
    assert more[tasted, "ate"] == pytest.approx(ate[1] / (made[1] + ate[1]))
    assert IbmModel1(9).learn(pairs).table[cooked, "made"] > more[cooked, "made"]


def test_attributes_that_words_tell_of() -> None:
    """A word has an attribute that comes with it in most of its questions, by what is expected."""
    soup = ("?x0 type Soup",)
    pairs = [
        (cut("did M0 cook a soup"), graph("?x0 made M0", attributes=soup)),
        (cut("did M0 taste a soup"), graph("M0 ate ?x0", attributes=soup)),
        (cut("did M0 cook M1"), graph("M1 made M0")),
        (cut("did M0 taste M1"), graph("M0 ate M1")),
    ]
    found = IbmModel1().learn(pairs)
    assert set(found.attributes) == {"noun:soup"}
    share = found.attributes["noun:soup"]["type", "Soup"]
    assert 0.9 < share < 1.0
    fragment = cut("did M0 cook a soup").fragments[0].fragment
    assert found.bearing(fragment, {("type", "Soup")}) == ({("type", "Soup")}, math.log(share))
    said, score = found.bearing(fragment, ())
    assert said == {("type", "Soup")}
    assert score == pytest.approx(math.log(max(1.0 - share, SURE)))


def test_attributes_say_where_a_phrase_stands() -> None:
    """Edges alone leave open which of two variables is the soup: the taster, or what was sold."""
    taught = [
        ("did M0 sell a soup", graph("M0 sold ?x0", attributes=("?x0 type Soup",))),
        ("did M0 cook a soup", graph("?x0 made M0", attributes=("?x0 type Soup",))),
        ("did M0 cook M1", graph("M1 made M0")),
        ("did M0 sell M1", graph("M0 sold M1")),
    ]
    pairs = [(cut(question), gold) for question, gold in taught]
    associations = IbmModel1().learn(pairs)
    fragments = cut("did a soup marry a guest")
    gold = graph("?x0 wed ?x1", attributes=("?x1 type Soup", "?x0 type Guest"))
    found = Aligner(associations).align(fragments, gold)
    (soup,) = (p.slots[0][0] for p in fragments.fragments if shown(p) == "Thing: a noun{soup}")
    right = max(one.score for one in found if one.images[soup] == ("?x1",))
    wrong = max(one.score for one in found if one.images[soup] == ("?x0",))
    assert right > wrong + 3.0


def test_content_words() -> None:
    fragments = [
        placed.fragment for placed in cut("who cooked a soup and was sold by M0").fragments
    ]
    by_text: dict[str, Fragment] = {shown(fragment): fragment for fragment in fragments}
    assert content(by_text["Past: was past{sold} by Thing"]) == ("past:sold",)
    assert content(by_text["Thing: a noun{soup}"]) == ("noun:soup",)
    assert content(by_text["Question: who Past"]) == ()


def test_of_several_trees_the_one_that_explains_is_chosen() -> None:
    right, wrong = cut("was M0 's maker 's seller M1"), cut("was M0 M1")
    gold = graph("M0 made ?x1", "?x1 sold ?x2", "?x2 wed M1")
    chosen = align_all([([wrong, right], gold), ([], gold), ([wrong], gold)]).chosen
    assert chosen == [1, None, None]


def test_contexts_tell_what_nodes_bear() -> None:
    soup = graph("?x0 ate ?x1", attributes=("?x1 type Soup", "?x0 type Guest"))
    hot = graph("?x0 ate ?x1", attributes=("?x1 type Soup", "?x0 type Guest", "?x1 hot Yes"))
    # Who tasted whom is told by questions with entities.
    teaching = [([cut("who tasted M0")], graph("?x0 ate M0"))] * 4
    question = [cut("who tasted a soup")]
    done = align_all([*teaching, (question, soup), (question, hot)])
    named = {
        frozenset((shown(fragment), slot) for fragment, slot in said): spoken
        for (said, _), spoken in done.contexts.items()
    }
    edges = {
        (shown(fragment), slot): some for said, some in done.contexts for fragment, slot in said
    }
    thing = next(s for places, s in named.items() if ("Thing: a noun{soup}", 0) in places)
    asked = next(s for s in named.values() if ("type", "Guest") in s.attributes)
    assert (thing.times, thing.answers) == (2, 0)
    assert thing.attributes == {("type", "Soup"): 2, ("hot", "Yes"): 1}
    assert (asked.times, asked.answers) == (6, 6)
    assert asked.attributes == {("type", "Guest"): 2}
    # The verb phrase describes the one who tasted, and what was tasted only names.
    tasted, soup = Incidence("ate", True, True), Incidence("ate", False, False)
    assert edges["Past: past{tasted} Thing", 0] == (tasted,)
    assert edges["Past: past{tasted} Thing", 1] == (soup,)
    assert edges["Thing: a noun{soup}", 0] == (soup,)


def test_edges_at_a_slot() -> None:
    links = {(0, 1): {("p", True), ("=", True)}, (0, 2): {("q", False)}, (1, 2): {("r", True)}}
    assert edges_at(0, links) == {("p", True, True), ("q", False, True)}
    assert edges_at(1, links) == {("p", False, False), ("r", True, False)}
    assert edges_at(2, links) == {("q", True, False), ("r", False, False)}

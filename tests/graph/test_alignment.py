"""Alignments of phrases with gold graphs: all there are, the right one of several, or none.

And fragments completed by analogy: what two frames show of each other, and when they do not.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable

import pytest
from align_twin import all_alignments, members
from hypothesis import given, settings
from hypothesis import strategies as st
from kitchen import cut, graph, shown
from languages import mcwq_lines, needs_mcwq
from processes import run_python

from cases import cases, rows
from partwise.domains.films.domain import PHRASES
from partwise.graph.alignment import (
    SURE,
    Aligner,
    Alignment,
    FragmentCounts,
    IbmModel1,
    Images,
    Incidence,
    Label,
    _best,
    align_all,
    complete,
)
from partwise.graph.grammar.decomposition import (
    ConstituencyParser,
    Decomposition,
    Element,
    Fragment,
)
from partwise.graph.grammar.tokens import Tagger
from partwise.language.query_graph import QueryGraph, Triple
from partwise.language.sparql import parse_query
from partwise_papers.domains.wikidata.domain import WIKIDATA

QUESTIONS = tuple(rows(globals(), "QUESTIONS"))


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
        patch.setattr("partwise.graph.alignment.BEAM", 10**6)
        found = Aligner(IbmModel1()).align(fragments, gold)
    wanted = {frozen(images) for images in all_alignments(fragments, gold)}
    assert {frozen(one.images) for one in found} == wanted
    assert len(found) == len(wanted)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@cases("question, gold")
def test_graphs_that_no_phrases_explain(question: str, gold: QueryGraph) -> None:
    assert aligned(question, gold) == []


def test_the_beam_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def kept(beam: Iterable[Alignment]) -> list[Alignment]:
        some = _best(beam)
        sizes.append(len(some))
        return some

    monkeypatch.setattr("partwise.graph.alignment._best", kept)
    names = ["M0", "M1", "M2", "M3", "?x1", "?x2"]
    dense = [f"{a} p {b}" for a in names for b in names if a != b]
    question = "was M0 's maker 's seller 's maker M1 's seller 's taster 's maker"
    fragments = cut(question)
    for beam in (3, 48):
        sizes.clear()
        monkeypatch.setattr("partwise.graph.alignment.BEAM", beam)
        small = graph(*(edge for edge in dense if "M2" not in edge and "M3" not in edge))
        found = Aligner(IbmModel1()).align(fragments, small)
        assert len(found) <= beam
        assert max(sizes) == beam


@cases("taught, labels")
def test_what_fragments_say(taught: list[list[str]], labels: dict[str, list]) -> None:
    """Each fragment one label from its first slot to its second, and how often where it matters."""
    done = align_all([([cut(question)], graph(*edges)) for question, *edges in taught])
    assert None not in done.chosen
    fragments = {shown(fragment): counts for fragment, counts in done.fragments.items()}
    for fragment, (predicate, forward, *times) in labels.items():
        counts = fragments[fragment]
        assert set(counts.labels) == {((0, 1), (predicate, forward))}
        assert [(counts.times, counts.labels.total())] * len(times) == [(n, n) for n in times]


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


Seen = dict[Fragment, FragmentCounts]


def owned(word: str) -> Fragment:
    """``Thing 's role``."""
    parts = (Element("Thing", ()), Element("'s", ("'s",)), Element("role", (word,)))
    return Fragment("Owner", parts, True)


def of(word: str, article: str = "a") -> Fragment:
    """``a role of Thing``."""
    parts = Element(article, (article,)), Element("role", (word,)), Element("of", ("of",))
    return Fragment("Thing", (*parts, Element("Thing", ())), True)


def having(word: str) -> Fragment:
    """``with role Thing``: the other end is the phrase's own node."""
    parts = Element("with", ("with",)), Element("role", (word,)), Element("Thing", ())
    return Fragment("Rel", parts, True)


def counted(times: float, **labels: float) -> FragmentCounts:
    """``counted(4, made=3)``; with a bar at its end, from the second slot to the first."""
    named = {((0, 1), (name.rstrip("_"), name[-1] != "_")): n for name, n in labels.items()}
    return FragmentCounts(times, Counter(named))


def said(*labels: Label) -> FragmentCounts:
    """What is completed is as if it had been seen once."""
    return FragmentCounts(1.0, Counter({((0, 1), label): 1 for label in labels}))


SHARED: Seen = {
    owned("maker"): counted(2, made_=2),
    owned("seller"): counted(9, sold_=8, made_=1),
    owned("taster"): counted(1, ate_=1, paid=1),
}


@cases("seen, completed")
def test_frames_that_show_something_of_each_other(seen: list, completed: list) -> None:
    """Frames and words, how often they were seen and with what; what is completed, and how."""
    frames = {"owned": owned, "of": of, "having": having}
    counts = {frames[frame](word): counted(times, **labels) for frame, word, times, labels in seen}
    before = dict(counts)
    wanted = {frames[name](word): said(*map(tuple, labels)) for name, word, *labels in completed}
    assert complete(counts) == wanted
    assert counts == before


def test_pieces_that_are_no_frames() -> None:
    """Classes whose words bear no edges, and fragments of one or of three slots, show nothing."""

    def soup(noun: str, before: str) -> Fragment:
        parts = Element(before, (before,)), Element("noun", (noun,)), Element("Rel", ())
        return Fragment("Thing", parts, True)

    same = FragmentCounts(3.0, Counter({((0, 1), ("=", True)): 3}))
    nouns = {soup(noun, "a"): same for noun in ("soup", "guest", "salt")}
    assert complete(nouns | {soup(noun, "the"): same for noun in ("soup", "guest")}) == {}

    def asked(role: str, *more: Element) -> Fragment:
        return Fragment("Question", (Element("role", (role,)), *more), False)

    one, three = (Element("Thing", ()),), (Element("Thing", ()),) * 3
    for slots in (one, three):
        roles = {
            asked("maker", *slots): counted(1, made_=1),
            asked("seller", *slots): counted(1, sold_=1),
        }
        assert complete(SHARED | roles) == {}


def test_other_words_of_a_frame_do_not_matter() -> None:
    """ "who" and "what" are of one class, which bears no edges: the frame is the same."""

    def asks(who: str, role: str) -> Fragment:
        parts = Element("pronoun", (who,)), Element("role", (role,)), Element("Thing", ())
        return Fragment("Asked", parts, True)

    seen = SHARED | {
        asks("who", "maker"): counted(1, made_=1),
        asks("what", "seller"): counted(1, sold_=1),
        Fragment("Asked", (Element("pronoun", ("who",)), Element("Rel", ())), True): counted(1),
    }
    assert complete(seen) == {asks("who", "taster"): said(("ate", False), ("paid", True))}


FRAMES = (owned, of, having, lambda word: of(word, "the"), lambda word: of(word, "any"))
ROLES = tuple("abcdef")


@settings(max_examples=200)
@given(st.data())
def test_what_is_shown_without_contradiction_is_completed_rightly(data: st.DataObject) -> None:
    """Each word has edges of its own, each frame turns them or does not; some were seen."""
    turned = [data.draw(st.booleans()) for _ in FRAMES]
    seen_in = [data.draw(st.sets(st.sampled_from(ROLES), min_size=1)) for _ in FRAMES]
    back = {word: data.draw(st.booleans()) for word in ROLES}

    def meaning(frame: int, word: str) -> tuple[Label, ...]:
        labels: list[Label] = [(word, True)] + ([(f"{word}{word}", False)] if back[word] else [])
        return tuple((name, forth != turned[frame]) for name, forth in labels)

    seen: Seen = {
        FRAMES[frame](word): said(*meaning(frame, word))
        for frame, words in enumerate(seen_in)
        for word in words
    }
    wanted = {
        FRAMES[frame](word): said(*meaning(frame, word))
        for frame, mine in enumerate(seen_in)
        for other in seen_in
        if other is not mine and len(mine & other) >= 2
        for word in other - mine
    }
    found = complete(seen)
    assert found == wanted
    assert not set(found) & set(seen)
    items = list(seen.items())
    random.Random(len(items)).shuffle(items)
    assert complete(dict(items)) == found


SCRIPT = """
from test_alignment import SHARED, complete, counted, of, owned
words = "bcdefgh"
seen = SHARED | {owned(w): counted(1, **{w: 1, w + w + "_": 1, "x": 1}) for w in words}
seen |= {of("maker"): counted(3, made_=3), of("seller"): counted(1, sold_=1)}
print([(repr(fragment), list(c.labels.items())) for fragment, c in complete(seen).items()])
"""


def test_every_process_completes_alike() -> None:
    printed = {run_python(SCRIPT, seed) for seed in (0, 1, 2)}
    (only,) = printed
    assert only.count("Fragment(") == 8


SPLITS = ("mcd1", "mcd2", "mcd3", "random")
SAMPLE, TO_ALIGN = 800, 600


@pytest.fixture(scope="module")
def sample() -> list[tuple[str, str, list[Decomposition]]]:
    """Training questions of all splits, their queries, and the fragments of their trees."""
    rng = random.Random(11)
    tagger, parser = Tagger(WIKIDATA), ConstituencyParser(PHRASES, 8)
    found = []
    for split in SPLITS:
        for line in rng.sample(mcwq_lines(f"{split}.train"), SAMPLE // len(SPLITS)):
            question, query, _ = line.rstrip("\n").split("\t")
            tokens = tagger(question)
            found.append((question, query, [cut for _, cut in parser.trees(tokens)]))
    return found


@needs_mcwq
def test_all_questions_have_a_phrase_tree(
    sample: list[tuple[str, str, list[Decomposition]]],
) -> None:
    assert len(sample) == SAMPLE
    assert [question for question, _, trees in sample if not trees] == []


@needs_mcwq
def test_phrases_align_with_the_gold_graphs(
    sample: list[tuple[str, str, list[Decomposition]]],
) -> None:
    pairs: list[tuple[list[Decomposition], QueryGraph]] = [
        (trees, parse_query(query)) for _, query, trees in random.Random(3).sample(sample, TO_ALIGN)
    ]
    chosen = align_all(pairs).chosen
    assert sum(place is not None for place in chosen) > 0.995 * TO_ALIGN

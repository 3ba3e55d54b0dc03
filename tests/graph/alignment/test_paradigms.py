"""Fragments completed by analogy: what two frames show of each other, and when they do not."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kitchen import cut, graph, shown
from processes import run_python

from partwise.graph.alignment.corpus import align_all
from partwise.graph.alignment.ibm1 import FragmentCounts, Label
from partwise.graph.alignment.paradigms import complete
from partwise.graph.grammar.decomposition import Element, Fragment

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


def test_frames_that_say_the_same() -> None:
    seen = SHARED | {of("maker"): counted(3, made_=3), of("seller"): counted(1, sold_=1)}
    assert complete(seen) == {of("taster"): said(("ate", False), ("paid", True))}


def test_frames_that_say_the_same_the_other_way_round() -> None:
    seen = SHARED | {having("maker"): counted(3, made=3), having("seller"): counted(1, sold=1)}
    assert complete(seen) == {having("taster"): said(("ate", True), ("paid", False))}


def test_edges_in_both_directions_count_as_the_same() -> None:
    both = {"wed": 1.0, "wed_": 1.0}
    seen = {
        owned("wife"): counted(1, **both),
        owned("friend"): counted(1, met=1, met_=1),
        owned("taster"): counted(1, ate_=1),
        of("wife"): counted(1, **both),
        of("friend"): counted(1, met=1, met_=1),
    }
    assert complete(seen) == {of("taster"): said(("ate", False))}


@pytest.mark.parametrize(
    "other",
    [
        # One word shows too little.
        {of("maker"): counted(3, made_=3)},
        # So does none.
        {of("cook"): counted(3, cooked=3)},
        # Two words say different things of the frames.
        {of("maker"): counted(1, made_=1), of("seller"): counted(1, sold=1)},
        # Neither says anything of them.
        {of("maker"): counted(1, sent=1), of("seller"): counted(1, met=1)},
        # A label that stood there in half of all cases is not meant.
        {of("maker"): counted(1, made_=1), of("seller"): counted(2, sold_=1)},
    ],
)
def test_frames_that_show_nothing(other: Seen) -> None:
    completed = {fragment for fragment in complete(SHARED | other) if fragment.category == "Thing"}
    assert completed == set()


@pytest.mark.parametrize(("agree", "done"), [(2, True), (1, False)])
def test_most_shared_words_must_agree(agree: int, done: bool) -> None:
    """Of three words two agree (0.67), or one (0.33)."""
    words = ("maker", "seller", "taster")
    owns = {owned(word): counted(1, **{f"{word}_": 1}) for word in (*words, "cook")}
    others = {
        of(word): counted(1, **{f"{word if number < agree else 'other'}_": 1})
        for number, word in enumerate(words)
    }
    wanted = {of("cook"): said(("cook", False))} if done else {}
    assert complete(owns | others) == wanted


def test_words_that_say_nothing_in_a_frame_do_not_speak_against_another() -> None:
    quiet = ("cook", "baker", "guest")
    owns = {owned(word): counted(1) for word in quiet}
    others = {of(word): counted(1, met=1) for word in quiet}
    shown_by = {of("maker"): counted(3, made_=3), of("seller"): counted(1, sold_=1)}
    completed = complete({**SHARED, **shown_by, **owns, **others, of("brother"): counted(1, b=1)})
    assert completed == {owned("brother"): said(("b", True))}


def test_what_was_seen_stays() -> None:
    """Seen without an edge, or with another: that is known, and not for analogy to mend."""
    seen = SHARED | {
        of("maker"): counted(3, made_=3),
        of("seller"): counted(1, sold_=1),
        of("taster"): counted(4, sent=1),
    }
    before = dict(seen)
    assert complete(seen) == {}
    assert seen == before


def test_the_frame_with_more_words_in_common_decides() -> None:
    near = {word: f"{word}_" for word in ("maker", "seller", "baker")}
    seen: Seen = {owned(word): counted(1, **{label: 1}) for word, label in near.items()}
    seen |= {of(word): counted(1, **{label: 1}) for word, label in near.items()}
    seen |= {having(word): counted(1, **{f"{word}": 1}) for word in ("maker", "seller")}
    seen |= {of("taster"): counted(1, ate_=1), having("taster"): counted(1, drank=1)}
    completed = complete(seen)
    assert completed[owned("taster")] == said(("ate", False))
    assert completed[having("baker")] == said(("baker", True))


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


def test_what_alignment_teaches_is_completed() -> None:
    taught = (
        ("who cooked M0", graph("M0 made ?x0")),
        ("who was cooked by M0", graph("?x0 made M0")),
        ("who sold M1", graph("?x0 sold M1")),
        ("who was sold by M1", graph("M1 sold ?x0")),
        ("who tasted M0", graph("?x0 ate M0")),
    )
    fragments = align_all([([cut(question)], gold) for question, gold in taught]).fragments
    found = complete(fragments)
    assert {shown(fragment): counts for fragment, counts in found.items()} == {
        "Past: was past{tasted} by Thing": said(("ate", False))
    }
    (fragment,) = found
    assert fragment == cut("who was tasted by M7").fragments[0].fragment


SCRIPT = """
from test_paradigms import SHARED, complete, counted, of, owned
words = "bcdefgh"
seen = SHARED | {owned(w): counted(1, **{w: 1, w + w + "_": 1, "x": 1}) for w in words}
seen |= {of("maker"): counted(3, made_=3), of("seller"): counted(1, sold_=1)}
print([(repr(fragment), list(c.labels.items())) for fragment, c in complete(seen).items()])
"""


def test_every_process_completes_alike() -> None:
    printed = {run_python(SCRIPT, seed) for seed in (0, 1, 2)}
    (only,) = printed
    assert only.count("Fragment(") == 8

"""How often contexts are learned from in an epoch."""

from __future__ import annotations

from collections import Counter

from partwise.graph.alignment.corpus import Context
from partwise.graph.grammar.decomposition import Element, Fragment
from partwise.graph.grounding.fragments import FEW, MOST_REPEATS, repeats


def fragment(name: str, word: str) -> Fragment:
    return Fragment("Asked", (Element(name, (word,)),), True)


def context(*fragments: Fragment) -> Context:
    """A node that is spoken of in these places."""
    return (tuple((one, 0) for one in fragments), ())


def made(**times: int) -> list[Context]:
    """For each form this many contexts, which differ in their word."""
    return [
        context(fragment(form, f"{form}{word}"))
        for form, count in times.items()
        for word in range(count)
    ]


def test_rare_forms_are_met_as_often_as_others() -> None:
    contexts = made(common=9 * FEW, few=FEW // 2, fewer=FEW // 4, rare=FEW // 50, one=1)
    often = repeats(contexts)
    assert list(often) == contexts
    times = Counter[str]()
    for some, number in often.items():
        said, _ = some
        ((one, _),) = said
        times[one.elements[0].name] += number
    assert times["common"] == 9 * FEW, "what is common is not met more often"
    assert times["few"] == times["fewer"] == FEW
    assert times["rare"] == FEW // 50 * MOST_REPEATS
    assert times["one"] == MOST_REPEATS


def test_of_several_forms_the_rarest_counts() -> None:
    both = context(fragment("common", "x"), fragment("rare", "y"))
    common = made(common=9 * FEW)
    often = repeats([*common, *made(rare=FEW // 20 - 1), both])
    assert often[both] == min(MOST_REPEATS, FEW // (FEW // 20))
    assert {often[some] for some in common} == {1}


def test_few_contexts_are_not_blown_up() -> None:
    often = repeats(made(common=12, few=5, rare=1))
    assert Counter(often.values()) == {1: 17, 6: 1}, "the rare one as often as forms on average"


def test_words_are_no_forms() -> None:
    assert set(repeats(made(common=FEW)).values()) == {1}
    assert repeats([]) == {}

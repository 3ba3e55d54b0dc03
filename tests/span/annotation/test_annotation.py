"""Span trees as labelled spans, lexicons, placements, and the trees that are built."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import Shelf

from library import mismatch
from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains import read_shipped
from partwise.domains.geography.domain import Geography
from partwise.errors import DataError, DomainError, ProgramTypeError, UnknownConstantError
from partwise.interface.data import Example, Span
from partwise.language.domain import Domain, entities, predicate
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize
from partwise.span.annotation import (
    AnnotationError,
    Annotator,
    Placement,
    in_words,
    lexicons,
    maximal,
    placements,
    places,
    rank,
    spans_of,
    tree_of,
)
from partwise_papers.trees.metrics import annotate_all

TYPES = TypeAlgebra(Shelf())
DOMAIN = TYPES.domain
WORDS = ["how", "many", "large", "red", "cubes", "?"]
SPANS: tuple[Span, ...] = (
    (0, 6, "join"),
    (0, 2, "count"),
    (2, 6, "join"),
    (2, 3, "large"),
    (3, 6, "join"),
    (3, 4, "red"),
    (4, 6, "join"),
    (4, 5, "cube"),
)
EXAMPLE = Example(
    " ".join(WORDS), parse_program("count(filter(large, red, cube, all()))"), spans=SPANS
)


@given(st.permutations(SPANS))
def test_a_tree_is_its_spans_in_any_order(spans: list[Span]) -> None:
    tree = tree_of(spans, DOMAIN, WORDS)
    assert spans_of(tree, DOMAIN) == SPANS
    number = DOMAIN.categories
    inner = SpanTree(4, 6, JOIN, (SpanTree(4, 5, number["cube"]),))
    inner = SpanTree(3, 6, JOIN, (SpanTree(3, 4, number["red"]), inner))
    inner = SpanTree(2, 6, JOIN, (SpanTree(2, 3, number["large"]), inner))
    assert tree == SpanTree(0, 6, JOIN, (SpanTree(0, 2, number["count"]), inner))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s[1:], "no span covers all the words of 'how many large red cubes ?'"),
        (lambda s: (), "no span covers all the words"),
        (lambda s: (*s, (5, 7, "red")), "span 5..7 (red) is not within the 6 words"),
        (lambda s: (*s, (3, 3, "red")), "span 3..3 (red) is not within"),
        (lambda s: (*s, (5, 6, "green")), "has the category 'green', which shelf lacks"),
        (lambda s: (*s, (5, 6, "filter")), "has the category 'filter', which shelf lacks"),
        (lambda s: (*s, (3, 4, "blue")), "'red' are labelled twice, as red and as blue"),
        (lambda s: (*s, (1, 3, "join")), "'how many' and 'many large' cross"),
        (lambda s: (*s, (5, 6, "join")), "'?' is labelled join but holds nothing"),
        (lambda s: (*s, (0, 1, "red")), "'how many' is labelled count but holds other spans"),
    ],
)
def test_spans_that_are_no_tree_are_refused(change: object, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        tree_of(change(SPANS), DOMAIN, WORDS)  # type: ignore[operator]


def test_a_tree_of_the_program_is_no_mismatch() -> None:
    assert mismatch(EXAMPLE, TYPES) is None


@pytest.mark.parametrize(
    ("spans", "program", "message"),
    [
        (SPANS, "count(filter(large, red, ball, all()))", "the tree means count(filter(large, red"),
        (SPANS[1:], "count(filter(large, red, cube, all()))", "no span covers all the words"),
        (
            ((0, 6, "join"), (0, 2, "count"), (2, 6, "join"), (2, 3, "count")),
            "count(filter(large, red, cube, all()))",
            "these parts do not compose",
        ),
    ],
)
def test_a_mismatch_says_why(spans: tuple[Span, ...], program: str, message: str) -> None:
    example = replace(EXAMPLE, spans=spans, meaning=parse_program(program))
    assert message in str(mismatch(example, TYPES))


def test_only_examples_with_spans_can_match() -> None:
    with pytest.raises(ValueError, match="no spans"):
        mismatch(replace(EXAMPLE, spans=None), TYPES)


class Plain(Domain):
    """A domain without a lexicon for annotation."""

    @entities(("a",))
    def thing(self, name: str) -> int: ...

    @predicate("one more", "and one")
    def more(self, x: int) -> int: ...


def test_a_domain_without_annotation_phrases_has_its_own() -> None:
    assert lexicons(Plain()) == (
        {"more": frozenset({("one", "more"), ("and", "one")}), "thing('a')": frozenset({("a",)})},
    )


def test_annotation_phrases_replace_those_of_predicates_and_add_to_those_of_entities() -> None:
    narrow, both = lexicons(Shelf())
    assert narrow["count"] == {("how", "many")}
    assert both["count"] == {("how", "many"), ("count",), ("number", "of")}
    assert narrow["red"] == both["red"] == {("red",), ("rosy",)}
    assert narrow["left"] == both["left"] == {("left",), ("left", "of"), ("beside",)}


def test_given_phrases_stand_in_place_of_the_domains() -> None:
    narrow, both = lexicons(Shelf(), {"left": ["West of"]})
    assert narrow["left"] == {("west", "of")}
    assert narrow["count"] == both["count"] == {("how", "many"), ("count",), ("number", "of")}


def test_phrases_of_an_unknown_category_are_refused() -> None:
    with pytest.raises(DomainError, match=r"shelf: .* \['leftt'\]"):
        lexicons(Shelf(), {"leftt": ["left"]})


PLACED = st.lists(st.sampled_from("abc"), max_size=6)
PHRASE = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)
LEXICON = st.fixed_dictionaries({c: st.frozensets(PHRASE, max_size=3) for c in "XYZ"})
COUNTS = st.dictionaries(st.sampled_from("XYZ"), st.integers(1, 2), max_size=3)


def by_hand(
    words: list[str], counts: dict[str, int], lexicon: dict[str, frozenset[tuple[str, ...]]]
) -> set[Placement]:
    """All sets of labelled spans with these counts of labels that do not share a word."""
    spans = [
        (i, k, category)
        for i in range(len(words))
        for k in range(i + 1, len(words) + 1)
        for category in counts
        if tuple(words[i:k]) in lexicon[category]
    ]
    found = set()
    for chosen in itertools.combinations(sorted(spans), sum(counts.values())):
        covered = [word for i, k, _ in chosen for word in range(i, k)]
        if len(covered) == len(set(covered)) and Counter(c for *_, c in chosen) == counts:
            found.add(chosen)
    return found


@given(PLACED, COUNTS, LEXICON)
def test_placements_are_all_that_fit(
    words: list[str], counts: dict[str, int], lexicon: dict[str, frozenset[tuple[str, ...]]]
) -> None:
    found = placements(words, counts, lexicon, whole=False)
    assert len(found) == len(set(found))
    assert set(found) == by_hand(words, counts, lexicon)
    assert [rank(placement) for placement in found] == sorted(map(rank, found))


@given(PLACED, COUNTS, LEXICON)
def test_whole_placements_are_those_on_maximal_places(
    words: list[str], counts: dict[str, int], lexicon: dict[str, frozenset[tuple[str, ...]]]
) -> None:
    kept = {c: maximal(places(words, lexicon[c])) for c in counts}
    expected = {
        placement
        for placement in by_hand(words, counts, lexicon)
        if all((start, end) in kept[category] for start, end, category in placement)
    }
    assert set(placements(words, counts, lexicon, whole=True)) == expected


def test_the_plausible_come_first() -> None:
    words = ["b", "in", "a", "in", "c"]
    lexicon = {"a": frozenset({("a",)}), "b": frozenset({("b",)}), "in": frozenset({("in",)})}
    found = placements(words, {"a": 1, "b": 1, "in": 1}, lexicon, whole=True)
    assert found == [
        ((0, 1, "b"), (1, 2, "in"), (2, 3, "a")),
        ((0, 1, "b"), (2, 3, "a"), (3, 4, "in")),
    ]
    assert [rank(placement) for placement in found] == [(-3, 0, 0), (-3, 1, 1)]


def test_places_and_maximal_places() -> None:
    words = ["population", "density", "of", "people"]
    found = places(words, {("population",), ("population", "density"), ("people",), ("x",)})
    assert found == {(0, 1), (0, 2), (3, 4)}
    assert maximal(found) == {(0, 2), (3, 4)}


@pytest.mark.parametrize("counts", [{"a": 12}, dict.fromkeys("abcdefg", 1)])
def test_too_many_placements_are_not_listed(counts: dict[str, int]) -> None:
    lexicon = dict.fromkeys(counts, frozenset({("x",)}))
    with pytest.raises(AnnotationError, match="more than 20000 ways"):
        placements(["x"] * 24, counts, lexicon, whole=True)


SHELF = TypeAlgebra(Shelf())
GEOGRAPHY = TypeAlgebra(Geography())


def example(question: str, program: str) -> Example[Term]:
    return Example(question, parse_program(program))


def shown(question: str, program: str, types: TypeAlgebra) -> str:
    """The annotated tree with brackets around composed spans, constants by their words."""
    words = tokenize(question).words
    phrases = Geography.annotation if types is GEOGRAPHY else None

    def text(tree: SpanTree) -> str:
        if not tree.children:
            return "_".join(words[tree.start : tree.end])
        return f"[{' '.join(map(text, tree.children))}]"

    return text(Annotator(types, phrases).annotate(example(question, program)))


@pytest.mark.parametrize(
    ("question", "program", "tree"),
    [
        ("how many cubes", "count(filter(cube, all()))", "[how_many cubes]"),
        # Words before the first constant are the root's, others the constant's on their left.
        (
            "say how many of the cubes there are",
            "count(filter(cube, all()))",
            "[[[how_many] [cubes]]]",
        ),
        (
            "how many large red cubes",
            "count(filter(large, red, cube, all()))",
            "[how_many [large [red cubes]]]",
        ),
        (
            "how many large red cubes are left of the small blue ball ?",
            "count(filter(large, red, cube, left(filter(small, blue, ball, all()))))",
            "[how_many [[large [red [cubes]]] [[left_of] [small [blue [ball]]]]]]",
        ),
        (
            "how many cubes or red balls",
            "count(union(filter(cube, all()), filter(red, ball, all())))",
            "[how_many [[cubes or] [red balls]]]",
        ),
        (
            "how many balls but not small balls",
            "count(without(filter(ball, all()), filter(small, ball, all())))",
            "[how_many [[balls but_not] [small balls]]]",
        ),
        # The annotation's own phrases go before the domain's, which are used at need.
        ("count how many balls", "count(filter(ball, all()))", "[[how_many balls]]"),
        ("count the balls", "count(filter(ball, all()))", "[[count] balls]"),
        ("count things", "count(all())", "[count things]"),
    ],
)
def test_bracketings(question: str, program: str, tree: str) -> None:
    assert shown(question, program, SHELF) == tree


@pytest.mark.parametrize(
    ("question", "program", "tree"),
    [
        (
            "which states border texas ?",
            "answer(state(next_to_2(stateid('texas'))))",
            "[[states [border [texas]]]]",
        ),
        # A ternary join where no projective tree means the program.
        (
            "what state has the largest population ?",
            "answer(largest_one(population_1(state(all))))",
            "[[[state] largest [population]]]",
        ),
        # Constants that stand together: the "in" next to both, not the later one.
        (
            "what is the highest point in ohio in meters ?",
            "answer(highest(place(loc_2(stateid('ohio')))))",
            "[[highest [point [in [ohio]]]]]",
        ),
        # Equally plausible: what comes first.
        (
            "what city in the united states has the highest population density ?",
            "answer(largest_one(density_1(city(loc_2(countryid('usa'))))))",
            "[[[city [[in] [united_states]]] highest [population_density]]]",
        ),
        # A name within a longer phrase of another category.
        (
            "how many people live in new york city ?",
            "answer(population_1(city(cityid('new york', _))))",
            "[[how_many_people] [new_york [city]]]",
        ),
    ],
)
def test_questions_on_geography(question: str, program: str, tree: str) -> None:
    assert shown(question, program, GEOGRAPHY) == tree


@pytest.mark.parametrize(
    ("question", "program", "why"),
    [
        ("how many cubes", "count(filter(ball, all()))", "no words, or too few, for ball"),
        (
            "how many cubes",
            "count(union(filter(cube, all()), left(filter(cube, all()))))",
            "for union, cube, left",
        ),
        ("left of how many cubes", "count(left(filter(cube, all())))", "no tree over its words"),
        ("", "count(all())", "no words, or too few, for count, all"),
        (
            "how many large balls",
            "count(without(filter(large, ball, all()), filter(large, all())))",
            "too few, for without, large",
        ),
    ],
)
def test_what_cannot_be_annotated(question: str, program: str, why: str) -> None:
    with pytest.raises(AnnotationError, match=why):
        Annotator(SHELF).annotate(example(question, program))


def test_of_two_equally_plausible_placements_the_first_is_taken() -> None:
    program = "count(filter(cube, all()))"
    assert shown("cube a how many a cube", program, SHELF) == "[[cube] [how_many]]"


def test_three_equally_plausible_placements_are_ambiguous() -> None:
    annotator = Annotator(SHELF, {"count": ["how", "many"]})
    question = example("how a cube a many a cube", "count(filter(cube, all()))")
    with pytest.raises(AnnotationError, match="3 ways to place its constants are equally"):
        annotator.annotate(question)


def test_too_many_placements_are_a_reason() -> None:
    words = " ".join(["cube"] * 24)
    program = "count(without(filter(large, ball, all()), filter(small, red, cube, all())))"
    phrases = dict.fromkeys(("large", "small", "red", "ball", "count", "without"), ("cube",))
    with pytest.raises(AnnotationError, match="more than 20000 ways"):
        Annotator(SHELF, phrases).annotate(example(words, program))


@pytest.mark.parametrize(
    ("program", "error"),
    [("count(filter(green, all()))", UnknownConstantError), ("count(large)", ProgramTypeError)],
)
def test_programs_that_do_not_type_are_refused(program: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        Annotator(SHELF).annotate(example("how many large green cubes", program))


def test_all_are_annotated_or_have_a_reason() -> None:
    good = example("how many cubes ?", "count(filter(cube, all()))")
    bad = [
        example("how many ?", "count(filter(cube, all()))"),
        example("how many large", "count(large)"),
    ]
    done, left = annotate_all([bad[0], good, bad[1]], SHELF)
    assert [(e.question, e.spans) for e in done] == [
        (good.question, ((0, 4, "join"), (0, 2, "count"), (2, 4, "join"), (2, 3, "cube")))
    ]
    assert [e for e, _ in left] == bad
    assert left[0][1] == "no words, or too few, for cube"
    assert "count takes" in left[1][1]


def test_trees_of_shipped_questions_mean_their_programs_on_their_phrases() -> None:
    examples = read_shipped("geography", "iid").test[:120]
    done, left = annotate_all(examples, GEOGRAPHY, Geography.annotation)
    assert len(done) + len(left) == len(examples)
    assert len(done) > 0.7 * len(examples)
    domain = GEOGRAPHY.domain
    for found in done:
        assert mismatch(found, GEOGRAPHY) is None
        words = tokenize(found.question).words
        for start, end, category in found.spans or ():
            if category != "join":
                own = domain.constants[domain.categories[category]].phrases
                allowed = in_words((*own, *Geography.annotation.get(category, ())))
                assert words[start:end] in allowed

"""Trees built from programs: the conventions, and what cannot be annotated."""

from __future__ import annotations

import pytest
from shelf import Shelf

from partwise.chart.scores import SpanTree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains import read_shipped
from partwise.domains.geography.domain import Geography
from partwise.errors import ProgramTypeError, UnknownConstantError
from partwise.interface.data import Example
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize
from partwise.span.annotation import AnnotationError, Annotator, in_words
from partwise_papers.trees.metrics import annotate_all, mismatch

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

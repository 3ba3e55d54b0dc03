"""Span trees: labelled spans, lexicons, placements, trees that are built, training from them."""

from __future__ import annotations

import itertools
import os
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from shelf import Shelf

from cases import cases, rows
from library import mismatch
from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains import read_shipped
from partwise.domains.geography.domain import Geography
from partwise.encoders.base import make_encoder
from partwise.errors import DataError, DomainError, ProgramTypeError, UnknownConstantError
from partwise.interface.data import Dataset, Example, Span
from partwise.interface.registry import load
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
from partwise.span.augmentation import EntitySwap
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import train
from partwise.training.trainer import TrainingConfig
from partwise_papers.datasets.scan import read_trees
from partwise_papers.datasets.scenes import make
from partwise_papers.domains.scan.domain import Scan
from partwise_papers.domains.scenes.domain import PHRASES, Scenes
from partwise_papers.trees.metrics import annotate_all

pytestmark = pytest.mark.usefixtures("no_state")
SHELF, GEOGRAPHY = TypeAlgebra(Shelf()), TypeAlgebra(Geography())
SCAN, SCENES = TypeAlgebra(Scan()), TypeAlgebra(Scenes())
DOMAIN = SHELF.domain
WORDS = ["how", "many", "large", "red", "cubes", "?"]
SPANS: tuple[Span, ...] = tuple(rows(globals(), "SPANS"))
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


@cases("change, message")
def test_spans_that_are_no_tree_are_refused(change: object, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        tree_of(change(SPANS), DOMAIN, WORDS)  # type: ignore[operator]


def test_a_tree_of_the_program_is_no_mismatch() -> None:
    assert mismatch(EXAMPLE, SHELF) is None


@cases("spans, program, message")
def test_a_mismatch_says_why(spans: tuple[Span, ...], program: str, message: str) -> None:
    example = replace(EXAMPLE, spans=spans, meaning=parse_program(program))
    assert message in str(mismatch(example, SHELF))


def test_only_examples_with_spans_can_match() -> None:
    with pytest.raises(ValueError, match="no spans"):
        mismatch(replace(EXAMPLE, spans=None), SHELF)


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


def example(question: str, program: str) -> Example[Term]:
    return Example(question, parse_program(program))


def shown(question: str, program: str, types: TypeAlgebra) -> str:
    """The annotated tree with brackets around composed spans, constants by their words."""
    words = tokenize(question).words
    phrases = {GEOGRAPHY: Geography.annotation, SCENES: PHRASES}.get(types)

    def text(tree: SpanTree) -> str:
        if not tree.children:
            return "_".join(words[tree.start : tree.end])
        return f"[{' '.join(map(text, tree.children))}]"

    return text(Annotator(types, phrases).annotate(example(question, program)))


# Words before the first constant are the root's, others the constant's on their left; a domain's
# own phrases are used where those for annotation leave no tree; a ternary join stands where no
# projective tree means the program; of equally plausible places, what comes first is taken.
@pytest.mark.parametrize(
    ("types", "question", "program", "tree"),
    [
        (types, *row)
        for types in (SHELF, GEOGRAPHY, SCENES)
        for row in rows(globals(), types.domain.name)
    ],
)
def test_bracketings(types: TypeAlgebra, question: str, program: str, tree: str) -> None:
    assert shown(question, program, types) == tree


@cases("question, program, why")
def test_what_cannot_be_annotated(question: str, program: str, why: str) -> None:
    with pytest.raises(AnnotationError, match=why):
        Annotator(SHELF).annotate(example(question, program))


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


ROOT = Path(__file__).parents[2]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "scan_sp"


def test_a_command() -> None:
    program = parse_program("i_after(i_jump(i_left), i_twice(i_run(i_right, i_around)))")
    tree = Annotator(SCAN).annotate(Example("jump left after run around right twice", program))
    assert spans_of(tree, SCAN.domain) == (
        *((0, 7, "join"), (0, 3, "join"), (0, 2, "join"), (0, 1, "i_jump"), (1, 2, "i_left")),
        *((2, 3, "i_after"), (3, 7, "join"), (3, 6, "join"), (3, 5, "join"), (3, 4, "i_run")),
        *((4, 5, "i_around"), (5, 6, "i_right"), (6, 7, "i_twice")),
    )


def test_a_lone_word_is_a_tree() -> None:
    tree = Annotator(SCAN).annotate(Example("jump", parse_program("i_jump()")))
    assert spans_of(tree, SCAN.domain) == ((0, 1, "i_jump"),)


@pytest.mark.skipif(not REAL.is_dir(), reason="the published SCAN-SP files are not here")
@pytest.mark.parametrize("split", ["simple", "right", "around_right"])
def test_published_trees_are_those_that_are_built(split: str) -> None:
    given = read_trees(REAL, split, "test")[::12]
    built, left = annotate_all(given, SCAN)
    assert not left
    assert [set(e.spans or ()) for e in built] == [set(e.spans or ()) for e in given]


@pytest.mark.parametrize("split", ["iid", "compositional"])
def test_shipped_questions_have_trees_of_their_programs(split: str) -> None:
    examples = make(split).test[::36]
    done, left = annotate_all(examples, SCENES, PHRASES)
    assert len(left) <= 1
    assert all(mismatch(example, SCENES) is None for example in done)


CONFIG = SpanParserConfig(encoder="bilstm", hidden=64, entity_augmentation=0.0, objective="trees")


@pytest.fixture
def commands() -> Dataset[Term]:
    """Some commands of SCAN."""
    full = load("scan", "simple")
    return Dataset("scan", "simple", full.train[:400], full.dev[:30], full.test[:60])


def test_commands_are_learned_from_trees_that_are_built(
    commands: Dataset[Term], tmp_path: Path
) -> None:
    torch.set_num_threads(1)
    settings = TrainingConfig(epochs=3, batch_size=16)
    session = train(
        SpanParser, Scan(), commands, CONFIG, settings, folder=tmp_path, progress=False, test=True
    )
    assert session.report.usable == 400
    assert session.test is not None
    assert session.test.exact_match > 0.9
    # Nothing was searched in training: the labels were there.
    assert session.report.history[0]["reached"] == 400


def test_targets_are_the_labels_of_the_given_tree(commands: Dataset[Term]) -> None:
    domain = Scan()
    types = TypeAlgebra(domain)
    done, _ = annotate_all(commands.train[:5], types)
    parser = SpanParser(domain, CONFIG, make_encoder("bilstm", [tokenize("jump left")]))
    items, unusable = parser.training_items(done)
    assert unusable == []
    for item, example in zip(items, done, strict=True):
        assert item.tree is not None
        assert example.spans is not None
        labels = item.tree.labels()
        names = {
            (i, k, "join" if label == JOIN else domain.constants[label].category)
            for (i, k), label in labels.items()
        }
        assert names == set(example.spans)


def test_questions_without_a_tree_are_not_usable(commands: Dataset[Term], tmp_path: Path) -> None:
    parser = SpanParser(Scan(), CONFIG, make_encoder("bilstm", [tokenize("jump")]))
    bad = replace(commands.train[0], spans=((0, 1, "join"), (0, 9, "join")))
    items, unusable = parser.training_items([commands.train[1], bad])
    assert items == []
    assert ["no span tree is given" in why for _, why in unusable] == [True, False]
    with pytest.raises(DataError, match="none of the 1 training questions is usable"):
        train(
            SpanParser,
            Scan(),
            replace(commands, train=[bad]),
            CONFIG,
            TrainingConfig(),
            folder=tmp_path,
            progress=False,
        )


def test_names_that_the_domain_lacks_are_no_labels(commands: Dataset[Term]) -> None:
    domain = GEOGRAPHY.domain
    (done,), _ = annotate_all([load("geography", "iid").train[0]], GEOGRAPHY)
    assert done.spans is not None
    entities = {c.category for c in domain.constants if c.is_entity}
    words = tokenize(done.question).words
    (start, end, name), *_ = [span for span in done.spans if span[2] in entities]
    renamed = (*words[:start], *["xyz"] * (end - start), *words[end:])
    bad = replace(done, question=" ".join(renamed))
    for tied in (True, False):
        config = replace(CONFIG, type_tied=tied)
        parser = SpanParser(domain, config, make_encoder("bilstm", [tokenize("jump")]))
        items, unusable = parser.training_items([done, bad])
        assert len(items) == (1 if tied else 2)
        assert [name in why and "'xyz" in why for _, why in unusable] == [True] * tied


def test_trees_survive_swapped_names() -> None:
    full = load("geography", "iid")
    done, _ = annotate_all(full.train[:150], GEOGRAPHY)
    swap = EntitySwap(GEOGRAPHY.domain)
    draw = random.Random(0)
    changed = 0
    for example in done:
        made = swap(example, draw)
        changed += len(tokenize(made.question)) != len(tokenize(example.question))
        assert mismatch(made, GEOGRAPHY) is None, (example.question, made.question)
    assert changed > 10

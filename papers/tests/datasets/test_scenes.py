"""The shipped questions on scenes: what the grammar makes, and what its splits keep apart."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from scene_files import to_functional

from partwise.authoring.validation import Reach
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.interface.data import PARTS, Dataset, Example
from partwise.language.program import Term, parse_program
from partwise_papers.datasets.scenes import SIZES, SPLITS, _make, make
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.functional import from_functional
from partwise_papers.domains.scenes.generate import (
    BASE,
    COMBINED,
    FAMILIES,
    Describer,
    generate,
    read_shipped_scene,
)
from partwise_papers.domains.scenes.scene import ATTRIBUTES, RELATIONS, scene_from_json

SCENES = Scenes()
JOINING = {"relate", "union", "intersect", "query_attribute_equal"}
JOINING |= {"count_equal", "count_less", "count_greater"}


@pytest.fixture(scope="module", params=SPLITS)
def dataset(request: pytest.FixtureRequest) -> Dataset[Term]:
    return make(str(request.param))


def everything(dataset: Dataset[Term]) -> Iterator[Example[Term]]:
    for part in dataset.parts().values():
        yield from part


def test_the_answers_are_those_of_the_executor(dataset: Dataset[Term]) -> None:
    for example in everything(dataset):
        value = SCENES.run(example.meaning, example.context)
        assert SCENES.denotation(value) == example.answer, example


def test_programs_type_and_are_canonical(dataset: Dataset[Term]) -> None:
    types = TypeAlgebra(SCENES)
    for example in [*everything(dataset)][::3]:
        types.check(example.meaning)
        assert SCENES.canonical(example.meaning) == example.meaning
        again = SCENES.canonical(from_functional(to_functional(example.meaning)))
        assert again == example.meaning


def test_trees_reach_a_program_of_each_family(dataset: Dataset[Term]) -> None:
    reach = Reach(TypeAlgebra(SCENES))
    taken: Counter[str] = Counter()
    for example in everything(dataset):
        taken[example.group] += 1
        if taken[example.group] <= 4:
            assert reach.reachable(example, by_phrase=True), example


def test_parts_share_no_text_and_no_scene(dataset: Dataset[Term]) -> None:
    parts = dataset.parts()
    assert {part: len(examples) for part, examples in parts.items()} == SIZES
    questions = [example.question for example in everything(dataset)]
    assert len(set(questions)) == len(questions)
    contexts = [{example.context for example in parts[part]} for part in PARTS]
    assert not contexts[0] & contexts[1]
    assert not contexts[0] & contexts[2]
    assert not contexts[1] & contexts[2]


def test_answers_are_balanced(dataset: Dataset[Term]) -> None:
    answers: dict[str, Counter[object]] = {}
    for example in dataset.train:
        answers.setdefault(example.meaning.symbol, Counter())[example.answer] += 1
    for kind, found in answers.items():
        share = found.most_common(1)[0][1] / found.total()
        limit = 0.45 if kind in ("count", "query") else 0.56
        assert share < limit, (kind, found)


def test_questions_of_one_family_are_as_many(dataset: Dataset[Term]) -> None:
    for part, examples in dataset.parts().items():
        groups = Counter(example.group for example in examples)
        assert set(groups) == set(SPLITS[dataset.split][part])
        assert max(groups.values()) - min(groups.values()) <= 1


def test_only_the_compositional_test_combines_likeness_with_others() -> None:
    def combines(program: Term) -> bool:
        symbols = {node.symbol for node in program.walk()}
        return "relate_attribute_equal" in symbols and bool(symbols & JOINING)

    dataset = make("compositional")
    assert not any(combines(e.meaning) for e in dataset.train + dataset.dev)
    assert all(combines(e.meaning) for e in dataset.test)
    used = {n.symbol for e in dataset.train for n in e.meaning.walk()}
    assert {n.symbol for e in dataset.test for n in e.meaning.walk()} <= used


def test_a_description_never_gives_its_answer_away(dataset: Dataset[Term]) -> None:
    for example in everything(dataset):
        if example.meaning.symbol == "query":
            kind, things = example.meaning.args or ()
            concepts = {arg.symbol for arg in things.args or () if arg.args is None}
            assert not concepts & {*ATTRIBUTES[kind.symbol], kind.symbol}, example


def test_questions_are_the_same_at_every_run() -> None:
    scenes = [read_shipped_scene(number) for number in range(40)]
    families = tuple(FAMILIES)
    first = generate(families, 45, scenes, random.Random("a"))
    assert first == generate(families, 45, scenes, random.Random("a"))
    assert first != generate(families, 45, scenes, random.Random("b"))
    assert Counter(q.family for q in first) == dict.fromkeys(families, 3)
    made = _make.__wrapped__("iid")
    assert [list(made[part]) for part in PARTS] == list(make("iid").parts().values())
    assert make("iid").train is not make("iid").train


def test_texts_seen_before_do_not_come_again() -> None:
    scenes = [read_shipped_scene(number) for number in range(10)]
    seen: set[str] = set()
    first = generate(("zero_hop",), 60, scenes, random.Random(0), seen)
    assert seen == {question.text for question in first}
    more = generate(("zero_hop",), 60, scenes, random.Random(0), seen)
    assert not {question.text for question in more} & {question.text for question in first}


def test_a_scene_may_be_too_poor() -> None:
    bare = {"size": "small", "color": "red", "material": "metal", "shape": "cube"}
    raw = {"objects": [bare], "relationships": {relation: [[]] for relation in RELATIONS}}
    lone = scene_from_json(raw, "lone")
    assert len(generate(("zero_hop",), 3, [lone], random.Random(0))) == 3
    with pytest.raises(ValueError, match="1 scenes give 0 questions of one_hop, not 1"):
        generate(("one_hop",), 1, [lone], random.Random(0))


def test_unknown_splits() -> None:
    with pytest.raises(DataError, match="it has iid, compositional"):
        make("closure")


def test_trivial_descriptions_are_not_made() -> None:
    describer = Describer(read_shipped_scene(3), random.Random(0))
    everywhere = describer.of_value()
    assert describer.both(everywhere, everywhere) is None
    assert describer.either(everywhere, everywhere) is None
    thing = describer.noun([describer.scene.objects[0].shape])
    assert describer.alternative(thing, thing) is None
    assert describer.one(None) is None
    assert describer.many(None) is None
    assert describer.placed(None) is None
    assert describer.alike(None) is None


def test_base_and_combined_families_are_apart() -> None:
    assert not set(BASE) & set(COMBINED)
    example = make("iid").train[0]
    assert example.meaning == parse_program(str(example.meaning))

"""Selected examples: well typed, not empty, new, the same for a seed, and drafted as pairs are."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from mugs import Mugs

from partwise.authoring.selection import select_examples
from partwise.authoring.selection.enumerate import TemplateEnumerator
from partwise.authoring.selection.questions import QuestionDrafter
from partwise.authoring.selection.select import ExampleSelector
from partwise.authoring.validation.heads import Coverage, Heads, size_of
from partwise.chart.algebra.type import TypeAlgebra
from partwise.errors import DataError, PartwiseError
from partwise.evaluation.splits import template
from partwise.interface.data import Example
from partwise.interface.jsonl import read_jsonl
from partwise.language.domain import Application
from partwise.language.program import Term, parse_program

PAIRS = [
    ("how many mugs are there ?", "answer(count(mugs()))"),
    ("what is the largest of the mugs ?", "answer(largest(mugs()))"),
    ("what does Ann own ?", "answer(owned(person('Ann')))"),
]


@pytest.fixture(scope="module")
def heads() -> Heads:
    return Heads(TypeAlgebra(Mugs()))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "pairs.jsonl"
    lines = (json.dumps({"question": q, "program": p}) for q, p in PAIRS)
    found.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return found


def typed(types: TypeAlgebra, text: str) -> Application:
    return types.check(parse_program(text))


def brute(types: TypeAlgebra, size: int) -> set[str]:
    """Templates of all well-typed programs of a size, by trying all terms there are."""
    arity = {c.head: len(c.defaults) for c in types.domain.constants if not c.is_entity}
    ann = Term("person", (Term("Ann", quoted=True),))
    names = [Term("mug", (Term("red mug", quoted=True),)), ann]

    def terms(n: int) -> list[Term]:
        found = list(names) if n == 1 else []
        for head, slots in arity.items():
            for sizes in itertools.product(range(1, n), repeat=slots):
                if sum(sizes) == n - 1:
                    found += [Term(head, args) for args in itertools.product(*map(terms, sizes))]
        return found

    good = set()
    for term in terms(size):
        try:
            types.check(types.domain.wrap(term))
        except PartwiseError:
            continue
        good.add(template(term))
    return good


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_all_templates_of_a_size_are_enumerated(heads: Heads, size: int) -> None:
    found = [one for one in TemplateEnumerator(heads).up_to(size) if size_of(one) == size]
    assert {template(one.term()) for one in found} == brute(heads.types, size)
    assert len({str(one.term()) for one in found}) == len(found)


def test_predicates_come_first_then_compositions(heads: Heads) -> None:
    known = [typed(heads.types, program) for _, program in PAIRS]
    found = ExampleSelector(heads, known).select(40)
    _, why = found[0]
    assert why.startswith("no pair has ")
    lacking = set(heads.all) - Coverage(heads, known).heads
    assert lacking == {"mug", "owner", "smallest", "both"}
    covered = Coverage(heads, [program for program, _ in found[: len(lacking)]])
    assert lacking <= covered.heads
    after = Coverage(heads, [*known, *(program for program, _ in found)])
    assert len(after.dependencies) > len(Coverage(heads, known).dependencies)


def test_proposals_type_and_answer_and_are_new(heads: Heads) -> None:
    known = [typed(heads.types, program) for _, program in PAIRS]
    domain = heads.types.domain
    shapes = [template(program.term()) for program in known]
    for one, _ in ExampleSelector(heads, known).select(40):
        heads.types.check(domain.wrap(one.term()))
        assert not domain.is_empty(domain.run(domain.wrap(one.term())))
        shapes.append(template(one.term()))
    assert len(shapes) == len(set(shapes)) > 15


def test_a_program_that_says_what_its_part_says_is_not_selected(heads: Heads) -> None:
    known = [typed(heads.types, "answer(both(mugs(), mugs()))")]
    texts = {str(one.term()) for one, _ in ExampleSelector(heads, known).select(200)}
    assert not any("both(mugs(), mugs())" in text for text in texts)
    assert not any("largest(owned(person('Bob')))" in text for text in texts)
    assert any("largest(owned(person('Ann')))" in text for text in texts)


def test_a_predicate_that_changes_nothing_is_selected_all_the_same(heads: Heads) -> None:
    texts = {str(one.term()) for one, _ in ExampleSelector(heads, []).select(200)}
    # Nothing here has two owners, so that any two sets are the same or have nothing in common.
    assert sum("both(" in text for text in texts) == 1


def test_a_program_with_an_empty_part_is_not_selected(heads: Heads) -> None:
    texts = {str(one.term()) for one, _ in ExampleSelector(heads, []).select(200)}
    # Cora owns nothing.
    assert not any("owned(person('Cora'))" in text for text in texts)


def test_a_mere_name_is_not_selected(heads: Heads) -> None:
    texts = {str(one.term()) for one, _ in ExampleSelector(heads, []).select(200)}
    assert not any(text.startswith(("mug(", "person(")) for text in texts)
    assert any("mug('" in text for text in texts)


def test_the_same_seed_gives_the_same(heads: Heads) -> None:
    def texts(seed: int) -> list[str]:
        return [str(one.term()) for one, _ in ExampleSelector(heads, [], seed).select(15)]

    assert texts(1) == texts(1)
    assert any(texts(1) != texts(seed) for seed in (2, 3, 4))


def test_no_time_gives_nothing(heads: Heads) -> None:
    assert ExampleSelector(heads, []).select(5, seconds=-1) == []


def test_drafts_take_order_and_small_words_from_the_pairs(heads: Heads) -> None:
    drafter = QuestionDrafter(heads.types, [Example(q, parse_program(p)) for q, p in PAIRS])

    def draft(text: str) -> str:
        return drafter.draft(typed(heads.types, text))

    assert draft("answer(largest(mugs()))") == "what is the largest of the mugs ?"
    # The name stood before the predicate.
    assert draft("answer(owned(person('Bob')))") == "what does Bob own ?"
    assert draft("answer(count(owned(person('Bob'))))") == "how many Bob own ?"
    # A like predicate shows how "mugs" follows it; nothing shows "owner".
    assert draft("answer(smallest(mugs()))") == "smallest of the mugs ?"
    assert draft("answer(owner(mug('red mug')))") == "owner red mug ?"


def test_drafts_without_pairs_have_predicates_first(heads: Heads) -> None:
    drafter = QuestionDrafter(heads.types, [])
    program = typed(heads.types, "answer(largest(owned(person('Ann'))))")
    assert drafter.draft(program) == "largest owns Ann ?"


def test_drafts_are_refused_until_edited(file: Path, tmp_path: Path) -> None:
    found = select_examples(Mugs(), file, n=5)
    assert len(found.drafts) == 5
    lines = [json.dumps(draft.to_json()) for draft in found.drafts]
    drafts = tmp_path / "drafts.jsonl"
    drafts.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match=r'drafts\.jsonl:1: is a draft: .* its field "draft"'):
        read_jsonl(drafts, parse_program)
    edited = [{k: v for k, v in json.loads(line).items() if k != "draft"} for line in lines]
    drafts.write_text("\n".join(map(json.dumps, edited)), encoding="utf-8")
    assert len(read_jsonl(drafts, parse_program)[0]) == 5


def test_pairs_that_cannot_be_used_are_counted(file: Path) -> None:
    with file.open("a", encoding="utf-8") as stream:
        stream.write('{"question": "x", "program": "answer(nix())"}\nnot JSON\n')
    found = select_examples(Mugs(), file, n=1)
    assert found.left_out == 2
    assert found.before.to_json()["predicates"] == 5

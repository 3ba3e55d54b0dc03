"""Reading examples line by line, and where things are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shop import Shop, Whole

from partwise.authoring.declarations import (
    Coverage,
    Heads,
    dependencies_of,
    place_in_message,
    place_of,
    place_of_error,
    shown,
)
from partwise.authoring.examples import read_examples, run_example, typed_examples
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.language.program import parse_program
from partwise.language.values import Many

LINE = {"question": "how many cups", "program": "answer(count(cups()))"}


@pytest.fixture(scope="module")
def heads() -> Heads:
    return Heads(TypeAlgebra(Whole()))


def file_of(folder: Path, data: bytes) -> Path:
    file = folder / "pairs.jsonl"
    file.write_bytes(data)
    return file


def test_examples_have_their_place_and_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answers = [{}, {"answer": "3"}, {"answer": [1, "b"]}, {"answer": []}]
    lines = "\n\n".join(json.dumps(LINE | answer) for answer in answers)
    examples, issues = read_examples(file_of(tmp_path, b"\xef\xbb\xbf" + lines.encode()).resolve())
    assert issues == []
    assert [example.source for example in examples] == [f"pairs.jsonl:{n}" for n in (1, 3, 5, 7)]
    assert [example.answer for example in examples] == [None, ("3",), ("1", "b"), ()]


@pytest.mark.parametrize("line", [b"[1]", b'{"question": "x"}', b"\xff", b"[" * 100_000])
def test_a_bad_line_does_not_hide_the_others(tmp_path: Path, line: bytes) -> None:
    good = json.dumps(LINE).encode()
    examples, (issue,) = read_examples(file_of(tmp_path, b"\n".join([good, line, good])))
    assert [example.source.rpartition(":")[2] for example in examples] == ["1", "3"]
    assert (issue.kind, issue.severity) == ("unreadable-pair", "error")
    assert issue.where.endswith(":2")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_examples(tmp_path)


def test_names_in_wrong_case_and_unknown_ones_are_all_named(heads: Heads) -> None:
    program = parse_program("answer(larger(larger2(cup('Mug'))))")
    typed, (issue,) = typed_examples(heads, [Example("x", program)])
    assert typed == []
    assert issue.suggestion == (
        "'larger2' is not known: did you mean 'larger'?; 'Mug' is no name of cup: did you mean "
        "'mug'?"
    )


def test_an_answer_is_compared_in_any_order() -> None:
    program = parse_program("answer(cups())")
    right = Example("cups", program, answer=("vase", "mug", "beaker"))
    assert list(run_example(Whole(), right)) == []
    (issue,) = run_example(Whole(), Example("cups", program, answer=("vase",)))
    assert issue.why == "gives beaker, mug, vase; the pair says vase"


def test_what_a_program_covers(heads: Heads) -> None:
    (((_, program),), _) = typed_examples(
        heads, [Example("x", parse_program("answer(count(larger(cup('mug'))))"))]
    )
    assert list(dependencies_of(program)) == [("count", 0, "larger"), ("larger", 0, "cup")]
    coverage = Coverage(heads, [program, program])
    assert coverage.heads == {"count", "larger", "cup"}
    assert str(coverage) == "3 of 5 predicates and kinds of names, 2 of 8 compositions"


def test_types_that_heads_come_to(heads: Heads) -> None:
    results = {head.name: [*map(str, heads.results(head))] for head in heads.all.values()}
    assert results["largest"] == ["One[Cup]"]
    assert results["count"] == ["Number"]
    assert heads.all["cup"].title == "names of cup"


def test_places_of_methods_and_errors() -> None:
    shop = Path(__file__).with_name("shop.py")
    assert place_of(Shop(), "broken").startswith(shown(str(shop)))
    assert place_of(Shop(), "nothing") == ""
    # A method that is the domain's own comes before the class.
    assert place_in_message(Shop(), "run of broken") == place_of(Shop(), "broken")
    assert place_in_message(Shop(), "run of nothing").startswith(shown(str(shop)))
    with pytest.raises(ZeroDivisionError) as raised:
        Shop().broken(Many(["mug"]))
    assert place_of_error(raised.value).startswith(shown(str(shop)))
    assert place_of_error(SyntaxError("bad", ("mine.py", 7, 0, ""))) == "mine.py:7"
    assert place_of_error(ValueError()) == ""

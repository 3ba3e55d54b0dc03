"""Answers and their JSON, data files, settings."""

from __future__ import annotations

import gzip
import json
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from cases import cases, rows
from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.semantics import read_tree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.errors import DataError, PartwiseError, is_private
from partwise.interface.answering import answer as answers_of
from partwise.interface.answering import answered
from partwise.interface.data import Example
from partwise.interface.jsonl import read_jsonl
from partwise.interface.prediction import (
    JSON_VERSION,
    Answer,
    Cell,
    Explanation,
    Prediction,
    ResultTable,
    spell,
)
from partwise.interface.settings import check, from_dict, setting, to_dict, to_record
from partwise.language.domain import Domain, entities, predicate, root
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize
from partwise.span.decoding import SpanDerivation


class Thing:
    """A sort."""


class Box(Domain):
    """A box of things."""

    name = "box"

    @root
    def tell(self, of: Thing) -> Any:
        return of

    @entities(names=("ball", "cube"))
    def thing(self, name: str) -> Thing:
        return name  # type: ignore[return-value]

    @predicate("big")
    def large(self, of: Thing) -> Thing:
        return f"large {of}"  # type: ignore[return-value]

    @predicate("huge")
    def huge(self, of: Thing) -> Thing:
        return f"large {of}"  # type: ignore[return-value]

    @predicate("grown")
    def old(self, of: Thing) -> Thing:
        return f"old {of}"  # type: ignore[return-value]

    @predicate("broken")
    def broken(self, of: Thing) -> Thing:
        raise ValueError("in pieces")

    def show(self, value: Any) -> list[str]:
        return [f"a {value}"]


DOMAIN = Box()
TYPES = TypeAlgebra(DOMAIN)


def reading(predicate: str, probability: float, *others: Prediction[Term]) -> Prediction[Term]:
    number = DOMAIN.categories
    words = tokenize("big ball")
    parts = (SpanTree(0, 1, number[predicate]), SpanTree(1, 2, number["thing('ball')"]))
    tree = SpanTree(0, 2, JOIN, parts)
    spelled = parse_program(f"tell({predicate}(thing('ball')))")
    derivation = SpanDerivation(read_tree(tree, TYPES), words, tree=tree)
    return Prediction(
        words.text,
        meaning=spelled,
        probability=probability,
        derivation=derivation,
        alternatives=others,
    )


def test_alternatives_with_the_same_answer_or_none_are_left_out() -> None:
    others = [reading("huge", 0.2), reading("broken", 0.1), reading("old", 0.05)]
    found = answered(reading("large", 0.6, *others), DOMAIN, k=3)
    assert found.lines == ("a large ball",)
    assert str(found) == "a large ball"
    assert (found.value, found.prediction.probability) == ("large ball", 0.6)
    assert [other.lines for other in found.alternatives] == [("a old ball",)]
    (difference,) = found.alternatives[0].differences
    assert (difference.words, difference.mine, difference.other) == ("big", ("large",), ("old",))


@pytest.mark.parametrize(("k", "wanted"), [(1, 0), (2, 1), (9, 1)])
def test_no_more_alternatives_than_asked_for(k: int, wanted: int) -> None:
    parse = reading("large", 0.6, reading("old", 0.2))
    assert len(answered(parse, DOMAIN, k).alternatives) == wanted


def test_what_does_not_run_gives_a_reason() -> None:
    found = answered(reading("broken", 0.9, reading("old", 0.1)), DOMAIN, k=2)
    assert found.lines == ()
    assert found.reason is not None
    assert "in pieces" in found.reason
    assert str(found).startswith("no answer: it does not run")
    assert [other.lines for other in found.alternatives] == [("a old ball",)]


def test_no_parse_has_its_reason_and_what_was_found() -> None:
    shy: Prediction[Term] = Prediction(
        "big ball", alternatives=(reading("old", 0.3),), reason="not sure"
    )
    found = answered(shy, DOMAIN, k=2)
    assert (found.lines, found.reason, found.text) == ((), "not sure", None)
    assert [other.lines for other in found.alternatives] == [("a old ball",)]


class Guided(Box):
    """A box where nothing is large."""

    tried = 3

    def is_empty(self, value: Any) -> bool:
        return bool(value.startswith("large"))


@cases("others, meant, said, probable")
def test_a_meaning_with_an_answer_is_preferred(
    others: tuple[tuple[str, float], ...], meant: str, said: list[str], probable: float
) -> None:
    parse = reading("large", 0.6, *(reading(*one) for one in others))
    found = answered(parse, Guided(), k=2)
    assert (list(found.lines), found.prediction.probability) == (said, probable)
    assert found.text == f"tell({meant}(thing('ball')))"
    assert found.prediction.doubtful == (meant == "old")


def test_the_meaning_without_an_answer_becomes_an_alternative() -> None:
    found = answered(reading("large", 0.6, reading("old", 0.2)), Guided(), k=2)
    assert [one.lines for one in found.alternatives] == [("a large ball",)]
    assert [one.prediction.probability for one in found.alternatives] == [0.2]


def test_a_refusal_is_not_tried() -> None:
    shy: Prediction[Term] = Prediction("big ball", alternatives=(reading("old", 0.3),), reason="no")
    assert answered(shy, Guided(), k=1).reason == "no"


def test_a_meaning_below_what_is_asked_for_is_not_taken() -> None:
    parse = reading("large", 0.6, reading("old", 0.2))
    assert answered(parse, Guided(), k=1, at_least=0.3).lines == ("a large ball",)
    assert answered(parse, Guided(), k=1, at_least=0.1).lines == ("a old ball",)


def test_nothing_is_run_twice() -> None:
    ran: list[str] = []

    class Counting(Guided):
        def run(self, program: Any, context: Any = None) -> Any:
            ran.append(str(program))
            return super().run(program, context)

    parse = reading("large", 0.6, reading("huge", 0.3), reading("old", 0.2), reading("broken", 0.1))
    answered(parse, Counting(), k=4)
    assert len(ran) == len(set(ran)) == 4


SAID = Explanation("the names and heights of people", "SELECT name, height FROM person")


def answer_of(*rows: tuple[Cell, ...], **more: Any) -> Answer[str]:
    table = ResultTable(("name", "height"), rows, SAID, **more)
    prediction = Prediction("who is how tall", ("who", "is", "how", "tall"), "m", 0.5, unused=(1,))
    return Answer(prediction, "m", ("some lines",), table, explanation=SAID)


def test_frames_have_the_columns_and_rows_of_the_table() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    answer = answer_of(("Ada", 1), ("Bob", 1.75), (None, None))
    wanted: dict[str, list[Cell]] = {"name": ["Ada", "Bob", None], "height": [1.0, 1.75, None]}
    assert answer.to_arrow().to_pydict() == wanted
    assert answer.to_polars().to_dict(as_series=False) == wanted
    frame = answer.to_pandas()
    assert list(frame.columns) == ["name", "height"]
    assert frame["height"][:2].tolist() == [1.0, 1.75]
    assert frame["height"].isna().tolist() == [False, False, True]


def test_a_column_of_texts_and_numbers_becomes_texts() -> None:
    answer = answer_of(("Ada", 3), (7, "tall"))
    assert answer.to_arrow().to_pydict() == {"name": ["Ada", "7"], "height": ["3", "tall"]}


def test_an_empty_table_keeps_its_columns() -> None:
    assert answer_of().to_arrow().column_names == ["name", "height"]


def test_an_answer_that_is_no_table_has_one_column() -> None:
    answer = Answer(Prediction("q", meaning="m"), "m", ("ada", "bob"), {"ada", "bob"})
    assert answer.to_arrow().to_pydict() == {"answer": ["ada", "bob"]}


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(DataError, match=r"partwise\[polars\]"):
        answer_of().to_polars()


def test_json_of_a_table() -> None:
    answer = answer_of(("Ada", 1), truncated=True)
    values = json.loads(json.dumps(answer.to_json()))
    assert values["answer"] == [["Ada", 1]]
    assert values["columns"] == ["name", "height"]
    assert values["ignored"] == ["is"]
    assert (values["restated"], values["sql"]) == SAID
    assert values["notes"] == ["only the first 1 rows are shown"]
    assert values["outcome"] == "answered"
    assert "answer" not in answer.to_json(ran=False)


@cases("value, text")
def test_values_are_spelt_for_people(value: Cell, text: str) -> None:
    assert spell(value) == text


def test_ties_are_said() -> None:
    assert answer_of(("Ada", 1), ties=(("Eve", 1),)).table.notes == ("tied with the last row: Eve",)


class Fragile:
    """A parser of a box; a question may break it, or give what cannot be written or shown."""

    domain = Box()

    def parse(self, questions: list[str], k: int, at_least: float | None) -> list[Any]:
        if "bad" in questions:
            raise KeyError("a secret path")
        return [
            Prediction(
                text,
                (text,),
                object() if text == "odd" else parse_program("tell(thing('ball'))"),
                1,
            )
            for text in questions
        ]


@pytest.mark.parametrize("run", [True, False])
def test_an_error_is_of_one_question_alone(run: bool) -> None:
    parser: Any = Fragile()
    good, bad, odd = answers_of(parser, ["good", "bad", "odd"], run=run)
    assert good.reason is None
    assert [one.status for one in (good, bad, odd)] == ["answered", "refused", "refused"]
    assert "a secret path" in str(bad.reason)
    for failed in (bad, odd):
        # The text is for who runs the program: the server tells others that its log says why.
        assert is_private(failed.error)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "json.md"
JSON_CONTRACT_TYPES: Mapping[str, tuple[type[Any], ...]] = dict(
    rows(globals(), "JSON_CONTRACT_TYPES")
)
ONLY_WITH_ANSWERS = {"answer", "columns", "truncated", "notes"}
ONLY_OF_THE_QUESTION = {"version", "question", "words", "suggestions", "alternatives"}
ONLY_OF_THE_QUESTION |= {"clarification", "verified"}
JSON_CONTRACT_SAID = Explanation("people", "SELECT name FROM person")
TABLE = ResultTable(("name",), (("Ada",), (None,)), JSON_CONTRACT_SAID)
FULL: Answer[str] = Answer(
    Prediction("who", ("who",), "m", 0.9), "m", ("Ada", "-"), TABLE, explanation=JSON_CONTRACT_SAID
)
LINES: Answer[str] = Answer(Prediction("who", ("who",), "m", 0.9), "m", ("ada",), {"ada"})
REFUSED: Answer[str] = Answer(Prediction("who", ("who",), reason="unknown"), reason="unknown")


@pytest.mark.parametrize("refused", [False, True])
def test_alternatives_carry_few_rows_and_those_of_a_refusal_none(refused: bool) -> None:
    table = replace(TABLE, rows=(("Ada",),) * 5)
    others = (replace(FULL, value=table), replace(LINES, lines=("ada",) * 5))
    answer = replace(REFUSED if refused else FULL, alternatives=others)
    for other in answer.to_json()["alternatives"]:
        assert other["truncated"] is not refused
        assert (other["answer"] is None) if refused else (len(other["answer"]) == 3)
    assert [len(other["answer"]) for other in answer.to_json(version=1)["alternatives"]] == [5, 5]


def test_json_holds_what_every_reader_takes() -> None:
    cells = (math.nan, math.inf, 2**53, 2**53 + 1, -(2**60), True, 0.5)
    table = replace(TABLE, columns=tuple("abcdefg"), rows=(cells,))
    answer = replace(FULL, prediction=Prediction("who", probability=math.nan), value=table)
    for version, large in ((2, [str(2**53 + 1), str(-(2**60))]), (1, [2**53 + 1, -(2**60)])):
        values = json.loads(json.dumps(answer.to_json(version=version), allow_nan=False))
        assert values["answer"] == [[None, None, 2**53, *large, True, 0.5]]
        assert (values["version"], values["probability"]) == (version, None)


def documented() -> dict[str, tuple[type[Any], ...]]:
    """Field -> its types, of the tables of the page."""
    fields = {}
    for names, kinds in re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|", PAGE.read_text("utf-8"), re.M):
        words = re.findall(r"\w+", kinds)
        types = tuple(
            kind
            for word in words
            if word in JSON_CONTRACT_TYPES
            for kind in JSON_CONTRACT_TYPES[word]
        )
        assert types, f"{names}: {kinds}"
        fields |= dict.fromkeys(re.findall(r"`(\w+)`", names), types)
    older = re.search(r"^`(\w+)` and `(\w+)` are older names", PAGE.read_text("utf-8"), re.M)
    assert older is not None
    return {**fields, older[1]: (str, type(None)), older[2]: (str,)}


@pytest.mark.parametrize("one", [FULL, LINES, REFUSED], ids=["table", "lines", "refused"])
@pytest.mark.parametrize("ran", [True, False])
def test_the_fields_are_those_of_the_page(one: Answer[str], ran: bool) -> None:
    values = json.loads(json.dumps(replace(one, alternatives=(FULL,)).to_json(ran)))
    fields = documented()
    assert {*values} == {*fields} - (set() if ran else ONLY_WITH_ANSWERS)
    (other,) = values["alternatives"]
    assert {*other} == {*values} - ONLY_OF_THE_QUESTION
    for name, value in [*values.items(), *other.items()]:
        assert isinstance(value, fields[name]), name


def test_the_version_is_that_of_the_page() -> None:
    found = re.search(r"version, which is now \*\*(\d+)\*\*", PAGE.read_text("utf-8"))
    assert found is not None
    assert int(found[1]) == JSON_VERSION


def test_the_examples_of_the_page_are_json_with_its_fields() -> None:
    blocks = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    assert len(blocks) == 2
    for block in blocks:
        assert {*json.loads(block)} <= {*documented()}


GOOD = b'{"question": "name a state .", "program": "answer(state(all))"}\n'

FIELDS = GOOD[:-2] + b", "
# The fields of a line, to which others are added.


def write(folder: Path, content: bytes) -> Path:
    file = folder / "train.jsonl"
    file.write_bytes(content)
    return file


def test_reads_lines_and_says_where_they_stand(tmp_path: Path) -> None:
    more = b'{"id": 7, "question": " who ? ", "program": "answer ( river ( all ) )"}'
    examples, skipped = read_jsonl(
        write(tmp_path, b"\xef\xbb\xbf" + GOOD + b"\n \r\n" + more), parse_program
    )
    assert [e.source for e in examples] == ["train.jsonl:1", "train.jsonl:4"]
    assert examples[1] == Example(
        "who ?", parse_program("answer(river(all))"), "train.jsonl:4", "7"
    )
    assert skipped == []


def test_unicode_line_separators_inside_a_question_do_not_end_the_line(tmp_path: Path) -> None:
    line = '{"question": "a\u2028b", "program": "answer(state(all))"}\n'.encode()
    assert read_jsonl(write(tmp_path, line), parse_program)[0][0].question == "a\u2028b"


@cases("line, what")
def test_a_bad_line_is_named_or_skipped(tmp_path: Path, line: bytes, what: str) -> None:
    file = write(tmp_path, GOOD + line + b"\n" + GOOD)
    with pytest.raises(DataError) as caught:
        read_jsonl(file, parse_program)
    assert str(caught.value).startswith(f"{file}:2: ")
    assert what in str(caught.value)
    examples, skipped = read_jsonl(file, parse_program, skip_bad=True)
    assert [e.source for e in examples] == ["train.jsonl:1", "train.jsonl:3"]
    assert skipped == [str(caught.value)]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"oops\n"])
def test_a_file_without_examples_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError, match="holds no examples"):
        read_jsonl(write(tmp_path, content), parse_program, skip_bad=True)


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.jsonl: no such file; expected"):
        read_jsonl(tmp_path / "none.jsonl", parse_program)
    with pytest.raises(DataError, match="cannot be read"):
        read_jsonl(tmp_path, parse_program)


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(GOOD * 50, mtime=0)[:-20]])
def test_a_damaged_gzipped_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(content)
    with pytest.raises(DataError, match="cannot be read"):
        read_jsonl(file, parse_program)


def test_a_domain_gives_programs_their_canonical_spelling(tmp_path: Path) -> None:
    line = b'{"question": "?", "program": "answer(population_1(cityid(\'austin\', \'tx\')))"}'
    examples, _ = read_jsonl(
        write(tmp_path, line), lambda t: Geography().canonical(parse_program(t))
    )
    assert str(examples[0].meaning) == "answer(population_1(cityid('austin', stateid('texas'))))"


@dataclass(frozen=True)
class Settings:
    """Some settings."""

    kind: Literal["long", "short"] = "long"
    share: float = setting(0.5, formerly="part", least=0, below=1)
    count: int | None = setting(None, least=1, most=9)
    colour: str = setting("red", later=True)
    threads: int = setting(1, unrecorded=True)

    def __post_init__(self) -> None:
        check(self)


def test_former_names_are_read_and_recorded() -> None:
    settings = from_dict(Settings, {"part": 0.25, "count": 3})
    assert settings == Settings(share=0.25, count=3)
    assert from_dict(Settings, to_dict(settings)) == settings
    assert to_record(settings) == {"kind": "long", "part": 0.25, "count": 3}
    assert to_record(Settings(colour="blue"))["colour"] == "blue"


@cases("values, message")
def test_what_is_wrong_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(PartwiseError, match=message):
        from_dict(Settings, values)


@dataclass(frozen=True)
class Listed:
    """Settings with lists."""

    words: list[str]
    weights: list[float]

    def __post_init__(self) -> None:
        check(self)


def test_members_of_lists_are_checked() -> None:
    assert Listed(["a"], [1, -0.5]).weights == [1, -0.5]
    with pytest.raises(PartwiseError, match="words must be a list of texts"):
        Listed([1], [])  # type: ignore[list-item]
    for bad in (["a"], [float("inf")], [True], 0.5):
        with pytest.raises(PartwiseError, match="weights must be a list of finite numbers"):
            Listed([], bad)  # type: ignore[arg-type]

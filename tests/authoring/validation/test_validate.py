"""Each mistake in a domain or its pairs is found, where it is, with a reason and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from shop import Cup, Shop, Whole

from cases import cases
from partwise.authoring.declarations import (
    Coverage,
    Heads,
    dependencies_of,
    place_in_message,
    place_of,
    place_of_error,
    show_path,
)
from partwise.authoring.validation import (
    DomainReport,
    Issue,
    read_examples,
    run_example,
    type_examples,
    validate_domain,
)
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.language.domain import Domain, default, entities, predicate
from partwise.language.program import Term, parse_program
from partwise.language.values import Many, One

SHOP = Path(__file__).with_name("shop.py")


def line_of(text: str) -> int:
    lines = SHOP.read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def pairs(folder: Path, *lines: tuple[str, str] | str) -> Path:
    file = folder / "pairs.jsonl"
    texts = (
        line if isinstance(line, str) else json.dumps({"question": line[0], "program": line[1]})
        for line in lines
    )
    file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return file


def of_kind(report: DomainReport, kind: str) -> list[Issue]:
    return [issue for issue in report.issues if issue.kind == kind]


def only(report: DomainReport, kind: str) -> Issue:
    (found,) = of_kind(report, kind)
    return found


@pytest.fixture(scope="module")
def shop() -> DomainReport:
    return validate_domain(Shop())


def test_a_domain_without_fault() -> None:
    report = validate_domain(Whole())
    assert report.issues == []
    assert report.ok
    assert [line.plain for line in report.lines()] == ["whole: nothing found"]


def test_predicates_that_can_never_be_used(shop: DomainReport) -> None:
    found = {issue.what: issue for issue in of_kind(shop, "unusable-predicate")}
    assert set(found) == {"predicate saucers", "predicate under"}
    under = found["predicate under"]
    assert under.severity == "error"
    assert under.why == (
        "can never be used: nothing returns Many[Plate], which its argument 2 takes"
    )
    assert under.where.endswith(f"shop.py:{line_of('def under') - 1}")
    assert "only under would take it" in found["predicate saucers"].why


def test_names_that_can_never_be_used(shop: DomainReport) -> None:
    wood = only(shop, "unusable-name")
    assert wood.what == "names of wood"
    assert "it gives Many[Fork], which no predicate takes" in wood.why
    assert "a whole program may only be Some[Cup] | Number" in wood.why


def test_types_that_nothing_produces(shop: DomainReport) -> None:
    found = {issue.what: issue.why for issue in of_kind(shop, "unproduced-type")}
    assert found == {
        "type Many[Plate]": "nothing produces it, though under would take it",
        "type One[Plate]": "nothing produces it, though largest would take it",
    }


def test_optional_arguments_that_nothing_fills(shop: DomainReport) -> None:
    idle = only(shop, "idle-argument")
    assert (idle.what, idle.severity) == ("argument 2 of predicate largest", "warning")


def test_a_like_type_is_suggested() -> None:
    class Near(Whole):
        @predicate("first")
        def first(self, of: list[Cup]) -> One[Cup]:
            return One(of[:1])

    found = only(validate_domain(Near()), "unusable-predicate")
    assert "nothing returns list[Cup]" in found.why
    assert "there is Many[Cup] and One[Cup]" in found.suggestion


def test_ambiguous_phrases(shop: DomainReport) -> None:
    found = {issue.what: issue for issue in of_kind(shop, "ambiguous-phrase")}
    assert set(found) == {"phrase 'crockery'", "phrase 'tall glass'"}
    crockery = found["phrase 'crockery'"]
    assert crockery.severity == "note"
    assert crockery.why == "names cups, count; their types differ, which often tells them apart"
    glass = found["phrase 'tall glass'"]
    assert glass.severity == "warning"
    assert "a predicate, and something of which a question may speak" in glass.why
    names = only(shop, "ambiguous-name")
    assert (names.severity, names.what) == ("note", "phrase 'mug'")


def test_one_phrase_of_two_predicates_of_one_type() -> None:
    class Big(Whole):
        @predicate("largest", "biggest")
        def biggest(self, of: Many[Cup]) -> One[Cup]:
            return self.largest(of)

    found = only(validate_domain(Big()), "ambiguous-phrase")
    assert found.severity == "warning"
    assert found.why == "names largest, biggest: types do not tell them apart"


def test_predicates_without_phrases(tmp_path: Path, shop: DomainReport) -> None:
    assert only(shop, "no-phrases").severity == "warning"
    file = pairs(tmp_path, ("cracked cups", "answer(broken(cups()))"))
    taught = only(validate_domain(Shop(), file), "no-phrases")
    assert (taught.severity, taught.what) == ("note", "predicate broken")
    assert '@predicate("broken")' in taught.suggestion


def test_phrases_that_no_question_has(tmp_path: Path) -> None:
    file = pairs(tmp_path, ("how many cups", "answer(count(cups()))"))
    found = only(validate_domain(Whole(), file), "unseen-phrase")
    assert "larger 'larger than'; largest 'largest'" in found.why
    assert "count" not in found.why


@cases("program, why, advice")
def test_pairs_that_do_not_type(tmp_path: Path, program: str, why: str, advice: str) -> None:
    found = only(validate_domain(Whole(), pairs(tmp_path, ("the mug", program))), "untyped-pair")
    assert why in found.why
    assert advice in found.suggestion
    assert found.where.endswith("pairs.jsonl:1")


@cases("question, program, why, advice")
def test_pairs_that_no_tree_reaches(
    tmp_path: Path, question: str, program: str, why: str, advice: str
) -> None:
    found = only(validate_domain(Whole(), pairs(tmp_path, (question, program))), "unreached-pair")
    assert why in found.why
    assert advice in found.suggestion


def test_an_arrangement_that_the_types_forbid(tmp_path: Path) -> None:
    class Ahead(Whole):
        directional: ClassVar = {"larger": ["than"], "largest": ["of"], "count": ["of"]}
        infix: ClassVar = ()

    file = pairs(tmp_path, ("mug larger", "answer(larger(cup('mug')))"))
    assert of_kind(validate_domain(Whole(), file), "unreached-pair") == []
    found = of_kind(validate_domain(Ahead(), file), "unreached-pair")
    # Elsewhere than on its phrase the name could follow; on its phrase it cannot.
    assert len(found) == 1
    assert "the names are where no tree can use them" in found[0].why


def test_pairs_that_fail_or_give_nothing(tmp_path: Path) -> None:
    file = pairs(
        tmp_path,
        ("cracked cups", "answer(broken(cups()))"),
        ("none of the cups", "answer(none(cups()))"),
        json.dumps({"question": "count cups", "program": "answer(count(cups()))", "answer": "4"}),
        json.dumps({"question": "no cups", "program": "answer(none(cups()))", "answer": []}),
    )
    report = validate_domain(Shop(), file)
    failing = only(report, "failing-pair")
    assert "broken failed with ZeroDivisionError" in failing.why
    assert failing.suggestion.endswith(f"shop.py:{line_of('1 // 0')}")
    assert only(report, "empty-answer").where.endswith(":2")
    assert only(report, "other-answer").why == "gives 3; the pair says 4"


def test_answers_that_cannot_be_compared(tmp_path: Path) -> None:
    class Listing(Whole):
        def denotation(self, value: object) -> object:  # type: ignore[override]
            return [value]

    report = validate_domain(Listing(), pairs(tmp_path, ("cups", "answer(cups())")))
    assert "cannot be shown or compared: TypeError" in only(report, "failing-pair").why


def test_contradictions_and_repetitions(tmp_path: Path) -> None:
    file = pairs(
        tmp_path,
        ("how many cups ?", "answer(count(cups()))"),
        ("How many cups?", "answer(cups())"),
        ("how many  cups ?", "answer( count( cups() ) )"),
    )
    report = validate_domain(Whole(), file)
    found = only(report, "contradiction")
    assert found.where.endswith(":2")
    assert "pairs.jsonl:1: answer(cups()), not answer(count(cups()))" in found.why
    assert only(report, "repeated-pair").where.endswith(":3")


def test_a_canonical_form_that_has_another_one(tmp_path: Path) -> None:
    class Restless(Whole):
        def canonical(self, program: Term) -> Term:
            return replace(program, args=(parse_program(f"count({program.args[0]})"),))

    file = pairs(tmp_path, ("cups ?", "answer(cups())"))
    found = only(validate_domain(Restless(), file), "unstable-form")
    assert found.severity == "error"
    assert "answer(count(count(cups)))" in found.why.replace("()", "")


class Priced(Whole):
    @entities(pattern=r"\$?\d+", normal=lambda text: text.lstrip("$"))
    def price(self, name: str) -> One[int]:
        return One([int(name)])

    @predicate("below", name="lower-than")
    def below(self, of: One[int]) -> Many[Cup]:
        return Many([])


@cases("program, advice")
def test_what_is_declared_is_never_called_unknown(program: str, advice: str) -> None:
    heads = Heads(TypeAlgebra(Priced()))
    typed, (issue,) = type_examples(heads, [Example("x", parse_program(program))])
    assert typed == []
    assert issue.suggestion == advice


@pytest.mark.parametrize(
    ("normal", "why"),
    [
        (lambda text: text.lstrip("$"), ""),
        (lambda text: f"{text.lstrip('$')}0", "normal makes '50' of '$5', and '500' of that"),
        (lambda text: f"${text}", "normal makes '$$5' of '$5', and '$$$5' of that"),
    ],
)
def test_names_that_change_again(normal: Callable[[str], str], why: str, tmp_path: Path) -> None:
    class Unstable(Priced):
        @entities(pattern=r"\$?\d+", normal=normal)
        def price(self, name: str) -> One[int]:
            return One([int(name)])

    file = pairs(tmp_path, ("cups below $5 ?", "answer(cups())"))
    found = of_kind(validate_domain(Unstable(), file), "unstable-form")
    assert [one.why[: len(why)] for one in found] == [why] * bool(why)


def test_predicates_that_no_pair_uses(tmp_path: Path) -> None:
    report = validate_domain(Whole(), pairs(tmp_path, ("how many cups", "answer(count(cups()))")))
    unused = {issue.what for issue in of_kind(report, "unused-by-pairs")}
    assert unused == {"predicate larger", "predicate largest", "names of cup"}
    assert report.coverage is not None
    assert report.coverage.to_json() == {
        "predicates": 2,
        "of_predicates": 5,
        "compositions": 1,
        "of_compositions": 8,
    }


def test_possible_compositions_are_those_that_type() -> None:
    heads = Heads(TypeAlgebra(Whole()))
    assert heads.dependencies == {
        *(("larger", 0, child) for child in ("cup", "cups", "larger", "largest")),
        *((parent, 0, child) for parent in ("largest", "count") for child in ("cups", "larger")),
    }


def test_lines_that_cannot_be_read(tmp_path: Path) -> None:
    file = pairs(
        tmp_path,
        ("cups", "answer(cups())"),
        '{"question": "x"',
        '{"question": "x"}',
        json.dumps({"question": "mugs", "program": "answer(cups())"}),
    )
    report = validate_domain(Whole(), file)
    bad = of_kind(report, "unreadable-pair")
    assert [issue.where.rpartition(":")[2] for issue in bad] == ["2", "3"]
    assert "not JSON" in bad[0].why
    assert "no field 'program'" in bad[1].why
    assert report.pairs == 2


def test_a_file_without_pairs_and_one_that_is_not_there(tmp_path: Path) -> None:
    assert (
        "holds no examples"
        in only(validate_domain(Whole(), pairs(tmp_path)), "unreadable-pair").why
    )
    with pytest.raises(DataError, match="no such file"):
        validate_domain(Whole(), tmp_path / "nix.jsonl")


def test_time_that_is_over_is_told(tmp_path: Path) -> None:
    file = pairs(tmp_path, ("cups", "answer(cups())"), ("some cups", "answer(cups())"))
    report = validate_domain(Whole(), file, seconds=-1)
    assert only(report, "unfinished").what == "2 pairs"
    assert report.coverage is not None


def test_what_keeps_a_domain_from_being_made_is_an_issue() -> None:
    class Unhinted(Whole):
        @predicate("small")
        def small(self, of) -> Many[Cup]:  # type: ignore[no-untyped-def]
            return Many(of)

    class Twice(Whole):
        @entities(names=("mug", "mug"))
        def cup(self, name: str) -> One[Cup]:
            return One([name])

    class Failing(Whole):
        @entities(names=lambda self: [1 // 0])
        def cup(self, name: str) -> One[Cup]:
            return One([name])

    for cls, why in ((Unhinted, "missing hint"), (Twice, "twice"), (Failing, "ZeroDivisionError")):
        (found,) = validate_domain(cls()).issues
        assert (found.severity, found.kind) == ("error", "declaration")
        assert why in found.why
        assert "test_validate.py:" in found.where


def test_a_report_reads_gravest_first_and_as_json(shop: DomainReport) -> None:
    text = "\n".join(line.plain for line in shop.lines())
    assert text.index("error") < text.index("warning") < text.index("note")
    assert text.splitlines()[-1].startswith("shop: 3 errors, ")
    found = json.loads(json.dumps(shop.to_json()))
    assert found["ok"] is False
    assert found["counts"]["error"] == 3
    assert set(found["findings"][0]) == {
        *("severity", "kind", "what", "why", "suggestion", "where")
    }


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
    typed, (issue,) = type_examples(heads, [Example("x", program)])
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
    (((_, program),), _) = type_examples(
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
    assert place_of(Shop(), "broken").startswith(show_path(str(shop)))
    assert place_of(Shop(), "nothing") == ""
    # A method that is the domain's own comes before the class.
    assert place_in_message(Shop(), "run of broken") == place_of(Shop(), "broken")
    assert place_in_message(Shop(), "run of nothing").startswith(show_path(str(shop)))
    with pytest.raises(ZeroDivisionError) as raised:
        Shop().broken(Many(["mug"]))
    assert place_of_error(raised.value).startswith(show_path(str(shop)))
    assert place_of_error(SyntaxError("bad", ("mine.py", 7, 0, ""))) == "mine.py:7"
    assert place_of_error(ValueError()) == ""


class Ship: ...


class Port: ...


class Harbour(Domain):
    """Ships, with nothing declared that outside languages need."""

    name: ClassVar[str] = "harbour"
    infix: ClassVar = ()
    answers: ClassVar = Many[Ship]

    @entities(("oslo", "bergen"), bare=True)
    def port(self, name: str) -> One[Port]: ...  # type: ignore[empty-body]

    @predicate("ships")
    def ship(self) -> Many[Ship]: ...  # type: ignore[empty-body]

    @predicate("from")
    def left(self, port: One[Port]) -> Many[Ship]: ...  # type: ignore[empty-body]

    @predicate("via")
    def between(  # type: ignore[empty-body]
        self, start: One[Port], end: One[Port], over: One[Port] = default()
    ) -> Many[Ship]: ...

    @predicate("and", commutes=("one", "two"))
    def both(self, one: Many[Ship], two: Many[Ship]) -> Many[Ship]: ...  # type: ignore[empty-body]

    @predicate("fast")
    def fast(self, of: Many[Ship]) -> Many[Ship]: ...  # type: ignore[empty-body]


def advice(folder: Path, question: str, program: str) -> str:
    file = folder / "pairs.jsonl"
    file.write_text(json.dumps({"question": question, "program": program}), encoding="utf-8")
    report = validate_domain(Harbour(), file)
    (issue,) = [one for one in report.issues if one.kind in ("unreached-pair", "untyped-pair")]
    return issue.suggestion


@cases("question, program, says")
def test_what_may_be_missing_is_said(
    tmp_path: Path, question: str, program: str, says: str
) -> None:
    assert says in advice(tmp_path, question, program)

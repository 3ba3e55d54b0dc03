"""SCAN's splits by rule, the reader of its files on a made-up folder, and the published files."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from cases import cases, rows
from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.semantics import program
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset, Example, Span
from partwise.interface.registry import load
from partwise.language.program import Term, parse_program
from partwise_papers.datasets.scan import (
    GIVEN,
    MADE,
    SPLITS,
    TREES,
    make_scan,
    make_sides,
    read_scan_sp,
    read_sides,
    read_trees,
)
from partwise_papers.domains.scan.domain import Scan, action_sequence, language, program_of
from partwise_papers.splits.scan import PRIMITIVES, RULES, apart

SIZES = dict(rows(globals(), "SIZES"))
COMMANDS = ("run", "jump left", "look around left", "walk opposite right", "turn left twice")


def put(file: Path, lines: list[str], end: str = "\n") -> None:
    """Write a compressed file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(("\n".join(lines) + end).encode()))


def line(command: str) -> str:
    return f"IN: {command} OUT: {action_sequence(command)}"


def fields(command: str) -> dict[str, object]:
    program = program_of(command).text(spaced=True)
    return {"question": command, "program": program, "answer": action_sequence(command)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of SCAN-SP with the split `simple`, and SCAN's mcd1 beside it."""
    for part in ("train", "dev", "test"):
        lines = [json.dumps(fields(command)) for command in COMMANDS]
        put(tmp_path / "scan_sp" / "simple" / f"{part}.jsonl.gz", lines)
    put(tmp_path / "scan" / "mcd1.train.txt.gz", [line(c) for c in COMMANDS], end="")
    put(tmp_path / "scan" / "mcd1.test.txt.gz", ["", line("run twice"), ""])
    return tmp_path / "scan_sp"


@pytest.mark.parametrize("split", MADE)
def test_a_made_split_has_the_published_sizes_and_leaks_nothing(split: str) -> None:
    found = load("scan", split)
    sizes = [len(part) for part in found.parts().values()]
    train, test = SIZES[split]
    assert sizes == [train - train // 5, train // 5, test]
    texts = [{e.question for e in part} for part in found.parts().values()]
    assert not texts[0] & texts[1]
    assert not (texts[0] | texts[1]) & texts[2]
    primitive = PRIMITIVES.get(split)
    repeated = {q: n for q, n in Counter(e.question for e in found.train).items() if n > 1}
    assert repeated == ({primitive: train // 10} if primitive else {})


def test_an_example_says_what_it_is() -> None:
    found = make_scan("right")
    by_text = {command.text: number for number, command in enumerate(language(), start=1)}
    for example in (found.train[0], found.dev[-1], found.test[5]):
        number = by_text[example.question]
        assert (example.source, example.id) == (f"scan/right:{number}", str(number))
        assert example.meaning == program_of(example.question)
        assert example.answer == action_sequence(example.question)


def test_making_again_gives_the_same_shuffled_order() -> None:
    first, again = make_scan("length"), make_scan("length")
    assert first.parts() == again.parts()
    numbers = [int(str(example.id)) for example in first.train]
    assert numbers != sorted(numbers)


def test_unknown_splits_are_named() -> None:
    with pytest.raises(DataError, match="scan has no split 'mcd1'; it has simple, right"):
        make_scan("mcd1")


@cases("split, command, side")
def test_rules(split: str, command: str, side: str | None) -> None:
    assert RULES[split](command) == side


def test_copies_of_a_command_stay_in_train() -> None:
    texts = ["jump"] * 6 + ["run", "walk", "look", "run left"]
    examples = [Example(text, parse_program("x"), str(i)) for i, text in enumerate(texts)]
    train, dev = apart(examples)
    assert len(dev) == 2
    assert "jump" not in {example.question for example in dev}
    assert sorted(e.source for e in train + dev) == sorted(e.source for e in examples)


def test_files_with_programs_keep_their_order(folder: Path) -> None:
    found = read_scan_sp(folder, "simple")
    for part, examples in found.parts().items():
        assert [e.question for e in examples] == list(COMMANDS)
        assert examples[1].source == f"simple/{part}.jsonl:2"
        assert examples[1].meaning == parse_program("i_jump(i_left)")
        assert examples[1].answer == "I_TURN_LEFT I_JUMP"


def test_other_splits_are_read_beside_with_programs_of_the_grammar(folder: Path) -> None:
    found = read_scan_sp(folder, "mcd1")
    assert [len(part) for part in found.parts().values()] == [4, 1, 1]
    assert {e.question for e in found.train + found.dev} == set(COMMANDS)
    assert found.test[0].source == "mcd1.test.txt.gz:2"
    assert found.test[0].meaning == parse_program("i_twice(i_run())")
    assert found.test[0].answer == "I_RUN I_RUN"


def test_uncompressed_files_are_read_too(folder: Path) -> None:
    packed = folder / "simple" / "dev.jsonl.gz"
    (folder / "simple" / "dev.jsonl").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    assert len(read_scan_sp(folder, "simple").dev) == len(COMMANDS)


@cases("bad, why")
def test_bad_json_lines_are_named_or_left_out(folder: Path, bad: str, why: str) -> None:
    file = folder / "simple" / "dev.jsonl.gz"
    put(file, ["", bad, json.dumps(fields("run"))])
    with pytest.raises(DataError, match=rf"simple/dev\.jsonl\.gz:2: {why}|:2: .*{why}"):
        read_scan_sp(folder, "simple")
    found = read_scan_sp(folder, "simple", skip_bad=True)
    assert [e.source for e in found.dev] == ["simple/dev.jsonl:3"]
    assert [m.startswith(f"{file}:2: ") and why in m for m in found.skipped] == [True]


@cases("bad, why")
def test_bad_plain_lines_are_named_or_left_out(folder: Path, bad: str, why: str) -> None:
    put(folder.parent / "scan" / "mcd1.test.txt.gz", [line("run"), bad])
    with pytest.raises(DataError) as caught:
        read_scan_sp(folder, "mcd1")
    assert f"mcd1.test.txt.gz:2: {why}" in str(caught.value)
    found, skipped = read_sides(folder.parent / "scan", "mcd1", skip_bad=True)
    assert ([e.question for e in found.test], len(skipped)) == (["run"], 1)


def test_a_line_that_is_not_utf8_is_named(folder: Path) -> None:
    (folder.parent / "scan" / "mcd1.test.txt.gz").write_bytes(gzip.compress(b"IN: r\xff OUT: X"))
    with pytest.raises(DataError, match=r"mcd1\.test\.txt\.gz:1: not UTF-8 at byte 6"):
        read_scan_sp(folder, "mcd1")


def test_missing_and_broken_files_are_named(folder: Path) -> None:
    with pytest.raises(DataError, match="scan_sp has no split 'mcd4'; it has simple, right"):
        read_scan_sp(folder, "mcd4")
    with pytest.raises(DataError, match=r"mcd2\.train\.txt\.gz: no such file; expected a UTF-8"):
        read_scan_sp(folder, "mcd2")
    with pytest.raises(DataError, match="no such folder; expected SCAN's files"):
        read_scan_sp(folder / "simple", "mcd1")
    file = folder / "simple" / "dev.jsonl.gz"
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(DataError, match="cannot be read"):
        read_scan_sp(folder, "simple")
    put(file, ["", "  "])
    with pytest.raises(DataError, match="holds no examples; expected lines like"):
        read_scan_sp(folder, "simple")
    put(file, ["{"])
    with pytest.raises(DataError, match="all 1 lines were bad"):
        read_scan_sp(folder, "simple", skip_bad=True)


def spans(*found: tuple[int, int, str]) -> list[dict[str, object]]:
    return [{"span": [first, last], "type": kind} for first, last, kind in found]


def test_trees_are_over_words(folder: Path) -> None:
    thrice = spans((0, 3, "span"), (0, 1, "span"), (0, 0, "i_run"), (1, 1, "i_left"))
    # BERT reads "thrice" as two pieces.
    thrice += spans((2, 3, "i_thrice"))
    lone = spans((0, 0, "span"), (0, 1, "i_run"))
    lines = [fields("run left thrice") | {"gold_spans": thrice}]
    lines += [fields("run") | {"gold_spans": lone}]
    put(folder / "simple" / "dev_trees.jsonl.gz", [json.dumps(found) for found in lines])
    first, second = read_trees(folder, "simple", "dev")
    assert first.spans == (
        *((0, 3, "join"), (0, 2, "join")),
        *((0, 1, "i_run"), (1, 2, "i_left"), (2, 3, "i_thrice")),
    )
    assert (first.source, first.answer) == (
        "simple/dev_trees.jsonl:1",
        action_sequence("run left") + " I_TURN_LEFT I_RUN" * 2,
    )
    assert second.spans == ((0, 1, "i_run"),)


@cases("bad")
def test_bad_trees_are_named(folder: Path, bad: object) -> None:
    text = json.dumps(fields("run left thrice") | {"gold_spans": bad})
    put(folder / "simple" / "test_trees.jsonl.gz", [text])
    with pytest.raises(
        DataError, match=r"test_trees\.jsonl\.gz:1: (no span of|field 'gold_spans')"
    ):
        read_trees(folder, "simple", "test")


def test_there_are_trees_for_some_parts_only(folder: Path) -> None:
    for split, part in (("simple", "train"), ("length", "dev")):
        with pytest.raises(DataError, match=f"no trees for {split}/{part}"):
            read_trees(folder, split, part)


ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "scan_sp"

published = pytest.mark.skipif(not REAL.is_dir(), reason="the published SCAN-SP is not here")


@pytest.fixture(scope="module")
def sets() -> dict[str, Dataset[Term]]:
    return {split: read_scan_sp(REAL, split) for split in SPLITS}


@published
def test_splits_and_actions_are_as_published(sets: dict[str, Dataset[Term]]) -> None:
    runner, known = Runner(Scan()), set[str]()
    for split in SPLITS:
        theirs, _ = read_sides(REAL.parent / "scan", split)
        given = sets[split]
        assert questions(given.train + given.dev, given.test) == questions(*theirs)
        if split in RULES:
            assert questions(*make_sides(split)) == questions(*theirs)
        for example in (*theirs.train, *theirs.test):
            assert runner.denotation(example.meaning) == example.answer
            known.add(example.question)
        for example in (example for part in given.parts().values() for example in part):
            assert example.meaning == program_of(example.question)
    assert known == {command.text for command in language()}


def questions(*sides: Sequence[Example[Term]]) -> list[Counter[str]]:
    return [Counter(example.question for example in side) for side in sides]


@published
def test_programs_are_spelt_as_published(sets: dict[str, Dataset[Term]]) -> None:
    for split in GIVEN:
        for part, examples in sets[split].parts().items():
            raw = gzip.decompress((REAL / split / f"{part}.jsonl.gz").read_bytes())
            texts = [json.loads(line)["program"] for line in raw.splitlines()]
            # The files put a blank before commas, too.
            mine = [e.meaning.text(spaced=True).replace(",", " ,") for e in examples]
            assert mine == texts


@published
def test_trees_give_their_programs(sets: dict[str, Dataset[Term]]) -> None:
    types = TypeAlgebra(Scan())
    for split, part in (("simple", "dev"), ("right", TREES[1])):
        found = read_trees(REAL, split, part)
        assert [e.question for e in found] == [e.question for e in sets[split].parts()[part]]
        for example in found[::40]:
            assert example.spans is not None
            assert program(_tree(example.spans, types), types) == example.meaning, example.source


def _tree(spans: Sequence[Span], types: TypeAlgebra) -> SpanTree:
    """The tree of a set of spans."""
    start, end, category = max(spans, key=lambda span: span[1] - span[0])
    inner = [s for s in spans if s[:2] != (start, end) and start <= s[0] and s[1] <= end]
    tops = [s for s in inner if not any(_within(s, other) for other in inner)]
    label = JOIN if category == "join" else types.domain.categories[category]
    children = [
        _tree([s for s in inner if s == top or _within(s, top)], types) for top in sorted(tops)
    ]
    return SpanTree(start, end, label, tuple(children))


def _within(span: Span, other: Span) -> bool:
    return span[:2] != other[:2] and other[0] <= span[0] and span[1] <= other[1]

"""Reading JSON Lines: what is right is kept, what is wrong is named with file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from partwise.domains.geography.domain import Geography
from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.interface.jsonl import read_jsonl
from partwise.language.program import parse_program

GOOD = b'{"question": "name a state .", "program": "answer(state(all))"}\n'

FIELDS = GOOD[:-2] + b", "
"""The fields of a line, to which others are added."""


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


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b'{"question": "who ?", "program": "answer(sta', "not JSON"),
        (b'{"program": "answer(state(all))"}', "no field 'question'"),
        (b'{"question": "who ?"}', "no field 'program'"),
        (b'{"question": "  ", "program": "answer(state(all))"}', "'question' must be a text"),
        (b'{"question": "who ?", "program": ""}', "'program' must be a text"),
        (b'{"question": 3, "program": "answer(state(all))"}', "'question' must be a text"),
        (b'{"question": "\xff", "program": "answer(state(all))"}', "not UTF-8 at byte 15"),
        (b'{"question": "\\ud800", "program": "answer(state(all))"}', "surrogate"),
        (b'{"question": "who ?", "program": "answer(state(all)"}', "program cannot be read"),
        (b'["who ?", "answer(state(all))"]', "a JSON list, not an object"),
        (b"[" * 100_000, "not usable JSON"),
        (b'{"question": "q", "query": "ASK { M0 f:p 3 }"}', "the query cannot be read"),
        (FIELDS + b'"official": 1}', "'official' must be true or false"),
        (FIELDS + b'"bindings": []}', "'bindings' must be an object"),
        (FIELDS + b'"bindings": {"M0": 1}}', "'bindings' must be an object"),
        (FIELDS + b'"rules": {"names": ["a"]}}', "'rules' must be"),
        (FIELDS + b'"rules": {"names": ["a"], "edges": [[0, 1]]}}', "'rules' must be"),
        (FIELDS + b'"rules": {"names": ["a"], "edges": [[0]]}}', "'rules' must be"),
    ],
)
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


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(GOOD * 50)[:-20]])
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

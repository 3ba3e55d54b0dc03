"""Examples with query graphs as JSON Lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from partwise.errors import DataError
from partwise.interface.jsonl import read_jsonl
from partwise.language.sparql import parse_query

GOOD = '{"question":"What","query":"SELECT DISTINCT ?x0 WHERE { M0 f:p ?x0 }"}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8 at byte 1"),
        (b"[1]", "a JSON list, not an object"),
        (b'{"query": "ASK { M0 f:p M1 }"}', r"field 'question'.*fields here: query"),
        (b'{"question": " ", "query": "ASK { M0 f:p M1 }"}', "field 'question'"),
        (b'{"question": "q", "query": 3}', "field 'query'"),
        (b'{"question": "q", "query": "ASK { M0 f:p 3 }"}', "the query cannot be read"),
        (GOOD[:-1].encode() + b',"official":1}', "'official' must be true or false"),
        (GOOD[:-1].encode() + b',"bindings":[]}', "'bindings' must be an object"),
        (GOOD[:-1].encode() + b',"bindings":{"M0":1}}', "'bindings' must be an object"),
        (GOOD[:-1].encode() + b',"rules":{"names":["a"]}}', "'rules' must be"),
        (GOOD[:-1].encode() + b',"rules":{"names":["a"],"edges":[[0,1]]}}', "'rules' must be"),
        (GOOD[:-1].encode() + b',"rules":{"names":["a"],"edges":[[0]]}}', "'rules' must be"),
    ],
)
def test_bad_lines(tmp_path: Path, line: bytes, message: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(GOOD.encode() + b"\n\n" + line + b"\n")
    with pytest.raises(DataError, match=message) as caught:
        read_jsonl(file, parse_query)
    assert str(caught.value).startswith(f"{file}:3: ")
    found, skipped = read_jsonl(file, parse_query, skip_bad=True)
    assert [example.source for example in found] == ["a.jsonl:1"]
    assert skipped == [str(caught.value)]


def test_bad_files(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    with pytest.raises(DataError, match="no such file"):
        read_jsonl(file, parse_query)
    file.write_bytes(b"no gzip")
    with pytest.raises(DataError, match="cannot be read"):
        read_jsonl(file, parse_query)
    file.write_bytes(gzip.compress(GOOD.encode() * 50)[:-20])
    with pytest.raises(DataError, match="cannot be read"):
        read_jsonl(file, parse_query)
    empty = tmp_path / "b.jsonl"
    empty.write_text("\n")
    with pytest.raises(DataError, match="holds no examples"):
        read_jsonl(empty, parse_query)
    empty.write_text("{\n")
    with pytest.raises(DataError, match="all 1 lines were bad"):
        read_jsonl(empty, parse_query, skip_bad=True)


def test_half_of_a_surrogate_pair_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "Did M0 edit \\ud800", "query": "ASK WHERE { M0 a b:c }"}\n')
    with pytest.raises(DataError, match=r":1: field 'question' holds half of a surrogate pair"):
        read_jsonl(file, parse_query)

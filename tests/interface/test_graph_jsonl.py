"""Examples with query graphs as JSON Lines."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from partwise.errors import DataError
from partwise.interface.data import Example, RuleGraph
from partwise.interface.jsonl import read_jsonl, to_line, write_lines
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query, write_query


def line(example: Example[QueryGraph]) -> str:
    """As data files have it."""
    return to_line(example, write_query(example.meaning, "sparql"), "query")


GRAPH = parse_query("SELECT DISTINCT ?x0 { M0 f:p ?x0 . ?x0 a f:T . FILTER ( ?x0 != M0 ) }")
EXAMPLES = [
    Example(
        "Who did M0 p",
        GRAPH,
        official=False,
        context=(("M0", "https://a.example/é"),),
        rules=RuleGraph(("s", "m"), ((0, 1),)),
    ),
    Example("What", GRAPH),
]
GOOD = line(EXAMPLES[1])


@pytest.mark.parametrize("name", ["some.jsonl", "some.jsonl.gz"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    file = tmp_path / "new" / name
    assert write_lines(file, map(line, iter(EXAMPLES))) == 2
    found, skipped = read_jsonl(file, parse_query)
    assert found == [replace(e, source=f"{name}:{i}") for i, e in enumerate(EXAMPLES, start=1)]
    assert skipped == []
    assert [path.name for path in file.parent.iterdir()] == [name]


def test_the_same_examples_give_the_same_bytes(tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"]
    for file in files:
        write_lines(file, (to_line(e, write_query(e.meaning, "sparql"), "query") for e in EXAMPLES))
    assert files[0].read_bytes() == files[1].read_bytes()
    assert gzip.decompress(files[0].read_bytes()).decode().splitlines()[1] == GOOD


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    def failing() -> Iterator[Example[QueryGraph]]:
        yield EXAMPLES[0]
        raise DataError("no more")

    file = tmp_path / "a.jsonl"
    file.write_text("before")
    with pytest.raises(DataError, match="no more"):
        write_lines(file, map(line, failing()))
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        write_lines(
            tmp_path / "file" / "a.jsonl",
            (to_line(e, write_query(e.meaning, "sparql"), "query") for e in EXAMPLES),
        )


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

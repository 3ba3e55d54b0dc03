"""Examples with query graphs, written as JSON Lines."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from partwise.errors import DataError
from partwise.interface.data import Example, RuleGraph
from partwise.interface.jsonl import read_jsonl
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query, write_query
from partwise_papers.datasets.writing import to_line, write_lines


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

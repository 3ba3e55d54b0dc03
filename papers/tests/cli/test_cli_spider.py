"""`partwise data spider`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files in Spider's form: 40 databases with one table each, and two questions over one."""
    columns = [
        {"column": "Id", "name": "id", "type": "number", "primary_key": True},
        {"column": "Name", "name": "name", "type": "text"},
        {"column": "Age", "name": "age", "type": "number"},
    ]
    table = {"table": "Singer", "name": "singers", "columns": columns}
    schemas = [{"db": f"db{one}", "tables": [table], "foreign_keys": []} for one in range(40)]
    said = [
        ("How many singers are there?", "SELECT count(*) FROM Singer"),
        ("Names and count", "SELECT count(*), Name FROM Singer"),
    ]
    questions = [
        {"id": str(number), "db": "db0", "question": question, "sql": sql}
        for number, (question, sql) in enumerate(said)
    ]
    place = tmp_path / "spider"
    place.mkdir()
    with gzip.open(place / "schemas.json.gz", "wt") as file:
        json.dump(schemas, file)
    with gzip.open(place / "train.jsonl.gz", "wt") as file:
        file.write("\n".join(map(json.dumps, questions)))
    return tmp_path


def test_spider_counts_and_writes(cli: Any, folder: Path, tmp_path: Path) -> None:
    files = ["--fills", str(tmp_path / "fills"), "--programs", str(tmp_path / "programs.jsonl")]
    result = cli("data", "spider", "--data", str(folder), "--seeds", "2", *files, "--json")
    counts = json.loads(result.stdout)
    assert (counts["questions"], counts["covered"]) == (2, 1)
    lines = (tmp_path / "programs.jsonl").read_text().splitlines()
    assert [json.loads(one)["program"] for one in lines] == [
        "(Figure (Rows Singer) (Aggregate count))"
    ]


def test_spider_needs_its_files(cli: Any, tmp_path: Path) -> None:
    result = cli("data", "spider", "--data", str(tmp_path), "--fills", str(tmp_path))
    assert result.exit_code == 2
    assert "train.jsonl.gz" in result.stderr

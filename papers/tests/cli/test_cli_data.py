"""`partwise data` and `partwise report`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from partwise_papers.results.result import Run, Setup, add_seed
from partwise_papers.validation import CheckReport, Failure, Finding


def test_data_list_show_and_check(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARTWISE_DATA", raising=False)
    assert "geoquery" in cli("data", "list").stdout
    names = [info["name"] for info in json.loads(cli("data", "list", "--json").stdout)]
    assert {"geography", "geoquery", "mcwq"} <= set(names)
    shown = cli("data", "show", "geography", "--part", "dev", "-n", "3", "--json").stdout
    assert [json.loads(line)["source"] for line in shown.splitlines()] == [
        f"iid.dev.jsonl:{line}" for line in (1, 2, 3)
    ]
    assert cli("data", "show", "geography", "-n", "2").stdout.count("answer(") == 2
    assert cli("data", "show", "geography", "--split", "x").exit_code == 2
    result = cli("data", "check", "geoquery")
    assert result.exit_code == 2
    assert "--data" in result.stderr


@pytest.mark.parametrize("ok", [True, False])
def test_data_check_exits_by_what_it_finds(
    cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ok: bool
) -> None:
    finding = Finding("programs that run")
    finding.add("iid", 3, [] if ok else [Failure("x.jsonl:2", "q", "p", "why not")])
    report = CheckReport("geography", {"iid": {"train": 3}}, [finding])
    monkeypatch.setattr("partwise_papers.validation.check", lambda name, data: report)
    result = cli("data", "check", "geography", "--json", "--out", str(tmp_path / "check.json"))
    assert result.exit_code == (0 if ok else 1)
    assert json.loads(result.stdout)["ok"] is ok
    assert json.loads((tmp_path / "check.json").read_text())["ok"] is ok
    text = cli("data", "check", "geography").stdout
    assert ("x.jsonl:2" in text) is not ok


def test_report(cli: Any, tmp_path: Path, setup: Setup, run: Run) -> None:
    results = str(tmp_path / "results")
    add_seed(results, setup, 0, run)
    assert "system: span" in cli("report", "--results", results, "--markdown").stdout
    assert json.loads(cli("report", "--results", results, "--json").stdout)[0]["system"] == "span"
    assert "every seed" in cli("report", "--results", results).stdout
    assert cli("report", "--results", str(tmp_path)).exit_code == 2


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

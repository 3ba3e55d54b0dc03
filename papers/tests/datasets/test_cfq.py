"""Reading CFQ from files of our own in its format, sound and damaged, and from the real pairs."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cases import cases
from partwise.errors import DataError
from partwise.interface.data import Dataset, Example
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query
from partwise_papers.datasets import json_stream
from partwise_papers.datasets.cfq import FIELDS, SPLITS, read_cfq
from partwise_papers.domains.freebase.domain import FREEBASE
from partwise_papers.validation import check, graph_checks

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "cfq"


def record(number: int) -> dict[str, Any]:
    """A record with the fields of the release; some are read by nobody."""
    return {
        "complexityMeasures": {"questionTemplate": "Did [entity]", "recursionDepth": number},
        "questionPatternModEntities": f"Did M{number} direct M0",
        "sparqlPatternModEntities": (
            f"SELECT count(*) WHERE {{\nM{number} ns:film.director.film M0\n}}"
        ),
        "ruleTree": {"ruleId": "é ]}, {", "subTrees": [{"subTrees": []}] * 3},
    }


INDICES = {"trainIdxs": [5, 1, 2], "devIdxs": [0], "testIdxs": [4]}


def put(folder: Path, name: str, value: object) -> None:
    (folder / name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """Seven records, of which no split has those at 3 and 6."""
    folder = tmp_path / "all" / "cfq"
    (folder / "splits").mkdir(parents=True)
    put(folder, "dataset.json", [record(n) for n in range(1, 8)])
    for name in SPLITS.values():
        put(folder, f"splits/{name}.json", INDICES)
    return folder


def pack(folder: Path, file: Path, splits_first: bool = False) -> Path:
    names = ["dataset.json", *sorted(str(p.relative_to(folder)) for p in folder.glob("splits/*"))]
    file.parent.mkdir(exist_ok=True)
    with tarfile.open(file, "w:gz") as archive:
        for name in reversed(names) if splits_first else names:
            archive.add(folder / name, f"cfq/{name}")
    return file


def sources(dataset: Dataset[QueryGraph]) -> dict[str, list[str]]:
    return {part: [e.source for e in found] for part, found in dataset.parts().items()}


@pytest.mark.parametrize("chunk", [1, 64, 1 << 18])
def test_folder_and_archive(
    unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    texts: dict[str, str] = {}
    dataset = read_cfq(unpacked, "mcd1", texts=texts)
    assert sources(dataset) == {
        "train": ["dataset.json[5]", "dataset.json[1]", "dataset.json[2]"],
        "dev": ["dataset.json[0]"],
        "test": ["dataset.json[4]"],
    }
    assert dataset.train[0].question == "Did M6 direct M0"
    assert dataset.train[0].meaning == parse_query("ASK { M6 ns:film.director.film M0 }")
    assert texts["dataset.json[5]"] == record(6)["sparqlPatternModEntities"]
    assert len(texts) == 5
    for first in (False, True):
        file = pack(unpacked, tmp_path / f"packed{first}" / "cfq1.1.tar.gz", first)
        assert read_cfq(file, "mcd1") == read_cfq(file.parent, "mcd1") == dataset
    assert read_cfq(unpacked.parent, "mcd1") == dataset


def test_the_dataset_is_never_held_as_a_whole(
    unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []
    more = json_stream.JsonStream.more

    def spied(stream: json_stream.JsonStream) -> bool:
        grew = more(stream)
        held.append(len(stream.text))
        return grew

    monkeypatch.setattr(json_stream, "CHUNK", 256)
    monkeypatch.setattr(json_stream.JsonStream, "more", spied)
    put(unpacked, "dataset.json", [record(n) for n in range(1, 400)])
    read_cfq(pack(unpacked, tmp_path / "x.tar.gz"), "mcd1")
    in_front = len(held)
    put(unpacked, "splits/mcd1.json", {**INDICES, "testIdxs": [398]})
    read_cfq(pack(unpacked, tmp_path / "x.tar.gz"), "mcd1")
    assert len(held) > 50 * in_front
    assert max(held) < 4 * len(json.dumps(record(399)))


def change_record(**fields: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        records = [record(n) for n in range(1, 8)]
        records[1] = {k: v for k, v in {**records[1], **fields}.items() if v is not None}
        put(folder, "dataset.json", records)

    return change


def whole_record(value: object) -> Callable[[Path], None]:
    return lambda folder: put(folder, "dataset.json", [record(1), value, *map(record, range(3, 8))])


@cases("change, message")
def test_bad_records(unpacked: Path, change: Callable[[Path], None], message: str) -> None:
    change(unpacked)
    with pytest.raises(DataError, match=rf"dataset\.json\[1\]: .*{message}"):
        read_cfq(unpacked, "mcd1")
    dataset = read_cfq(unpacked, "mcd1", skip_bad=True)
    assert sources(dataset)["train"] == ["dataset.json[5]", "dataset.json[2]"]
    assert len(dataset.skipped) == 1
    put(unpacked, "splits/mcd1.json", {"trainIdxs": [1], "devIdxs": [], "testIdxs": []})
    with pytest.raises(DataError, match="split mcd1 has no examples; all records were bad, first"):
        read_cfq(unpacked, "mcd1", skip_bad=True)


def test_half_of_a_surrogate_pair(unpacked: Path) -> None:
    broken = json.dumps([{**record(1), "questionPatternModEntities": "\ud800"}])
    (unpacked / "dataset.json").write_text(broken)
    with pytest.raises(DataError, match="half of a surrogate pair at character 1"):
        read_cfq(unpacked, "mcd1")


@cases("indices, message")
@pytest.mark.parametrize("skip_bad", [False, True])
def test_splits_that_do_not_fit(
    unpacked: Path, indices: object, message: str, skip_bad: bool
) -> None:
    put(unpacked, "splits/random_split.json", indices)
    with pytest.raises(DataError, match=message):
        read_cfq(unpacked, "random", skip_bad=skip_bad)


DEEP = "[" * 200_000


@cases("text, message")
def test_damaged_datasets(unpacked: Path, text: bytes, message: str) -> None:
    (unpacked / "dataset.json").write_bytes(text)
    with pytest.raises(DataError, match=message):
        read_cfq(unpacked, "mcd1")


def test_damaged_split_files(unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = unpacked / "splits" / "mcd1.json"
    for text in (b"{", DEEP.encode(), b"\xff", b"", b'{"trainIdxs": [' + b"9" * 5000 + b"]}"):
        file.write_bytes(text)
        with pytest.raises(DataError, match=r"mcd1\.json: not usable JSON"):
            read_cfq(unpacked, "mcd1")
    monkeypatch.setattr("partwise_papers.datasets.cfq.MAX_INDEX_FILE", 10)
    file.write_text(json.dumps(INDICES))
    with pytest.raises(DataError, match="more than 10 bytes"):
        read_cfq(unpacked, "mcd1")
    file.unlink()
    with pytest.raises(DataError, match=r"mcd1\.json: no such file"):
        read_cfq(unpacked, "mcd1")


def test_damaged_archives(unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(unpacked, "dataset.json", [{**record(n), "noise": os.urandom(500).hex()} for n in range(9)])
    file = pack(unpacked, tmp_path / "cfq1.1.tar.gz", splits_first=True)
    whole = file.read_bytes()
    assert len(read_cfq(tmp_path, "mcd1").train) == 3
    for content in (whole[:-2000], whole[:50], b"no archive", b"", whole[:99] + b"\x00" * 99):
        file.write_bytes(content)
        with pytest.raises(DataError, match=r"cfq1\.1\.tar\.gz: .*(get it again|has no )"):
            read_cfq(tmp_path, "mcd1")
    with tarfile.open(file, "w:gz") as archive:
        for name in ("readme", "dataset.json/inside"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    with pytest.raises(DataError, match=r"has no splits/mcd1\.json; expected cfq1\.1\.tar\.gz"):
        read_cfq(file, "mcd1")
    file.write_bytes(whole)
    monkeypatch.setattr("partwise_papers.datasets.cfq.MAX_MEMBERS", 1)
    with pytest.raises(DataError, match="has no splits"):
        read_cfq(file, "mcd1")


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has neither cfq1\.1\.tar\.gz nor dataset\.json"):
        read_cfq(tmp_path, "mcd1")
    with pytest.raises(DataError, match="no split 'iid' of cfq; there are mcd1"):
        read_cfq(tmp_path, "iid")


def test_the_check(unpacked: Path) -> None:
    repeated = "SELECT count(*) WHERE {\nM2 ns:film.director.film M0 .\n" + (
        "M2 ns:film.director.film M0\n}"
    )
    change_record(sparqlPatternModEntities=repeated)(unpacked)
    report = check("cfq", unpacked)
    assert report.ok, report.text()
    assert len(report.findings) == 6
    assert {f.total[split] for f in report.findings for split in SPLITS} == {5}
    change_record(sparqlPatternModEntities=repeated.replace("\n", "\n "))(unpacked)
    text = check("cfq", unpacked).text()
    assert "repeated lines aside: mcd1 4/5" in text
    assert "dataset.json[1]" in text


SHORT = ("question", "sparql")


def test_the_real_pairs() -> None:
    if not REAL.is_dir():
        pytest.skip("the pairs of CFQ are not here")
    texts: dict[str, str] = {}
    pairs = []
    for name in ("printed_pairs.json", "google_example_data.json"):
        for number, pair in enumerate(json.loads((REAL / name).read_text(encoding="utf-8"))):
            question, query = (
                pair.get(short) or pair[long] for short, long in zip(SHORT, FIELDS, strict=True)
            )
            texts[f"{name}[{number}]"] = query
            pairs.append(Example(question, parse_query(query), f"{name}[{number}]"))
    checks = graph_checks(FREEBASE)
    checks.add(Dataset("cfq", "pairs", pairs, [], []), texts)
    found = checks.findings
    assert all(finding.ok for finding in found), [finding.failures for finding in found]
    assert {finding.total["pairs"] for finding in found} == {77}


def test_the_relations_are_those_of_the_release() -> None:
    assert (len(FREEBASE.relations), len(FREEBASE.attributes)) == (39, 28)
    if not REAL.is_dir():
        pytest.skip("the relations of CFQ are not here")
    lines = (REAL / "relations.tsv").read_text().splitlines()
    declared = {relation.predicate for relation in FREEBASE.relations}
    declared |= {attribute.predicate for attribute in FREEBASE.attributes}
    assert {line.split("\t")[0] for line in lines} - {"!="} == declared

"""Reading MCWQ's files, sound and damaged, and checking them."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from cli_helpers import run_cli

from cases import cases, rows
from partwise.errors import DataError
from partwise.graph.parser import GraphParser
from partwise.interface import jsonl
from partwise.interface.registry import data_note, load
from partwise.language.sparql import parse_query
from partwise.training.trainer import settings_for
from partwise_papers.datasets.mcwq import SPLITS, read_mcwq
from partwise_papers.datasets.registry import MCWQ_ZH
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.validation import check, graph_checks

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "mcwq"

ASKING = ("Did M1 direct M0", "ASK WHERE { M0 wdt:P57 M1 }", "official")
WEDDED = tuple(rows(globals(), "WEDDED"))


def write(file: Path, *lines: tuple[str, ...] | bytes) -> None:
    rows = (line if isinstance(line, bytes) else "\t".join(line).encode() for line in lines)
    file.write_bytes(gzip.compress(b"".join(row + b"\n" for row in rows)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "mcwq"
    found.mkdir()
    for split in SPLITS:
        write(found / f"{split}.train.tsv.gz", ASKING, WEDDED)
        for part in ("dev", "test"):
            write(found / f"{split}.{part}.tsv.gz", ASKING)
    return found


def test_the_chinese_files_are_another_data_set(folder: Path) -> None:
    assert MCWQ_ZH.read is not None
    write(folder / "mcd1.train.tsv.gz", ("M0是M1的导演吗？", *ASKING[1:]))
    dataset = MCWQ_ZH.read(folder, "mcd1")
    assert (dataset.name, dataset.train[0].question) == ("mcwq_zh", "M0是M1的导演吗？")
    with pytest.raises(DataError, match="no split 'zh' of mcwq_zh"):
        MCWQ_ZH.read(folder, "zh")
    config, _ = settings_for(GraphParser, WIKIDATA, 1000, {}, MCWQ_ZH.settings)
    assert (config.composition, config.word_classes) == ("flat", "learned")
    assert config.sigmoid_attention


def test_a_split(folder: Path) -> None:
    texts: dict[str, str] = {}
    dataset = read_mcwq(folder, "mcd2", texts=texts)
    assert {part: len(found) for part, found in dataset.parts().items()} == {
        "train": 2,
        "dev": 1,
        "test": 1,
    }
    first, second = dataset.train
    assert (first.question, first.source, first.official) == (
        ASKING[0],
        "mcd2.train.tsv.gz:1",
        True,
    )
    assert (second.meaning, second.official) == (parse_query(WEDDED[1]), False)
    assert dataset.test[0].meaning is first.meaning
    assert texts["mcd2.train.tsv.gz:2"] == WEDDED[1]
    assert load("mcwq", "mcd2", folder) == load("mcwq", "mcd2", folder.parent)
    assert "not official" in data_note("mcwq", folder)


@cases("line, message")
def test_bad_lines(folder: Path, line: bytes, message: str) -> None:
    write(folder / "mcd1.dev.tsv.gz", ASKING, line, WEDDED)
    with pytest.raises(DataError, match=rf"mcd1\.dev\.tsv\.gz:2: .*{message}"):
        read_mcwq(folder, "mcd1")
    dataset = read_mcwq(folder, "mcd1", skip_bad=True)
    assert [e.source for e in dataset.dev] == ["mcd1.dev.tsv.gz:1", "mcd1.dev.tsv.gz:3"]
    assert len(dataset.skipped) == 1
    assert str(folder / "mcd1.dev.tsv.gz:2") in dataset.skipped[0]


@pytest.mark.parametrize("skip_bad", [False, True])
def test_damaged_files(folder: Path, skip_bad: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "mcd1.train.tsv.gz"
    whole = file.read_bytes()
    damaged = {
        whole[:-12]: "cannot be read .*; expected QUESTION",
        b"no gzip": "Not a gzipped file",
        whole[:30] + b"\xff\xff\xff" + whole[33:]: "cannot be read",
        gzip.compress(b""): "holds no examples",
        gzip.compress(b"\n"): "holds no examples",
    }
    for content, message in damaged.items():
        file.write_bytes(content)
        with pytest.raises(DataError, match=message):
            read_mcwq(folder, "mcd1", skip_bad=skip_bad)
    file.write_bytes(whole)
    with monkeypatch.context() as patch:
        patch.setattr(jsonl, "MAX_LINE", 50)
        with pytest.raises(DataError, match="a line is longer than 50 bytes"):
            read_mcwq(folder, "mcd1", skip_bad=skip_bad)
    file.unlink()
    with pytest.raises(DataError, match=r"mcd1\.train\.tsv\.gz: no such file"):
        read_mcwq(folder, "mcd1", skip_bad=skip_bad)
    with pytest.raises(DataError, match="no split 'iid' of mcwq; there are mcd1"):
        read_mcwq(folder, "iid", skip_bad=skip_bad)


def test_a_sound_folder_has_no_exceptions(folder: Path) -> None:
    report = check("mcwq", folder)
    assert report.ok, report.text()
    assert report.counts["random"] == {"train": 2, "dev": 1, "test": 1}
    assert len(report.findings) == 7
    assert {finding.total["mcd3"] for finding in report.findings} == {4}


def test_exceptions_are_listed_with_their_place(folder: Path) -> None:
    broken = {
        "lines that can be read": ("Did M0", "ASK { M0 }"),
        "queries written": ("Did M1 direct M0", "ASK WHERE {  M0 wdt:P57 M1 }"),
        "questions and queries of the same": ("Did M1 direct M3", "ASK WHERE { M0 wdt:P57 M1 }"),
        "predicates and constants": ("Was M0 odd", "ASK WHERE { M0 wdt:P21 wd:Q30 }"),
        "FILTERs": ("Did M0 marry M1", "ASK WHERE { M0 wdt:P26 M1 }"),
        "queries of the head": ("Who directed M0", "ASK WHERE { M0 wdt:P57 ?x0 }"),
        "queries in canonical form": ("Did one direct M0", "ASK WHERE { M0 wdt:P57 ?x3 }"),
    }
    lines = [(question, query, "silver") for question, query in broken.values()]
    write(folder / "mcd1.train.tsv.gz", ASKING, *lines)
    report = check("mcwq", folder)
    assert not report.ok
    for number, name in enumerate(broken, start=2):
        (finding,) = (found for found in report.findings if found.what.startswith(name))
        assert finding.failures["mcd2"] == []
        places = [failure.where.split(": ")[0] for failure in finding.failures["mcd1"]]
        assert any(place.endswith(f"mcd1.train.tsv.gz:{number}") for place in places), name
        # The line that is written in another way is not in canonical form either.
        assert len(places) == (2 if name == "queries in canonical form" else 1)


def test_the_commands(folder: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        done = run_cli(*words, "--data", str(folder))
        return done.exit_code, done.output

    assert run("data", "check", "mcwq")[0] == 0
    assert run("data", "show", "mcwq", "--split", "mcd1", "-n", "1") == (
        0,
        f"{ASKING[0]}\n  {ASKING[1]}\n",
    )
    shown = run("data", "show", "mcwq", "--part", "test", "--json")
    assert json.loads(shown[1]) == {
        "question": ASKING[0],
        "meaning": ASKING[1],
        "source": "mcd1.test.tsv.gz:1",
    }
    assert run("data", "show", "mcwq", "--part", "all")[0] == 2


def test_the_published_files() -> None:
    if not REAL.is_dir():
        pytest.skip("the files of MCWQ are not here")
    texts: dict[str, str] = {}
    dataset = read_mcwq(REAL, "mcd1", texts=texts)
    sizes = {part: len(found) for part, found in dataset.parts().items()}
    assert sizes == {"train": 57_189, "dev": 5_408, "test": 5_310}
    assert sum(example.official for example in dataset.train) == 8_940
    assert all(example.official for example in dataset.dev + dataset.test)
    assert max(len(example.meaning.variables) for example in dataset.train) <= 6
    dataset.train = dataset.train[::10]
    checks = graph_checks(WIKIDATA)
    checks.add(dataset, texts)
    findings = checks.findings
    assert all(finding.ok for finding in findings), [finding.failures for finding in findings]
    assert {finding.total["mcd1"] for finding in findings} == {5_719 + 5_408 + 5_310}

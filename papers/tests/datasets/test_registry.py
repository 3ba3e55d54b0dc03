"""Data sets by name, the shipped questions about films, and examples written as JSON Lines."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cases import rows
from partwise.errors import DataError
from partwise.evaluation.metrics import score
from partwise.interface.data import Example, RuleGraph  # noqa: F401
from partwise.interface.jsonl import read_jsonl
from partwise.interface.registry import DATA_VARIABLE, DATASETS, DOMAINS, load, named_domain
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query, write_query
from partwise.language.text import tokenize
from partwise_papers.datasets.films import POOL, SPLITS, make_films, pool, read_shipped_mcd_split
from partwise_papers.datasets.writing import to_line, write_lines
from partwise_papers.splits.dbca import CompoundPool, CompoundSettings


def test_every_data_set_has_its_domain() -> None:
    for info in DATASETS.values():
        assert info.domain in DOMAINS
    assert [named_domain(name).name for name in DOMAINS] == list(DOMAINS)


@pytest.mark.parametrize("split", DATASETS["geography"].splits)
def test_the_shipped_questions_run(split: str) -> None:
    dataset = load("geography", split)
    for examples in dataset.parts().values():
        assert (
            score(named_domain("geography"), examples, [e.meaning for e in examples]).denotation
            == 1
        )


def test_further_questions_are_to_train_alone() -> None:
    wide, iid = load("geography", "wide"), load("geography", "iid")
    assert (wide.dev, wide.test) == (iid.dev, iid.test)
    assert wide.train[: len(iid.train)] == iid.train
    further = {tokenize(e.question).words for e in wide.train[len(iid.train) :]}
    assert len(further) == len(wide.train) - len(iid.train) > 500
    assert not further & {tokenize(e.question).words for e in (*iid.train, *iid.dev, *iid.test)}


def test_the_folder_may_be_given_in_three_ways(
    made_geoquery: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = load("geoquery", "iid", made_geoquery)
    assert load("geoquery", "iid", made_geoquery.parent) == given
    monkeypatch.setenv(DATA_VARIABLE, str(made_geoquery.parent))
    assert load("geoquery", "iid") == given


def test_what_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"there are .*geography, geoquery"):
        load("atis", "iid")
    with pytest.raises(DataError, match="it has iid, compositional"):
        load("geography", "template")
    with pytest.raises(DataError, match=r"there are .*films, freebase, geography"):
        named_domain("atis")
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    with pytest.raises(DataError, match=f"--data, or set {DATA_VARIABLE}"):
        load("geoquery", "iid")
    with pytest.raises(DataError, match="no such folder"):
        load("geoquery", "iid", tmp_path / "nowhere")
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    with pytest.raises(DataError, match="geoquery: no such folder"):
        load("geoquery", "iid")


def test_bad_lines_may_be_left_out(made_geoquery: Path) -> None:
    file = made_geoquery / "iid" / "dev.jsonl"
    file.write_text(file.read_text() + "oops\n")
    with pytest.raises(DataError, match=r"dev\.jsonl:61: not JSON"):
        load("geoquery", "iid", made_geoquery)
    dataset = load("geoquery", "iid", made_geoquery, skip_bad=True)
    assert len(dataset.dev) == 60
    assert len(dataset.skipped) == 1


@pytest.mark.parametrize("split", SPLITS)
def test_no_question_is_in_two_parts(split: str) -> None:
    data = make_films(split)
    assert (data.name, data.split) == ("films", split)
    sources = [example.source for part in data.parts().values() for example in part]
    assert len(set(sources)) == len(sources)
    train, dev, test = map(len, data.parts().values())
    assert train + dev + test == pytest.approx(POOL / 2, rel=0.02)
    assert dev == pytest.approx(test, abs=1) == pytest.approx(train / 8, rel=0.02)


def test_the_splits_are_of_the_same_sizes() -> None:
    sizes = {tuple(map(len, make_films(split).parts().values())) for split in SPLITS}
    assert len(sizes) == 1


def test_the_shipped_places_are_those_of_the_measured_divergences() -> None:
    split = read_shipped_mcd_split()
    rules = [example.rules for example in pool() if example.rules is not None]
    found = CompoundPool.of(rules, CompoundSettings(**split.settings["compounds"]))
    assert found.divergences(split.train, split.dev + split.test) == pytest.approx(
        split.divergences, abs=1e-9
    )
    assert split.atom_divergence <= 0.02
    assert split.compound_divergence > 0.6
    random = make_films("random")
    place = {example.source: i for i, example in enumerate(pool())}
    parts = [[place[e.source] for e in part] for part in (random.train, random.dev + random.test)]
    assert found.divergences(*parts).compound < 0.2


def test_a_data_set_may_be_changed_without_changing_the_next() -> None:
    first = make_films("random")
    kept = list(first.train)
    first.train.clear()
    assert make_films("random").train == kept


def test_an_unknown_split_is_an_error() -> None:
    with pytest.raises(DataError, match=f"no split 'none'; it has {', '.join(SPLITS)}"):
        make_films("none")


def line(example: Example[QueryGraph]) -> str:
    """As data files have it."""
    return to_line(example, write_query(example.meaning, "sparql"), "query")


GRAPH = parse_query("SELECT DISTINCT ?x0 { M0 f:p ?x0 . ?x0 a f:T . FILTER ( ?x0 != M0 ) }")
EXAMPLES = rows(globals(), "EXAMPLES")
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

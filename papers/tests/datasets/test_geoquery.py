"""The reader of the published files, and the splits regenerated from the raw corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from partwise.errors import DataError
from partwise.evaluation.splits import template
from partwise.interface.data import PARTS
from partwise_papers.datasets.geoquery import (
    SPLITS,
    published_length,
    read_corpus,
    read_geoquery,
    rebuild_splits,
)

ENTRY = "id:4\nnl:what 's up ?\nmrl:answer(state(all))\nproductions:\n*n:Query -> ({ answer })\n"


def test_the_corpus_is_read_by_id(tmp_path: Path) -> None:
    (tmp_path / "geoFunql-en.corpus").write_text(f"\n{ENTRY}\n\n{ENTRY.replace('id:4', 'id:5')}")
    corpus = read_corpus(tmp_path)
    assert list(corpus) == ["4", "5"]
    assert corpus["5"].source == "geoFunql-en.corpus:9"
    assert corpus["5"].question == "what's up ?"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (ENTRY.replace("nl:what 's up ?\n", ""), ":1: the entry lacks nl: lines"),
        (ENTRY.replace("id:4\n", ""), ":1: the entry lacks id: lines"),
        (ENTRY + "\n" + ENTRY, ":7: id 4 occurs twice"),
        (ENTRY.replace("state(all))", "state("), ":1: the program cannot be read"),
    ],
)
def test_a_bad_corpus_is_named(tmp_path: Path, content: str, what: str) -> None:
    (tmp_path / "geoFunql-en.corpus").write_text(content)
    with pytest.raises(DataError) as caught:
        read_corpus(tmp_path)
    assert what in str(caught.value)


def test_an_unknown_id_and_a_missing_file_are_named(made_geoquery: Path) -> None:
    folder = made_geoquery
    (folder / "split880.test.ids").write_text("3\n\n9999\n")
    with pytest.raises(DataError, match=r"split880\.test\.ids:3: .* has no id 9999"):
        rebuild_splits(folder)
    (folder / "split880.test.ids").unlink()
    with pytest.raises(DataError, match="expected the raw corpus"):
        rebuild_splits(folder)


def test_rebuilt_splits_have_the_promised_properties(made_geoquery: Path) -> None:
    made = rebuild_splits(made_geoquery)
    assert list(made) == list(SPLITS)
    for dataset in made.values():
        assert sum(len(part) for part in dataset.parts().values()) == 96
        assert len(dataset.dev) == 60
    shapes = [{template(e.meaning) for e in part} for part in made["template"].parts().values()]
    assert not (shapes[0] | shapes[1]) & shapes[2]


def test_length_counts_the_raw_text() -> None:
    assert published_length("f(a(x) ,b(y), _)") == 13
    assert published_length("f(a(x) , b(y), _)") == 14


def test_reads_what_is_in_the_folder(made_geoquery: Path) -> None:
    dataset = read_geoquery(made_geoquery, "template")
    assert dataset.train[2].source == "template/train.jsonl:3"
    assert [len(part) for part in dataset.parts().values()] == [12, 60, 24]
    with pytest.raises(DataError, match="it has iid, template, length"):
        read_geoquery(made_geoquery, "mcd")
    with pytest.raises(DataError, match="no such folder; expected the published files"):
        read_geoquery(made_geoquery / "nowhere", "iid")


def test_the_published_splits_come_out_in_order(real_geoquery: Path) -> None:
    made = rebuild_splits(real_geoquery)
    for split in SPLITS:
        given = read_geoquery(real_geoquery, split).parts()
        for part in PARTS:
            mine = [(e.question, e.meaning) for e in made[split].parts()[part]]
            assert mine == [(e.question, e.meaning) for e in given[part]], (split, part)

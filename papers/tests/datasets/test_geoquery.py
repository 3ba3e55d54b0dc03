"""GeoQuery's published files and trees, and the splits regenerated from the raw corpus."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cases import cases
from library import mismatch
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.evaluation.splits import template
from partwise.interface.data import PARTS
from partwise_papers.datasets.geoquery import (
    SPLITS,
    length_as_published,
    read_corpus,
    read_geoquery,
    read_trees,
    rebuild_splits,
)
from partwise_papers.domains.geoquery import GeoQuery
from partwise_papers.trees.metrics import annotate_all

ENTRY = "id:4\nnl:what 's up ?\nmrl:answer(state(all))\nproductions:\n*n:Query -> ({ answer })\n"


def test_the_corpus_is_read_by_id(tmp_path: Path) -> None:
    (tmp_path / "geoFunql-en.corpus").write_text(f"\n{ENTRY}\n\n{ENTRY.replace('id:4', 'id:5')}")
    corpus = read_corpus(tmp_path)
    assert list(corpus) == ["4", "5"]
    assert corpus["5"].source == "geoFunql-en.corpus:9"
    assert corpus["5"].question == "what's up ?"


@cases("content, what")
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
    assert length_as_published("f(a(x) ,b(y), _)") == 13
    assert length_as_published("f(a(x) , b(y), _)") == 14


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


TYPES = TypeAlgebra(GeoQuery())


def written(folder: Path, question: str, program: str, *spans: tuple[int, int, str]) -> Path:
    """A folder of trees with one line in iid/dev."""
    given = [{"span": [first, last], "type": label} for first, last, label in spans]
    line = {"question": question, "program": program, "gold_spans": given}
    return with_line(folder, json.dumps(line))


def with_line(folder: Path, line: str) -> Path:
    (folder / "iid").mkdir()
    (folder / "iid" / "dev_trees.jsonl").write_text(f"\n{line}\n")
    return folder


def test_spans_get_our_ends_and_categories(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        "cities in new york ?",
        "answer ( city ( loc_2 ( stateid ( 'new york' ) ) ) )",
        *((0, 4, "span"), (0, 0, "city"), (1, 4, "span"), (1, 1, "loc_2"), (2, 4, "span")),
        (2, 3, "stateid#'new york'"),
    )
    (found,) = read_trees(folder, "iid", "dev")
    assert found.source == "iid/dev_trees.jsonl:2"
    assert found.spans == (
        *((0, 5, "join"), (0, 1, "city"), (1, 5, "join"), (1, 2, "loc_2"), (2, 5, "join")),
        (2, 4, "stateid('new york')"),
    )
    assert mismatch(found, TYPES) is None


def test_words_of_several_pieces_are_found_by_phrases(tmp_path: Path) -> None:
    # As three pieces "austin" leaves its phrase only here: where | is | au ##st ##in | ?
    folder = written(
        tmp_path,
        "where is austin ?",
        "answer ( loc_1 ( cityid ( 'austin', _ ) ) )",
        *((0, 5, "span"), (0, 1, "span"), (0, 0, "loc_1"), (2, 5, "span")),
        (2, 4, "cityid#'austin'"),
    )
    (found,) = read_trees(folder, "iid", "dev")
    assert found.spans == (
        *((0, 4, "join"), (0, 2, "join"), (0, 1, "loc_1"), (2, 4, "join")),
        (2, 3, "cityid('austin', _)"),
    )


def test_the_constant_of_a_one_constant_tree_is_cut_to_its_place(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        "list the states .",
        "answer ( state ( all ) )",
        *((0, 3, "span"), (2, 3, "state"), (2, 3, "span")),
    )
    (found,) = read_trees(folder, "iid", "dev")
    assert found.spans == ((0, 4, "join"), (2, 3, "state"), (2, 4, "join"))


@cases("spans, message")
def test_spans_that_do_not_fit_are_refused(
    tmp_path: Path, spans: tuple[tuple[int, int, str], ...], message: str
) -> None:
    folder = written(tmp_path, "list the states .", "answer ( state ( all ) )", *spans)
    where = f"{folder / 'iid' / 'dev_trees.jsonl'}:2: "
    with pytest.raises(DataError, match=re.escape(where)) as caught:
        read_trees(folder, "iid", "dev")
    assert message in str(caught.value)


@pytest.mark.parametrize("given", [None, [], "span", {"span": [0, 1]}])
def test_lines_without_spans_are_refused(tmp_path: Path, given: Any) -> None:
    line = {"question": "states ?", "program": "answer(state(all))", "gold_spans": given}
    with pytest.raises(DataError, match="'gold_spans' must be a list that is not empty"):
        read_trees(with_line(tmp_path, json.dumps(line)), "iid", "dev")


@pytest.mark.parametrize(("split", "part"), [("iid", "tset"), ("iidd", "test")])
def test_unknown_splits_and_parts_are_refused(tmp_path: Path, split: str, part: str) -> None:
    with pytest.raises(DataError, match="geoquery has no trees of"):
        read_trees(tmp_path, split, part)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_trees(tmp_path, "iid", "test")


COUNTS = {"iid": (513, 57, 256), "template": (519, 54, 253), "length": (533, 60, 233)}
# Trees of another program than their own, most of them of cities whose state they leave out.
UNSOUND = {"iid": (19, 0, 6), "template": (19, 2, 4), "length": (15, 5, 5)}


@pytest.mark.parametrize("split", list(COUNTS))
def test_published_trees_and_our_own_agree(real_geoquery: Path, split: str) -> None:
    dataset = read_geoquery(real_geoquery, split, domain=TYPES.domain)
    annotated, same, both = 0, 0, 0
    for place, (part, examples) in enumerate(dataset.parts().items()):
        given = read_trees(real_geoquery, split, part)
        assert len(given) == COUNTS[split][place]
        sound = [example for example in given if mismatch(example, TYPES) is None]
        assert len(given) - len(sound) == UNSOUND[split][place]
        done, _ = annotate_all(examples, TYPES, GeoQuery.annotation)
        annotated += len(done)
        ours = {(e.question, e.meaning): set(e.spans or ()) for e in done}
        pairs = [(ours.get((e.question, e.meaning)), set(e.spans or ())) for e in sound]
        both += len(pairs)
        same += sum(mine == theirs for mine, theirs in pairs)
    assert annotated >= 0.977 * 880
    assert same >= 0.994 * both

"""Data sets by name: the shipped one, a given folder, the environment, and clear refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from partwise.errors import DataError
from partwise.evaluation.metrics import score
from partwise.interface.registry import (
    DATA_VARIABLE,
    DATASETS,
    DOMAINS,
    load,
    named_domain,
)
from partwise.language.text import tokenize


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

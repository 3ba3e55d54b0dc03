"""Means with their confidence intervals."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from partwise.errors import DataError
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.results.result import (
    Run,
    Setup,
    add_seed,
    load_result,
    load_results,
    mean_ci95,
    t975,
)


def test_mean_ci95() -> None:
    mean, half = mean_ci95([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3.0
    assert half == pytest.approx(2.776 * (2.5 / 5) ** 0.5)
    assert mean_ci95([0.5]) == (0.5, None)
    assert mean_ci95([0.5, 0.5]) == (0.5, 0.0)
    with pytest.raises(ValueError, match="no values"):
        mean_ci95([])


def test_t_falls_with_the_degrees_of_freedom() -> None:
    values = [t975(freedom) for freedom in range(1, 500)]
    assert values == sorted(values, reverse=True)
    assert (values[0], values[29], values[-1]) == (12.706, 2.042, 1.980)
    with pytest.raises(ValueError, match="0 degrees"):
        t975(0)


RESULTS = Path(__file__).parents[2] / "results"
NAME = "span-geoquery-iid-base.json"


def test_seeds_are_merged(tmp_path: Path, setup: Setup, run: Run) -> None:
    path = add_seed(tmp_path / "results", setup, 0, run)
    assert path.name == NAME
    other = replace(run, metrics={"exact_match": 0.8, "denotation": 0.9}, seconds=13.0)
    other = replace(other, device="gpu", command="bench --seed 1", commit=None)
    add_seed(path.parent, setup, 1, other)
    content, result = json.loads(path.read_text()), load_result(path)
    assert content == {"format": 1, **result.to_json()}
    path.write_text(json.dumps({**content, "format": 2}))
    with pytest.raises(DataError, match="the format is 2; install a newer version"):
        load_result(path)
    path.write_text(json.dumps(content))
    assert content["metrics"]["denotation"] == {
        "seeds": {"0": 0.8, "1": 0.9},
        "mean": pytest.approx(0.85),
        "ci95": pytest.approx(12.706 * 0.05),
    }
    assert (content["seconds"], content["device"]) == (25.0, "cpu, gpu")
    assert (content["command"], content["commit"]) == ("bench --seed 1", None)
    assert content["settings"] == {"rate": 0.1}
    assert load_results(path.parent) == [result]


def test_the_order_that_seeds_are_added_in_changes_nothing(
    tmp_path: Path, setup: Setup, run: Run
) -> None:
    # Whose sum depends on the order.
    runs = [replace(run, seconds=some) for some in (0.1, 0.2, 0.3)]
    texts = set()
    for order in permutations(range(3)):
        for seed in order:
            path = add_seed(tmp_path / str(order), setup, seed, runs[seed])
        texts.add(path.read_text())
    assert len(texts) == 1


def test_a_seed_run_again_replaces_itself(tmp_path: Path, setup: Setup, run: Run) -> None:
    path = tmp_path / NAME
    add_seed(tmp_path, setup, 3, run)
    again = replace(run, seconds=1.0)
    assert load_result(add_seed(tmp_path, setup, 3, again)).runs == {3: again}
    assert json.loads(path.read_text())["metrics"]["denotation"]["ci95"] is None


def test_many_may_add_at_once(tmp_path: Path, setup: Setup, run: Run) -> None:
    path = tmp_path / NAME
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda seed: add_seed(tmp_path, setup, seed, run), range(16)))
    assert sorted(load_result(path).runs) == list(range(16))
    assert [file.name for file in tmp_path.iterdir()] == [NAME]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, setup: Setup, run: Run, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / NAME
    add_seed(tmp_path, setup, 0, run)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(*((os, "fsync", full) if call == "fsync" else (Path, "replace", full)))
    with pytest.raises(DataError, match=r"could not be written \(No space left on device\)"):
        add_seed(tmp_path, setup, 1, run)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [NAME]


def test_other_setups_are_not_mixed(tmp_path: Path, setup: Setup, run: Run) -> None:
    add_seed(tmp_path, setup, 0, run)
    with pytest.raises(DataError, match="another settings"):
        add_seed(tmp_path, replace(setup, settings={"rate": 0.2}), 1, run)
    with pytest.raises(DataError, match="another train_size: 540, not 500"):
        add_seed(tmp_path, replace(setup, train_size=500), 1, run)


def test_a_setting_newer_than_the_file_is_no_other_setup_while_off(
    tmp_path: Path, setup: Setup, run: Run
) -> None:
    path = tmp_path / NAME
    add_seed(tmp_path, replace(setup, settings={"parser": {"rate": 0.2}}), 0, run)
    add_seed(tmp_path, replace(setup, settings={"parser": {"rate": 0.2, "new": 0.0}}), 1, run)
    assert sorted(load_result(path).runs) == [0, 1]
    with pytest.raises(DataError, match="another settings"):
        add_seed(tmp_path, replace(setup, settings={"parser": {"rate": 0.2, "new": 0.1}}), 2, run)
    with pytest.raises(DataError, match="another settings"):
        add_seed(tmp_path, replace(setup, settings={"parser": {"rate": 0}}), 2, run)


def test_metrics_beyond_those_of_every_run(tmp_path: Path, setup: Setup, run: Run) -> None:
    path = tmp_path / NAME
    more = {"denotation/b": 0.5, "tree_f1": 0.9, "denotation/a": 0.25, "chart_share": 0.1}
    add_seed(tmp_path, setup, 0, run)
    add_seed(tmp_path, setup, 1, replace(run, metrics={**run.metrics, **more}))
    result = load_result(path)
    assert result.metrics == (
        *("exact_match", "denotation", "tree_f1", "chart_share"),
        *("denotation/a", "denotation/b"),
    )
    assert result.seeds("tree_f1") == [1]
    assert result.seeds("tree_f1_equivalent") == []
    assert result.mean_ci95("denotation/a") == (0.25, None)
    content = json.loads(path.read_text())["metrics"]
    assert content["tree_f1"] == {"seeds": {"1": 0.9}, "mean": 0.9, "ci95": None}
    assert list(content["denotation"]["seeds"]) == ["0", "1"]


def test_notes_stand_in_a_file_only_if_there_are_any(
    tmp_path: Path, setup: Setup, run: Run
) -> None:
    path = add_seed(tmp_path, setup, 0, run)
    assert not {"dev_size", "data"} & set(load_result(path).to_json())
    add_seed(tmp_path, replace(setup, dev_size=60), 1, run)
    assert load_result(path).to_json()["dev_size"] == 60
    add_seed(tmp_path, setup, 2, run)
    assert load_result(path).setup.dev_size == 60
    with pytest.raises(DataError, match="another dev_size: 60, not 61"):
        add_seed(tmp_path, replace(setup, dev_size=61), 3, run)
    with pytest.raises(DataError, match="another data: None, not 'regenerated'"):
        add_seed(tmp_path, replace(setup, data="regenerated"), 3, run)
    other = replace(setup, split="length", data="regenerated")
    assert load_result(add_seed(tmp_path, other, 0, run)).setup == other


def test_figures_that_cannot_be_are_refused(tmp_path: Path, setup: Setup, run: Run) -> None:
    path = tmp_path / NAME
    for wrong in (
        {"metrics": {"exact_match": 70.0, "denotation": 0.8}},
        {"metrics": {"exact_match": float("nan"), "denotation": 0.8}},
        {"metrics": {**run.metrics, "accuracy": 0.7}},
        {"metrics": {**run.metrics, "denotation/": 0.7}},
        {"metrics": {**run.metrics, "tree_f1": 94.7}},
        {"seconds": -1.0},
        {"seconds": "long"},
    ):
        with pytest.raises(DataError):
            replace(run, **wrong)
    with pytest.raises(DataError, match="each seed must have the metrics"):
        add_seed(tmp_path, setup, 0, replace(run, metrics={"tree_f1": 0.9}))
    with pytest.raises(DataError, match="must be JSON values"):
        add_seed(tmp_path, replace(setup, settings={"x": {1, 2}}), 0, run)
    with pytest.raises(DataError, match="the seeds"):
        add_seed(tmp_path, setup, -1, run)
    assert not path.exists()
    with pytest.raises(DataError, match="cannot be part of a file name"):
        replace(setup, system="../span")


def change(*keys: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def apply(content: dict[str, Any]) -> None:
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = to

    return apply


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (change("protocol", to=None), "protocol must be of the type"),
        (change("test_size", to="280"), "test_size must be of the type"),
        (change("parameters", to=True), "parameters must be of the type"),
        (change("metrics", to=[]), "this is no result"),
        (change("metrics", "denotation", to=None), "this is no result"),
        (
            change("metrics", "denotation", "seeds", to={}),
            "metrics.denotation is",
        ),
        (change("metrics", "denotation", "seeds", to={"x": 0.5}), "metrics.denotation is"),
        (change("metrics", "denotation", "seeds", "0", to=80), "must be from 0 to 1"),
        (
            change("metrics", "denotation", "mean", to=0.9),
            "is 0.9, but the seeds give 0.8",
        ),
        (
            change("metrics", "denotation", "ci95", to=0.1),
            "is 0.1, but the seeds give None",
        ),
        (change("metrics", "accuracy", to={}), "this is no result"),
        (change("metrics", "tree_f1", to={"seeds": {}}), "metrics.tree_f1 is"),
        (change("metrics", "tree_f1", to={"seeds": {"5": 0.1}}), "metrics.tree_f1 is"),
        (change("metrics", "tree_f1", to={"seeds": {"0": 0.1}, "mean": 0.2}), "seeds give 0.1"),
        (change("dev_size", to=-1), "dev_size must be of the type"),
        (change("data", to=3), "data must be of the type"),
        (change("runs", to={}), "this is no result"),
        (change("runs", "x", to={}), "this is no result"),
        (change("seconds", to=1), "seconds is 1, but the seeds give 12.0"),
        (
            change("runs", "0", "seconds", to="long"),
            "seconds must be of the type",
        ),
        (change("system", to="other"), "belongs in other-geoquery-iid-base.json"),
        (change("system", to="a/b"), "cannot be part of a file name"),
    ],
)
def test_a_malformed_file_is_named(
    tmp_path: Path,
    setup: Setup,
    run: Run,
    spoil: Callable[[dict[str, Any]], None],
    what: str,
) -> None:
    path = tmp_path / NAME
    add_seed(tmp_path, setup, 0, run)
    content = json.loads(path.read_text())
    spoil(content)
    path.write_text(json.dumps(content))
    with pytest.raises(DataError) as caught:
        load_results(tmp_path)
    assert str(caught.value).startswith(f"{path}: ")
    assert what in str(caught.value)


def test_files_of_the_first_kind_are_read_and_written_as_they_are() -> None:
    files = sorted(RESULTS.glob("*.json"))
    assert files
    for file in files:
        written = file.read_text(encoding="utf-8")
        form = {"format": 1} if "format" in json.loads(written) else {}
        content = {**form, **load_result(file).to_json()}
        assert json.dumps(content, indent=2, ensure_ascii=False) + "\n" == written


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        load_results(tmp_path / "none")
    with pytest.raises(DataError, match="no results; expected"):
        load_results(tmp_path)
    (tmp_path / NAME).write_bytes(b"\xff{")
    with pytest.raises(DataError, match="not JSON"):
        load_results(tmp_path)
    with pytest.raises(DataError, match="no such result file"):
        load_result(tmp_path / "other.json")


def test_the_commit_is_a_hash_or_nothing() -> None:
    commit = checkout_commit()
    assert commit is None or len(commit) == 40

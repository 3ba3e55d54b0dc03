"""Result files: what they hold and refuse, and the setup that a test is noted under."""

from __future__ import annotations

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from partwise.errors import DataError
from partwise.evaluation.metrics import Evaluation, Outcome, Scores
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import data_note
from partwise.interface.settings import to_dict, to_record
from partwise.language.program import Term, parse_program
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.store import run_name
from partwise.training.trainer import TrainingConfig
from partwise_papers.incontext.parser import InContextParser
from partwise_papers.results.recorder import metrics_of, protocol, setup_of
from partwise_papers.results.result import (
    Run,
    Setup,
    add_seed,
    load_result,
    load_results,
    mean_ci95,
    t975,
)
from partwise_papers.seq2seq.config import Seq2SeqConfig

# Means with their confidence intervals.


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
MALFORMED = Path(__file__).parent / "malformed.jsonl"
"""What is changed in a file, and what is said of it then."""


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


@pytest.mark.parametrize("line", MALFORMED.read_text().splitlines())
def test_a_malformed_file_is_named(tmp_path: Path, setup: Setup, run: Run, line: str) -> None:
    path, case = add_seed(tmp_path, setup, 0, run), json.loads(line)
    inner = content = json.loads(path.read_text())
    *outer, last = case["keys"]
    for key in outer:
        inner = inner[key]
    inner[last] = case["to"]
    path.write_text(json.dumps(content))
    with pytest.raises(DataError) as caught:
        load_results(tmp_path)
    assert str(caught.value).startswith(f"{path}: ")
    assert case["says"] in str(caught.value)


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


# The setup and the metrics of a saved parser's result.


PROGRAM = parse_program("answer(capital(loc_2(stateid('ohio'))))")
DEV = {"dev_denotation": 0.9, "dev_exact_match": 0.8}


def scores(*groups: str, right: tuple[bool, ...]) -> Scores:
    outcomes = (Outcome(one, one, group=group) for group, one in zip(groups, right, strict=True))
    return Scores(tuple(outcomes))


def config(**facts: Any) -> dict[str, Any]:
    training = {
        "dataset": "clevr",
        "split": "iid",
        "variant": "crf-sharp",
        "train_size": 10,
        "dev": {"n": 5, "denotation": 0.9, "exact_match": 0.8},
        "seconds": 3.0,
        "settings": TrainingConfig(seed=7).to_dict(),
        **facts,
    }
    return {
        "domain": "scenes",
        "parser": to_dict(SpanParserConfig(encoder="some/encoder/")),
        "training": training,
    }


def evaluation(
    dataset: str = "clevr", split: str = "iid", groups: tuple[str, ...] = ("",), **facts: Any
) -> Evaluation:
    test: list[Example[Term]] = [Example("capital of ohio", PROGRAM, group=one) for one in groups]
    return Evaluation(config(**facts), Dataset(dataset, split, [], [], test), "made again")


def test_groups_that_examples_name_are_noted() -> None:
    asked = evaluation("scan", "simple", ("b", "a", "", "b"))
    found = scores("b", "a", "of the domain", "b", right=(True, False, False, False))
    assert metrics_of(asked, found) == {
        "exact_match": 0.25,
        "denotation": 0.25,
        "denotation/a": 0.0,
        "denotation/b": 0.5,
    }


def test_where_edges_alone_are_predicted_nothing_else_is_noted() -> None:
    asked = evaluation(dev={"n": 1, "exact_match": 0.0, "edges_match": 0.75})
    asked = replace(asked, config={**asked.config, "parser": {"protocol": "paper"}})
    right = Scores((Outcome(False, None, partial={"edges": True}),))
    assert metrics_of(asked, right) == {"edges_match": 1.0, "dev_edges_match": 0.75}
    none = Scores((Outcome(False, None),))
    assert metrics_of(asked, none)["edges_match"] == 0.0


def test_notes_are_of_a_folder(tmp_path: Path) -> None:
    assert (data_note("geography"), data_note("my own")) == ("", "")
    (tmp_path / "clevr").mkdir()
    assert data_note("clevr", tmp_path) == ""
    (tmp_path / "clevr" / "regenerated").mkdir()
    assert "not the released files" in data_note("clevr", tmp_path)


def test_metrics_of_the_training_go_with_its_data() -> None:
    right = scores("", right=(True,))
    test = {"exact_match": 1.0, "denotation": 1.0}
    assert metrics_of(evaluation(split="closure", chart_share=0.1), right) == {**test, **DEV}
    assert metrics_of(evaluation(chart_share=1.1), right) == {**test, **DEV, "chart_share": 1.0}
    assert metrics_of(evaluation("scan", "simple"), right) == test
    assert metrics_of(evaluation(dev=None), right) == test
    assert metrics_of(replace(evaluation(), readings=10), right) == test


def test_what_is_fine_tuned_as_a_whole_is_the_encoder() -> None:
    made = evaluation()
    parser = to_dict(Seq2SeqConfig(pretrained="some/writer/"))
    changed = {**made.config, "kind": "seq2seq", "parser": parser}
    assert setup_of(replace(made, config=changed)).encoder == "writer"


def test_setup_of_a_saved_parser() -> None:
    setup = setup_of(evaluation(), 100)
    assert (setup.system, setup.dataset, setup.split, setup.variant) == (
        *("span", "clevr", "iid"),
        "crf-sharp",
    )
    assert (setup.encoder, setup.data, setup.parameters) == ("encoder", "made again", 100)
    assert (setup.train_size, setup.dev_size, setup.test_size) == (10, 5, 1)
    assert setup.protocol == "best of 10 epochs on dev (denotation, exact match)"
    assert list(setup.settings) == ["types", "parser", "loop"]
    assert setup.settings["parser"] == to_record(SpanParserConfig(encoder="some/encoder/"))
    assert "seed" not in setup.settings["loop"]
    closure = setup_of(evaluation(split="closure", groups=("", "")), 100)
    assert closure == replace(setup, split="closure", test_size=2)
    assert setup_of(evaluation("scan", "simple")).dev_size is None
    guided = setup_of(replace(evaluation(), readings=10))
    assert guided.file_name == "span-clevr-iid-crf-sharp-guided.json"
    assert guided.settings["readings"] == 10
    held = setup_of(evaluation(held_out=3)).protocol
    assert held == "best of 10 epochs on 3 held-out questions of train (denotation, exact match)"


def test_names_of_runs() -> None:
    assert run_name("clevr", "iid", "crf-sharp", 7) == "clevr-iid-crf-sharp-7"
    with pytest.raises(DataError, match="cannot be part of a file name"):
        run_name("clevr", "iid", "a/b", 7)


def test_types_by_the_notes_or_by_the_domain() -> None:
    def types(asked: Evaluation) -> Any:
        return setup_of(asked).settings["types"]

    by_name = replace(evaluation(), config={**config(), "domain": "geoquery-paper"})
    assert (types(evaluation(types="paper")), types(by_name)) == ("paper", "paper")
    assert types(evaluation()) == "sharp"


def test_parsers_that_do_not_belong_in_results() -> None:
    with pytest.raises(DataError, match="does not say its dataset, split, variant"):
        setup_of(replace(evaluation(), config={"domain": "scenes", "parser": {}}))
    with pytest.raises(DataError, match="to choose settings by"):
        setup_of(replace(evaluation(), config=config(split="iid-inner-template")))


def test_no_exact_match_is_noted_where_no_programs_are_written() -> None:
    asked = evaluation()
    asked = replace(asked, config={**asked.config, "kind": "end2end"})
    assert metrics_of(asked, scores("", right=(True,))) == {
        "denotation": 1.0,
        "dev_denotation": 0.9,
    }


def test_a_parser_that_keeps_its_pairs_has_no_epochs() -> None:
    loop = {"epochs": 3, "patience": 0}
    assert protocol(InContextParser, loop, 0, False) == "no epochs: the training pairs are kept"
    assert protocol(SpanParser, loop, 0, False).startswith("best of 3 epochs on dev")

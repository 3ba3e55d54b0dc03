"""`partwise train`: what it writes, what it says, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_helpers import TINY, Files, refused, run_cli, shown

from cases import cases
from partwise.cli.train import as_options, descriptions, rewritten
from partwise.errors import PartwiseError
from partwise.interface.registry import PARSERS
from partwise.training.trainer import TrainingConfig


def test_writes_model_log_history_and_result(trained: Files) -> None:
    names = {file.name for file in trained.run.iterdir()}
    assert names == {"model", "train.log", "history.json"}
    assert (
        "40 training questions, 0 of them held out, 12 dev"
        in (trained.run / "train.log").read_text()
    )
    history = json.loads((trained.run / "history.json").read_text())
    assert [line["epoch"] for line in history["history"]] == [0, 1]
    assert 0 < history["chart_share"] < 1
    (result,) = (trained.run.parent / "results").iterdir()
    found = json.loads(result.read_text())
    assert found["train_size"] == 40
    assert found["test_size"] == 12
    assert set(found["runs"]) == {"0"}
    # Where things lie on this machine is nobody's business.
    assert str(trained.run.parent) not in result.read_text()
    assert "--encoder bilstm" in found["command"]


def test_result_of_another_setup_is_refused_before_training(trained: Files, files: Files) -> None:
    results = ["--results", str(trained.run.parent / "results"), "--test"]
    results += ["--test-file", str(files.test), "--out", str(files.run)]
    told = refused("train", *files.options, *TINY, *results, "--batch-size", "3")
    assert "settings" in told
    assert "--variant" in told
    assert not files.run.exists()


def test_a_part_of_the_questions(files: Files) -> None:
    results = ["--results", str(files.run.parent / "results"), "--test"]
    results += ["--test-file", str(files.test), "--out", str(files.run)]
    results += ["--train-size", "16", "--eval-size", "5"]
    assert run_cli("train", *files.options, *TINY, *results).exit_code == 0
    (file,) = (files.run.parent / "results").iterdir()
    found = json.loads(file.read_text())
    assert [found[part] for part in ("train_size", "dev_size", "test_size")] == [16, 5, 5]
    assert found["variant"].endswith("-n16")
    assert "41 of 40 examples" in refused("train", *files.options, *TINY, "--train-size", "41")


def test_broken_line_names_file_and_line_and_skip_bad_lists_it(files: Files) -> None:
    with files.train.open("a", encoding="utf-8") as stream:
        stream.write('{"question": "no program"}\n')
    told = refused("train", *files.options, *TINY, "--out", str(files.run))
    assert f"{files.train}:41" in told
    assert "'program'" in told
    result = run_cli("train", *files.options, *TINY, "--out", str(files.run), "--skip-bad")
    assert result.exit_code == 0
    assert f"{files.train}:41" in result.stderr
    assert f"{files.train}:41" in (files.run / "train.log").read_text()


def test_ill_typed_programs_are_counted_and_listed(files: Files) -> None:
    with files.train.open("a", encoding="utf-8") as stream:
        bad = {"question": "capital length", "program": "answer(len(capital(all)))"}
        stream.write(json.dumps(bad) + "\n")
    assert "40 of 41 questions, 1 not usable" in shown(
        "train", *files.options, *TINY, "--out", str(files.run)
    )
    log = (files.run / "train.log").read_text()
    assert "not usable: train.jsonl:41: capital length | answer(len(capital(all)))" in log


def test_no_usable_question_at_all(files: Files) -> None:
    bad = {"question": "capital length", "program": "answer(len(capital(all)))"}
    files.train.write_text(json.dumps(bad) + "\n")
    told = refused("train", *files.options, *TINY, "--out", str(files.run))
    assert "none of the 1 training questions is usable" in told
    assert "train.jsonl:1" in told


def test_gold_program_that_does_not_run_is_found_before_training(files: Files) -> None:
    bad = {"question": "what ?", "program": "answer(nonsense(all))"}
    with files.dev.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(bad) + "\n")
    options = [*files.options, *TINY, "--out", str(files.run)]
    told = refused("train", *options)
    assert "dev.jsonl:13" in told
    assert "nonsense" in told
    assert not files.run.exists()
    result = run_cli("train", *options, "--skip-bad")
    assert result.exit_code == 0
    assert "dev.jsonl:13: the gold program fails to run" in result.stderr
    assert "(12 questions" in result.stdout


@cases("arguments, message")
def test_errors_in_use(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refused("train", *arguments)
    assert not list(tmp_path.iterdir())


def test_folder_that_cannot_be_written(files: Files) -> None:
    files.run.write_text("a file stands here")
    assert "choose another folder" in refused(
        "train", *files.options, *TINY, "--out", str(files.run)
    )


def test_inner_split_reports_on_its_held_out_part(files: Files) -> None:
    options = [*files.options, *TINY, "--out", str(files.run), "--inner", "length"]
    told = shown("train", *options)
    assert "inner  denotation" in told
    assert "30 of 30 questions" in told
    facts = json.loads((files.run / "model" / "config.json").read_text())["training"]
    assert facts["split"] == "own-inner-length"


def test_own_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop_of_mine.py").write_text(SHOP)
    lines = [
        {"question": f"{ask} {fruit}", "program": f"{name}(fruit('{fruit}'))"}
        for ask, name in (("price of", "price"), ("colour of", "colour"))
        for fruit in ("apple", "pear", "plum")
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "train.jsonl").write_text(text)
    own = ["--domain", "shop_of_mine:Shop"]
    options = [*own, "--train", "train.jsonl", "--dev", "train.jsonl", "--out", "run"]
    assert run_cli("train", *options, *TINY).exit_code == 0
    assert "plum" in shown("ask", "colour of plum", "--model", "run", *own)
    # The parser knows where its domain is, as long as that is here.
    for arguments in (
        ["ask", "colour of plum", "--model", "run"],
        ["evaluate", "run", "train.jsonl"],
    ):
        assert run_cli(*arguments).exit_code == 0
    (tmp_path / "shop_of_mine.py").unlink()
    told = refused("evaluate", "run", "train.jsonl")
    assert "not found here, as shop_of_mine:Shop when it was trained" in told
    assert "--domain MODULE:CLASS" in told


SHOP = """
from partwise import Domain, entities, predicate

class Fruit: ...
class Fact: ...

class Shop(Domain):
    name = "shop"

    @entities(names=("apple", "pear", "plum"))
    def fruit(self, name: str) -> Fruit:
        return name

    @predicate("price")
    def price(self, of: Fruit) -> Fact:
        return f"price of {of}"

    @predicate("colour")
    def colour(self, of: Fruit) -> Fact:
        return f"colour of {of}"
"""


@pytest.mark.parametrize("kind", PARSERS)
def test_all_settings_of_a_parser_are_options(kind: str) -> None:
    shown = run_cli("train", "--parser", kind, "--help").stdout
    for settings in (PARSERS[kind].Config, TrainingConfig):
        for name, text in descriptions(settings).items():
            assert f"--{name.replace('_', '-')}" in shown, name
            assert text, name


def test_former_names_are_options_still() -> None:
    assert rewritten(["--set", "frozen_layers=2", "--set=x=y"]) == ["--frozen-layers=2", "--x=y"]
    with pytest.raises(PartwiseError, match="expected NAME=VALUE"):
        rewritten(["--set", "some"])


def test_options_keep_bounds_and_defaults() -> None:
    made = as_options(TrainingConfig)()
    assert vars(made) == vars(TrainingConfig())


@pytest.mark.parametrize("ending", ["toml", "json", "yaml"])
def test_options_from_a_file(ending: str, files: Files, tmp_path: Path) -> None:
    values = {"encoder": "bilstm", "epochs": 1, "hidden": 16, "objective": "marginal"}
    text = {
        "toml": "".join(f"{name} = {json.dumps(one)}\n" for name, one in values.items()),
        "yaml": "".join(f"{name}: {json.dumps(one)}\n" for name, one in values.items()),
        "json": json.dumps(values),
    }
    file = tmp_path / f"settings.{ending}"
    file.write_text(text[ending])
    given = [*files.options, "--config", str(file), "--hidden", "8", "--out", str(files.run)]
    shown("train", *given)
    found = json.loads((files.run / "model" / "config.json").read_text())
    assert (found["parser"]["encoder"], found["parser"]["hidden"]) == ("bilstm", 8)
    assert found["training"]["settings"]["epochs"] == 1
    file.write_text(text[ending].replace("epochs", "epochen"))
    assert "epochen" in refused("train", *given)


def test_config_prints_what_train_reads(tmp_path: Path) -> None:
    import tomllib

    text = run_cli("config", "--parser", "span").stdout
    found = tomllib.loads(text)
    assert found["parser"] == "span"
    assert found["training"]["epochs"] == TrainingConfig().epochs
    assert "# Passes over the training questions" in text


@cases("command, message")
def test_unknown_commands_are_told(command: str, message: str) -> None:
    assert f"unknown command {command!r}; {message}" in refused(command, "geography")

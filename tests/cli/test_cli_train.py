"""`partwise train`: what it writes, what it says, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import OWN, TINY, Files

from partwise.cli.settings import as_options, descriptions, rewritten
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


def test_result_of_another_setup_is_refused_before_training(
    trained: Files, files: Files, cli: Any
) -> None:
    results = ["--results", str(trained.run.parent / "results"), "--test"]
    results += ["--test-file", str(files.test), "--out", str(files.run)]
    result = cli("train", *files.options, *TINY, *results, "--batch-size", "3")
    assert result.exit_code == 2
    assert "settings" in result.stderr
    assert "--variant" in result.stderr
    assert not files.run.exists()


def test_a_part_of_the_questions(files: Files, cli: Any) -> None:
    results = ["--results", str(files.run.parent / "results"), "--test"]
    results += ["--test-file", str(files.test), "--out", str(files.run)]
    results += ["--train-size", "16", "--eval-size", "5"]
    assert cli("train", *files.options, *TINY, *results).exit_code == 0
    (file,) = (files.run.parent / "results").iterdir()
    found = json.loads(file.read_text())
    assert [found[part] for part in ("train_size", "dev_size", "test_size")] == [16, 5, 5]
    assert found["variant"].endswith("-n16")
    result = cli("train", *files.options, *TINY, "--train-size", "41")
    assert result.exit_code == 2
    assert "41 of 40 examples" in result.stderr


def test_broken_line_names_file_and_line_and_skip_bad_lists_it(files: Files, cli: Any) -> None:
    with files.train.open("a", encoding="utf-8") as stream:
        stream.write('{"question": "no program"}\n')
    result = cli("train", *files.options, *TINY, "--out", str(files.run))
    assert result.exit_code == 2
    assert f"{files.train}:41" in result.stderr
    assert "'program'" in result.stderr
    result = cli("train", *files.options, *TINY, "--out", str(files.run), "--skip-bad")
    assert result.exit_code == 0
    assert f"{files.train}:41" in result.stderr
    assert f"{files.train}:41" in (files.run / "train.log").read_text()


def test_ill_typed_programs_are_counted_and_listed(files: Files, cli: Any) -> None:
    with files.train.open("a", encoding="utf-8") as stream:
        bad = {"question": "capital length", "program": "answer(len(capital(all)))"}
        stream.write(json.dumps(bad) + "\n")
    result = cli("train", *files.options, *TINY, "--out", str(files.run))
    assert result.exit_code == 0
    assert "40 of 41 questions, 1 not usable" in result.stdout
    log = (files.run / "train.log").read_text()
    assert "not usable: train.jsonl:41: capital length | answer(len(capital(all)))" in log


def test_no_usable_question_at_all(files: Files, cli: Any) -> None:
    bad = {"question": "capital length", "program": "answer(len(capital(all)))"}
    files.train.write_text(json.dumps(bad) + "\n")
    result = cli("train", *files.options, *TINY, "--out", str(files.run))
    assert result.exit_code == 2
    assert "none of the 1 training questions is usable" in result.stderr
    assert "train.jsonl:1" in result.stderr


def test_gold_program_that_does_not_run_is_found_before_training(files: Files, cli: Any) -> None:
    bad = {"question": "what ?", "program": "answer(nonsense(all))"}
    with files.dev.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(bad) + "\n")
    options = [*files.options, *TINY, "--out", str(files.run)]
    result = cli("train", *options)
    assert result.exit_code == 2
    assert "dev.jsonl:13" in result.stderr
    assert "nonsense" in result.stderr
    assert not files.run.exists()
    result = cli("train", *options, "--skip-bad")
    assert result.exit_code == 0
    assert "dev.jsonl:13: the gold program fails to run" in result.stderr
    assert "(12 questions" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["geography", "--split", "nowhere"], "it has iid, compositional"),
        (["mars"], "there are cfq, clevr"),
        (["geoquery", "--data", "nowhere"], "nowhere: no such folder"),
        ([], "give a data set"),
        (["geography", "--train", "x.jsonl"], "not both"),
        (["geography", "--test", "--inner", "length"], "--inner never touches test"),
        (["geography", "--set", "colour=red"], "Unknown option: --colour"),
        (["geography", "--set", "colour"], "expected NAME=VALUE"),
        (["geography", "--swap", "2"], "Must be <= 1"),
        (["geography", "--parser", "nose"], "no parser 'nose'; there are "),
        (
            ["geography", "--set", "hidden=red"],
            'Invalid value for --hidden: unable to convert "red"',
        ),
        (["geography", "--variant", "a/b"], "cannot be part of a file name"),
        ([*OWN, "--train", "gone.jsonl", "--dev", "gone.jsonl"], "gone.jsonl: no such file"),
        (["--domain", "json:loads", "--train", "x", "--dev", "x"], "cannot make the domain"),
        (
            ["--domain", "os:getcwd", "--train", "x", "--dev", "x"],
            "is no partwise.language.domain.Domain",
        ),
    ],
)
def test_errors_in_use(
    arguments: list[str], message: str, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli("train", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


def test_folder_that_cannot_be_written(files: Files, cli: Any) -> None:
    files.run.write_text("a file stands here")
    result = cli("train", *files.options, *TINY, "--out", str(files.run))
    assert result.exit_code == 2
    assert "choose another folder" in result.stderr


def test_inner_split_reports_on_its_held_out_part(files: Files, cli: Any) -> None:
    options = [*files.options, *TINY, "--out", str(files.run), "--inner", "length"]
    result = cli("train", *options)
    assert result.exit_code == 0
    assert "inner  denotation" in result.stdout
    assert "30 of 30 questions" in result.stdout
    facts = json.loads((files.run / "model" / "config.json").read_text())["training"]
    assert facts["split"] == "own-inner-length"


def test_own_domain(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert cli("train", *options, *TINY).exit_code == 0
    result = cli("ask", "colour of plum", "--model", "run", *own)
    assert result.exit_code == 0
    assert "plum" in result.stdout
    # The parser knows where its domain is, as long as that is here.
    for arguments in (
        ["ask", "colour of plum", "--model", "run"],
        ["evaluate", "run", "train.jsonl"],
    ):
        assert cli(*arguments).exit_code == 0
    (tmp_path / "shop_of_mine.py").unlink()
    result = cli("evaluate", "run", "train.jsonl")
    assert result.exit_code == 2
    assert "not found here, as shop_of_mine:Shop when it was trained" in result.stderr
    assert "--domain MODULE:CLASS" in result.stderr


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
def test_all_settings_of_a_parser_are_options(kind: str, cli: Any) -> None:
    shown = cli("train", "--parser", kind, "--help").stdout
    for settings in (PARSERS[kind].Config, TrainingConfig):
        for name, text in descriptions(settings).items():
            assert f"--{name.replace('_', '-')}" in shown, name
            assert text, name


def test_former_names_are_options_still() -> None:
    assert rewritten(["--set", "frozen_layers=2", "--set=x=y"]) == ["--frozen-layers=2", "--x=y"]
    words = rewritten(["a", "--entities", "free", "--seed", "1"])
    assert words[1:] == ["--no-type-tied", "--seed", "1"]
    with pytest.raises(PartwiseError, match="expected tied or free"):
        rewritten(["--entities", "some"])


def test_options_keep_bounds_and_defaults() -> None:
    made = as_options(TrainingConfig)()
    assert vars(made) == vars(TrainingConfig())


@pytest.mark.parametrize("ending", ["toml", "json", "yaml"])
def test_options_from_a_file(ending: str, files: Files, cli: Any, tmp_path: Path) -> None:
    values = {"encoder": "bilstm", "epochs": 1, "hidden": 16, "objective": "marginal"}
    text = {
        "toml": "".join(f"{name} = {json.dumps(one)}\n" for name, one in values.items()),
        "yaml": "".join(f"{name}: {json.dumps(one)}\n" for name, one in values.items()),
        "json": json.dumps(values),
    }
    file = tmp_path / f"settings.{ending}"
    file.write_text(text[ending])
    given = [*files.options, "--config", str(file), "--hidden", "8", "--out", str(files.run)]
    result = cli("train", *given)
    assert result.exit_code == 0, result.output
    found = json.loads((files.run / "model" / "config.json").read_text())
    assert (found["parser"]["encoder"], found["parser"]["hidden"]) == ("bilstm", 8)
    assert found["training"]["settings"]["epochs"] == 1
    file.write_text(text[ending].replace("epochs", "epochen"))
    result = cli("train", *given)
    assert result.exit_code == 2
    assert "epochen" in result.stderr


def test_config_prints_what_train_reads(cli: Any, tmp_path: Path) -> None:
    import tomllib

    text = cli("config", "--parser", "span").stdout
    found = tomllib.loads(text)
    assert found["parser"] == "span"
    assert found["training"]["epochs"] == TrainingConfig().epochs
    assert "# Passes over the training questions" in text


@pytest.mark.parametrize(
    ("command", "message"), [("traain", "did you mean 'train'?"), ("--nosuch", "choose from ask,")]
)
def test_unknown_commands_are_told(cli: Any, command: str, message: str) -> None:
    result = cli(command, "geography")
    assert result.exit_code == 2
    assert f"unknown command {command!r}; {message}" in result.stderr

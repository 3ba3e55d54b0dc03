"""`partwise evaluate`, and models that cannot be loaded."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Files, run_cli

from library import without_manifest
from partwise.domains.geography.domain import Geography
from partwise.errors import PartwiseError
from partwise.evaluation.metrics import guided
from partwise.interface.prediction import Prediction
from partwise.language.program import parse_program
from partwise.span.parser import SpanParser


def test_evaluate_agrees_with_training(trained: Files, cli: Any, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    arguments = [str(trained.run), str(trained.dev), "--json", "--errors", str(wrong)]
    result = cli("evaluate", *arguments)
    assert result.exit_code == 0
    figures = json.loads(result.stdout)
    history = json.loads((trained.run / "history.json").read_text())
    assert figures == history["dev"]
    lines = [json.loads(line) for line in wrong.read_text().splitlines()]
    assert len(lines) == round(12 * (1 - figures["exact_match"]))
    told = {"question", "meaning", "predicted", "right_answer", "error", "source", "group", "wrong"}
    told |= {"words", "program_parts", "predicted_parts", "tree", "predicted_tree"}
    assert told == set(lines[0])
    assert [line["right_answer"] for line in lines] == sorted(
        line["right_answer"] for line in lines
    )
    text = cli("evaluate", str(trained.run / "model"), str(trained.dev)).stdout
    assert f"{100 * figures['denotation']:.2f} %" in text


def test_evaluate_known_data_and_execution_guided(trained: Files, cli: Any) -> None:
    result = cli("evaluate", str(trained.run), str(trained.dev), "--execution-guided", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["n"] == 12
    result = cli("evaluate", str(trained.run), "geography", "--split", "moon")
    assert result.exit_code == 2
    assert "it has iid, compositional" in result.stderr
    assert cli("evaluate", str(trained.run), "geography", "--part", "all").exit_code == 2
    assert cli("evaluate", str(trained.run), "gone.jsonl").exit_code == 2


def test_evaluate_tells_how_far_probabilities_can_be_trusted(trained: Files, cli: Any) -> None:
    arguments = [str(trained.run), str(trained.dev), "--calibration"]
    found = json.loads(cli("evaluate", *arguments, "--json").stdout)
    trust = found["calibration"]
    assert trust["questions"] == 12
    assert trust["accuracy"] == pytest.approx(found["denotation"])
    # The temperature was fitted on these very questions.
    assert trust["temperature"] == SpanParser.from_pretrained(trained.run / "model").temperature
    assert trust["log_loss_after"] <= trust["log_loss_before"] + 0.05
    text = cli("evaluate", *arguments).stdout
    assert f"{100 * trust['after']:.1f} % at the temperature" in text
    assert f"{100 * trust['at_90']:.1f} %, for probabilities of" in text


class Fixed:
    """A parser that reads every question the same."""

    def __init__(self, *programs: str) -> None:
        self.all = [Prediction("ohio ?", meaning=parse_program(text)) for text in programs]

    def parse(self, questions: list[str], k: int = 1) -> list[Prediction[Any]]:
        """The same meanings for each."""
        if not self.all:
            return [Prediction(text, reason="none") for text in questions]
        made = replace(self.all[0], alternatives=tuple(self.all[1:k]))
        return [made for _ in questions]


def test_guided_takes_the_first_that_says_something() -> None:
    empty = "answer(exclude(state(all), state(all)))"
    broken, good = "answer(nonsense(all))", "answer(capital(loc_2(stateid('ohio'))))"
    domain = Geography()
    parser = Fixed(broken, empty, good)
    assert guided(parser, domain, ["a", "b"], 3) == [parse_program(good)] * 2
    assert guided(parser, domain, ["a"], 2) == [parse_program(broken)]
    assert guided(Fixed(), domain, ["a"], 2) == [None]
    with pytest.raises(ValueError, match="at least 1"):
        guided(parser, domain, ["a"], 0)


def damage(folder: Path, file: str, content: bytes | None) -> None:
    """Overwrite a file, or with None cut it in half."""
    place = folder / file
    data = place.read_bytes()
    place.write_bytes(data[: len(data) // 2] if content is None else content)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("model.safetensors", None),
        ("model.safetensors", b""),
        ("config.json", None),
        ("config.json", b"[]"),
        ("config.json", b"{}"),
        ("config.json", b'{"format": 99, "kind": "span"}'),
        ("config.json", b'{"format": 2, "kind": "span", "domain": "ours", "training": []}'),
        ("config.json", b"\xff\xfe"),
        ("encoder/words.json", None),
        ("encoder/words.json", b"[1]"),
    ],
)
def test_damaged_models_are_typed_errors(
    trained: Files, cli: Any, tmp_path: Path, file: str, content: bytes | None
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained.run / "model", folder)
    damage(folder, file, content)
    result = cli("ask", "ohio", "--model", str(folder))
    assert result.exit_code == 2
    assert str(folder) in result.stderr
    (folder / file).unlink()
    result = cli("ask", "ohio", "--model", str(folder))
    assert result.exit_code == 2
    with pytest.raises(PartwiseError):
        SpanParser.from_pretrained(folder)


def test_settings_of_a_later_version_are_named(trained: Files, cli: Any, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained.run / "model", folder)
    config = json.loads((without_manifest(folder) / "config.json").read_text())
    config["parser"]["telepathy"] = True
    (folder / "config.json").write_text(json.dumps(config))
    result = cli("ask", "ohio", "--model", str(folder))
    assert result.exit_code == 2
    assert "telepathy" in result.stderr
    assert "config.json" in result.stderr


def test_missing_model(cli: Any, tmp_path: Path) -> None:
    result = cli("evaluate", str(tmp_path / "gone"), "geography")
    assert result.exit_code == 2
    assert "train one with: partwise train" in result.stderr


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    with pytest.raises(PartwiseError, match="there is no saved parser"):
        run_cli("ask", "ohio", "--model", str(tmp_path / "gone"), "--debug")


def test_metrics_are_kept_by_another_package(
    trained: Files, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("partwise.cli.evaluate.RECORDERS", {})
    done = cli("evaluate", str(trained.run), "geography", "--save")
    assert done.exit_code == 2
    assert "pip install partwise-papers" in done.stderr

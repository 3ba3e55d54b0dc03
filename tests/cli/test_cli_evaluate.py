"""`partwise evaluate`, `check`, `curve` and `serve`; models that cannot be loaded."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import TINY, Files, refused, run_cli, shown
from serve_helpers import asked

from cases import cases
from library import without_manifest
from partwise.authoring.new import write_domain
from partwise.cli.sources import examples_beside, find_domain, place_of
from partwise.domains.geography.domain import Geography
from partwise.errors import DataError, PartwiseError
from partwise.evaluation.metrics import guided
from partwise.interface.prediction import Prediction
from partwise.language.program import parse_program
from partwise.serve import server
from partwise.span.parser import SpanParser


def test_evaluate_agrees_with_training(trained: Files, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    arguments = [str(trained.run), str(trained.dev), "--json", "--errors", str(wrong)]
    figures = json.loads(shown("evaluate", *arguments))
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
    text = run_cli("evaluate", str(trained.run / "model"), str(trained.dev)).stdout
    assert f"{100 * figures['denotation']:.2f} %" in text


def test_evaluate_known_data_and_execution_guided(trained: Files) -> None:
    assert (
        json.loads(
            shown("evaluate", str(trained.run), str(trained.dev), "--execution-guided", "--json")
        )["n"]
        == 12
    )
    assert "it has iid, compositional" in refused(
        "evaluate", str(trained.run), "geography", "--split", "moon"
    )
    assert run_cli("evaluate", str(trained.run), "geography", "--part", "all").exit_code == 2
    assert run_cli("evaluate", str(trained.run), "gone.jsonl").exit_code == 2


def test_evaluate_tells_how_far_probabilities_can_be_trusted(trained: Files) -> None:
    arguments = [str(trained.run), str(trained.dev), "--calibration"]
    found = json.loads(run_cli("evaluate", *arguments, "--json").stdout)
    trust = found["calibration"]
    assert trust["questions"] == 12
    assert trust["accuracy"] == pytest.approx(found["denotation"])
    # The temperature was fitted on these very questions.
    assert trust["temperature"] == SpanParser.from_pretrained(trained.run / "model").temperature
    assert trust["log_loss_after"] <= trust["log_loss_before"] + 0.05
    text = run_cli("evaluate", *arguments).stdout
    assert f"{100 * trust['after']:.1f} % at the temperature" in text
    assert f"{100 * trust['at_90']:.1f} %, for probabilities of" in text


class Fixed:
    """A parser that reads every question the same."""

    def __init__(self, *programs: str) -> None:
        self.all = [Prediction("ohio ?", meaning=parse_program(text)) for text in programs]

    def parse(self, questions: list[str], k: int = 1) -> list[Prediction[Any]]:
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


@cases("file, content")
def test_damaged_models_are_typed_errors(
    trained: Files, tmp_path: Path, file: str, content: bytes | None
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained.run / "model", folder)
    damage(folder, file, content)
    assert str(folder) in refused("ask", "ohio", "--model", str(folder))
    (folder / file).unlink()
    refused("ask", "ohio", "--model", str(folder))
    with pytest.raises(PartwiseError):
        SpanParser.from_pretrained(folder)


def test_settings_of_a_later_version_are_named(trained: Files, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained.run / "model", folder)
    config = json.loads((without_manifest(folder) / "config.json").read_text())
    config["parser"]["telepathy"] = True
    (folder / "config.json").write_text(json.dumps(config))
    told = refused("ask", "ohio", "--model", str(folder))
    assert "telepathy" in told
    assert "config.json" in told


def test_missing_model(tmp_path: Path) -> None:
    assert "train one with: partwise train" in refused(
        "evaluate", str(tmp_path / "gone"), "geography"
    )


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    with pytest.raises(PartwiseError, match="there is no saved parser"):
        run_cli("ask", "ohio", "--model", str(tmp_path / "gone"), "--debug")


def test_metrics_are_kept_by_another_package(
    trained: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("partwise.cli.evaluate.RECORDERS", {})
    assert "pip install partwise-papers" in refused(
        "evaluate", str(trained.run), "geography", "--save"
    )


def forget(name: str) -> None:
    for module in [module for module in sys.modules if module.split(".")[0] == name]:
        del sys.modules[module]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    write_domain("own_shelf", "python", tmp_path)
    yield tmp_path
    forget("own_shelf")


@pytest.fixture(scope="module")
def stall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with two runs on its domain, trained just enough to be saved."""
    from cli_helpers import run_cli

    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_domain("own_stall", "python", folder)
        for name in ("old", "new"):
            given = ["--domain", "own_stall", "--train", "own_stall/pairs.jsonl", *TINY]
            result = run_cli("train", *given, "--out", f"runs/{name}")
            assert result.exit_code == 0, result.output
            assert "no questions to choose the best epoch by" in result.stderr
            assert "for 22 training questions as usual: --batch-size 2" in result.stderr
            assert "--epochs" not in result.stderr.splitlines()[0]
        yield folder
    forget("own_stall")


def test_a_folder_stands_for_its_domain(here: Path) -> None:
    assert place_of("own_shelf") == "own_shelf.domain:OwnShelf"
    assert place_of("geography") == "geography"
    assert place_of("a.b:C") == "a.b:C"


def test_a_module_with_several_domains_wants_one_named(here: Path) -> None:
    text = (here / "own_shelf" / "domain.py").read_text("utf-8")
    (here / "own_shelf" / "domain.py").write_text(f"{text}\n\nclass More(OwnShelf): ...\n", "utf-8")
    with pytest.raises(
        DataError, match=r"several domains \(OwnShelf, More\); name one as own_shelf"
    ):
        place_of("own_shelf")


def test_a_module_without_domain(here: Path) -> None:
    (here / "own_shelf" / "domain.py").write_text("x = 1\n", "utf-8")
    with pytest.raises(DataError, match=r"own_shelf/domain\.py holds no partwise Domain"):
        place_of("own_shelf")


def test_pairs_lie_beside_the_domain(here: Path) -> None:
    domain = find_domain("own_shelf")
    assert examples_beside(domain) == here / "own_shelf" / "pairs.jsonl"
    (here / "own_shelf" / "pairs.jsonl").unlink()
    assert examples_beside(domain) is None


def test_check_says_that_all_is_well(here: Path) -> None:
    told = shown("check", "own_shelf")
    assert "own_shelf: 0 errors, 0 warnings, 1 note" in told
    assert "22 pairs use 18 of 18 predicates and kinds of names" in told


def test_check_exits_with_1_and_tells_place_and_reason(here: Path) -> None:
    pairs = here / "own_shelf" / "pairs.jsonl"
    text = pairs.read_text("utf-8").replace("author(book('Emma'))", "autor(book('Emma'))")
    pairs.write_text(text, "utf-8")
    result = run_cli("check", "own_shelf.domain:OwnShelf")
    assert result.exit_code == 1
    assert "error  own_shelf/pairs.jsonl:1  program answer(autor(book('Emma')))" in result.stdout
    assert "did you mean 'author'?" in result.stdout


def test_check_as_json(here: Path) -> None:
    found = json.loads(run_cli("check", "own_shelf", "--json").stdout)
    assert found["ok"] is True
    assert found["coverage"]["of_predicates"] == 18
    assert found["findings"][0]["where"].startswith("own_shelf/domain.py:")


@cases("change, what")
def test_a_domain_that_cannot_be_made_is_a_finding(
    here: Path, change: tuple[str, str], what: str
) -> None:
    file = here / "own_shelf" / "domain.py"
    text = file.read_text("utf-8")
    assert change[0] in text
    file.write_text(text.replace(*change), "utf-8")
    result = run_cli("check", "own_shelf")
    assert result.exit_code == 1
    assert what in result.stdout
    assert "error  own_shelf/domain.py:" in result.stdout


@cases("name, message")
def test_a_name_that_is_no_domain_is_an_error_in_use(here: Path, name: str, message: str) -> None:
    result = run_cli("check", name)
    assert result.exit_code == 2
    assert message in result.output


def test_a_domain_of_query_graphs_is_refused() -> None:
    result = run_cli("check", "films")
    assert result.exit_code == 2
    assert "films is a domain of query graphs" in result.output


def test_ask_takes_the_newest_run_on_the_domain(stall: Path) -> None:
    result = run_cli("ask", "--domain", "own_stall", "--json", "who wrote Emma ?")
    assert "no --model was given" not in result.output
    found = json.loads(result.stdout)
    assert found["question"] == "who wrote Emma ?"


def test_curve_writes_figures_and_a_plot(here: Path) -> None:
    pytest.importorskip("matplotlib")
    given = ["--sizes", "4,8", "--folds", "2", "--epochs", "1"]
    result = run_cli("curve", "own_shelf", *given, "--out", "c.json", "--plot", "c.svg")
    assert result.exit_code == 0, result.output
    assert "training 4 of 4: 8 pairs" in result.stderr
    assert "cannot tell: 2 sizes and 22 test questions are too few" in result.stdout
    found = json.loads((here / "c.json").read_text("utf-8"))
    assert [point["size"] for point in found["points"]] == [4, 8]
    assert (found["encoder"], found["pairs"]) == ("bilstm", 22)
    assert (here / "c.svg").read_text("utf-8").lstrip().startswith("<?xml")


@cases("given, message")
def test_curve_tells_what_is_wrong_before_it_trains(
    here: Path, given: list[str], message: str
) -> None:
    result = run_cli("curve", "own_shelf", *given)
    assert result.exit_code == 2
    assert message in result.output
    assert "training 1" not in result.output


TESTS = Path(__file__).parent.parent


@pytest.fixture
def saved(library: SpanParser, tmp_path: Path) -> list[str]:
    library.save_pretrained(tmp_path / "library")
    return ["--model", str(tmp_path / "library"), "--domain", "library:Library"]


def test_serves_until_it_is_told_to_end(saved: list[str]) -> None:
    command = [sys.executable, "-m", "partwise", "serve", "--port", "0", *saved]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=TESTS, env=os.environ, **pipes) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("Serving library on http://127.0.0.1:"), process.stderr.read()
        url = said.split()[3]
        assert asked(url, "who wrote emma ?")["answer"] == ["austen"]
        assert json.load(urllib.request.urlopen(f"{url}/about"))["examples"]
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=60)
    assert process.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["path"] for line in lines if "path" in line] == ["/ask", "/about"]
    assert "emma" not in log
    assert "Traceback" not in log
    assert "refused to gracefully stop" not in log


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "granian" else find(name)
    )
    assert "serving needs granian: pip install 'partwise[serve]'" in refused("serve")


def test_a_port_in_use_is_said_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run_cli("serve", "--port", str(taken.getsockname()[1]))
    assert result.exit_code == 2
    assert "cannot listen on 127.0.0.1, port" in result.stderr
    assert "--port" in result.stderr


def test_what_a_worker_cannot_load_is_said() -> None:
    assert "there is no saved parser 'nowhere'" in refused(
        "serve", "--port", "0", "--model", "nowhere"
    )


def test_options_that_do_not_fit_the_parser(
    saved: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a worker does first, in this process.
    monkeypatch.setattr(server, "serve", lambda settings, *_: settings.load())
    assert "--endpoint: the domain library asks no SPARQL store" in refused(
        "serve", "--port", "0", *saved, "--endpoint", "http://127.0.0.1:1/sparql"
    )
    assert "takes no context" in refused("serve", "--port", "0", *saved, "--context", "shelf")

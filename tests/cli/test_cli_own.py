"""The commands for a domain of one's own, in a folder that holds nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import TINY

from partwise.authoring.new import write_domain
from partwise.cli.sources import examples_beside, find_domain, place_of
from partwise.errors import DataError

Cli = Callable[..., Any]


def forget(name: str) -> None:
    for module in [module for module in sys.modules if module.split(".")[0] == name]:
        del sys.modules[module]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a domain of plain Python."""
    monkeypatch.chdir(tmp_path)
    write_domain("own_shelf", "python", tmp_path)
    yield tmp_path
    forget("own_shelf")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
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


def test_check_says_that_all_is_well(cli: Cli, here: Path) -> None:
    result = cli("check", "own_shelf")
    assert result.exit_code == 0, result.output
    assert "own_shelf: 0 errors, 0 warnings, 1 note" in result.stdout
    assert "22 pairs use 18 of 18 predicates and kinds of names" in result.stdout


def test_check_exits_with_1_and_tells_place_and_reason(cli: Cli, here: Path) -> None:
    pairs = here / "own_shelf" / "pairs.jsonl"
    text = pairs.read_text("utf-8").replace("author(book('Emma'))", "autor(book('Emma'))")
    pairs.write_text(text, "utf-8")
    result = cli("check", "own_shelf.domain:OwnShelf")
    assert result.exit_code == 1
    assert "error  own_shelf/pairs.jsonl:1  program answer(autor(book('Emma')))" in result.stdout
    assert "did you mean 'author'?" in result.stdout


def test_check_as_json(cli: Cli, here: Path) -> None:
    found = json.loads(cli("check", "own_shelf", "--json").stdout)
    assert found["ok"] is True
    assert found["coverage"]["of_predicates"] == 18
    assert found["findings"][0]["where"].startswith("own_shelf/domain.py:")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("who: Some[Author]", "who"), "missing hint 'who'"),
        (("class Book: ...", "class Book: ("), "SyntaxError"),
        (("from .data import", "from .date import"), "No module named 'own_shelf.date'"),
        (("class Book: ...", "1 / 0"), "ZeroDivisionError"),
    ],
)
def test_a_domain_that_cannot_be_made_is_a_finding(
    cli: Cli, here: Path, change: tuple[str, str], what: str
) -> None:
    file = here / "own_shelf" / "domain.py"
    text = file.read_text("utf-8")
    assert change[0] in text
    file.write_text(text.replace(*change), "utf-8")
    result = cli("check", "own_shelf")
    assert result.exit_code == 1
    assert what in result.stdout
    assert "error  own_shelf/domain.py:" in result.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nix", "no folder nix/ with domain.py or nix.yaml is here"),
        ("nix:Nix", "cannot make the domain"),
        ("own_shelf.domain:Nix", "cannot make the domain"),
        ("json:loads", "cannot make the domain"),
    ],
)
def test_a_name_that_is_no_domain_is_an_error_in_use(
    cli: Cli, here: Path, name: str, message: str
) -> None:
    result = cli("check", name)
    assert result.exit_code == 2
    assert message in result.output


def test_a_domain_of_query_graphs_is_refused(cli: Cli) -> None:
    result = cli("check", "films")
    assert result.exit_code == 2
    assert "films is a domain of query graphs" in result.output


def test_ask_takes_the_newest_run_on_the_domain(cli: Cli, trained: Path) -> None:
    result = cli("ask", "--domain", "own_stall", "--json", "who wrote Emma ?")
    assert "no --model was given" not in result.output
    found = json.loads(result.stdout)
    assert found["question"] == "who wrote Emma ?"


def test_curve_writes_figures_and_a_plot(cli: Cli, here: Path) -> None:
    pytest.importorskip("matplotlib")
    given = ["--sizes", "4,8", "--folds", "2", "--epochs", "1"]
    result = cli("curve", "own_shelf", *given, "--out", "c.json", "--plot", "c.svg")
    assert result.exit_code == 0, result.output
    assert "training 4 of 4: 8 pairs" in result.stderr
    assert "cannot tell: 2 sizes and 22 test questions are too few" in result.stdout
    found = json.loads((here / "c.json").read_text("utf-8"))
    assert [point["size"] for point in found["points"]] == [4, 8]
    assert (found["encoder"], found["pairs"]) == ("bilstm", 22)
    assert (here / "c.svg").read_text("utf-8").lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--sizes", "4,x"], "expected numbers with commas"),
        (["--sizes", "40"], "no 40 training pairs"),
        (["--plot", "c.txt"], "a file that ends in .svg"),
        (["--pairs", "nix.jsonl"], "nix.jsonl: no such file"),
    ],
)
def test_curve_tells_what_is_wrong_before_it_trains(
    cli: Cli, here: Path, given: list[str], message: str
) -> None:
    result = cli("curve", "own_shelf", *given)
    assert result.exit_code == 2
    assert message in result.output
    assert "training 1" not in result.output

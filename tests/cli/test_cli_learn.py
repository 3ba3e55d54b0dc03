"""``partwise learn``, in a folder that holds pairs and nothing else."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_helpers import run_cli, shown

from cases import cases
from partwise.language.program_spelling import read_spelled, write_spelled

pytestmark = pytest.mark.usefixtures("no_state")

TOWNS, PEOPLE = ("paris", "rome", "oslo", "new delhi"), ("ann", "bob", "kim lee")


def lines() -> list[tuple[str, str]]:
    towns = [(name, f"city('{name}')") for name in TOWNS]
    towns += [(f"the home of {name}", f"home(person('{name}'))") for name in PEOPLE]
    people = [(f"the mayor of {words}", f"mayor({program})") for words, program in towns]
    towns += [(f"the home of {words}", f"home({program})") for words, program in people]
    things = [*towns, *people]
    asked = [(f"how old is {words} ?", f"answer(age({program}))") for words, program in things]
    return asked + [(f"show me {words}", f"answer({program})") for words, program in things]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder, from which what is learned is imported."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for module in [one for one in sys.modules if one.split(".")[0] == "learned"]:
        del sys.modules[module]


def write(file: Path, expressions: bool = False) -> Path:
    with file.open("w", encoding="utf-8") as stream:
        for question, program in lines():
            if expressions:
                program = write_spelled(read_spelled(program), "s-expressions")
            stream.write(json.dumps({"question": question, "program": program}) + "\n")
    return file


def test_a_tiny_language_is_learned_from_pairs_alone(here: Path) -> None:
    options = ("--encoder", "bilstm", "--out", "learned", "--epochs", "12")
    told = shown("learn", str(write(here / "pairs.jsonl", expressions=True)), *options)
    assert "held out exact match 100.0" in told
    assert "can be parsed" in told
    new = "how old is the mayor of the home of the mayor of rome ?"
    ran = run_cli("ask", "--model", "learned", new, "--json")
    assert ran.exit_code == 0, ran.output
    assert "age(mayor(home(mayor(city('rome')))))" in ran.stdout
    assert "nothing runs programs of learned yet" in ran.stderr


def test_the_domain_alone_is_written_and_checked(here: Path) -> None:
    pairs = here / "pairs.csv"
    rows = (f'"{question}","{program}"\n' for question, program in lines())
    pairs.write_text("question,program\n" + "".join(rows), encoding="utf-8")
    assert "42 of 42 can be parsed" in shown(
        "learn", str(pairs), "--out", "learned", "--no-training", "--held-out", "0"
    )
    assert sorted(file.name for file in (here / "learned").glob("*.*")) == [
        *("__init__.py", "domain.py", "held_out.jsonl", "pairs.jsonl")
    ]
    shown("check", "learned")
    assert "# unsure: " in (here / "learned" / "domain.py").read_text(encoding="utf-8")


@cases("text, wrong")
def test_what_is_wrong_with_a_table_is_said(here: Path, text: str, wrong: str) -> None:
    (here / "pairs.csv").write_text(text, encoding="utf-8")
    ran = run_cli("learn", "pairs.csv", "--out", "learned")
    assert ran.exit_code != 0
    assert wrong in ran.stderr
    assert not (here / "learned").exists()


def test_bad_lines_are_left_out_and_listed(here: Path) -> None:
    file = write(here / "pairs.jsonl")
    with file.open("a", encoding="utf-8") as stream:
        stream.write('{"question": "what", "program": "f(x=1, 2)"}\nno json\n')
    ran = run_cli("learn", str(file), "--out", "learned", "--no-training")
    assert ":43: the program cannot be read" in ran.stderr
    ran = run_cli("learn", str(file), "--out", "learned", "--no-training", "--skip-bad")
    assert ran.exit_code == 0, ran.output
    assert ran.stderr.count("left out") == 2


@pytest.mark.parametrize("out", ["json", "../learned", "Learned", "a-b"])
def test_a_folder_that_cannot_be_imported_is_refused(here: Path, out: str) -> None:
    ran = run_cli("learn", str(write(here / "pairs.jsonl")), "--out", out)
    assert ran.exit_code != 0
    assert not (here / out).exists()


def test_a_folder_that_exists_is_left_as_it_is(here: Path) -> None:
    (here / "learned").mkdir()
    ran = run_cli("learn", str(write(here / "pairs.jsonl")), "--out", "learned")
    assert "exists already" in ran.stderr
    assert not list(itertools.chain((here / "learned").iterdir()))

"""docs/howto/ask-database.md, followed to the letter: script, commands, and what they answer."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cases import cases

pytest.importorskip("sqlalchemy")
from cli_helpers import run_cli

from partwise.training.store import find_shipped

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "howto" / "ask-database.md"
SCRIPT = ROOT / "examples" / "database" / "make_shop.py"
SERVING = {"serve", "mcp"}
"""Commands that run until they are stopped; the tests of the server start them."""
ASKING = {"ask", "chat", "train", "confirm", "test"}
"""Commands that need a parser."""
APPENDED = ">>"
needs_parser = pytest.mark.skipif(
    "database" not in find_shipped(),
    reason="the parser for databases does not come with this build",
)


def commands() -> list[list[str]]:
    """The commands of the page in their order, without ``partwise``."""
    parts = re.split(r"^```.*\n", PAGE.read_text("utf-8"), flags=re.M)
    # Every other part is a block.
    lines = [line for block in parts[1::2] for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("partwise ")]


def ran(command: list[str]) -> Any:
    """The result of a command; what it prints goes into a file where the page says so."""
    if APPENDED not in command:
        return run_cli(*command)
    *typed, _, name = command
    result = run_cli(*typed)
    with Path(name).open("a", encoding="utf-8") as file:
        file.write(result.stdout)
    return result


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("tea")
    (here / "make_shop.py").write_text(SCRIPT.read_text("utf-8"), "utf-8")
    subprocess.run([sys.executable, "make_shop.py"], cwd=here, check=True)
    return here


@pytest.fixture(scope="module")
def outputs(here: Path) -> Iterator[dict[str, Any]]:
    """The result of each command of the page, run in a folder that was empty before."""
    asked = "database" in find_shipped()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        yield {
            shlex.join(command): ran(command)
            for command in commands()
            if command[0] not in SERVING
            and (asked or command[0] not in ASKING)
            and (find_spec("torch") or command[0] != "train")
        }


def output(outputs: dict[str, Any], start: str) -> str:
    return str(next(v.stdout for k, v in outputs.items() if k.startswith(start)))


def test_the_page_shows_each_command() -> None:
    assert {command[0] for command in commands()} == {
        *(
            "new",
            "ask",
            "chat",
            "check",
            "refresh",
            "train",
            "serve",
            "mcp",
            "confirm",
            "synonym",
            "test",
        )
    }


def test_every_command_succeeds(outputs: dict[str, Any]) -> None:
    for line, result in outputs.items():
        assert result.exit_code == 0, f"{line}\n{result.output}"


def test_the_import_says_what_it_inferred(outputs: dict[str, Any]) -> None:
    told = output(outputs, "new")
    assert "4 tables with 20 columns" in told
    assert "first_name and last_name name a row of customer" in told
    assert "revenue is a measure" in told
    assert "shop: nothing found" in output(outputs, "check")
    assert "no changes" in output(outputs, "refresh")


@needs_parser
@cases("question, answer")
def test_answers(outputs: dict[str, Any], question: str, answer: str) -> None:
    told = output(outputs, shlex.join(["ask", "--domain", "shop", question]))
    assert answer in told
    assert "understood as: " in told
    assert "SELECT" in told


@needs_parser
def test_the_json_has_the_rows(outputs: dict[str, Any]) -> None:
    values = json.loads(output(outputs, "ask --domain shop --json"))
    assert sum(count for _, count in values["answer"]) == 47
    assert values["version"] == 2


@needs_parser
def test_the_python_of_the_page_runs(outputs: dict[str, Any], here: Path) -> None:
    pytest.importorskip("pandas")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    (code,) = (block for block in blocks if "open_domain" in block)
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        exec(compile(code, str(PAGE), "exec"), names)
    assert len(names["told"].to_pandas()) == 6


@needs_parser
def test_an_assistant_gets_the_answer(outputs: dict[str, Any], here: Path) -> None:
    mcp = pytest.importorskip("mcp")
    command = ["-m", "partwise", "mcp", str(here / "shop")]

    async def say() -> Any:
        server = mcp.StdioServerParameters(command=sys.executable, args=command)
        async with mcp.Client(server) as client:
            return await client.call_tool("ask", {"question": "how many customers are there?"})

    told = asyncio.run(asyncio.wait_for(say(), 120)).structured_content
    assert told["answer"] == [[47]]


@needs_parser
def test_what_was_learned_from_a_pair_is_told(outputs: dict[str, Any]) -> None:
    pytest.importorskip("torch")
    told = output(outputs, "train")
    assert "train  1 of 1 questions" in told
    assert "model  runs/" in told

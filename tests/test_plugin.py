"""A parser in a package of its own: every command works with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Ran
from serve_helpers import asked

from partwise.interface.registry import load

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = ROOT / "examples" / "plugin"
KNOWN = load("geography", "iid").train[0]
Cli = Callable[..., Ran]
COMMANDS = """
import json, sys
from dataclasses import asdict
from cli_helpers import run_cli
for line in sys.stdin:
    print(json.dumps(asdict(run_cli(*json.loads(line)))), flush=True)
"""
"""Runs commands until there are no more; each line of its input has the words of one."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    place, work = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("work")
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--target", str(place)]
    subprocess.run([sys.executable, "-m", "pip", *install, str(PLUGIN)], check=True)
    given = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(place), str(ROOT / "tests" / "cli"), *filter(None, [given])])
    return {"cwd": work, "env": {**os.environ, "PYTHONPATH": path}}


@pytest.fixture(scope="module")
def partwise(environment: dict[str, Any]) -> Iterator[Cli]:
    """Runs the command line, beginning with a training, in a process that finds the plug-in."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", COMMANDS], **pipes, **environment) as process:

        def run(*words: str) -> Ran:
            assert process.stdin is not None
            assert process.stdout is not None
            print(json.dumps(words), file=process.stdin, flush=True)
            return Ran(**json.loads(process.stdout.readline()))

        done = run("train", "geography", "--parser", "nearest", "--test", "--out", "runs/nearest")
        assert done.exit_code == 0, done.stderr
        yield run


def test_the_parser_is_short() -> None:
    assert len((PLUGIN / "partwise_nearest.py").read_text(encoding="utf-8").splitlines()) <= 120


def test_its_settings_are_options(partwise: Cli) -> None:
    shown = partwise("train", "--parser", "nearest", "--help").stdout
    assert "--least" in shown
    assert "Similarity, from 0 to 1" in " ".join(shown.split())


def test_evaluate(partwise: Cli) -> None:
    done = partwise("evaluate", "runs/nearest", "geography")
    assert done.exit_code == 0, done.stderr
    assert "exact match" in done.stdout


def test_ask(partwise: Cli) -> None:
    done = partwise("ask", "--model", "runs/nearest", "--json", KNOWN.question)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["meaning"] == str(KNOWN.meaning)


def test_report(partwise: Cli) -> None:
    done = partwise("report")
    assert done.exit_code == 0, done.stderr
    assert "nearest" in done.stdout


def test_serve(partwise: Cli, environment: dict[str, Any]) -> None:
    command = [sys.executable, "-m", "partwise", "serve", "--port", "0", "--model", "runs/nearest"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **environment) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[3]
            assert asked(url, KNOWN.question)["meaning"] == str(KNOWN.meaning)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)

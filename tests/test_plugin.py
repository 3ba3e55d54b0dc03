"""A parser in a package of its own: every command works with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from partwise.interface.registry import load

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = ROOT / "examples" / "plugin"
KNOWN = load("geography", "iid").train[0]
Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A folder and variables in which the plug-in is installed."""
    place, work = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("work")
    install = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--target", str(place)]
    subprocess.run([sys.executable, "-m", "pip", *install, str(PLUGIN)], check=True)
    path = os.pathsep.join([str(place), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {"cwd": work, "env": {**os.environ, "PYTHONPATH": path}}


@pytest.fixture(scope="module")
def partwise(environment: dict[str, Any]) -> Cli:
    """Runs the command line, beginning with a training."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "partwise", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, **environment)

    done = run("train", "geography", "--parser", "nearest", "--test", "--out", "runs/nearest")
    assert done.returncode == 0, done.stderr
    return run


def test_the_parser_is_short() -> None:
    assert len((PLUGIN / "partwise_nearest.py").read_text(encoding="utf-8").splitlines()) <= 120


def test_its_settings_are_options(partwise: Cli) -> None:
    shown = partwise("train", "--parser", "nearest", "--help").stdout
    assert "--least" in shown
    assert "Similarity, from 0 to 1" in " ".join(shown.split())


def test_evaluate(partwise: Cli) -> None:
    done = partwise("evaluate", "runs/nearest", "geography")
    assert done.returncode == 0, done.stderr
    assert "exact match" in done.stdout


def test_ask(partwise: Cli) -> None:
    done = partwise("ask", "--model", "runs/nearest", "--json", KNOWN.question)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["meaning"] == str(KNOWN.meaning)


def test_report(partwise: Cli) -> None:
    done = partwise("report")
    assert done.returncode == 0, done.stderr
    assert "nearest" in done.stdout


def test_serve(partwise: Cli, environment: dict[str, Any]) -> None:
    command = [sys.executable, "-m", "partwise", "serve", "--port", "0", "--model", "runs/nearest"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **environment) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[3]
            body = json.dumps({"question": KNOWN.question}).encode()
            headers = {"Content-Type": "application/json"}
            request = urllib.request.Request(f"{url}/ask", body, headers)
            with urllib.request.urlopen(request, timeout=60) as reply:
                assert json.load(reply)["meaning"] == str(KNOWN.meaning)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)

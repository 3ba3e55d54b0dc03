"""`partwise serve` as a process, and how it refuses to start."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from partwise.serve import server
from partwise.span.parser import SpanParser

TESTS = Path(__file__).parent.parent


@pytest.fixture
def saved(library: SpanParser, tmp_path: Path) -> list[str]:
    """Options that name a saved parser of the library."""
    library.save_pretrained(tmp_path / "library")
    return ["--model", str(tmp_path / "library"), "--domain", "library:Library"]


def _ask(url: str, question: str) -> Any:
    body = json.dumps({"question": question}).encode()
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/ask", body, headers)) as found:
        return json.load(found)


def test_serves_until_it_is_told_to_end(saved: list[str]) -> None:
    command = [sys.executable, "-m", "partwise", "serve", "--port", "0", *saved]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=TESTS, env=os.environ, **pipes) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("Serving library on http://127.0.0.1:"), process.stderr.read()
        url = said.split()[3]
        assert _ask(url, "who wrote emma ?")["answer"] == ["austen"]
        assert json.load(urllib.request.urlopen(f"{url}/about"))["examples"]
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=60)
    assert process.returncode == 0
    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["path"] for line in lines if "path" in line] == ["/ask", "/about"]
    assert "emma" not in log
    assert "Traceback" not in log
    assert "refused to gracefully stop" not in log


def test_without_the_extra_it_says_how_to_get_it(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "granian" else find(name)
    )
    result = cli("serve")
    assert result.exit_code == 2
    assert "serving needs granian: pip install 'partwise[serve]'" in result.stderr


def test_a_port_in_use_is_said_so(cli: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = cli("serve", "--port", str(taken.getsockname()[1]))
    assert result.exit_code == 2
    assert "cannot listen on 127.0.0.1, port" in result.stderr
    assert "--port" in result.stderr


def test_what_a_worker_cannot_load_is_said(cli: Any) -> None:
    result = cli("serve", "--port", "0", "--model", "nowhere")
    assert result.exit_code == 2
    assert "there is no saved parser 'nowhere'" in result.stderr


def test_options_that_do_not_fit_the_parser(
    cli: Any, saved: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a worker does first, in this process.
    monkeypatch.setattr(server, "serve", lambda settings, *_: settings.load())
    result = cli("serve", "--port", "0", *saved, "--endpoint", "http://127.0.0.1:1/sparql")
    assert result.exit_code == 2
    assert "--endpoint: the domain library asks no SPARQL store" in result.stderr
    result = cli("serve", "--port", "0", *saved, "--context", "shelf")
    assert result.exit_code == 2
    assert "takes no context" in result.stderr

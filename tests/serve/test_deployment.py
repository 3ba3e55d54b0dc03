"""The commands of the container and of the systemd unit in the docs, run as they stand there."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
import urllib.request
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from serve_helpers import asked, serving

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "serve.md"


def _commands() -> dict[str, list[str]]:
    page = PAGE.read_text(encoding="utf-8")
    unit = re.search(r"^ExecStart=(.*)$", page, re.M)
    image = re.search(r"^CMD (.*)$", page, re.M)
    assert unit
    assert image
    return {"unit": shlex.split(unit[1]), "container": json.loads(image[1])}


def _command(place: str) -> list[str]:
    """The one of a place, with this Python."""
    command = _commands()[place]
    assert command[0].endswith("python")
    # Any port that is free, in place of the last one on this machine that may not be.
    command[command.index("--port") + 1] = "0"
    return [sys.executable, *command[1:]]


def test_the_command_of_the_container_serves_and_ends() -> None:
    with serving(_command("container")) as (url, process, _):
        assert asked(url, "what is the capital of texas?")["answer"] == ["austin, texas"]
        assert urllib.request.urlopen(f"{url}/ready", timeout=60).status == 200
        # A log that nobody reads keeps no server from answering, nor from ending.
        assert process.stderr is not None
        process.stderr.close()
        assert asked(url, "what is the capital of ohio?")["answer"] == ["columbus, ohio"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_neither_runs_as_root() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert re.search(r"^USER (?!root|0)", page, re.M)
    assert "DynamicUser=yes" in page


def test_dead_workers_of_the_unit_are_replaced_and_the_last_questions_answered() -> None:
    with serving(_command("unit")) as (url, process, log):
        lines = iter(log)

        def until(said: str) -> Any:
            return next(line for line in map(json.loads, lines) if said in line.get("message", ""))

        workers = [int(until("Spawning")["message"].rsplit(" ", 1)[1]) for _ in range(2)]
        for _ in workers:
            until("Started worker")
        assert asked(url, "what is the capital of texas?")["answer"] == ["austin, texas"]
        assert urllib.request.urlopen(f"{url}/ready", timeout=60).status == 200
        os.kill(workers[0], signal.SIGKILL)
        until("Started worker")
        connection = HTTPConnection(urlsplit(url).netloc, timeout=120)
        body = json.dumps({"question": "which states border texas?"})
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        connection.request("POST", "/ask", body, headers)
        assert connection.getresponse().read()
        # The server asks for the body when the request is under way, and is then told to end.
        connection.request("POST", "/ask", headers={**headers, "Expect": "100-continue"})
        assert b"100 Continue" in connection.sock.recv(1000)
        process.send_signal(signal.SIGTERM)
        connection.send(body.encode())
        assert len(json.load(connection.getresponse())["answer"]) == 4
        assert process.wait(60) == 0

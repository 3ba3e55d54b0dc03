"""The log: a JSON object a line, without the texts of questions unless they are asked for."""

from __future__ import annotations

import logging
from datetime import datetime

from serve_helpers import Echo, served

from partwise.serve.logs import Log, ServerLines


def test_each_request_is_a_line() -> None:
    here = served(Echo())
    here.client.post("/batch", json={"questions": ["my secret", "x"]})
    here.client.get("/health?token=hidden")
    here.client.post("/ask", content=b"{my secret")
    batch, health, bad = here.lines
    assert datetime.fromisoformat(batch["time"]).tzinfo is not None
    assert (batch["method"], batch["path"], batch["status"]) == ("POST", "/batch", 200)
    assert batch["questions"] == 2
    assert batch["milliseconds"] > 0
    assert len({line["request"] for line in here.lines}) == 3
    assert (health["path"], health["status"]) == ("/health", 200)
    assert bad["status"] in (400, 422)
    assert "secret" not in here.stream.getvalue()
    assert "hidden" not in here.stream.getvalue()


def test_texts_are_logged_on_demand() -> None:
    here = served(Echo(), questions=True)
    here.client.post("/ask", json={"question": "who?"})
    assert here.lines[0]["asked"] == ["who?"]


def test_nothing_in_a_path_can_forge_a_line() -> None:
    here = served(Echo())
    here.client.get("/x%0a%7b%22level%22:1%7d%1b[31m\u2028")
    (line,) = here.lines
    assert line["status"] == 404
    assert "\n" in line["path"]
    assert here.stream.getvalue().count("\n") == 1
    assert "\x1b" not in here.stream.getvalue()


def test_the_web_server_speaks_in_lines_too() -> None:
    here = served(Echo())
    handler = ServerLines(Log(here.stream))
    handler.handle(logging.LogRecord("_granian", 20, "", 1, "up on %d", (80,), None))
    (line,) = here.lines
    assert line["level"] == "info"
    assert line["message"] == "up on 80"

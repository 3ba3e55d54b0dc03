"""A language model behind OpenAI's protocol, on a server of this test."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from partwise.errors import ExecutionError, PartwiseError
from partwise_papers.incontext.model import EndpointModel, InContextSettings, open_model

GRAMMAR = 'root ::= "answer"'


class Server(ThreadingHTTPServer):
    """Answers alike, and keeps what was asked."""

    daemon_threads = True
    answer: bytes
    status = 200
    asked: list[tuple[str, dict[str, Any], str | None]]


class Handler(BaseHTTPRequestHandler):
    """Keeps the request."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body, self.headers["Authorization"]))
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def chat(content: Any, logprobs: list[float] | None = None, reason: str = "stop") -> bytes:
    told = None if logprobs is None else {"content": [{"logprob": one} for one in logprobs]}
    choice = {"message": {"content": content}, "logprobs": told, "finish_reason": reason}
    return json.dumps({"choices": [choice]}).encode()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("PARTWISE_ENDPOINT_KEY", raising=False)
    made = Server(("127.0.0.1", 0), Handler)
    made.asked, made.answer = [], chat("answer(1)", [-0.5, -0.25])
    threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def model(server: Server, grammar: str = "none") -> EndpointModel:
    return EndpointModel(f"http://127.0.0.1:{server.server_port}/v1/", "tiny", grammar, 5.0)


def test_the_prompt_is_sent_and_the_program_comes_back_with_its_probability(server: Server) -> None:
    said = model(server).complete("question: q\nprogram:\n", None, 17)
    assert (said.text, said.log_probability, said.finished) == ("answer(1)", -0.75, True)
    ((path, body, key),) = server.asked
    assert (path, body["model"], body["max_tokens"]) == ("/v1/chat/completions", "tiny", 17)
    assert body["messages"][-1] == {"role": "user", "content": "question: q\nprogram:\n"}
    assert key is None


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("none", {}),
        ("llama.cpp", {"grammar": GRAMMAR}),
        ("vllm", {"structured_outputs": {"grammar": GRAMMAR}}),
    ],
)
def test_a_grammar_goes_the_way_that_the_service_takes_it(
    server: Server, kind: str, sent: dict[str, Any]
) -> None:
    model(server, kind).complete("", GRAMMAR, 1)
    body = server.asked[0][1]
    assert {name: body[name] for name in ("grammar", "structured_outputs") if name in body} == sent


def test_the_key_is_read_from_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARTWISE_ENDPOINT_KEY", "secret")
    asked = model(server)
    asked.complete("", None, 1)
    assert server.asked[0][2] == "Bearer secret"
    assert "secret" not in json.dumps(dict(asked.facts))


def test_fences_are_taken_off_and_a_cut_answer_is_not_finished(server: Server) -> None:
    server.answer = chat("```\nanswer(1)\n```", reason="length")
    said = model(server).complete("", None, 1)
    assert (said.text, said.finished) == ("answer(1)", False)
    assert math.isnan(said.log_probability)


@pytest.mark.parametrize("answer", [b"{}", b'{"choices": []}', chat(None), b"[1]"])
def test_an_answer_of_another_kind_is_told(server: Server, answer: bytes) -> None:
    server.answer = answer
    with pytest.raises(ExecutionError, match="no chat completion"):
        model(server).complete("", None, 1)


@pytest.mark.parametrize(
    ("status", "message"),
    [(401, "PARTWISE_ENDPOINT_KEY right"), (500, "HTTP 500: broken"), (302, "HTTP 302")],
)
def test_a_refusal_is_told_and_no_redirection_followed(
    server: Server, status: int, message: str
) -> None:
    server.status, server.answer = status, b"broken"
    with pytest.raises(ExecutionError, match=message):
        model(server).complete("", None, 1)
    assert len(server.asked) == 1


def test_what_is_no_json_and_nobody_at_all_are_told(server: Server) -> None:
    server.answer = b"<html>"
    with pytest.raises(ExecutionError, match="no answer"):
        model(server).complete("", None, 1)
    with pytest.raises(ExecutionError, match="no answer"):
        EndpointModel("http://127.0.0.1:1/v1", "tiny", timeout=2.0).complete("", None, 1)


@pytest.mark.parametrize("url", ["ftp://a/v1", "https://", "https://me:key@a/v1", "http://[", "v1"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(PartwiseError, match="is no URL of an endpoint"):
        open_model(InContextSettings(model="tiny", endpoint=url))

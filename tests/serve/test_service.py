"""What a service is made of: contexts, examples, sockets."""

from __future__ import annotations

import gc
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from serve_helpers import Echo, running

from library import Library
from partwise.domains.geography.domain import Geography
from partwise.errors import ServeError
from partwise.serve.guard import Limits
from partwise.serve.server import address_of, take_port
from partwise.serve.service import Service
from partwise.span.parser import SpanParser


def test_programs_run_in_the_context_given(
    library: SpanParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def about(domain: Library, context: Any) -> Library:
        seen.append(context)
        return domain

    monkeypatch.setattr(Library, "about", about)
    service = Service(library, context="the second shelf")
    (reply,) = service.ask(["who wrote emma ?"], 2, True)
    assert reply["answer"] == ["austen"]
    assert len(reply["alternatives"]) == 1
    assert seen == ["the second shelf"] * 2
    service.ask(["who wrote emma ?"], 2, False)
    assert len(seen) == 2


def test_the_examples_of_geography_are_answered_by_its_parser() -> None:
    parser = SpanParser.from_pretrained("geography")
    for question in Geography.examples:
        answer = parser(question)
        assert answer.lines, question
        assert answer.prediction.probability > 0.9


def test_a_service_warms_up_with_its_examples(
    library: SpanParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[str], int, bool]] = []

    def ask(_: Service, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        asked.append((list(questions), k, run))
        return []

    monkeypatch.setattr(Service, "ask", ask)
    try:
        Service(library).warm_up()
        assert gc.get_freeze_count() > 1000
    finally:
        gc.unfreeze()
    examples = list(library.domain.examples)
    assert examples
    assert asked == [(examples, 1, True), (examples, 2, True)]


def test_a_port_is_taken_once() -> None:
    with take_port("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert address_of(taken) == f"http://127.0.0.1:{port}"
        with pytest.raises(ServeError, match=f"port {port}: .*--port"):
            take_port("127.0.0.1", port)
    with pytest.raises(ServeError, match="cannot listen on 203"):
        take_port("203.0.113.1", 0)


@pytest.mark.parametrize(("proxy", "second"), [(None, 429), ("127.0.0.1", 200)])
def test_only_a_proxy_that_was_named_is_believed(
    proxy: str | None, second: int, tmp_path: Path
) -> None:
    import httpx2

    with running(Echo(), Limits(rate=1), tmp_path / "log", proxy) as url:
        codes = [
            httpx2.post(
                f"{url}/ask", json={"question": "x"}, headers={"X-Forwarded-For": address}
            ).status_code
            for address in ("192.0.2.1", "192.0.2.2")
        ]
    assert codes == [200, second]


def test_addresses_that_a_browser_finds() -> None:
    with take_port("0.0.0.0", 0) as taken:
        assert address_of(taken).startswith("http://127.0.0.1:")
    if socket.has_ipv6:
        try:
            taken = take_port("::1", 0)
        except ServeError:
            pytest.skip("this machine has no IPv6")
        with taken:
            assert address_of(taken).startswith("http://[::1]:")

"""Programs whose methods never end, take all memory, or disturb the process that runs them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hostile import Hostile

from cases import rows
from library import Library
from partwise.cli.sources import ParserSource
from partwise.errors import DomainError, ExecutionError
from partwise.execution.programs import BoundedDomain
from partwise.interface.parser import Parser
from partwise.interface.prediction import Prediction
from partwise.language.program import Term, parse_program
from partwise.serve.service import Service
from partwise.span.parser import SpanParser

ATTACKS = dict(rows(globals(), "ATTACKS"))


class Readings(Parser[Term]):
    kind = "readings"

    def __init__(self, domain: Any) -> None:
        self.domain = domain

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float = 0.0
    ) -> list[Prediction[Term]]:
        return [Prediction(one, (), parse_program(one), 1.0) for one in questions]


@pytest.fixture(scope="module")
def bounded() -> Iterator[BoundedDomain]:
    domain = BoundedDomain(Hostile(), timeout=1.0, max_memory=512 << 20)
    yield domain
    domain.close()


@pytest.mark.parametrize(("program", "message"), ATTACKS.items())
def test_a_hostile_program_is_stopped_and_the_next_one_answered(
    bounded: BoundedDomain, program: str, message: str
) -> None:
    service = Service(Readings(bounded))
    bad, good = service.ask([program, "seven()"], 1, True)
    assert bad["answer"] is None
    assert len(bad["reason"]) < 2_000
    with pytest.raises(ExecutionError, match=message):
        bounded.run(parse_program(program))
    assert good["answer"] == ["7"]
    assert service.ask(["seven()"], 1, True)[0]["answer"] == ["7"]


def test_the_asker_is_told_of_limits(bounded: BoundedDomain) -> None:
    (reply,) = Service(Readings(bounded)).ask(["endless()"], 1, True)
    assert reply["reason"] == "it does not run: the program took longer than 1 s and was stopped"
    assert "error" not in reply


def test_what_methods_print_and_read_is_apart(bounded: BoundedDomain) -> None:
    for _ in range(3):
        assert bounded.run(parse_program("talk()")).lines == ("nothing",)
        assert bounded.run(parse_program("seven()")).lines == ("7",)


def test_a_query_of_a_program_that_was_stopped_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process would else use a core for as long as the query takes."""
    tables = tmp_path / "hostile.sql"
    tables.write_text("CREATE TABLE x (y);", encoding="utf-8")
    monkeypatch.setenv("HOSTILE_TABLES", str(tables))
    bounded = BoundedDomain(Hostile(), timeout=2.0)
    with ThreadPoolExecutor(1) as beside:
        stopped = beside.submit(bounded.run, parse_program("query()"))
        _wait(_grandchildren)
        (worker,) = _grandchildren()
        with pytest.raises(ExecutionError, match="took longer"):
            stopped.result()
    _wait(lambda: not _runs(worker))
    bounded.close()


def _wait(until: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_domain_that_cannot_be_made_again_is_told() -> None:
    domain = BoundedDomain(Hostile(1), place="hostile:missing")
    with pytest.raises(DomainError, match="hostile:missing: cannot be made"):
        domain.run(parse_program("seven()"))


def test_commands_run_programs_with_limits(
    library: SpanParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.save_pretrained(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    Path("looping.py").write_text(
        "from library import Library\n"
        "class Looping(Library):\n"
        "    def _items(self, value):\n"
        "        while 'emma' in value: pass\n"
        "        return value\n",
        encoding="utf-8",
    )
    source = ParserSource(model="model", domain="looping:Looping", run_timeout=1.0)
    parser, _ = source.load()
    assert isinstance(parser.domain.domain, Library)
    first, second = parser(["who wrote emma ?", "who is the author of dracula ?"])
    assert str(first.reason).endswith("took longer than 1 s and was stopped")
    assert second.lines == ("stoker",)
    parser.domain.close()


def _grandchildren() -> list[int]:
    """The processes that those started that this one has started."""

    def children(process: int) -> list[int]:
        files = Path(f"/proc/{process}/task").glob("*/children")
        return [int(one) for file in files for one in file.read_text().split()]

    return [one for child in children(os.getpid()) for one in children(child)]


def _runs(process: int) -> bool:
    """Whether a process runs; one that has ended may still be listed."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    return False

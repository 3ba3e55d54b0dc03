"""Many questions: requests put together, and files of questions."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import random
import signal
import threading
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from serve_helpers import Echo

from partwise.errors import DataError, PartwiseError
from partwise.interface.prediction import Prediction
from partwise.serve.batching import LONG, MUCH, Batcher, BusyError, _Request
from partwise.serve.files import (
    BadRow,
    BatchJob,
    Worker,
    open_table,
    run_batch,
    run_here,
    run_in_processes,
    run_on_ray,
)
from partwise.serve.service import Service


class Held(Echo):
    """Its calls last until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.begun, self.held = threading.Event(), threading.Event(), True

    def ask(self, questions: Sequence[str], k: int, run: bool, **more: Any) -> list[dict[str, Any]]:
        self.begun.set()
        assert not self.held or self.go.wait(30)
        return super().ask(questions, k, run)


async def _first(batcher: Batcher, service: Held) -> asyncio.Task[Any]:
    task = asyncio.create_task(batcher.ask(["first"], 1, True))
    await asyncio.to_thread(service.begun.wait, 30)
    return task


def _answers(replies: Any) -> list[list[str]]:
    return [[one["answer"][0] for one in reply] for reply in replies]


def meanwhile(
    service: Held, asked: Sequence[tuple[Any, ...]], spent: Any = (), **settings: Any
) -> list[Any]:
    """What a first request gets, and those that come while it is under way; or their errors. Of
    late, clients have `spent` so much."""
    batcher = Batcher(service, **settings)
    for client, much in spent:
        batcher.spent.add(client, much)

    async def run() -> Any:
        first = await _first(batcher, service)
        tasks = [asyncio.create_task(batcher.ask(*one)) for one in asked]
        await asyncio.sleep(0)
        service.go.set()
        return await asyncio.gather(first, *tasks, return_exceptions=True)

    replies = asyncio.run(run())
    batcher.close()
    return list(replies)


def test_what_waits_meanwhile_is_one_batch_and_each_gets_its_own() -> None:
    service, asked = Held(), [["a", "b"], ["c"], ["d", "e", "f"], ["g"]]
    replies = meanwhile(service, [(one, 1, True) for one in asked], most=5)
    assert _answers(replies) == [["first"], *asked]
    # Five questions at most; a request of several may be in two batches.
    assert service.calls == [["first"], ["a", "b", "c", "d", "e"], ["f", "g"]]


def test_a_question_comes_between_those_of_a_large_request() -> None:
    class Slow(Echo):
        def ask(
            self, questions: Sequence[str], k: int, run: bool, **more: Any
        ) -> list[dict[str, Any]]:
            time.sleep(0.05 * len(questions))
            return super().ask(questions, k, run)

    async def both() -> list[str]:
        batcher, order = Batcher(Slow()), []

        async def asking(client: str, questions: list[str]) -> None:
            replies = await batcher.ask(questions, 1, True, client)
            assert len(replies) == len(questions)
            order.append(client)

        await asking("first", ["x"])
        await asyncio.gather(asking("much", ["m"] * 40), asking("little", ["l"]))
        batcher.close()
        return order

    assert asyncio.run(both()) == ["first", "little", "much"]


def test_only_requests_that_want_the_same_share_a_batch() -> None:
    service = Held()
    wanted = [("a", 1, True), ("b", 2, True), ("c", 1, False), ("d", 1, True)]
    assert all(len(one) == 1 for one in meanwhile(service, [([q], k, go) for q, k, go in wanted]))
    assert service.calls == [["first"], ["a", "d"], ["b"], ["c"]]


def test_a_request_that_fails_takes_no_other_with_it() -> None:
    service = Held()

    def fail(question: str) -> None:
        if question == "bad":
            raise RuntimeError("bad luck")

    service.fails = fail
    _, good, bad, other = meanwhile(service, [([q], 1, True) for q in ("a", "bad", "c")])
    assert _answers([good, other]) == [["a"], ["c"]]
    assert isinstance(bad, RuntimeError)


def test_too_many_waiting_are_sent_away_and_the_rest_is_answered() -> None:
    asked = [(["a", "b"], 1, True), (["c", "d"], 1, True)]
    *replies, busy = meanwhile(Held(), asked, waiting=3)
    assert isinstance(busy, BusyError)
    assert "2 questions wait" in str(busy)
    assert _answers(replies) == [["first"], ["a", "b"]]


def test_a_request_that_is_given_up_stops_nothing() -> None:
    service = Held()
    batcher = Batcher(service)

    async def run() -> Any:
        first = await _first(batcher, service)
        given_up = asyncio.create_task(batcher.ask(["a"], 1, True))
        kept = asyncio.create_task(batcher.ask(["b"], 1, True))
        await asyncio.sleep(0)
        given_up.cancel()
        service.go.set()
        await first
        return await kept

    assert _answers([asyncio.run(run())]) == [["b"]]
    batcher.close()


def test_a_service_that_loses_replies_is_found_out() -> None:
    class Lossy(Echo):
        def ask(
            self, questions: Sequence[str], k: int, run: bool, **more: Any
        ) -> list[dict[str, Any]]:
            return super().ask(questions, k, run)[1:]

    batcher = Batcher(Lossy())
    with pytest.raises(ValueError, match="0 replies to 1 questions"):
        asyncio.run(batcher.ask(["a", "b"], 1, True))
    batcher.close()


def _order(asked: Sequence[tuple[str, str]], most: int = 1) -> list[list[str]]:
    """The batches in which questions of clients are asked that come while the first one is."""
    service = Held()
    assert _answers(meanwhile(service, [([q], 1, True, who) for who, q in asked], most=most))
    return service.calls[1:]


def test_clients_take_turns_however_much_one_asks() -> None:
    greedy = [("greedy", f"g{number}") for number in range(5)]
    honest = [("one", "a1"), ("one", "b1"), ("two", "c1")]
    asked = [*greedy, *honest]
    order = ["g0", "a1", "c1", "g1", "b1", "g2", "g3", "g4"]
    assert _order(asked) == [[question] for question in order]
    assert _order(asked, 3) == [order[:3], order[3:6], order[6:]]


def test_who_asks_long_questions_waits_longer_for_the_next_turn() -> None:
    asked = [("long", "l" * 30), ("long", "m" * 30), *(("short", f"s{n}" * 5) for n in range(4))]
    assert [call[0][0] for call in _order(asked)] == ["l", "s", "s", "s", "m", "s"]


def _held_up(batcher: Batcher, service: Held, question: str) -> Any:
    """What a short question of another client is told while a question is under way."""

    async def run() -> Any:
        costly = asyncio.create_task(batcher.ask([question], 1, True, "attacker"))
        await asyncio.to_thread(service.begun.wait, 30)
        # Only what costs much is held.
        service.held = False
        reply = await asyncio.wait_for(batcher.ask(["short"], 1, True, "honest"), 30)
        assert not costly.done()
        service.go.set()
        await costly
        return reply

    reply = asyncio.run(run())
    batcher.close()
    return _answers([reply])


@pytest.mark.parametrize("spent", [0.0, 2 * MUCH])
def test_nobody_waits_for_what_costs_much(spent: float) -> None:
    service = Held()
    batcher = Batcher(service)
    # A question is known to cost much by its length, or by those that its client asked before.
    batcher.spent.add("attacker", spent)
    question = "texas" if spent else "texas " * LONG
    assert _held_up(batcher, service, question) == [["short"]]


def test_what_a_client_costs_is_noted() -> None:
    batcher = Batcher(Echo())
    asyncio.run(batcher.ask(["a"], 1, True, "one"))
    assert batcher.spent.add("one") > batcher.spent.add("two") == 0.0
    batcher.close()


def test_who_has_asked_much_is_sent_away_before_who_has_not() -> None:
    asked = [(["m"] * 7, 1, True, "many"), (["m", "m"], 1, True, "many")]
    asked += [(["o"], 1, True, str(number)) for number in range(5)]
    first, many, busy, *others = meanwhile(Held(), asked, waiting=8)
    assert isinstance(busy, BusyError)
    assert "7 questions wait" in str(busy)
    assert len(_answers([first, many, *others])) == 7


def test_who_cost_less_does_not_wait_for_who_costs_much() -> None:
    # What is long may cost much; and so may who asked before.
    service, long = Held(), "l" * 5 * LONG
    asked = [*([[long], 1, True, client] for client in "abc"), [["short"], 1, True, "less"]]
    spent = [("c", 50 * MUCH), ("less", 2 * MUCH)]
    *_, busy, less = meanwhile(service, asked, spent, waiting=2)
    assert isinstance(busy, BusyError)
    assert _answers([less]) == [["short"]]
    assert service.calls.index(["short"]) < service.calls.index([long])


def test_nobody_is_held_up_for_another_client_of_a_slow_batch() -> None:
    batcher = Batcher(Echo())

    def note(seconds: float, *clients: str, lane: Any = batcher.quick) -> None:
        """A batch of a question of each client took so long."""
        lane._under_way = len(clients)
        future = asyncio.Future[Any](loop=asyncio.new_event_loop())
        batch = [_Request("texas", 1, True, client, future, {}) for client in clients]
        lane._note(batch, seconds)

    for _ in range(50):
        note(0.001, "usual")
    note(0.02, "honest", "attacker")
    assert 1 < batcher.spent.add("honest") < MUCH / 5
    note(0.5, "attacker")
    assert batcher.spent.add("attacker") > MUCH / 5
    note(9e9, "long", lane=batcher.costly)
    assert MUCH < batcher.spent.add("long") <= 10 * MUCH
    batcher.close()


WORDS = ["rivers", "in", "ohio", "“quoted”", "a,b", 'say "so"', "two\nlines", "naïve", "河"]


class EchoDomain:
    """Meanings are texts, and run to themselves."""

    name, parser, examples, runnable = "echo", "echo", (), True

    def write(self, meaning: str, context: Any = None) -> str:
        return meaning

    def run(self, meaning: str, context: Any = None) -> str:
        return meaning

    def show(self, value: str) -> list[str]:
        return [value]

    def denotation(self, value: str) -> str:
        return value


class EchoParser:
    """Each question means itself in capitals; some cost too much, one kills its process once."""

    kind, domain = "echo", EchoDomain()

    def __init__(self, pause: float = 0.0, deadly: Path | None = None) -> None:
        self.pause, self.deadly = pause, deadly

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float = 0.0
    ) -> list[Prediction[str]]:
        if "costly" in questions:
            raise PartwiseError("too costly")
        if self.deadly is not None and "deadly" in questions and not self.deadly.exists():
            self.deadly.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.pause)
        return [Prediction(q, (), q.upper(), 0.5) for q in questions]


class Load:
    """What workers load: an `EchoParser`."""

    def __init__(self, *given: Any) -> None:
        self.given = given

    def __call__(self) -> Service:
        return Service(EchoParser(*self.given))  # type: ignore[arg-type]


def questions(n: int) -> list[str]:
    draw = random.Random(n)
    return [f"{i} " + " ".join(draw.choices(WORDS, k=3)) for i in range(n)]


def write_jsonl(path: Path, rows: Sequence[str]) -> Path:
    path.write_text(
        "".join(json.dumps({"id": i, "question": q}) + "\n" for i, q in enumerate(rows))
    )
    return path


def run(batch: BatchJob, load: Load = Load()) -> None:  # noqa: B008
    run_batch(batch, partial(run_here, Worker(batch, load)))


def read_out(path: Path) -> list[dict[str, Any]]:
    table = open_table(path)
    rows = [row for where in table.slices(7) for row in table.read(where)]
    assert not [row for row in rows if isinstance(row, BadRow)]
    return [dict(row) for row in rows]  # type: ignore[arg-type]


@pytest.mark.parametrize("out", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("source", [".jsonl", ".csv", ".parquet"])
def test_a_row_out_for_each_row_in(tmp_path: Path, source: str, out: str) -> None:
    if ".parquet" in (source, out):
        pytest.importorskip("pyarrow")
    texts = questions(50)
    texts[13] = "costly"
    texts[14] = ""
    given = tmp_path / f"in{source}"
    if source == ".jsonl":
        write_jsonl(given, texts)
    elif source == ".csv":
        with given.open("w", newline="") as stream:
            csv.writer(stream).writerows([("id", "question"), *enumerate(texts)])
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table({"id": [str(i) for i in range(50)], "question": texts})
        pq.write_table(table, given, row_group_size=21)
    batch = BatchJob(given, tmp_path / f"out{out}", run=True, rows=4)
    run(batch)
    rows = read_out(batch.out)
    assert [row["question"] for row in rows] == texts
    assert [str(row["id"]) for row in rows if "id" in row] in ([], [str(i) for i in range(50)])
    assert [row["meaning"] or "" for row in rows[:13]] == [t.upper() for t in texts[:13]]
    assert rows[13]["error"] == "too costly"
    assert rows[14]["error"] == "no question in 'question'"
    assert not rows[15]["error"]
    assert not batch.folder.exists()


def test_bad_rows_are_rows(tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_bytes(b'{"question": "a"}\n\n[1]\nno json\n\xff\n{"q": 1}\n{"question": "b"}')
    batch = BatchJob(given, tmp_path / "out.jsonl", rows=2)
    run(batch)
    errors = [row["error"] for row in read_out(batch.out)]
    assert [error is None for error in errors] == [True, False, False, False, False, True]
    assert errors[1] == "no JSON object"
    wide = tmp_path / "in.csv"
    wide.write_text("question\na\nb,c\n")
    run(BatchJob(wide, tmp_path / "out.csv"))
    assert [row["error"] for row in read_out(tmp_path / "out.csv")] == ["", "2 cells, expected 1"]


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=9)),
    st.integers(1, 4),
)
def test_slices_of_csv_have_the_rows_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], rows: int
) -> None:
    file = tmp_path_factory.mktemp("csv") / "in.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("id", "text"), *enumerate(texts)])
    table = open_table(file)
    read = [row for where in table.slices(rows) for row in table.read(where)]
    assert read == [{"id": str(i), "text": text} for i, text in enumerate(texts)]


def test_what_cannot_be_a_batch_is_said(tmp_path: Path) -> None:
    given = write_jsonl(tmp_path / "in.jsonl", ["a"])
    (tmp_path / "in.csv").write_text("question,error\n")
    (tmp_path / "other.csv").write_text("text\n")
    done = tmp_path / "done.jsonl"
    done.touch()
    for batch, message in [
        (BatchJob(given, tmp_path / "out.txt"), "expected a name that ends in"),
        (BatchJob(tmp_path / "none.csv", tmp_path / "out.csv"), "cannot be read"),
        (BatchJob(tmp_path / "in.csv", tmp_path / "out.csv"), "rename the column error"),
        (BatchJob(tmp_path / "other.csv", tmp_path / "out.csv"), "no column 'question'"),
        (BatchJob(given, done), "is there already"),
    ]:
        with pytest.raises(DataError, match=message):
            run(batch)


def test_parts_of_another_batch_are_not_taken(tmp_path: Path) -> None:
    given = write_jsonl(tmp_path / "in.jsonl", questions(9))
    batch = BatchJob(given, tmp_path / "out.jsonl", rows=2)

    def stopped(parts: Any) -> Any:
        worker = Worker(batch, Load())
        for number, where in parts:
            worker(number, where)
            yield number
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(batch, stopped)
    assert len(list(batch.folder.glob("0*"))) == 1
    with pytest.raises(DataError, match="another file, parser or setting"):
        run(BatchJob(given, batch.out, rows=3))
    run(batch)
    assert len(read_out(batch.out)) == 9


def test_a_batch_killed_after_its_output_is_done(tmp_path: Path) -> None:
    batch = BatchJob(write_jsonl(tmp_path / "in.jsonl", questions(3)), tmp_path / "out.jsonl")
    run(batch)
    batch.folder.mkdir()
    run(batch)
    assert not batch.folder.exists()
    assert len(read_out(batch.out)) == 3


def test_killed_batches_are_continued(tmp_path: Path) -> None:
    given = write_jsonl(tmp_path / "in.jsonl", questions(60))
    batch = BatchJob(given, tmp_path / "out.jsonl", rows=5)
    for parts in (2, 5):
        # A fork has all modules already.
        process = get_context("fork").Process(target=run, args=(batch, Load(0.1)))
        process.start()
        while process.is_alive() and len(list(batch.folder.glob("0*"))) < parts:
            time.sleep(0.01)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    run(batch)
    assert [row["id"] for row in read_out(batch.out)] == list(range(60))


def test_a_process_that_dies_is_replaced(tmp_path: Path) -> None:
    given = write_jsonl(tmp_path / "in.jsonl", [*questions(9), "deadly", *questions(8)])
    batch = BatchJob(given, tmp_path / "out.jsonl", rows=2)
    worker = Worker(batch, Load(0.0, tmp_path / "died"))
    run_batch(batch, partial(run_in_processes, worker, 2))
    assert (tmp_path / "died").exists()
    assert [row["id"] for row in read_out(batch.out)] == list(range(18))


def test_ray_gives_the_same(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    given = write_jsonl(tmp_path / "in.jsonl", [*questions(2), "deadly", *questions(1)])
    plain = BatchJob(given, tmp_path / "plain.jsonl", rows=2)
    run(plain)
    batch = BatchJob(given, tmp_path / "ray.jsonl", rows=2)
    worker = Worker(batch, Load(0.0, tmp_path / "died"))
    run_batch(batch, partial(run_on_ray, worker, 1, None))
    assert batch.out.read_bytes() == plain.out.read_bytes()

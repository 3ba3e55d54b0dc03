"""`partwise serve` under attack: python benchmarks/attack.py [MODEL] [--seconds N] [--workers N].

Starts the server as it is started in production and measures honest clients, who each ask one
question after the other with a pause between, alone and then beside attackers: each sends the
costliest question that is legal, hostile bodies, and half-open connections, as fast as it can, from
an address of its own. Writes benchmarks/results/attack.json; times hold for this machine as busy
as it is. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import numpy as np

from partwise.interface.registry import load

OUT = Path(__file__).parent / "results" / "attack.json"
COSTLY = ("texas " * 83).strip()
"""As long as is let through, and each word a name."""
HEAD = b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
HALVES = (b"GET / HTTP/1.1\r\nX-Slow: ", b"", HEAD + b"Content-Length: 200\r\n\r\n{")
BODIES = (b"{", b"[" * 100_000, b"\xff" * 1000, b'{"question": "' + b"x" * 300_000 + b'"}')
PAUSE = 10.0
"""Seconds between the questions of an honest client: a person reads the answer."""


@contextmanager
def server(options: list[str]) -> Iterator[tuple[str, int]]:
    """The address of a server that runs meanwhile, and its process."""
    command = [sys.executable, "-m", "partwise", "serve", "--port", "0", *options]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline().split()
            if not said:
                raise SystemExit("the server did not start; try the same with partwise serve")
            yield next(word for word in said if word.startswith("http://")), process.pid
        finally:
            process.terminate()


def client(url: str, address: str) -> httpx2.AsyncClient:
    """A client that asks from an address of this machine's own network."""
    transport = httpx2.AsyncHTTPTransport(local_address=address)
    return httpx2.AsyncClient(base_url=url, timeout=60, transport=transport)


async def honest(number: int, url: str, questions: list[str], until: float, seen: Any) -> None:
    """Ask, note status and time, pause."""
    await asyncio.sleep(PAUSE * number / 100)
    async with client(url, f"127.1.0.{number + 1}") as own:
        for question in cycle(questions[number:] + questions[:number]):
            if time.monotonic() > until:
                return
            began = time.perf_counter()
            try:
                status = (await own.post("/ask", json={"question": question})).status_code
            except httpx2.HTTPError as error:
                status = type(error).__name__
            seen.append((status, time.perf_counter() - began))
            await asyncio.sleep(PAUSE)


async def attacker(number: int, url: str, until: float, seen: Any) -> None:
    """All kinds of attack, one after the other and the connections beside."""
    place, address = urlsplit(url), f"127.2.0.{number + 1}"
    halves = [asyncio.create_task(half(place, address, sent, until)) for sent in HALVES * 20]
    async with client(url, address) as own:
        while time.monotonic() < until:
            with suppress(httpx2.HTTPError):
                seen[(await own.post("/ask", json={"question": COSTLY, "k": 8})).status_code] += 1
                for body in BODIES:
                    kind = {"Content-Type": "application/json"}
                    seen[(await own.post("/ask", content=body, headers=kind)).status_code] += 1
            await asyncio.sleep(0.05)
    await asyncio.gather(*halves)


async def half(place: Any, address: str, sent: bytes, until: float) -> None:
    """Open a connection, send less than a request, wait until it is closed, and again."""
    while time.monotonic() < until:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(
                place.hostname, place.port, local_addr=(address, 0)
            )
            writer.write(sent)
            with suppress(TimeoutError, OSError):
                await asyncio.wait_for(reader.read(), 60)
            writer.close()
        await asyncio.sleep(0.05)


async def phase(url: str, seconds: float, attackers: int, questions: list[str]) -> Any:
    """Figures of the honest clients, with so many attackers beside them."""
    until, seen, hostile = time.monotonic() + seconds, list[Any](), Counter[Any]()
    work: list[Coroutine[Any, Any, None]] = [
        honest(number, url, questions, until, seen) for number in range(100)
    ]
    await asyncio.gather(*work, *(attacker(n, url, until, hostile) for n in range(attackers)))
    statuses = Counter(str(status) for status, _ in seen)
    p50, p99 = np.percentile([taken for status, taken in seen if status == 200], [50, 99]) * 1000
    return {
        "attackers": attackers,
        "honest": dict(statuses),
        "hostile": {str(status): count for status, count in hostile.items()},
        "p50_ms": round(float(p50), 1),
        "p99_ms": round(float(p99), 1),
    }


def memory(process: int) -> float:
    """Resident memory of a process and of those that it started, in megabytes."""
    pages = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        pages += sum(
            int(Path(f"/proc/{child}/statm").read_text().split()[1])
            for child in (task / "children").read_text().split()
        )
    pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def main() -> None:
    """Measure and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", nargs="?", default="geography")
    options.add_argument("--seconds", type=float, default=300)
    options.add_argument("--workers", default="1")
    options.add_argument("--attackers", type=int, default=10)
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    questions = [example.question for example in load("geography", "iid").train]
    figures = []
    with server(["--model", given.model, "--workers", given.workers]) as (url, process):
        asyncio.run(phase(url, 15, 0, questions))
        for attackers in (0, given.attackers):
            one = asyncio.run(phase(url, given.seconds, attackers, questions))
            figures.append({**one, "resident_mb": memory(process)})
            print(json.dumps(figures[-1]), flush=True)
    about = {"model": given.model, "workers": int(given.workers), "seconds": given.seconds}
    machine = {"processors": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    text = json.dumps({**about, "machine": machine, "phases": figures}, indent=1)
    given.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

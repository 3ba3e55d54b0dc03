"""`partwise serve` under attack: python benchmarks/attack.py [MODEL] [--seconds N] [--workers N].

Starts the server as it is started in production and measures honest clients, who each ask one
question after the other with a pause between, alone and then beside attackers: each sends the
costliest questions that are legal, hostile bodies, and half-open connections, as fast as it can,
from an address of its own and in another process than the honest clients, whose times would else be
the attackers', too. Writes benchmarks/results/attack.json; times hold for this machine as busy as
it is. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from itertools import cycle, product
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import numpy as np

from partwise.interface.registry import load
from partwise_papers.results.recorder import checkout_commit
from serving import memory, server

OUT = Path(__file__).parent / "results" / "attack.json"
COSTLY = tuple(" ".join(["texas"] * words) for words in (80, 8, 40, 15, 30, 20))
"""Each word a name; as long as is let through, and as short as still costs much."""
HEAD = b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
HALVES = (b"GET / HTTP/1.1\r\nX-Slow: ", b"", HEAD + b"Content-Length: 200\r\n\r\n{")
BODIES = (
    b"{",
    b"[" * 100_000,
    b"\xff" * 1000,
    b'{"question": "' + b"x" * 300_000 + b'"}',
    b'{"questions": [' + b"1," * 130_000 + b"1]}",
    b"{" + b",".join(b'"%x": 1' % number for number in range(20_000)) + b"}",
    b'{"questions": [' + b'"texas texas texas texas",' * 63 + b'"texas"], "k": 8}',
)
CLIENTS = 100
PAUSE = 10.0
"""Seconds between the questions of an honest client: a person reads the answer."""


def client(url: str, address: str) -> httpx2.AsyncClient:
    """A client that asks from an address of this machine's own network."""
    transport = httpx2.AsyncHTTPTransport(local_address=address)
    return httpx2.AsyncClient(base_url=url, timeout=60, transport=transport)


async def honest(number: int, url: str, questions: list[str], until: float, seen: Any) -> None:
    """Ask, note status and time, pause."""
    await asyncio.sleep(PAUSE * number / CLIENTS)
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
    """All kinds of attack, side by side."""
    place, address = urlsplit(url), f"127.2.0.{number + 1}"
    questions = [json.dumps({"question": question, "k": 8}).encode() for question in COSTLY]
    async with client(url, address) as own:
        await asyncio.gather(
            flood(own, [("/ask", body) for body in questions], until, seen),
            flood(own, list(product(("/ask", "/batch"), BODIES)), until, seen),
            *(half(place, address, sent, until) for sent in HALVES * 20),
        )


async def flood(own: httpx2.AsyncClient, bodies: Any, until: float, seen: Any) -> None:
    """Send one after the other."""
    for path, body in cycle(bodies):
        if time.monotonic() > until:
            return
        with suppress(httpx2.HTTPError):
            reply = await own.post(path, content=body, headers={"Content-Type": "application/json"})
            seen[reply.status_code] += 1


def attack(url: str, attackers: int, until: float) -> Counter[int]:
    """All attackers; what they are told."""

    async def run() -> Counter[int]:
        seen = Counter[int]()
        await asyncio.gather(*(attacker(n, url, until, seen) for n in range(attackers)))
        return seen

    return asyncio.run(run())


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
    until, seen = time.monotonic() + seconds, list[Any]()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        hostile = asyncio.get_running_loop().run_in_executor(pool, attack, url, attackers, until)
        clients = (honest(number, url, questions, until, seen) for number in range(CLIENTS))
        await asyncio.gather(*clients)
        told = await hostile
    statuses = Counter(str(status) for status, _ in seen)
    taken = [taken for status, taken in seen if status == 200]
    p50, p99 = np.percentile(taken, [50, 99]) * 1000
    return {
        "attackers": attackers,
        "honest": dict(statuses),
        "hostile": {str(status): count for status, count in told.items()},
        "p50_ms": round(float(p50), 1),
        "p99_ms": round(float(p99), 1),
    }


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
    with server("--model", given.model, "--workers", given.workers) as (url, process):
        asyncio.run(phase(url, 15, 0, questions))
        for attackers in (0, given.attackers):
            one = asyncio.run(phase(url, given.seconds, attackers, questions))
            figures.append({**one, "peak_mb": memory(process, "VmHWM")})
            print(json.dumps(figures[-1]), flush=True)
    about = {"model": given.model, "workers": int(given.workers), "seconds": given.seconds}
    about["commit"] = checkout_commit()
    machine = {"processors": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    text = json.dumps({**about, "machine": machine, "phases": figures}, indent=1)
    given.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""`partwise serve` under attack: python benchmarks/attack.py [MODEL] [--seconds N] [--workers N].

    python benchmarks/attack.py --loads    # beside legal loads instead, about nine minutes

Starts the server as it is started in production and measures honest clients, who each ask one
question after the other with a pause between, alone and then beside attackers: each sends the
costliest questions that are legal, hostile bodies, and half-open connections, as fast as it can,
from an address of its own and in another process than the honest clients, whose times would else be
the attackers', too. With `--loads` they are alone, beside a client that sends one batch of 64 after
the other, and beside ten that each ask one costly question after the other, new ones each time; all
ask for one interpretation, and then for four. So it is with geography and a shop's database, with
one worker and two. Writes benchmarks/results/attack.json; times hold for this machine as busy as it
is. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import cycle, islice, product
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
LEAD = 5.0
"""Seconds of a load that are not counted."""
SHOP = (
    *("how many customers are there?", "which customers are from Italy?", "sales by phone"),
    *("the three cheapest products", "customers who joined in 2023", "the most expensive teapot"),
    *("number of sales for each channel", "which products weigh more than 500?"),
    *("how many sales were there in 2024?", "how many products in each category?"),
)
SHOP_COSTLY = tuple(
    " ".join([phrase] * 99)[:size]
    for size in (480, 95, 240)
    for phrase in ("sales", "customers from Italy", "unit price")
)
Hostile = Callable[[str, float], Counter[int]]


def client(url: str, address: str) -> httpx2.AsyncClient:
    """A client that asks from an address of this machine's own network."""
    transport = httpx2.AsyncHTTPTransport(local_address=address)
    return httpx2.AsyncClient(base_url=url, timeout=60, transport=transport)


async def honest(
    number: int, url: str, asked: Any, until: float, wait: float, pause: float, seen: Any
) -> None:
    """Ask, note status and time, pause."""
    await asyncio.sleep(wait)
    async with client(url, f"127.1.0.{number + 1}") as own:
        for body in islice(cycle(asked), number, None):
            if time.monotonic() > until:
                return
            began = time.perf_counter()
            try:
                status = (await own.post("/ask", json=body)).status_code
            except httpx2.HTTPError as error:
                status = type(error).__name__
            seen.append((status, time.perf_counter() - began))
            await asyncio.sleep(pause)


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


async def ask_on(number: int, url: str, path: str, bodies: Any, until: float, seen: Any) -> None:
    """As an address of its own."""
    async with client(url, f"127.2.{number // 250}.{number % 250 + 1}") as own:
        await flood(own, [(path, body) for body in bodies[number % 10 :] + bodies], until, seen)


def attack(kind: Any, numbers: Sequence[int], given: Any, url: str, until: float) -> Counter[int]:
    """All attackers of a kind; what they are told."""

    async def run() -> Counter[int]:
        seen = Counter[int]()
        await asyncio.gather(*(kind(number, url, *given, until, seen) for number in numbers))
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


async def phase(
    url: str,
    seconds: float,
    hostile: Hostile | None,
    asked: Sequence[dict[str, Any]],
    clients: int = CLIENTS,
    pause: float = PAUSE,
    lead: float = 0.0,
) -> Any:
    """Figures of the honest clients, with others beside them."""
    until, seen = time.monotonic() + lead + seconds, list[Any]()
    asyncio.get_running_loop().call_later(lead, seen.clear)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        others = pool.submit(hostile, url, until) if hostile else None
        asking = (
            honest(number, url, asked, until, pause * number / clients, pause, seen)
            for number in range(clients)
        )
        await asyncio.gather(*asking)
        told = others.result() if others else {}
    statuses = Counter(str(status) for status, _ in seen)
    taken = [taken for status, taken in seen if status == 200]
    p50, p99 = np.percentile(taken or [np.nan], [50, 99]) * 1000
    return {
        "honest": dict(statuses),
        "hostile": {str(status): count for status, count in told.items()},
        "p50_ms": round(float(p50), 1),
        "p99_ms": round(float(p99), 1),
    }


def bodies(questions: Sequence[str], k: int) -> list[dict[str, Any]]:
    """What is sent to ask them."""
    return [{"question": question, "k": k} for question in questions]


@contextmanager
def shop() -> Iterator[str]:
    """The folder of a shop's database, as imported."""
    made = Path(__file__).parent.parent / "examples" / "database" / "make_shop.py"
    with tempfile.TemporaryDirectory() as folder:
        new = ("-m", "partwise", "new", "shop", "--from", "sqlite:///shop.db")
        for command in ((str(made),), new):
            subprocess.run([sys.executable, *command], cwd=folder, check=True, capture_output=True)
        yield f"{folder}/shop"


def loads(questions: list[str], seconds: float) -> Iterator[dict[str, Any]]:
    """A row for each domain, number of workers and of interpretations, and load."""
    met = 0
    with shop() as folder:
        domains = (
            ("geography", ("--model", "geography"), questions, COSTLY, 20),
            ("shop", ("--domain", folder), SHOP, SHOP_COSTLY, 8),
        )
        for (name, given, some, costly, people), workers in product(domains, (1, 2)):
            with server(*given, "--workers", str(workers)) as (url, _):
                for k, load_ in product((1, 4), ("alone", "batch", "costly")):
                    asked = bodies(some, k)
                    sent = [json.dumps(body).encode() for body in bodies(costly, k)]
                    batch = {"questions": [*islice(cycle(some), 64)], "k": k}
                    others: dict[str, Hostile] = {
                        "batch": partial(
                            attack, ask_on, [met], ("/batch", [json.dumps(batch).encode()])
                        ),
                        "costly": partial(attack, ask_on, range(met, met + 10), ("/ask", sent)),
                    }
                    met += 10
                    figures = asyncio.run(
                        phase(url, seconds, others.get(load_), asked, people, 3.0, LEAD)
                    )
                    yield {"domain": name, "workers": workers, "k": k, "beside": load_, **figures}


def main() -> None:
    """Measure and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", nargs="?", default="geography")
    options.add_argument("--seconds", type=float)
    options.add_argument("--workers", default="1")
    options.add_argument("--attackers", type=int, default=10)
    options.add_argument("--loads", action="store_true")
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    questions = [example.question for example in load("geography", "iid").train]
    seconds = given.seconds or (12.0 if given.loads else 300.0)
    about: dict[str, Any] = {"seconds": seconds, "commit": checkout_commit()}
    rows = []
    for row in loads(questions, seconds) if given.loads else attacks(given, questions, seconds):
        rows.append(row)
        print(json.dumps(row), flush=True)
    about["machine"] = {"processors": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    known = json.loads(given.out.read_text(encoding="utf-8")) if given.out.exists() else {}
    if given.loads:
        known["loads"] = {**about, "rows": rows}
    else:
        known |= {"model": given.model, "workers": int(given.workers), **about, "phases": rows}
    given.out.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def attacks(given: Any, questions: list[str], seconds: float) -> Iterator[dict[str, Any]]:
    """Without attackers, and with them."""
    with server("--model", given.model, "--workers", given.workers) as (url, process):
        asyncio.run(phase(url, 15, None, bodies(questions, 1)))
        for attackers in (0, given.attackers):
            hostile = partial(attack, attacker, range(attackers), ())
            figures = asyncio.run(phase(url, seconds, hostile, bodies(questions, 1)))
            row = {"attackers": attackers, **figures}
            yield {**row, "peak_mb": memory(process, "VmHWM")}


if __name__ == "__main__":
    main()

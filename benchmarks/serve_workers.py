"""Questions a second of one worker and of several: python benchmarks/serve_workers.py [MODEL].

Two servers run, of one worker and of several, and are asked by turns, a round each: by many clients
with an address each, that each ask one question after the other. The clients are sockets that send
bytes made before and read no JSON, as they share the processors with the servers; what they use is
noted. Writes benchmarks/results/workers.json: the medians of the rounds, and of the ratios of
rounds that follow each other. On a machine that is busy with other things the ratio of questions
per second of processor time says what the workers cost each other. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from partwise.interface.registry import load
from partwise.serve.batching import LONG
from partwise_papers.results.recorder import checkout_commit
from serving import processor_seconds, server

UNBOUNDED = ("--rate", "0", "--max-wait", "600")
OUT = Path(__file__).parent / "results" / "workers.json"
HEAD = (
    "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"
)


def requests(questions: Sequence[str]) -> list[bytes]:
    """As they are sent."""
    bodies = [json.dumps({"question": question}).encode() for question in questions]
    return [HEAD.format(len(body)).encode() + body for body in bodies]


async def client(number: int, url: str, until: float, left: Iterator[bytes]) -> int:
    """Ask one question after the other on one connection; how many were answered in time."""
    place, own, answered = urlsplit(url), f"127.3.{number // 250}.{number % 250 + 1}", 0
    reader, writer = await asyncio.open_connection(place.hostname, place.port, local_addr=(own, 0))
    while time.monotonic() < until:
        writer.write(next(left))
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"the server said {head[:40]!r}")
        size = next(
            line for line in head.lower().splitlines() if line.startswith(b"content-length")
        )
        await reader.readexactly(int(size.split(b":")[1]))
        answered += time.monotonic() < until
    writer.close()
    return answered


async def measure(
    url: str, process: int, clients: int, seconds: float, left: Iterator[bytes]
) -> dict[str, float]:
    """Figures of one round."""
    server_began, own_began = processor_seconds(process), time.process_time()
    until = time.monotonic() + seconds
    asking = [asyncio.create_task(client(n, url, until, left)) for n in range(clients)]
    await asyncio.sleep(seconds)
    used, own = processor_seconds(process) - server_began, time.process_time() - own_began
    answered = sum(await asyncio.gather(*asking))
    return {
        "questions_per_second": round(answered / seconds, 1),
        "questions_per_processor_second": round(answered / used, 1),
        "processors_of_server": round(used / seconds, 2),
        "processors_of_clients": round(own / seconds, 3),
    }


def medians(rounds: Sequence[dict[str, float]]) -> dict[str, float]:
    """Of each figure."""
    return {name: round(median(one[name] for one in rounds), 3) for name in rounds[0]}


def ratio(rounds: Sequence[Sequence[dict[str, float]]], figure: str) -> float:
    """The median of several workers' figures to those of one in the same turn."""
    one, several = rounds
    return round(median(b[figure] / a[figure] for a, b in zip(one, several, strict=True)), 3)


def main() -> None:
    """Measure and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", nargs="?", default="geography")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--clients", type=int, default=480)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    questions = [example.question for example in load("geography", "iid").train]
    # Each worker answers longer ones in a second process, so one worker would be two.
    left = cycle(requests([question for question in questions if len(question) <= LONG]))
    rounds: list[list[dict[str, float]]] = [[], []]
    with ExitStack() as running:
        servers = [
            running.enter_context(
                server("--model", given.model, "--workers", str(workers), *UNBOUNDED)
            )
            for workers in (1, given.workers)
        ]
        # Round 0 fills what later ones use.
        for number in range(given.rounds + 1):
            for place, own in zip(servers, rounds, strict=True):
                figures = asyncio.run(measure(*place, given.clients, given.seconds, left))
                own += [figures] if number else []
                print(json.dumps(figures), flush=True)
    machine: dict[str, Any] = {"python": platform.python_version(), "processors": os.cpu_count()}
    about = {**vars(given), "out": given.out.name, "commit": checkout_commit()}
    figures = {
        "one": medians(rounds[0]),
        "several": medians(rounds[1]),
        "ratio": ratio(rounds, "questions_per_second"),
        "ratio_per_processor": ratio(rounds, "questions_per_processor_second"),
    }
    machine["load"] = round(os.getloadavg()[0], 1)
    text = json.dumps({**about, "machine": machine, **figures}, indent=1)
    given.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

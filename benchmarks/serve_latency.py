"""Latency and memory of `partwise serve`: python benchmarks/serve_latency.py MODEL [--domain NAME].

Starts the server as a process of its own, measures /ask with 1 and with 16 clients that each send
one question after the other, then sends many questions and reads the server's resident memory.
The questions are many and all different, so that nothing is answered from memory until they repeat.
Writes benchmarks/results/serve.json; times hold for this machine as busy as it is. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from partwise.interface.registry import load
from partwise_papers.results.recorder import checkout_commit
from serving import memory, server

OUT = Path(__file__).parent / "results" / "serve.json"
CLIENTS = (1, 16)
WARM = 100
"""Requests before the first that count."""


async def ask(client: httpx2.AsyncClient, question: str) -> float:
    """Seconds of one request."""
    began = time.perf_counter()
    response = await client.post("/ask", json={"question": question, "k": 4})
    response.raise_for_status()
    return time.perf_counter() - began


async def latencies(url: str, clients: int, requests: int, questions: Sequence[str]) -> Any:
    """Figures of so many requests, shared among clients; times in milliseconds."""
    waiting = cycle(questions)
    left = iter(range(requests))
    taken: list[float] = []

    async def one(client: httpx2.AsyncClient) -> None:
        for _ in left:
            taken.append(await ask(client, next(waiting)))

    async with httpx2.AsyncClient(base_url=url, timeout=60) as client:
        began = time.perf_counter()
        await asyncio.gather(*(one(client) for _ in range(clients)))
        passed = time.perf_counter() - began
    p50, p99 = np.percentile(taken, [50, 99]) * 1000
    return {
        "clients": clients,
        "requests": len(taken),
        "p50_ms": round(float(p50), 2),
        "p99_ms": round(float(p99), 2),
        "requests_per_second": round(len(taken) / passed, 1),
    }


async def measure(url: str, process: int, requests: int, questions: Sequence[str]) -> Any:
    """All figures."""
    # What is compiled and filled at the first questions is no latency of the later ones.
    await latencies(url, 1, WARM, questions)
    share = max(1, requests // 10)
    figures = [await latencies(url, clients, share, questions) for clients in CLIENTS]
    resident = [{"requests": 0, "resident_mb": memory(process)}]
    for done in range(share, requests + 1, share):
        await latencies(url, CLIENTS[-1], share, questions)
        resident.append({"requests": done, "resident_mb": memory(process)})
        print(resident[-1], flush=True)
    return {"latency": figures, "memory": resident}


def main() -> None:
    """Measure and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model")
    options.add_argument("--domain")
    options.add_argument("--requests", type=int, default=10_000)
    options.add_argument(
        "--questions", type=Path, help="A file, one a line; without it those of geography's train."
    )
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    if given.questions:
        questions = given.questions.read_text(encoding="utf-8").splitlines()
    else:
        questions = [example.question for example in load("geography", "iid").train]
    domain = ("--domain", given.domain) if given.domain else ()
    with server("--rate", "0", "--model", given.model, *domain) as (url, process):
        found = asyncio.run(measure(url, process, given.requests, [q for q in questions if q]))
    machine = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    about = {"model": given.model, "questions": len(questions), "commit": checkout_commit()}
    text = json.dumps({**about, "machine": machine, **found}, indent=1)
    given.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

"""Times and memory of `partwise serve`: python benchmarks/serve_latency.py --database FOLDER FILE.

    [--python PYTHON] [--workers 1 2] [--clients 1 4 32] [--seconds 15] [--only NAME]

Each domain is served by processes of their own, started with PYTHON, as of an environment without
torch. So many clients with an address each ask one question after the other: those of geography's
train, films' as they are generated, and those of FILE (JSON Lines) about the database in FOLDER.
They are sockets that send bytes made before and read no JSON, as they share the processors with
the server. Memory is the proportional share (PSS) of all of the server's processes: after the
start, right after the last load, and idle. Writes benchmarks/results/serve.json. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from partwise.encoders.storage import write_json
from partwise.interface.registry import load
from partwise_papers.results.recorder import checkout_commit
from serving import memory, processor_seconds, server
from threads import films

UNBOUNDED = ("--rate", "0", "--max-wait", "600")
OUT = Path(__file__).parent / "results" / "serve.json"
HEAD = (
    "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"
)
WARM, IDLE, FILMS = 4, 10, 500
"""Seconds of the load before the first that counts, seconds of rest, and questions about films."""


def requests(questions: Sequence[str]) -> Iterator[bytes]:
    """As they are sent, in turn without end."""
    bodies = [json.dumps({"question": question}).encode() for question in questions]
    return cycle([HEAD.format(len(body)).encode() + body for body in bodies])


async def client(number: int, url: str, until: float, left: Iterator[bytes]) -> list[float]:
    """Ask one question after the other on one connection; the seconds of each."""
    place, own, taken = urlsplit(url), f"127.3.{number // 250}.{number % 250 + 1}", []
    reader, writer = await asyncio.open_connection(place.hostname, place.port, local_addr=(own, 0))
    while (began := time.monotonic()) < until:
        writer.write(next(left))
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"the server said {head[:40]!r}")
        size = next(
            line for line in head.lower().splitlines() if line.startswith(b"content-length")
        )
        await reader.readexactly(int(size.split(b":")[1]))
        taken.append(time.monotonic() - began)
    writer.close()
    return taken


async def measure(
    url: str, process: int, clients: int, seconds: float, left: Iterator[bytes]
) -> dict[str, float]:
    """Figures of one load."""
    used, began = processor_seconds(process), time.monotonic()
    asking = (client(number, url, began + seconds, left) for number in range(clients))
    taken = [each for some in await asyncio.gather(*asking) for each in some]
    passed, used = time.monotonic() - began, processor_seconds(process) - used
    p50, p99 = 1000 * np.percentile(taken, [50, 99])
    return {
        "clients": clients,
        "requests": len(taken),
        "p50_ms": round(float(p50), 1),
        "p99_ms": round(float(p99), 1),
        "requests_per_second": round(len(taken) / passed, 1),
        "requests_per_processor_second": round(len(taken) / used, 1),
    }


def served(name: str, workers: int, given: Any, left: Iterator[bytes]) -> dict[str, Any]:
    """Figures of one server."""
    domain = str(given.database[0]) if name == "database" else name
    options = ("--domain", domain, "--workers", str(workers), *UNBOUNDED)
    with server(*options, python=given.python) as (url, process):
        time.sleep(1)
        kept = {"started": memory(process, "Pss")}
        asyncio.run(measure(url, process, max(given.clients), WARM, left))
        loads = [
            asyncio.run(measure(url, process, clients, given.seconds, left))
            for clients in given.clients
        ]
        kept["loaded"] = memory(process, "Pss")
        time.sleep(IDLE)
        kept["idle"] = memory(process, "Pss")
    row = {"domain": name, "workers": workers, "loads": loads, "memory_mb": kept}
    print(json.dumps(row), flush=True)
    return row


def main() -> None:
    """Measure and write."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--database", type=Path, nargs=2, required=True)
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options.add_argument("--clients", type=int, nargs="+", default=[1, 4, 32])
    options.add_argument("--seconds", type=float, default=15)
    options.add_argument("--only", action="append", help="a domain")
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    lines = given.database[1].read_text(encoding="utf-8").splitlines()
    questions = {
        "geography": [example.question for example in load("geography", "iid").train],
        "films": list(islice(films(), FILMS)),
        "database": [json.loads(line)["question"] for line in lines],
    }
    rows = [
        served(name, workers, given, requests(questions[name]))
        for name in given.only or questions
        for workers in given.workers
    ]
    machine = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }
    about = {"seconds": given.seconds, "idle": IDLE, "commit": checkout_commit()}
    counts = {name: len(some) for name, some in questions.items()}
    write_json(given.out, {**about, "machine": machine, "questions": counts, "rows": rows})


if __name__ == "__main__":
    main()

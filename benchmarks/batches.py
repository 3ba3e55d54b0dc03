"""Files of questions in one process, in several and on Ray: questions a second, equal outputs.

    python benchmarks/batches.py [--questions 200000] [--timed 20000] [--workers 2] [--seed 0]

Speed, on `--timed` questions: one process, `--workers` processes, Ray with one worker, and with
`--workers`. Survival, on all questions: one process, and Ray with a worker killed (SIGKILL) in the
middle. Each output must be that of one process, byte for byte. Rates leave out the time of a
command with one question. Compare ratios within a run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from partwise.encoders.storage import write_json
from partwise_papers.results.recorder import checkout_commit

OUT = Path(__file__).resolve().parent / "results" / "batches.json"
ROWS = 1000
"""Rows of a part."""
_STATES = (
    "texas, ohio, utah, iowa, maine, idaho, nevada, oregon, alaska, kansas, florida, georgia, "
    "arizona, montana, alabama, vermont, virginia, michigan, wyoming, new york, new mexico, "
    "north dakota, south carolina, california, colorado, delaware, hawaii, illinois, indiana"
)
STATES = _STATES.split(", ")
THINGS = ("states", "cities", "rivers", "mountains", "lakes", "capitals", "people")
FRAMES = (
    "what is the capital of {state}",
    "which {things} are in {state}",
    "how many {things} are there in {state}",
    "what {things} are in states that border {state}",
    "which states border {state} and {other}",
    "what is the largest city in a state that borders {state}",
    "how many people live in the capital of {state}",
    "what rivers run through {state} and {other}",
    "what is the longest river that flows through a state bordering {state}",
    "is the population of {state} larger than that of {other}",
)
"""Made for this benchmark of speed; nothing is said about whether the answers are right."""


def questions(count: int, seed: int) -> list[str]:
    """So many questions, drawn with replacement from the frames with their names."""
    draw = random.Random(seed)
    return [
        draw.choice(FRAMES).format(
            state=draw.choice(STATES), other=draw.choice(STATES), things=draw.choice(THINGS)
        )
        + draw.choice(("", " ?"))
        for _ in range(count)
    ]


def run(source: Path, model: str, *options: str, kill: bool = False) -> tuple[float, str]:
    """Seconds of a batch, and the digest of its output."""
    out = source.with_name("out.jsonl")
    out.unlink(missing_ok=True)
    command = [sys.executable, "-m", "partwise", "ask", str(source), "--out", str(out)]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--model", model, "--rows", str(ROWS), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    killed = not kill
    while process.poll() is None:
        time.sleep(0.2)
        parts = sum(1 for _ in source.parent.glob("*.parts*/*")) if not killed else 0
        if parts >= sum(1 for _ in source.open()) // ROWS // 2:
            killed = killed or _kill_actor()
    if process.returncode or not killed:
        raise SystemExit(f"{' '.join(options) or 'one process'}: ended with {process.returncode}")
    return time.perf_counter() - started, hashlib.sha256(out.read_bytes()).hexdigest()


def _kill_actor() -> bool:
    """Kill one process of Ray that computes parts; whether there was one."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if name.startswith("ray::") and "MapWorker" in name:
            os.kill(int(folder.name), signal.SIGKILL)
            return True
    return False


def _write(path: Path, asked: Sequence[str]) -> None:
    path.write_text("".join(json.dumps({"question": q}) + "\n" for q in asked))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all, compare, and store the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=200_000)
    parser.add_argument("--timed", type=int, default=20_000)
    parser.add_argument("--model", default="geography")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    many = str(given.workers)
    alone: tuple[str, ...] = ()
    ray = ("--engine", "ray", "--workers")
    kinds = (
        ("one process", alone, given.timed, False),
        (f"{many} processes", ("--workers", many), given.timed, False),
        ("Ray, one worker", (*ray, "1"), given.timed, False),
        (f"Ray, {many} workers", (*ray, many), given.timed, False),
        ("one process", alone, given.questions, False),
        (f"Ray, {many} workers, one killed", (*ray, many), given.questions, True),
    )
    rows: list[dict[str, Any]] = []
    asked = questions(given.questions, given.seed)
    with tempfile.TemporaryDirectory() as folder:
        first, source = Path(folder, "first.jsonl"), Path(folder, "in.jsonl")
        _write(first, asked[:1])
        for name, options, count, kill in kinds:
            _write(source, asked[:count])
            start, _ = run(first, given.model, *options)
            seconds, digest = run(source, given.model, *options, kill=kill)
            row = {"engine": name, "questions": count, "seconds": round(seconds, 1)}
            row["start_seconds"] = round(start, 1)
            row["questions_per_second"] = round(count / max(seconds - start, 1e-9), 1)
            alone_first = next((r for r in rows if r["questions"] == count), None)
            row["sha256"] = digest
            row["equal"] = alone_first is None or alone_first["sha256"] == digest
            rows.append(row)
            print(row, flush=True)
    machine = {"python": platform.python_version(), "processors": os.cpu_count()}
    head = {"distinct": len(set(asked)), "model": given.model, "seed": given.seed}
    write_json(OUT, {**head, "commit": checkout_commit(), "machine": machine, "runs": rows})
    if not all(row["equal"] for row in rows):
        raise SystemExit("the outputs differ")


if __name__ == "__main__":
    main()

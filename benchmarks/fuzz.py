"""Fuzz the readers of what strangers write: program texts, data files, model folders, requests.

    python benchmarks/fuzz.py --minutes 5 [--target NAME] [--seed 1] [--findings FOLDER]
    python benchmarks/fuzz.py --fronts 1000 [--seed 1] [--database FOLDER] [--only NAME]

Each target runs for so many minutes in a process of its own, with a limit on its memory. Inputs
are grown from seeds, guided by coverage where `atheris` is installed (`pip install atheris`), else
by random changes. A finding is an input that gives any other exception than a `PartwiseError`,
takes more than the target's seconds of processor time, needs too much memory, or ends the process.
Findings are written to tests/attacks/corpus/TARGET, one for each kind and place, which
tests/attacks/test_corpus.py replays.

--fronts sends so many questions through each front end instead: see `fuzz_fronts`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import mmap
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fuzz_targets import CORPUS, TARGETS, UNGUIDED, Target
from partwise.errors import PartwiseError

MEMORY = 2 << 30
"""Bytes of address space that a target may take beyond what it has after its seeds."""
CHINOOK = Path(__file__).resolve().parents[2] / "shared" / "data" / "chinook"
LONGEST = 1 << 14
"""Bytes of a guided input."""
AMPLIFIED = 1 << 17
"""Bytes of the inputs that repeat one word, which show what is worse than linear."""
WAIT = 20.0
"""Seconds without a new case after which a process is taken to hang outside of Python."""
HEAD = struct.Struct("<QI")
READERS = (
    *("partwise.language", "partwise.interface", "partwise.execution", "partwise.serve"),
    *("partwise.encoders.storage", "partwise.training.store", "partwise.cli.train"),
    *("partwise_papers.domains.scenes", "json", "tomllib", "yaml", "csv"),
)
"""Modules whose branches guide the search."""


class Overtime(BaseException):
    """A case takes too long; no `except Exception` may swallow it."""


class Record:
    """What a child tells its parent through a file in memory: cases so far, and the current one."""

    def __init__(self, path: Path) -> None:
        size = HEAD.size + AMPLIFIED + LONGEST
        if not path.exists():
            path.write_bytes(bytes(size))
        with path.open("r+b") as stream:
            self._map = mmap.mmap(stream.fileno(), size)

    def begin(self, count: int, data: bytes) -> None:
        """Note the case that now begins."""
        self._map[: HEAD.size + len(data)] = HEAD.pack(count, len(data)) + data

    @property
    def count(self) -> int:
        """Cases begun."""
        return int(HEAD.unpack(self._map[: HEAD.size])[0])

    @property
    def data(self) -> bytes:
        """The current case."""
        return self._map[HEAD.size : HEAD.size + HEAD.unpack(self._map[: HEAD.size])[1]]


def keep(folder: Path, data: bytes, why: str) -> None:
    """Write a finding, and print what it is."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / hashlib.sha256(data).hexdigest()[:16]
    file.write_bytes(data)
    print(f"  finding {file.name} ({len(data)} bytes): {why}", flush=True)


class Cases:
    """Runs cases of one target and keeps what should not be."""

    def __init__(self, target: Target, record: Record, folder: Path) -> None:
        self.target, self.record, self.folder = target, record, folder
        self.count, self.known = record.count, set[str]()
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, self._stop)
        self.late = False

    def _stop(self, *_: object) -> None:
        self.late = True
        raise Overtime

    def __call__(self, data: bytes) -> None:
        """One case."""
        self.count += 1
        self.record.begin(self.count, data)
        self.late = False
        why, error = "", None
        try:
            # Processor time, as machines are shared; by the clock only what waits for ever.
            signal.setitimer(signal.ITIMER_PROF, self.target.seconds)
            signal.setitimer(signal.ITIMER_REAL, WAIT / 2)
            self.target.run(data)
        except PartwiseError:
            pass
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as raised:
            error = raised
            why = f"{type(raised).__name__} {raised}"[:200]
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        if self.late or why:
            self._find(data, "more than its time" if self.late else why, error)

    def _find(self, data: bytes, why: str, error: BaseException | None) -> None:
        frames = traceback.extract_tb(error.__traceback__ if error else None)
        inside = [frame for frame in frames if "partwise" in frame.filename] or frames
        where = f"{Path(inside[-1].filename).name}:{inside[-1].lineno}" if inside else "?"
        # A loop is caught at any of its lines: the function tells one from another.
        kind = f"late {inside[-1].name if inside else ''}" if self.late else f"{where} {why[:30]}"
        if kind not in self.known:
            self.known.add(kind)
            keep(self.folder, data, f"{why} at {where}")


def changed(data: bytes, target: Target, rng: random.Random) -> bytes:
    """An input a little different, for machines without atheris."""
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((0, 1, 1, 2, 4, 16)))
        other = rng.choice(target.seeds)
        cut = rng.randrange(len(other) + 1)
        new = rng.choice(
            (
                rng.choice(target.words or ("",)).encode(),
                rng.randbytes(1),
                chr(rng.randrange(32, 0xD800)).encode(),
                other[cut : cut + rng.randrange(32)],
                data[start:end] * rng.choice((2, 3, 50)),
                b"",
            )
        )
        data = (data[:start] + new + data[end:])[:LONGEST]
    return data


def amplified(target: Target) -> Iterator[bytes]:
    """Each word and seed, repeated, after each byte that seeds begin with."""
    for head in sorted({seed[:1] for seed in target.seeds} | {b""}):
        for word in (*(word.encode() for word in target.words), *target.seeds):
            yield head + (word * (AMPLIFIED // max(1, len(word))))[: AMPLIFIED - 1]


def random_search(cases: Cases, seconds: float, seed: int) -> None:
    """Cases by random changes, until the time is over."""
    rng, end = random.Random(seed), time.monotonic() + seconds
    pool = list(cases.target.seeds)
    while time.monotonic() < end:
        data = changed(rng.choice(pool), cases.target, rng)
        cases(data)
        if rng.random() < 0.01:
            pool = [*cases.target.seeds, *pool[-200:], data]


def guided_search(cases: Cases, seconds: float, seed: int, folder: Path) -> None:
    """Cases by coverage, until the time is over; the process ends with it."""
    import atheris

    seeds, words = folder / "seeds", folder / "words"
    seeds.mkdir(exist_ok=True)
    for number, data in enumerate(cases.target.seeds):
        (seeds / str(number)).write_bytes(data)
    quoted = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in cases.target.words)
    words.write_text("".join(f'"{word}"\n' for word in quoted if word), encoding="ascii")
    flags = {"max_total_time": max(1, int(seconds)), "seed": seed, "max_len": LONGEST}
    # Limits of memory and time are this program's own.
    flags |= {"rss_limit_mb": 0, "timeout": 0, "len_control": 20, "verbosity": 0}
    options = [f"-{name}={value}" for name, value in flags.items()]
    atheris.Setup([sys.argv[0], *options, f"-dict={words}", str(seeds)], cases)
    atheris.Fuzz()


def child(name: str, seconds: float, seed: int, folder: Path, findings: Path) -> None:
    """Run one target until its time is over."""
    began = time.monotonic()
    guided = find_spec("atheris") is not None and name not in UNGUIDED
    with contextlib.ExitStack() as stack:
        if guided:
            import atheris

            stack.enter_context(atheris.instrument_imports(include=list(READERS)))
        target = TARGETS[name]()
    for data in target.seeds[:5]:
        # What is compiled or loaded at the first use has no limit.
        with contextlib.suppress(PartwiseError):
            target.run(data)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    cases = Cases(target, Record(folder / "record"), findings / name)
    if cases.count == 0:
        for data in amplified(target):
            cases(data)
    left = seconds - (time.monotonic() - began)
    if guided:
        guided_search(cases, left, seed, folder)
    else:
        random_search(cases, left, seed)


def watch(process: subprocess.Popen[bytes], record: Record) -> bool:
    """Wait for a child; whether it went on by itself until its end."""
    count, since = -1, time.monotonic()
    while process.poll() is None:
        time.sleep(0.5)
        if record.count != count:
            count, since = record.count, time.monotonic()
        # The first cases wait for imports and compilers.
        elif time.monotonic() - since > (WAIT if count else 10 * WAIT):
            process.kill()
            process.wait()
            return False
    return process.returncode == 0


def fuzz(name: str, minutes: float, seed: int, findings: Path) -> None:
    """Run one target in children, as many as it takes, and print its counts."""
    began, end = time.monotonic(), time.monotonic() + minutes * 60
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        record, runs = Record(folder / "record"), 0
        while (left := end - time.monotonic()) > 1:
            child = [__file__, "--child", name, "--minutes", str(left / 60)]
            options = ["--seed", str(seed + runs), "--place", place, "--findings", str(findings)]
            with (folder / "log").open("wb") as log:
                process = subprocess.Popen([sys.executable, *child, *options], stderr=log)
                fine = watch(process, record)
            runs += 1
            if not fine:
                tail = (folder / "log").read_text(errors="replace").strip().splitlines()[-2:]
                keep(findings / name, record.data, f"ended with {process.returncode}: {tail}")
                if record.count == 0:
                    break
        spent = (time.monotonic() - began) / 60
        print(f"{name}: {record.count:,} cases, {record.count / spent:,.0f} a minute", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options and run the targets."""
    options: Any = argparse.ArgumentParser(description="Fuzz the readers.")
    options.add_argument("--minutes", type=float, default=1.0, help="for each target")
    options.add_argument("--target", choices=sorted(TARGETS), action="append")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--findings", type=Path, default=CORPUS)
    options.add_argument("--child", help=argparse.SUPPRESS)
    options.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--fronts", type=int, metavar="QUESTIONS")
    options.add_argument("--database", type=Path, default=CHINOOK, help="for --fronts")
    options.add_argument(
        "--only", action="append", default=[], help="a front end, a domain, or FRONT:DOMAIN"
    )
    given = options.parse_args(arguments)
    if given.fronts:
        from fuzz_fronts import measure

        raise SystemExit(measure(given.fronts, given.seed, given.database, given.only) > 0)
    if given.child:
        child(given.child, given.minutes * 60, given.seed, given.place, given.findings)
        return
    for name in given.target or TARGETS:
        fuzz(name, given.minutes, given.seed, given.findings)


if __name__ == "__main__":
    main()

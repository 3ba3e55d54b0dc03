"""What the benchmarks of `partwise serve` share: a server as it is started in production."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def server(*options: str, python: str = sys.executable) -> Iterator[tuple[str, int]]:
    """The address of a server that runs meanwhile, and its process."""
    command = [python, "-m", "partwise", "serve", "--port", "0", *options]
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


def children(process: int) -> Sequence[int]:
    """The processes that a process started."""
    started = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in started for child in file.read_text().split()]


def family(process: int) -> Sequence[int]:
    """A process and those that it started, and those that these did."""
    return [process, *(one for child in children(process) for one in family(child))]


def memory(process: int, kind: str = "VmRSS") -> float:
    """Memory of a process and those that it started, in megabytes.

    Args:
        kind: VmRSS for what is in use, VmHWM for the most that ever was; Pss for the same as
            VmRSS, with pages that several of them share counted once.
    """
    file = "smaps_rollup" if kind == "Pss" else "status"
    lines = "".join(Path(f"/proc/{one}/{file}").read_text() for one in family(process)).splitlines()
    return round(sum(int(x.split()[1]) for x in lines if x.startswith(f"{kind}:")) / 1024, 1)


def processor_seconds(process: int) -> float:
    """What a process and those that it started used so far."""
    ticks = 0
    for one in family(process):
        fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")

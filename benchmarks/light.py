"""What an installation takes: its size, and the time and memory of a command that asks.

    python benchmarks/light.py ENVIRONMENT --database FOLDER [--label LABEL] [--busy]

ENVIRONMENT is a virtual environment in which the wheel is installed with its extra `database`, and
FOLDER the folder of a database that the same version made. The size is that of all packages that
`partwise[database]` needs, by their own lists of files. Each domain is asked one question by a
process of its own, several times; the first answer after an installation is that with empty caches
in a home of its own. Processor time and memory are of the process and of its children. With
--busy, the times of single questions are measured in one process, alone and beside two processes
that compute without end. Rows are kept in benchmarks/results/light.json under their label.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from partwise.encoders.storage import read_json, write_json

OUT = Path(__file__).resolve().parent / "results" / "light.json"
ASKED = {
    "geography": "which states border texas?",
    "films": "Who directed Alien?",
    "a database": "which track has the most invoice lines?",
}
MIB = 1 << 20
SIZE = """
import json, re
from importlib.metadata import distribution, PackageNotFoundError
from packaging.requirements import Requirement
todo, known = ["partwise[database]"], {}
while todo:
    need = Requirement(todo.pop())
    for extra in need.extras or {""}:
        try:
            dist = distribution(need.name)
        except PackageNotFoundError:
            continue
        if (need.name.lower(), extra) in known:
            continue
        files = (f.locate() for f in dist.files or ())
        known[need.name.lower(), extra] = sum(f.stat().st_size for f in files if f.is_file())
        for text in dist.requires or ():
            more = Requirement(text)
            if more.marker is None or any(more.marker.evaluate({"extra": e}) for e in {extra, ""}):
                todo.append(text.partition(";")[0])
print(json.dumps({name: size for (name, _), size in known.items()}))
"""
QUESTIONS = """
import json, sys, time
from partwise.training.store import load_parser
from partwise.interface.registry import load
name, folder = sys.argv[1:]
if name == "a database":
    from partwise.database.folder import open_domain
    parser, some = load_parser("database", open_domain(folder)), ["how many invoices are there?"]
else:
    parser = load_parser(name)
    some = [] if name != "geography" else [x.question for x in load("geography", "iid").test]
some = some[:40] or ["Who directed Alien?"]
parser(some[0])
times = []
for question in (some * 40)[:40]:
    begin = time.perf_counter()
    parser.parse([question])
    times.append(1000 * (time.perf_counter() - begin))
print(json.dumps(times))
"""


def size_of(python: str) -> float:
    """MiB of all packages that `partwise[database]` needs, with what they bring compiled."""
    made = subprocess.run([python, "-c", SIZE], check=True, stdout=subprocess.PIPE)
    return float(sum(json.loads(made.stdout).values()) / MIB)


def asked_once(command: list[str], home: str) -> dict[str, float]:
    """Seconds of processor time and of the clock, and MiB of memory, of a process and of its
    children."""
    environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": f"{home}/cache"}
    environment.pop("OPENBLAS_NUM_THREADS", None)
    environment.pop("OMP_NUM_THREADS", None)
    before = os.times()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command}: exit code {process.returncode}")
    after = os.times()
    return {
        "processor": used.ru_utime + used.ru_stime,
        "clock": after.elapsed - before.elapsed,
        "memory": used.ru_maxrss / 1024,
    }


def ask(binary: str, folder: str, times: int) -> dict[str, Any]:
    """The first and the later answers of each domain."""
    made: dict[str, Any] = {}
    for name, question in ASKED.items():
        command = [binary, "ask", "--domain", folder if name == "a database" else name, question]
        with tempfile.TemporaryDirectory() as home:
            first, *later = (asked_once(command, home) for _ in range(times + 1))
        made[name] = {"first": first, "later": {k: median(x[k] for x in later) for k in first}}
    return made


def busy(python: str, folder: str) -> dict[str, Any]:
    """Milliseconds of a question by the clock, the median, alone and beside two busy processes."""
    made: dict[str, Any] = {}
    for name in ASKED:
        command, found = [python, "-c", QUESTIONS, name, folder], {}
        for others in (0, os.cpu_count() or 1):
            with ExitStack() as stack:
                for _ in range(others):
                    spin = subprocess.Popen([sys.executable, "-c", "while True: pass"])
                    stack.callback(spin.wait)
                    stack.callback(spin.kill)
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
            found["busy" if others else "alone"] = median(json.loads(done.stdout))
        made[name] = found
    return made


def main() -> None:
    """Measure an installation."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("environment", type=Path)
    options.add_argument("--database", required=True)
    options.add_argument("--label", default="now")
    options.add_argument("--commit", help="of what is installed; this checkout's if not given")
    options.add_argument("--times", type=int, default=5)
    options.add_argument("--busy", action="store_true")
    given = options.parse_args()
    python, binary = (str(given.environment / "bin" / name) for name in ("python", "partwise"))
    row: dict[str, Any] = {
        "label": given.label,
        "commit": given.commit
        or subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=OUT.parent, stdout=subprocess.PIPE, text=True
        ).stdout.strip(),
        "installed": size_of(python),
        "ask": ask(binary, given.database, given.times),
    }
    if given.busy:
        row["question"] = busy(python, given.database)
    kept = read_json(OUT)["rows"] if OUT.exists() else []
    rows = [one for one in kept if one["label"] != given.label]
    machine = {"python": platform.python_version(), "processors": os.cpu_count()}
    write_json(OUT, {"command": "benchmarks/light.py", "machine": machine, "rows": [*rows, row]})
    print(json.dumps(row, indent=1))


if __name__ == "__main__":
    main()

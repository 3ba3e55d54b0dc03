"""Breaks each promise of docs/guarantees.md, one at a time, and runs the tests that it names.

    python benchmarks/mutations.py [--only EXPRESSION] [--check]

A row of data/mutations.tsv says which promise a change breaks, in which file of the package, the
text before and after it, and which of the promise's tests must fail. Files are changed in a copy of
the checkout. --only takes the rows that an expression is found in, and --check holds rows against
files and page alone. Puts outcomes into results/mutations.json, each with its commit; exits with 1
where tests let a mutation live, or a row fits no more.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

LIBRARIES = ("torch", "transformers", "numba", "sqlalchemy", "hypothesis", "pydantic")
"""What tests need, imported once; Partwise is by each run, which is a fork of this process."""
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ROWS, OUT = HERE / "data" / "mutations.tsv", HERE / "results" / "mutations.json"
PACKAGE = Path("src", "partwise")
LONGEST = 120
"""Seconds of each test that is run; what hangs is seen, too."""


class Mutation(NamedTuple):
    """A row: `breaks` says in words what no longer holds; ``\\n`` in a text ends a line."""

    promise: str
    breaks: str
    file: str
    before: str
    after: str
    tests: str

    def changed(self, folder: Path) -> str:
        """The text of the file with the change. Raises ValueError if the row does not fit it."""
        old, new = (text.replace("\\n", "\n") for text in (self.before, self.after))
        content = (folder / PACKAGE / self.file).read_text("utf-8")
        if content.count(old) != 1:
            raise ValueError(f"{self.file} has {content.count(old)} times {self.before!r}")
        made = content.replace(old, new)
        if self.file.endswith(".py"):
            ast.parse(made)
        return made

    def named(self, promised: dict[str, list[str]]) -> list[str]:
        """The paths of its tests. Raises ValueError if the promise does not name them."""
        known = {path.rpartition("::")[2]: path for path in promised.get(self.promise, ())}
        if strange := [name for name in self.tests.split() if name not in known]:
            raise ValueError(f"promise {self.promise} does not name {' '.join(strange)}")
        return [known[name] for name in self.tests.split()]


def promises() -> dict[str, list[str]]:
    """The tests that each promise of the page names, by its number."""
    page = (ROOT / "docs" / "guarantees.md").read_text("utf-8")
    found = re.findall(r"^(\d+)\. (.*)$", page, re.MULTILINE)
    return {number: re.findall(r"`((?:papers/)?tests/[^`]+)`", said) for number, said in found}


def mutations(only: str) -> list[Mutation]:
    """The rows that an expression is found in."""
    with ROWS.open(encoding="utf-8") as stream:
        _, *rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [Mutation(*row) for row in rows if re.search(only, " ".join(row))]


def checked(rows: Sequence[Mutation]) -> dict[Mutation, list[str]]:
    """The paths of each row's tests. Raises SystemExit naming all rows that do not fit."""
    promised, faults, made = promises(), [], {}
    for row in rows:
        try:
            row.changed(ROOT)
            made[row] = row.named(promised)
        except (OSError, SyntaxError, ValueError) as error:
            faults.append(f"{row.promise}, {row.breaks}: {error}")
    if faults or not rows:
        raise SystemExit("\n".join(faults) or "no such row")
    return made


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the checkout's files, as they are now."""
    known = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    with tempfile.TemporaryDirectory(prefix="mutated-") as name:
        for file in filter(os.path.isfile, (ROOT / one for one in known if one)):
            target = Path(name) / Path(file).relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
        yield Path(name)


def run(folder: Path, tests: Sequence[str], *options: str) -> tuple[int, str]:
    """What pytest returns and says on the tests of a copy; 0 and "" if it takes too long."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if not child:
            _become_pytest(folder, out.fileno(), [*options, *tests])
        end = time.monotonic() + LONGEST * len(tests)
        while not (done := os.waitpid(child, os.WNOHANG))[0]:
            time.sleep(0.05)
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return 0, ""
        # What a test has left behind ends, too.
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        out.seek(0)
        return os.waitstatus_to_exitcode(done[1]), out.read().decode("utf-8", "replace")


def _become_pytest(folder: Path, out: int, arguments: Sequence[str]) -> NoReturn:
    """Run tests of a copy in this process, and end it."""
    os.setsid()
    os.chdir(folder)
    for number in (1, 2):
        os.dup2(out, number)
    paths = [str(folder), str(folder / "src"), str(folder / "papers" / "src")]
    sys.path[:1] = paths
    os.environ |= {"PYTHONPATH": os.pathsep.join(paths[1:]), "COLUMNS": "300"}
    code = 3
    try:
        code = int(pytest.main(["-rfEs", "-p", "no:cacheprovider", *arguments]))
    finally:
        sys.stdout.flush()
        os._exit(code)


def outcome(row: Mutation, tests: Sequence[str], folder: Path) -> dict[str, str]:
    """What came of a mutation: ``killed`` and by which test, ``lived``, or ``not run``."""
    file = folder / PACKAGE / row.file
    content, stat = file.read_bytes(), file.stat()
    file.write_text(row.changed(folder), "utf-8")
    try:
        code, said = run(folder, tests, "-x")
    finally:
        file.write_bytes(content)
        # What was compiled of it before holds again.
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)(?: - (.*))?", said, re.MULTILINE)
    if code == 1 and failed:
        test, why = failed[1], (failed[2] or "")[:160]
        return {"outcome": "killed", "by": test, "why": why.replace(str(folder), "")}
    if code == 0 and not said:
        return {"outcome": "killed", "by": " ".join(tests), "why": "timed out"}
    if code != 0:
        raise SystemExit(f"{row}: the tests do not run:\n{said}")
    return {"outcome": "lived" if re.search(r"\d passed", said) else "not run"}


def write(told: Sequence[dict[str, object]]) -> dict[str, int]:
    """Put outcomes in the place of those of the same changes; how many there are of each kind."""
    kept = json.loads(OUT.read_text("utf-8"))["rows"] if OUT.exists() else []
    known = {(one["file"], one["before"], one["after"]): one for one in [*kept, *told]}
    rows = [known[row[2:5]] for row in mutations("") if row[2:5] in known]
    counts = Counter(one["outcome"] for one in rows)
    made = {"command": "python benchmarks/mutations.py", "counts": counts, "rows": rows}
    text = json.dumps(made, ensure_ascii=False, indent=1)
    OUT.write_text(f"{text}\n", encoding="utf-8")
    return counts


def main() -> int:
    """Run the rows that the options name; the exit code."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="")
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    rows = checked(mutations(given.only))
    if given.check:
        return 0
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    counts = {}
    for library in LIBRARIES:
        import_module(library)
    with copied() as folder:
        code, said = run(folder, sorted({test for tests in rows.values() for test in tests}))
        if code or not said:
            raise SystemExit(f"without any mutation tests fail:\n{said}")
        for row, tests in rows.items():
            came = outcome(row, tests, folder)
            counts = write([{**row._asdict(), "tests": tests, **came, "commit": commit}])
            print(row.promise, row.breaks, *came.values(), sep="; ", flush=True)
    print(dict(counts))
    return int(counts.get("lived", 0) > 0)


if __name__ == "__main__":
    raise SystemExit(main())

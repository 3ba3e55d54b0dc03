"""Write the software bill of materials of the wheel: what `pip install partwise` brings.

    python scripts/sbom.py dist/partwise.cdx.json

CycloneDX, with the versions of this environment; those in requirements.lock with their digests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent


def brought(name: str) -> set[str]:
    """The packages that a package needs, directly or not, without extras."""
    names: set[str] = set()
    waiting = [name]
    while waiting:
        for text in requires(waiting.pop()) or []:
            one = Requirement(text)
            plain = re.sub(r"[-_.]+", "-", one.name).lower()
            wanted = one.marker is None or one.marker.evaluate({"extra": ""})
            if wanted and plain not in names and _is_here(plain):
                names.add(plain)
                waiting.append(plain)
    return names


def _is_here(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def main(out: Path) -> int:
    """Write the file; the exit code."""
    locked = {
        line.partition("==")[0]: line
        for line in (ROOT / "requirements.lock").read_text().splitlines()
        if not line.startswith("#")
    }
    lines = [locked.get(name, f"{name}=={version(name)}") for name in sorted(brought("partwise"))]
    out.parent.mkdir(parents=True, exist_ok=True)
    command = ["requirements", "-", "--pyproject", str(ROOT / "pyproject.toml")]
    options = ["--mc-type", "library", "--output-reproducible", "--output-file", str(out)]
    return subprocess.run(
        [sys.executable, "-m", "cyclonedx_py", *command, *options],
        input="\n".join(lines),
        text=True,
    ).returncode


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))

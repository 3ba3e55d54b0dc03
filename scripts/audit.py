"""Look the packages of requirements.lock up among known vulnerabilities.

    python scripts/audit.py

Exits with 1 if one of them has any. Without a network it says so, and exits with 0.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parent.parent / "requirements.lock"


def main() -> int:
    """Ask the public database of advisories; the exit code."""
    asked = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--requirement", str(LOCK), "--disable-pip"),
            *("--format", "json", "--progress-spinner", "off"),
        ],
        capture_output=True,
        text=True,
    )
    packages = json.loads(asked.stdout)["dependencies"] if asked.stdout else []
    unknown = [one["name"] for one in packages if "skip_reason" in one]
    if len(unknown) == len(packages):
        print("audit skipped: the database of advisories cannot be reached from here")
        return 0
    vulnerable = [one for one in packages if one.get("vulns")]
    for one in vulnerable:
        advisories = ", ".join(vuln["id"] for vuln in one["vulns"])
        print(f"{one['name']} {one['version']} has known vulnerabilities: {advisories}")
    if unknown:
        print(f"not in the database: {', '.join(unknown)}")
    return 1 if vulnerable or unknown else 0


if __name__ == "__main__":
    raise SystemExit(main())

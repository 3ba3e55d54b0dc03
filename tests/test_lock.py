"""The lock file has what pyproject.toml asks for, and each package with its digest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
APART = {"torch"}
"""Installed before the lock: its builds differ by processor."""


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_has_what_the_project_asks_for() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = {}
    for line in lines:
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"([\w.-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", line)
        assert match, line
        locked[plain(match[1])] = match[2]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    papers = tomllib.loads((ROOT / "papers" / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *extras["dev"], *extras["docs"], *papers["dependencies"]]
    for one in map(Requirement, wanted):
        name = plain(one.name)
        if name not in APART | {"partwise"}:
            assert one.specifier.contains(locked[name]), one

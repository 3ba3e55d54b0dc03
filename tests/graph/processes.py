"""Processes with other hashes: texts have other ones in each, and sets of them another order."""

from __future__ import annotations

import os
import subprocess
import sys


def run_python(code: str, seed: int, *arguments: object) -> str:
    """What a process with a hash seed prints."""
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": path}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(
        command,
        env={**environment, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

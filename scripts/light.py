"""Install the wheel as those do who ask questions, without torch, and run the tests that need none.

    python scripts/light.py FOLDER

FOLDER gets a fresh environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = (
    *("tests/test_ask_database.py", "tests/attacks/test_databases.py"),
    *("tests/serve/test_batching.py", "tests/serve/test_assistant.py"),
)
LACKING = "import importlib.util as u, sys; sys.exit(any(map(u.find_spec, sys.argv[1:])))"


def main(folder: Path) -> None:
    """Make the environment and test in it. Raises CalledProcessError if something does not install,
    a training framework is there, or a test fails."""
    venv.create(folder, clear=True)
    python = str(folder / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    made = [
        *pip,
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(made, check=True)
    (wheel,) = folder.glob("*.whl")
    install = [*pip, "--python", python, "install", "--quiet", "--no-compile"]
    wanted = f"{wheel}[database,serve,mcp,mysql,duckdb,postgres,charts]"
    subprocess.run([*install, wanted, "pytest>=8.3,<10", "hypothesis>=6.120,<7"], check=True)
    lacking = ["torch", "transformers", "numba", "llvmlite", "onnx"]
    subprocess.run([python, "-c", LACKING, *lacking], check=True)
    run = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    subprocess.run(run, cwd=ROOT, check=True)


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    main(Path(sys.argv[1]).absolute())

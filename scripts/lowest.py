"""Install the lowest versions that pyproject.toml allows; train, and answer questions with them.

    python scripts/lowest.py FOLDER [TORCH]

FOLDER gets a fresh environment. Packages that only these packages need are the newest that fit.
TORCH is the version of torch to install instead of the lowest, whose build brings gigabytes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXTRAS = ("serve", "batch", "duckdb", "postgres")
ASKED = (
    ("geography", "which states border texas?", "oklahoma"),
    ("films", "Who directed Alien?", "Ridley Scott"),
)


def lowest(torch: str | None = None) -> list[str]:
    """The lowest version of each dependency, also of the extras, as requirements.

    Args:
        torch: its version, if not the lowest.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    texts = [*project["dependencies"]]
    for extra in EXTRAS:
        texts += project["optional-dependencies"][extra]
    pinned = [re.sub(r">=([^,]+).*", r"==\1", text) for text in texts]
    return [f"torch=={torch}" if torch and text.startswith("torch==") else text for text in pinned]


def main(folder: Path, torch: str | None = None) -> None:
    """Make the environment and use the package in it.

    Raises:
        CalledProcessError: if something does not install or run.
        AssertionError: if an answer is wrong.
    """
    venv.create(folder, with_pip=True, clear=True)
    python = str(folder / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *lowest(torch)], check=True)
    subprocess.run([*pip, "--no-deps", str(ROOT)], check=True)

    def partwise(*words: str) -> str:
        command = [python, "-m", "partwise", *words]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout

    for domain, question, answer in ASKED:
        assert answer in partwise("ask", "--domain", domain, question), question
    partwise("new", "library")
    partwise(
        *("train", "--domain", "library", "--train", "library/pairs.jsonl"),
        *("--encoder", "bilstm", "--epochs", "1", "--out", "run"),
    )
    partwise("ask", "--domain", "library", "--model", "run/model", "who wrote emma ?")
    (folder / "in.csv").write_text("question\nwhich states border texas?\n")
    partwise("ask", "--domain", "geography", "in.csv", "--out", "out.csv")
    assert "oklahoma" in (folder / "out.csv").read_text()
    print(f"the lowest versions work: {', '.join(lowest(torch))}")


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    main(Path(sys.argv[1]).absolute(), *sys.argv[2:3])

"""Install the lowest versions that pyproject.toml allows; train, and answer questions with them.

    python scripts/lowest.py FOLDER [TORCH]

FOLDER gets a fresh environment. Packages that only these packages need are the newest that fit.
TORCH is the version of torch to install instead of the lowest, whose build brings gigabytes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXTRAS = ("train", "serve", "batch", "duckdb", "postgres")
ASKED = (
    ("geography", "which states border texas?", "oklahoma"),
    ("films", "Who directed Alien?", "Ridley Scott"),
)
BEFORE = (
    ("new", "library"),
    # This compiles the charts, which whoever asked first would have done beside this process.
    (
        *("train", "--domain", "library", "--train", "library/pairs.jsonl"),
        *("--encoder", "bilstm", "--epochs", "1", "--out", "run"),
    ),
    ("ask", "--domain", "library", "--model", "run/model", "who wrote emma ?"),
    ("ask", "--domain", "geography", "in.csv", "--out", "out.csv"),
)
RUN = """
import io, json, sys
from contextlib import redirect_stdout
from partwise.cli import main
for words in json.loads(sys.argv[1]):
    with redirect_stdout(io.StringIO()) as said:
        code = main(words)
    print(json.dumps(said.getvalue()))
    if code:
        sys.exit(f"{words}: exit code {code}")
"""
"""Commands in one process, as each would import torch again; what each says is a line."""


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
    venv.create(folder, clear=True)
    python = str(folder / "bin" / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    # What is imported is compiled then; most modules never are.
    install = [*pip, "install", "--quiet", "--no-compile", *lowest(torch), str(ROOT)]
    subprocess.run(install, check=True)
    (folder / "in.csv").write_text("question\nwhich states border texas?\n")
    commands = [*BEFORE, *(("ask", "--domain", name, question) for name, question, _ in ASKED)]
    run = [python, "-c", RUN, json.dumps(commands)]
    done = subprocess.run(run, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    *_, first, second = map(json.loads, done.stdout.splitlines())
    for said, (_, question, answer) in zip((first, second), ASKED, strict=True):
        assert answer in said, question
    assert "oklahoma" in (folder / "out.csv").read_text()
    print(f"the lowest versions work: {', '.join(lowest(torch))}")


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("torch", nargs="?")
    given = parser.parse_args()
    main(given.folder.absolute(), given.torch)

"""`partwise --version` did not exist; it and help are quick."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli_helpers import run_cli

import partwise
from partwise.cli import app

LIGHT = """
import sys
from partwise.cli import main
assert main([{option!r}]) == 0
print({{"torch", "transformers", "numba"}} & set(sys.modules) or "light")
"""


def test_the_version_is_told() -> None:
    result = run_cli("--version")
    assert (result.exit_code, result.stdout) == (0, f"partwise {partwise.__version__}\n")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(option: str) -> None:
    code = LIGHT.format(option=option)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "light"


def test_every_command_of_the_core_is_in_the_help_as_its_docstring_says_it() -> None:
    shown = " ".join(run_cli("--help").stdout.replace("│", " ").split())
    for name, (module, summary) in app.COMMANDS.items():
        assert summary in shown
        if name == "train":
            continue
        function = getattr(__import__(f"partwise.cli.{module}", fromlist=[name]), name)
        assert function.__doc__.splitlines()[0] == summary

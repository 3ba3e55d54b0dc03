"""What the tests of the papers' commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cli_helpers import TINY, Files, make_files, run_cli


@pytest.fixture
def cli() -> Callable[..., Any]:
    """Runs a command."""
    return run_cli


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A tiny parser of the geography domain; not to be changed."""
    files = make_files(tmp_path_factory.mktemp("trained"))
    arguments = [*files.options, *TINY, "--out", str(files.run), "--test"]
    arguments += ["--test-file", str(files.test), "--results", str(files.run.parent / "results")]
    result = run_cli("train", *arguments)
    assert result.exit_code == 0, result.output
    return files

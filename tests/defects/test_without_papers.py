"""Without the package of the papers, its commands say which package to install."""

from __future__ import annotations

import pytest
from cli_helpers import run_cli

from partwise.cli import app
from partwise.interface.registry import Registry


@pytest.mark.parametrize("name", app.PAPERS)
def test_the_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Registry[object] = Registry("partwise.no_commands", "command")
    monkeypatch.setattr(app, "PLUGINS", nothing)
    for arguments in ([name], [name, "span", "--row", "all"], [name, "--help"]):
        result = run_cli(*arguments)
        assert result.exit_code == 2
        assert f"{name} comes with the package partwise-papers" in result.stderr
        assert "pip install partwise-papers" in result.stderr
    assert f"│ {name} " not in run_cli("--help").stdout

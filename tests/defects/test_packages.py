"""What packages import, name and say of themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_helpers import refused, run_cli

import partwise
from partwise.cli import app
from partwise.interface.registry import Registry

SOURCE = Path(partwise.__file__).parent
ALONE = """
import importlib, json, os, sys
found = {}
for name in json.loads(sys.argv[1]):
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            importlib.import_module(name)
            said = "torch" if "torch" in sys.modules else ""
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said[:500].encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    if said:
        found[name] = said
    os.wait()
print(json.dumps(found))
"""


def modules(package: str) -> list[str]:
    files = (SOURCE / package).rglob("*.py")
    names = (file.relative_to(SOURCE.parent).with_suffix("").parts for file in files)
    return sorted(".".join(part for part in name if part != "__init__") for name in names)


@pytest.mark.skipif(sys.platform == "win32", reason="forks")
@pytest.mark.parametrize("package", ["language", "execution", "domains"])
def test_each_module_can_be_the_first_and_none_needs_torch(package: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE, json.dumps(modules(package))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}


@pytest.mark.parametrize("package", ["language", "execution", "encoders"])
def test_caches_of_modules_are_bounded(package: str) -> None:
    files = sorted((SOURCE / package).rglob("*.py"))
    unbounded = [str(file) for file in files if "@cache\n" in file.read_text("utf-8")]
    assert unbounded == []


def test_dir_lists_the_public_names_and_no_others() -> None:
    listed = dir(partwise)
    assert set(listed) == {*partwise.__all__, "__version__"}
    for name in listed:
        assert getattr(partwise, name) is not None
    assert partwise.__version__


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


@pytest.mark.parametrize("name", app.PAPERS)
def test_the_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Registry[object] = Registry("partwise.no_commands", "command")
    monkeypatch.setattr(app, "PLUGINS", nothing)
    for arguments in ([name], [name, "span", "--row", "all"], [name, "--help"]):
        told = refused(*arguments)
        assert f"{name} comes with the package partwise-papers" in told
        assert "pip install partwise-papers" in told
    assert f"│ {name} " not in run_cli("--help").stdout

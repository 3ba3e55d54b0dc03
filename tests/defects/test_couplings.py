"""Modules work whichever is imported first, and caches are bounded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import partwise

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

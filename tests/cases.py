"""Cases of tests that differ in data alone, kept beside the tests."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def rows(module: Mapping[str, Any], name: str, *named: ModuleType) -> list[Any]:
    """The rows under a name in the .txt file that is called as the module.

    A row holds Python values, and may use the names of this and other modules; an indented line
    continues it.
    """
    text = Path(module["__file__"]).with_suffix(".txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"(?m)^(\w+):\n", text)
    found = dict(zip(parts[::2], parts[1::2], strict=True))[name].strip("\n")
    lines = [line for line in re.split(r"\n(?=\S)", found) if line[0] != "#"]
    names = {key: value for one in (*map(vars, named), module) for key, value in one.items()}
    return [eval(f"({line}\n)", names) for line in lines]


def cases(names: str, *named: ModuleType) -> Callable[[Any], Any]:
    """Run a test on the rows under its name, which may use the names of further modules."""

    def mark(test: Any) -> Any:
        found = rows(vars(sys.modules[test.__module__]), test.__name__, *named)
        return pytest.mark.parametrize(names, found)(test)

    return mark

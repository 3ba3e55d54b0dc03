"""Where things of a domain are written: files and lines."""

from __future__ import annotations

import inspect
import os
import re
import traceback
from pathlib import Path

from partwise.language.domain import Domain


def place_of(domain: Domain, method: str) -> str:
    """``file:line`` of a method, its decorators included; "" if that cannot be told."""
    code = getattr(getattr(type(domain), method, None), "__code__", None)
    return "" if code is None else f"{shown(code.co_filename)}:{code.co_firstlineno}"


def place_of_class(domain: Domain) -> str:
    """``file:line`` of the domain's class; "" if that cannot be told."""
    try:
        file, (_, line) = inspect.getfile(type(domain)), inspect.getsourcelines(type(domain))
    except (OSError, TypeError):
        return ""
    return f"{shown(file)}:{line}"


def place_in_message(domain: Domain, message: str) -> str:
    """The line of the first method that a message names, else that of the class."""
    for name in re.findall(r"\w+", message):
        if callable(getattr(type(domain), name, None)) and name in _own_methods(domain):
            return place_of(domain, name)
    return place_of_class(domain)


def place_of_error(error: BaseException) -> str:
    """The line where the user's code raised an error, or where it cannot be read."""
    cause = error.__cause__ or error
    if isinstance(cause, SyntaxError) and cause.filename:
        return f"{shown(cause.filename)}:{cause.lineno or 1}"
    here = str(Path(__file__).resolve().parent.parent)
    frames = [
        frame
        for frame in traceback.extract_tb(cause.__traceback__)
        if not frame.filename.startswith((here, "<frozen"))
    ]
    own = [frame for frame in frames if "site-packages" not in frame.filename]
    inner = [frame for frame in own if not frame.filename.endswith(os.sep + "__init__.py")]
    found = inner or own
    # The import machinery of the standard library stands around the user's own lines.
    users = [frame for frame in found if f"{os.sep}lib{os.sep}python" not in frame.filename]
    return f"{shown(users[-1].filename)}:{users[-1].lineno}" if users else ""


def shown(file: str) -> str:
    """A path as seen from where the user stands, if it is below."""
    path = Path(file)
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_absolute() and path.is_relative_to(here) else file


def _own_methods(domain: Domain) -> set[str]:
    """Methods of the domain that `Domain` itself does not have."""
    names = (name for cls in type(domain).__mro__ for name in vars(cls))
    return {name for name in names if not hasattr(Domain, name)}

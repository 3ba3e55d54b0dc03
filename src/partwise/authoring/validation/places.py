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


def place_in_message(domain: Domain, message: str) -> str:
    """The line of the first method of the domain that a message names, else that of its class."""
    for name in re.findall(r"\w+", message):
        if not hasattr(Domain, name) and callable(getattr(type(domain), name, None)):
            return place_of(domain, name)
    try:
        file, (_, line) = inspect.getfile(type(domain)), inspect.getsourcelines(type(domain))
    except (OSError, TypeError):
        return ""
    return f"{shown(file)}:{line}"


def place_of_error(error: BaseException) -> str:
    """The line where the user's code raised an error, or where it cannot be read."""
    cause = error.__cause__ or error
    if isinstance(cause, SyntaxError) and cause.filename:
        return f"{shown(cause.filename)}:{cause.lineno or 1}"
    library = str(Path(__file__).resolve().parents[2])
    own = [
        frame
        for frame in traceback.extract_tb(cause.__traceback__)
        if not frame.filename.startswith((library, "<frozen"))
        and "site-packages" not in frame.filename
    ]
    inner = [frame for frame in own if not frame.filename.endswith(os.sep + "__init__.py")]
    # The import machinery of the standard library stands around the user's own lines.
    users = [f for f in inner or own if f"{os.sep}lib{os.sep}python" not in f.filename]
    return f"{shown(users[-1].filename)}:{users[-1].lineno}" if users else ""


def shown(file: str) -> str:
    """A path as seen from where the user stands, if it is below."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_absolute() and path.is_relative_to(here) else file

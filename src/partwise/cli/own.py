"""Domains of the user's by the name of their folder, as `partwise new` makes them."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from partwise.errors import DataError
from partwise.language.domain import Domain

DOMAIN_FILE = "domain.py"
PAIRS_FILE = "pairs.jsonl"


@contextmanager
def importing_from_here() -> Iterator[None]:
    """Let modules be found from where the user stands, unlike scripts and as `python -m` does."""
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)


def is_own(name: str) -> bool:
    """Whether a name is that of a folder here that holds a domain."""
    return name.isidentifier() and (Path(name) / DOMAIN_FILE).is_file()


def written_out(name: str) -> str:
    """``library.domain:Library`` for ``library``, if that is a folder here with a domain.

    Other names are given back as they are.

    Raises:
        DataError: if the folder's module cannot be imported, or holds no domain or several.
    """
    if not is_own(name):
        return name
    module = f"{name}.{DOMAIN_FILE.removesuffix('.py')}"
    with importing_from_here():
        try:
            found = importlib.import_module(module)
        except Exception as error:
            raise DataError(
                f"cannot import {name}/{DOMAIN_FILE}: {type(error).__name__}: {error}"
            ) from error
    classes = [
        cls.__name__
        for cls in vars(found).values()
        if inspect.isclass(cls) and issubclass(cls, Domain) and cls.__module__ == module
    ]
    if len(classes) != 1:
        what = f"several domains ({', '.join(classes)})" if classes else "no partwise Domain"
        raise DataError(f"{name}/{DOMAIN_FILE} holds {what}; name one as {module}:CLASS")
    return f"{module}:{classes[0]}"


def pairs_beside(domain: Domain) -> Path | None:
    """The file of pairs beside the file of a domain's class, if there is one."""
    try:
        file = Path(inspect.getfile(type(domain))).with_name(PAIRS_FILE)
    except TypeError:
        return None
    return file if file.is_file() else None

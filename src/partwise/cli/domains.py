"""Domains by name: those of plug-ins, and the user's own by folder or as MODULE:CLASS."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from partwise.errors import DataError, PartwiseError
from partwise.interface.domain import AnyDomain
from partwise.interface.registry import DOMAINS, named_domain
from partwise.language.domain import Domain

DOMAIN_FILE = "domain.py"
EXAMPLES_FILE = "pairs.jsonl"
LAYER_FILE = "layer.py"
"""The semantic layer of a database, where it is no YAML file."""


def find_domain(name: str) -> Any:
    """A domain of a plug-in, or one of the user's: ``module:Class``, its folder here, or the folder
    of a database.

    Raises:
        DataError: if there is none of that name.
    """
    if is_known(name):
        return named_domain(name)
    place = place_of(name)
    if ":" in place:
        return _own_domain(place)
    if is_database(name):
        return _database(name)
    known = ", ".join(DOMAINS)
    raise DataError(
        f"no domain {name!r}: no folder {name}/ with domain.py or {Path(name).name}.yaml is here, "
        f"and built in are {known}; begin one of your own with: partwise new NAME, or for a "
        "database: partwise new NAME --from sqlite:///FILE"
    )


def is_database(name: str) -> bool:
    """Whether this is the folder of a database, as ``partwise new NAME --from ...`` makes it."""
    folder = Path(name)
    files = (f"{folder.resolve().name}.yaml", LAYER_FILE)
    return any((folder / file).is_file() for file in files)


def _database(name: str) -> Any:
    """
    Raises:
        DataError: if what databases need is not installed.
    """
    try:
        from partwise.database.folder import open_domain
    except ImportError as error:
        raise DataError(f"{error}; install it with: pip install 'partwise[database]'") from error
    return open_domain(name)


def is_known(name: str) -> bool:
    """Whether a plug-in brings a domain of this name."""
    return name in DOMAINS


def place_of(name: str) -> str:
    """``library.domain:Library`` for ``library``, if that is a folder here with a domain.

    Other names are given back as they are.

    Raises:
        DataError: if the folder's module cannot be imported, or holds no domain or several.
    """
    if not (name.isidentifier() and (Path(name) / DOMAIN_FILE).is_file()):
        return name
    module = f"{name}.{DOMAIN_FILE.removesuffix('.py')}"
    with _importing_from_here():
        try:
            members = vars(importlib.import_module(module)).values()
        except Exception as error:
            raise DataError(
                f"cannot import {name}/{DOMAIN_FILE}: {type(error).__name__}: {error}"
            ) from error
    classes = [
        cls.__name__
        for cls in members
        if inspect.isclass(cls) and issubclass(cls, Domain) and cls.__module__ == module
    ]
    if len(classes) != 1:
        what = f"several domains ({', '.join(classes)})" if classes else "no partwise Domain"
        raise DataError(f"{name}/{DOMAIN_FILE} holds {what}; name one as {module}:CLASS")
    return f"{module}:{classes[0]}"


def noted_domain(config: Mapping[str, Any]) -> Any:
    """The user's domain that a saved parser notes as its own; None for a plug-in's.

    Only a module below the current folder is imported: a saved parser does not choose what else
    is run.

    Args:
        config: the content of the parser's config.json.

    Raises:
        DataError: if it is not here.
    """
    name = config.get("domain")
    if not isinstance(name, str) or is_known(name):
        return None
    place = str(config.get("training", {}).get("domain_class", ""))
    if _is_here(place):
        return _own_domain(place)
    if place.isidentifier() and is_database(place):
        return _database(place)
    note = f", as {place} when it was trained" if place else ""
    raise DataError(
        f"the parser is of the domain {name!r}, which is not built in and not found here{note}; "
        "say where it is with --domain FOLDER or --domain MODULE:CLASS"
    )


def examples_beside(domain: Any) -> Path | None:
    """The file of examples beside the file of a domain's class, if there is one."""
    try:
        file = Path(inspect.getfile(type(domain))).with_name(EXAMPLES_FILE)
    except TypeError:
        return None
    return file if file.is_file() else None


def reading(domain: Any) -> Callable[[str], Any]:
    """What reads meanings in the domain's canonical form."""
    return lambda text: domain.canonical(domain.read(text))


def _own_domain(place: str) -> Any:
    """A domain of the user's: ``module:Class``, made without arguments, or ``module:NAME``."""
    module, _, attribute = place.partition(":")
    with _importing_from_here():
        try:
            made = getattr(importlib.import_module(module), attribute)
            made = made() if callable(made) else made
        except PartwiseError:
            raise
        except Exception as error:
            # The user's own code runs here, and may fail in any way.
            raise DataError(
                f"cannot make the domain {place!r} ({type(error).__name__}: {error}); give "
                "MODULE:CLASS, the class made without arguments"
            ) from error
    if not isinstance(made, AnyDomain):
        raise DataError(f"{place} is no partwise.language.domain.Domain")
    return made


def _is_here(place: str) -> bool:
    """Whether a module of ``module:Class`` lies below the current folder."""
    module, _, attribute = place.partition(":")
    if not attribute or not all(part.isidentifier() for part in module.split(".")):
        return False
    file = Path(*module.split("."))
    return any(one.is_file() for one in (file.with_suffix(".py"), file / "__init__.py"))


@contextmanager
def _importing_from_here() -> Iterator[None]:
    """Let modules be imported from the current folder, as `python -m` does and scripts do not."""
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)

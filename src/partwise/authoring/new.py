"""Writes a new domain from the templates, with its own name in place of theirs."""

import importlib.util
import keyword
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from partwise.errors import DataError

EXECUTORS = ("sqlite", "python", "sparql")
_LINE = re.compile(rf"(.*?)(?:  # ((?:(?:{'|'.join(EXECUTORS)}) ?)+))?\n")
"""A line of a template, with the executors that it is for if not for all."""
FOLDER = Path(__file__).with_name("templates")
TEMPLATE = ".template"
NAME, CLASS = "mydomain", "MyDomain"
"""What the templates are called, wherever a domain's own name is to be."""


def write_domain(name: str, executor: str, into: Path) -> Path:
    """Write the folder of a new domain: `domain.py` with its data, examples and a test. Raises
    DataError for a name that no module may have, a folder that exists already, and a place that
    cannot be written; nothing is left half written."""
    check_name(name, into)
    if executor not in EXECUTORS:
        raise DataError(f"no executor {executor!r}; there are {', '.join(EXECUTORS)}")
    files = [file for part in ("shared", executor) for file in (FOLDER / part).glob("[!_]*")]
    texts: dict[str, str] = {}
    for file in files:
        text = file.read_text(encoding="utf-8")
        if file.suffix == TEMPLATE:
            lines = _LINE.finditer(text)
            own = (line[1] for line in lines if line[2] is None or executor in line[2].split())
            text = "".join(f"{line}\n" for line in own)
        own_name = file.name.removesuffix(TEMPLATE)
        texts[own_name] = text.replace(CLASS, class_name(name)).replace(NAME, name)
    check_free(into / name)
    write_package(into / name, texts, "--into")
    return into / name


def check_free(folder: Path) -> None:
    """Raises DataError if there is something of this name."""
    if folder.exists() or folder.is_symlink():
        raise DataError(f"{folder} exists already and is left as it is; choose another name")


def write_package(folder: Path, texts: Mapping[str, str], place: str) -> None:
    """Write a domain's folder with texts by file, whole or not at all. Raises DataError if it
    cannot be written; the message says to choose another `place`."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".partwise-") as scratch:
            made = Path(scratch) / folder.name
            made.mkdir()
            for file, text in {
                "__init__.py": f'"""The domain {folder.name}."""\n',
                **texts,
            }.items():
                (made / file).write_text(text, encoding="utf-8", newline="\n")
            made.rename(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{folder}: cannot be written ({why}); choose another {place}") from error


def class_name(name: str) -> str:
    """``LeagueTable`` for ``league_table``."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def check_name(name: str, into: Path) -> None:
    """Find out that a name cannot be that of a Python package of the user's. Raises DataError with
    a name that would do, where there is one."""
    if not re.fullmatch(r"[a-z]([a-z0-9_]*[a-z0-9])?", name):
        better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")
        hint = f", as {better!r}" if better and better != name else ""
        raise DataError(
            f"{name!r} cannot be the name of a domain: it names a Python package, so give small "
            f"letters, digits and _, a letter first{hint}"
        )
    if keyword.iskeyword(name):
        raise DataError(f"{name!r} is a keyword of Python; choose another, as 'my_{name}'")
    if (into / name).exists():
        return
    spec = importlib.util.find_spec(name)
    # A mere folder of that name, as others may lie around here, has no origin.
    if spec is not None and spec.origin is not None:
        raise DataError(
            f"{name!r} is the name of an installed Python package, which would be imported in its "
            f"place; choose another, as 'my_{name}'"
        )

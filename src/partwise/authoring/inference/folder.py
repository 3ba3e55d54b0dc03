"""Writes an inferred domain as a folder, and says which pairs it reaches."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from partwise.authoring.inference.infer import Inferred
from partwise.authoring.inference.writing import domain_text
from partwise.authoring.templates.writing import check_name, class_name
from partwise.authoring.validation import Issue
from partwise.authoring.validation.examples import typed_examples
from partwise.authoring.validation.heads import Heads
from partwise.authoring.validation.reachable import Reach, unreached
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.program_spelling import write_spelled


def check_folder(folder: Path) -> str:
    """The Python module of a folder that is to be written below the current one.

    Raises:
        DataError: if it exists already, or its name cannot be a module's.
    """
    try:
        inside = folder.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        raise DataError(
            f"{folder} is not below the current folder, from where its domain is imported; name a "
            "folder here"
        ) from None
    for part in inside.parts or (str(folder),):
        check_name(part, folder.parent)
    if folder.exists() or folder.is_symlink():
        raise DataError(f"{folder} exists already and is left as it is; choose another name")
    return ".".join(inside.parts)


def write_folder(
    folder: Path, inferred: Inferred, parts: dict[str, Sequence[Example[Term]]]
) -> None:
    """Write a domain's folder, whole or not at all.

    Args:
        parts: name of a file -> its pairs, whose programs are as they are spelled.

    Raises:
        DataError: if it cannot be written.
    """
    syntax = inferred.naming.spelling.syntax
    name = folder.name
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".partwise-learn-") as scratch:
            made = Path(scratch) / name
            made.mkdir()
            texts = {"__init__.py": f'"""The domain {name}."""\n'}
            texts["domain.py"] = domain_text(inferred, name, class_name(name))
            for part, examples in parts.items():
                pairs = ((one.question, write_spelled(one.meaning, syntax)) for one in examples)
                lines = ({"question": question, "program": program} for question, program in pairs)
                texts[part] = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines)
            for file, text in texts.items():
                (made / file).write_text(text, encoding="utf-8", newline="\n")
            made.rename(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{folder}: cannot be written ({why}); choose another place") from error


def unreached_pairs(domain: Domain, examples: Sequence[Example[Term]]) -> Iterator[Issue]:
    """The pairs that no tree reaches, each with the reason.

    Args:
        examples: with programs in terms of the domain's methods.
    """
    types = TypeAlgebra(domain)
    typed, issues = typed_examples(Heads(types), examples)
    yield from issues
    reach = Reach(types)
    for example, program in typed:
        yield from unreached(reach, example, program)

"""Examples written as JSON Lines, which `partwise.interface.jsonl` reads."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.interface.files import write_whole

COMPRESSION = 4
"""Of gzip: a fifth larger than at best, in a quarter of the time."""


def to_line(example: Example[Any], text: str, field: str = "program") -> str:
    """The JSON of an example, without an end of line.

    Args:
        text: its meaning, as `Domain.write` gives it.
        field: the name of the meaning's field.
    """
    fields: dict[str, Any] = {"question": example.question, field: text}
    if isinstance(example.context, tuple) and example.context:
        fields["bindings"] = dict(example.context)
    if example.rules is not None:
        fields["rules"] = {"names": example.rules.rules, "edges": example.rules.edges}
    if not example.official:
        fields["official"] = False
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def write_lines(path: str | Path, lines: Iterable[str]) -> int:
    """Write lines as they come, keeping none; the file is there whole or not at all; raises
    DataError if the file cannot be written.

    Returns:
        How many there were.
    """
    file = Path(path)
    count = 0

    def write(partial: Path) -> None:
        nonlocal count
        with contextlib.ExitStack() as stack:
            stream: Any = stack.enter_context(partial.open("wb"))
            if file.suffix == ".gz":
                # Neither a time nor a name inside: the same examples give the same bytes.
                packed = gzip.GzipFile("", "wb", COMPRESSION, stream, mtime=0)
                stream = stack.enter_context(io.BufferedWriter(packed, 1 << 16))
            for line in lines:
                stream.write(line.encode() + b"\n")
                count += 1

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, write)
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{file}: cannot be written ({why}); choose another place") from error
    return count

"""Scene and question files in the official layout, read one entry at a time.

A file is ``{"info": {...}, "scenes": [...]}`` (or "questions"), maybe gzipped. The released
question file for training has 700,000 entries and would need several gigabytes as a whole, so
entries are decoded as they come and only those asked for are kept.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Container, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO, cast

from partwise.errors import DataError
from partwise_papers.datasets.json_stream import JsonStream
from partwise_papers.domains.scenes.scene import Scene
from partwise_papers.domains.scenes.scene_json import EXPECTED, scene_from_json


def read_array(file: Path, key: str) -> Generator[Any, None, None]:
    """The entries of the list under `key` of the JSON object in a file, in order.

    Reading stops after the list. A name that ends in ``.gz`` is unzipped.

    Raises:
        DataError: for a file that is missing, damaged or of another form; says where.
    """
    try:
        with _open(file) as stream:
            yield from _Entries(stream, file, key)
    except FileNotFoundError:
        raise DataError(f"{file}: no such file") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: cannot be read ({error}); get the file again") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: not UTF-8 ({error}); get the file again") from error


def _open(file: Path) -> TextIO:
    if file.name.endswith(".gz"):
        return cast(TextIO, gzip.open(file, "rt", encoding="utf-8-sig"))
    return file.open(encoding="utf-8-sig")


class _Entries(JsonStream):
    """Decodes a JSON object as far as its list under `key`, then that list."""

    def __init__(self, stream: TextIO, file: Path, key: str) -> None:
        super().__init__(stream, str(file), f'{{"info": {{...}}, "{key}": [...]}}')
        self.key = key

    def __iter__(self) -> Iterator[Any]:
        self.mark("{")
        mark = "," if self.peek() != "}" else "}"
        while mark == ",":
            name = self.value()
            self.mark(":")
            if name == self.key:
                yield from self.entries()
                return
            self.value()
            mark = self.mark(",}")
        raise self.fail(f"has no list {self.key!r}")


def read_scenes(
    file: Path, wanted: Container[int] | None = None, bad: list[str] | None = None
) -> dict[int, Scene]:
    """The scenes of an official file by number (``image_index``, else the place in the file).

    Args:
        wanted: numbers to keep; all by default.
        bad: if given, messages on bad scenes are added to it, and these are left out.

    Raises:
        DataError: as `read_array`, and for a bad scene unless `bad` is given.
    """
    found: dict[int, Scene] = {}
    for place, fields in enumerate(read_array(file, "scenes")):
        number = _number(fields, place)
        if wanted is not None and number not in wanted:
            continue
        try:
            found[number] = scene_from_json(fields, f"{file}: scene {number}")
        except DataError as error:
            if bad is None:
                raise
            bad.append(str(error))
    return found


def find_scene(text: str) -> Scene:
    """A scene by ``FILE.json`` (a file with one) or ``FILE.json:N`` (number N of a scene file).

    Raises:
        DataError: if it cannot be read, or there is no such scene.
    """
    name, _, number = text.rpartition(":")
    if name and number.isdecimal():
        return _numbered(Path(name), int(number))
    file = Path(text)
    fields = _whole(file)
    if isinstance(fields, dict) and isinstance(fields.get("scenes"), list):
        scenes = fields["scenes"]
        if len(scenes) != 1:
            raise DataError(f"{file}: has {len(scenes)} scenes; choose one with {file}:NUMBER")
        fields = scenes[0]
    return scene_from_json(fields, str(file))


def _numbered(file: Path, wanted: int) -> Scene:
    with closing(read_array(file, "scenes")) as entries:
        for place, fields in enumerate(entries):
            if _number(fields, place) == wanted:
                return scene_from_json(fields, f"{file}: scene {wanted}")
    raise DataError(f"{file}: has no scene {wanted}")


def _number(fields: object, place: int) -> int:
    given = fields.get("image_index") if isinstance(fields, dict) else None
    return given if type(given) is int else place


def _whole(file: Path) -> object:
    try:
        with _open(file) as stream:
            return json.load(stream)
    except FileNotFoundError:
        raise DataError(f"{file}: no such file; expected a scene, {EXPECTED}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: cannot be read ({error})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file}: not usable JSON ({error}); expected {EXPECTED}") from error

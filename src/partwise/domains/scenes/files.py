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

from partwise.domains.scenes.scene import Scene
from partwise.domains.scenes.scene_json import EXPECTED, scene_from_json
from partwise.errors import DataError

CHUNK = 1 << 18
DELIMITERS = tuple(" \t\r\n,:]}")
MAX_ENTRY = 1 << 26
"""Characters; an entry that does not end within this many is not what is expected."""


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
        raise DataError(f"{file}: cannot be read ({error}); get the file anew") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: not UTF-8 ({error}); get the file anew") from error


def _open(file: Path) -> TextIO:
    if file.name.endswith(".gz"):
        return cast(TextIO, gzip.open(file, "rt", encoding="utf-8-sig"))
    return file.open(encoding="utf-8-sig")


class _Entries:
    """Decodes a JSON object as far as its list under `key`, then that list."""

    def __init__(self, stream: TextIO, file: Path, key: str) -> None:
        self.stream, self.file, self.key = stream, file, key
        self.text, self.at, self.passed = "", 0, 0
        self.ended = False
        self.decode = json.JSONDecoder().raw_decode

    def __iter__(self) -> Iterator[Any]:
        self.expect("{")
        mark = "," if self.peek() != "}" else "}"
        while mark == ",":
            name = self.value()
            self.expect(":")
            if name == self.key:
                yield from self.entries()
                return
            self.value()
            mark = self.mark(",}")
        raise self.fail(f"has no list {self.key!r}")

    def entries(self) -> Iterator[Any]:
        self.expect("[")
        if self.peek() == "]":
            return
        mark = ","
        while mark == ",":
            yield self.value()
            mark = self.mark(",]")

    def peek(self) -> str:
        """The next character that is not blank; "" at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
                self.at += 1
            if self.at < len(self.text) or not self.more():
                return self.text[self.at : self.at + 1]

    def mark(self, allowed: str) -> str:
        found = self.peek()
        if not found or found not in allowed:
            wanted = " or ".join(repr(mark) for mark in allowed)
            raise self.fail(f"expected {wanted}, found {found or 'the end of the file'!r}")
        self.at += 1
        return found

    def expect(self, mark: str) -> None:
        self.mark(mark)

    def value(self) -> Any:
        """The next JSON value."""
        self.peek()
        while True:
            error: json.JSONDecodeError | None = None
            value, end = None, self.at
            try:
                value, end = self.decode(self.text, self.at)
            except json.JSONDecodeError as found:
                error = found
            except (ValueError, RecursionError) as found:
                raise self.fail(f"not usable JSON ({found})") from found
            # What was read may be a part of the value: it does not decode, or is a number that
            # goes on. So more is read before an error counts.
            ended = error is None and self.text[end : end + 1] in DELIMITERS
            if not ended and len(self.text) - self.at <= MAX_ENTRY and self.more():
                continue
            if error is not None:
                raise self.fail(f"not JSON: {error.msg}", error.pos) from error
            self.at = end
            return value

    def more(self) -> bool:
        """Read on, by more each time that one value needs it; False at the end of the file."""
        if self.ended:
            return False
        read = self.stream.read(max(CHUNK, len(self.text) - self.at))
        if not read:
            self.ended = True
            return False
        self.passed += self.at
        self.text, self.at = self.text[self.at :] + read, 0
        return True

    def fail(self, message: str, at: int | None = None) -> DataError:
        place = self.passed + (self.at if at is None else at) + 1
        return DataError(
            f"{self.file}: {message} at character {place}; expected "
            f'{{"info": {{...}}, "{self.key}": [...]}}'
        )


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

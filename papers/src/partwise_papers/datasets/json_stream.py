"""Values of a JSON text, decoded one at a time as the text is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

from partwise.errors import DataError

CHUNK = 1 << 18
DELIMITERS = tuple(" \t\r\n,:]}")
MAX_ENTRY = 1 << 26
"""Characters; a value that does not end within this many is not what is expected."""


class JsonStream:
    """Reads values and marks in order; holds no more than the value at hand and a chunk.

    Args:
        where: the file, for messages.
        expected: what the text should be, for messages.
    """

    def __init__(self, stream: TextIO, where: str, expected: str) -> None:
        self.stream, self.where, self.expected = stream, where, expected
        self.text, self.at, self.passed = "", 0, 0
        self.ended = False
        self.decode = json.JSONDecoder().raw_decode

    def entries(self) -> Iterator[Any]:
        """The entries of a list that starts here; raises DataError for a text that is no list of
        JSON values; says at which character."""
        self.mark("[")
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
        """Pass one of these marks; raises DataError if something else stands here."""
        found = self.peek()
        if not found or found not in allowed:
            wanted = " or ".join(repr(mark) for mark in allowed)
            raise self.fail(f"expected {wanted}, found {found or 'the end of the file'!r}")
        self.at += 1
        return found

    def value(self) -> Any:
        """The next JSON value; raises DataError if there is none, or one that is too long or too
        deep."""
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
        """An error that says where it is, by default here."""
        place = self.passed + (self.at if at is None else at) + 1
        return DataError(f"{self.where}: {message} at character {place}; expected {self.expected}")

"""Texts read from left to right, a token ahead."""

from __future__ import annotations

import re
from typing import ClassVar

from partwise.errors import TextSyntaxError


class TokenReader:
    """Reads one text, in time that grows with its length; `kind` and `token` are the next token.

    A subclass says what `tokens` are: blanks, then a group for each kind, the last of them ``end``
    and ``other`` (a character that begins no token). Its errors are of class `error`.
    """

    tokens: ClassVar[re.Pattern[str]]
    error: ClassVar[type[TextSyntaxError]]

    def __init__(self, text: str) -> None:
        self.text = text
        self.kind, self.token, self.start, self._after = "", "", 0, 0
        self.advance()

    def fail(self, message: str, at: int | None = None) -> TextSyntaxError:
        """The error that says what is wrong at a place, else at the next token."""
        return self.error(message, self.text, self.start if at is None else at)

    def expected(self, what: str) -> TextSyntaxError:
        """The error for any other token than is wanted."""
        here = repr(self.token[:40]) if self.token else "the end"
        return self.fail(f"expected {what}, found {here}")

    def unreadable(self, character: str) -> str:
        """What is wrong with a character that begins no token."""
        return f"unexpected character {character!r}"

    def advance(self) -> str:
        """Step on; gives the token that was left."""
        left = self.token
        match = self.tokens.match(self.text, self._after)
        assert match is not None
        self.kind = match.lastgroup or ""
        self.token = match[self.kind]
        self.start, self._after = match.span(self.kind)
        if self.kind == "other":
            raise self.fail(self.unreadable(self.token))
        return left

    def take(self, what: str, *kinds: str) -> str:
        """Pass a token of one of these kinds; `what` says so in the error."""
        if self.kind not in kinds:
            raise self.expected(what)
        return self.advance()

    def expect(self, token: str, what: str = "") -> None:
        """Pass this token."""
        if self.token != token:
            raise self.expected(what or repr(token))
        self.advance()

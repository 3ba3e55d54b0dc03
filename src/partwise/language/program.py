"""Programs: immutable terms in functional syntax, with a reader and a printer.

``answer(capital(loc_2(stateid('texas'))))`` is a tree of calls (maybe without arguments, as in
``scene()``), bare words (``all``, ``_``, ``red``), numbers and quoted names, spaced in any way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from partwise.errors import ProgramSyntaxError
from partwise.language.reader import TokenReader

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<number>-?\d+(?:\.\d+)?(?![\w]))"
    r"|(?P<word>\w+(?:#\w+)?)|(?P<mark>[(),])|(?P<end>\Z)|(?P<other>(?s:.)))"
)
DEEPEST = 200
"""Levels of calls in a program."""


@dataclass(frozen=True)
class Term:
    """One node of a program. ``args is None`` for a bare word, a number or a quoted name."""

    symbol: str
    args: tuple[Term, ...] | None = None
    quoted: bool = False

    @cached_property
    def _hash(self) -> int:
        return hash((self.symbol, self.args, self.quoted))

    def __hash__(self) -> int:
        # Terms are dictionary keys in the target algebra; hashing a deep term again is quadratic.
        return self._hash

    def __str__(self) -> str:
        return self.text()

    def text(self, spaced: bool = False) -> str:
        """The canonical text; `spaced` puts blanks around brackets as the published files do."""
        if self.args is None:
            return quote(self.symbol) if self.quoted else self.symbol
        inner = ", ".join(arg.text(spaced) for arg in self.args)
        if not spaced:
            return f"{self.symbol}({inner})"
        return f"{self.symbol} ( {inner} )" if inner else f"{self.symbol} ( )"

    def walk(self) -> Iterator[Term]:
        """All subterms, this one first, in reading order."""
        yield self
        for arg in self.args or ():
            yield from arg.walk()

    def map(self, change: Callable[[Term], Term]) -> Term:
        """A copy with `change` applied to every node, leaves first."""
        if self.args is None:
            return change(self)
        return change(Term(self.symbol, tuple(a.map(change) for a in self.args), self.quoted))

    @property
    def depth(self) -> int:
        """Number of nodes on the longest path down."""
        return 1 + max((arg.depth for arg in self.args or ()), default=0)

    @property
    def token_length(self) -> int:
        """Tokens of the spaced text, brackets counted; GeoQuery's LENGTH split sorts by it."""
        return len(self.text(spaced=True).split())


def quote(name: str) -> str:
    """A name as a quoted literal; quotes and backslashes inside are escaped."""
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


class _ProgramReader(TokenReader):
    """Recursive descent over the tokens of one program text."""

    tokens = _TOKEN
    error = ProgramSyntaxError

    def unreadable(self, character: str) -> str:
        quote = character in "'\""
        return f"unclosed quote {character!r}" if quote else super().unreadable(character)

    def term(self, depth: int = 0) -> Term:
        if depth > DEEPEST:
            raise self.fail(f"program nested deeper than {DEEPEST} calls")
        kind, token = self.kind, self.take("a name", "quoted", "number", "word")
        if kind == "quoted":
            return Term(re.sub(r"\\(.)", r"\1", token[1:-1]).strip(), quoted=True)
        if kind == "number" or self.token != "(":
            return Term(token)
        args: list[Term] = []
        self.advance()
        if self.token != ")":
            args.append(self.term(depth + 1))
            while self.token == ",":
                self.advance()
                args.append(self.term(depth + 1))
        self.expect(")", f"',' or ')' in the arguments of {token}")
        return Term(token, tuple(args))


def parse_program(text: str) -> Term:
    """Read a program.

    Raises:
        ProgramSyntaxError: with the position and a caret under it.
    """
    reader = _ProgramReader(text)
    term = reader.term()
    if reader.kind != "end":
        raise reader.fail(f"unexpected {reader.token!r} after the program")
    return term

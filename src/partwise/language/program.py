"""Programs: immutable terms in functional syntax, with a reader and a printer.

``answer(capital(loc_2(stateid('texas'))))`` is a tree of `Term`. A term is a call
(``args`` is a tuple, maybe empty, as in ``scene()``), a bare word (``all``, ``_``, ``red``), a
number, or a quoted name. Texts may be spaced in any way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from partwise.errors import ProgramSyntaxError

_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<number>-?\d+(?:\.\d+)?(?![\w]))"
    r"|(?P<word>\w+(?:#\w+)?)|(?P<mark>[(),]))"
)


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
        # Terms are dictionary keys in the target algebra; hashing a deep term anew is quadratic.
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
    def size(self) -> int:
        """Number of nodes."""
        return sum(1 for _ in self.walk())

    @property
    def depth(self) -> int:
        """Number of nodes on the longest path down."""
        return 1 + max((arg.depth for arg in self.args or ()), default=0)

    @property
    def token_length(self) -> int:
        """Number of blank-separated tokens of the spaced text, brackets counted.

        This is the length by which GeoQuery's LENGTH split is sorted.
        """
        return len(self.text(spaced=True).split())


def quote(name: str) -> str:
    """A name as a quoted literal; quotes and backslashes inside are escaped."""
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]).strip()


class _ProgramReader:
    """Recursive descent over the token stream of one program text."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.kind, self.token = "", ""
        self.start = 0
        self.advance()

    def fail(self, message: str) -> ProgramSyntaxError:
        return ProgramSyntaxError(message, self.text, self.start)

    def advance(self) -> None:
        rest = self.text[self.position :]
        self.start = self.position + len(rest) - len(rest.lstrip())
        if not rest.strip():
            self.kind, self.token = "end", ""
            return
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            what = "unclosed quote" if self.text[self.start] in "'\"" else "unexpected character"
            raise self.fail(f"{what} {self.text[self.start]!r}")
        self.kind = str(match.lastgroup)
        self.token = match.group(self.kind)
        self.start, self.position = match.start(self.kind), match.end()

    def term(self, depth: int = 0) -> Term:
        if depth > 200:
            raise self.fail("program nested deeper than 200 calls")
        if self.kind in ("end", "mark"):
            here = repr(self.token) if self.token else "the end of the program"
            raise self.fail(f"expected a name, found {here}")
        kind, token = self.kind, self.token
        self.advance()
        if kind == "quoted":
            return Term(_unquote(token), quoted=True)
        if kind == "number" or self.token != "(":
            return Term(token)
        self.advance()
        args: list[Term] = []
        if (self.kind, self.token) != ("mark", ")"):
            args.append(self.term(depth + 1))
            while (self.kind, self.token) == ("mark", ","):
                self.advance()
                args.append(self.term(depth + 1))
        if (self.kind, self.token) != ("mark", ")"):
            raise self.fail(f"expected ',' or ')' in the arguments of {token}")
        self.advance()
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

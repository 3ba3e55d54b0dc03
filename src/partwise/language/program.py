"""Programs as terms, and the reader of their text; `TokenReader` reads queries, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from partwise.errors import ProgramSyntaxError, TextSyntaxError


class TokenReader:
    """Reads one text, in time that grows with its length; `kind` and `token` are the next token. A
    subclass says what `tokens` are: blanks, then a group for each kind, the last of them ``end``
    and ``other`` (a character that begins no token). Its errors are of class `error`."""

    tokens: ClassVar[re.Pattern[str]]
    error: ClassVar[type[TextSyntaxError]]

    def __init__(self, text: str) -> None:
        self.text = text
        self.kind, self.token, self.start, self._after = "", "", 0, 0
        self.advance()

    def fail(self, message: str, at: int | None = None) -> TextSyntaxError:
        return self.error(message, self.text, self.start if at is None else at)

    def expected(self, what: str) -> TextSyntaxError:
        """The error for any other token than is wanted."""
        here = repr(self.token[:40]) if self.token else "the end"
        return self.fail(f"expected {what}, found {here}")

    def unreadable(self, character: str) -> str:
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
        if self.token != token:
            raise self.expected(what or repr(token))
        self.advance()


_SIGN = r"""[^\s(),;'"`\[\]{}]"""
TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    rf"|(?P<number>-?\d+(?:\.\d+)?(?!{_SIGN}))"
    r"|(?P<keyword>\w+\s*=(?!=|\s*(?:[(),]|\Z)))|(?P<colon>:[^\W\d]\w*(?=\s+[^\s),]))"
    rf"|(?P<word>{_SIGN}+)|(?P<mark>[(),])|(?P<end>\Z)|(?P<other>(?s:.)))"
)
"""The tokens of programs, after blanks."""
_BRACKETED = re.compile(TOKEN.pattern.replace(r"\w+\s*=", r"\w+=", 1))
"""Those in brackets: behind a blank, ``=`` is a symbol."""
_SYMBOL = re.compile(rf"(?!-?\d+(?:\.\d+)?\Z|\w+=(?!=)){_SIGN}+")
DEEPEST = 200
"""Levels of calls in a program."""


@dataclass(frozen=True)
class Term:
    """One node of a program. ``args is None`` for a bare symbol, a number or a quoted name;
    `keywords` are the names of the last of `args`, if they are written with names."""

    symbol: str
    args: tuple[Term, ...] | None = None
    quoted: bool = False
    keywords: tuple[str, ...] = ()

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
        shown = [arg.text(spaced) for arg in self.args]
        for place, name in enumerate(self.keywords, len(shown) - len(self.keywords)):
            # A symbol may itself begin with the sign.
            shown[place] = f"{name}={' ' * shown[place].startswith('=')}{shown[place]}"
        inner = ", ".join(shown)
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
        return change(replace(self, args=tuple(arg.map(change) for arg in self.args)))

    @property
    def is_of_name(self) -> bool:
        """Whether it is a call about a quoted name, its first argument."""
        return bool(self.args and self.args[0].quoted)

    @property
    def operands(self) -> tuple[Term, ...]:
        """Its arguments, without the quoted name that it is about."""
        return (self.args or ())[self.is_of_name :]

    @property
    def depth(self) -> int:
        """Number of nodes on the longest path down."""
        return 1 + max((arg.depth for arg in self.args or ()), default=0)

    @property
    def token_length(self) -> int:
        """Tokens of the spaced text, brackets counted; GeoQuery's LENGTH split sorts by it."""
        return len(self.text(spaced=True).split())


def is_symbol(text: str) -> bool:
    """Whether a text can be the name of a predicate in programs, as ``_<=`` and ``jobs.salary``."""
    return _SYMBOL.fullmatch(text) is not None


def is_leaf(text: str) -> bool:
    """Whether a text can stand in programs without quotes: a number or a word."""
    match = TOKEN.fullmatch(text)
    return match is not None and bool(match["number"] or match["word"])


def quote(name: str) -> str:
    """A name as a quoted literal; quotes and backslashes inside are escaped."""
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def unquote(literal: str) -> str:
    return re.sub(r"\\(.)", r"\1", literal[1:-1]).strip()


class _ProgramReader(TokenReader):
    tokens = TOKEN
    error = ProgramSyntaxError
    colons = False
    """Whether ``:key value`` is an argument with a name."""

    def unreadable(self, character: str) -> str:
        quote = character in "'\""
        return f"unclosed quote {character!r}" if quote else super().unreadable(character)

    def term(self, depth: int = 0) -> Term:
        if depth > DEEPEST:
            raise self.fail(f"program nested deeper than {DEEPEST} calls")
        leaf = self.leaf()
        if leaf.quoted or self.token != "(" or not is_symbol(leaf.symbol):
            return leaf
        self.advance()
        args: list[Term] = []
        names: list[str] = []
        while self.token != ")" or names or args:
            self._name(names, args)
            args.append(self.term(depth + 1))
            if self.token != ",":
                break
            self.advance()
        self.expect(")", f"',' or ')' in the arguments of {leaf}")
        return Term(leaf.symbol, tuple(args), keywords=tuple(names))

    def leaf(self) -> Term:
        kind, token = self.kind, self.take("a name", "quoted", "number", "word", "colon")
        if kind == "quoted":
            return Term(unquote(token), quoted=True)
        return Term(token)

    def read_bracketed(self, depth: int = 0) -> Term:
        """A call in brackets, ``(f x (g))``, or a leaf among its arguments."""
        if depth > DEEPEST:
            raise self.fail(f"program nested deeper than {DEEPEST} calls")
        if self.token != "(":
            return self.leaf()
        self.advance()
        symbol = self.take("the name of a predicate after '('", "word")
        args: list[Term] = []
        names: list[str] = []
        while self.token != ")" and self.kind != "end":
            self._name(names, args)
            args.append(self.read_bracketed(depth + 1))
        self.expect(")", f"')' after the arguments of {symbol}")
        return Term(symbol, tuple(args), keywords=tuple(names))

    def _name(self, names: list[str], args: list[Term]) -> None:
        """The name of the next argument, if it has one; arguments with names come last."""
        if self.kind != "keyword" and not (self.kind == "colon" and self.colons):
            if names:
                raise self.fail("an argument without a name after one that has a name")
            return
        name = self.token.strip(":= ")
        if name in names:
            raise self.fail(f"the argument {name} is given twice")
        self.advance()
        names.append(name)


class _BracketedReader(_ProgramReader):
    tokens = _BRACKETED


def parse_program(text: str, colons: bool = True) -> Term:
    """Read a program, as ``f(g(x), 3)`` or in brackets, as ``(f (g x) 3)``; with `colons` ``:key
    value`` in brackets is an argument with a name, as ``key=value`` is. Raises ProgramSyntaxError
    with the position and a caret under it."""
    bracketed = text.lstrip().startswith("(")
    reader = (_BracketedReader if bracketed else _ProgramReader)(text)
    reader.colons = colons and bracketed
    term = reader.read_bracketed() if bracketed else reader.term()
    if reader.kind != "end":
        raise reader.fail(f"unexpected {reader.token!r} after the program")
    return term

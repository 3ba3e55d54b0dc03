"""Programs as texts that can be read back.

``(Listing (Rows Customer where=(Missing (Field [] Country))) [(Field [] Name)] limit=3)``

A node is its class and its fields in order; what has its usual value is left out, and else named.
Texts are quoted in values; names are quoted if they hold more than letters, digits and dots.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from functools import lru_cache
from types import UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    Never,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from partwise.errors import DomainError, ProgramSyntaxError
from partwise.execution.relational.program import Aggregate, Attribute, Condition, Program, problems
from partwise.execution.relational.schema import Schema

LONGEST = 100_000
"""Characters of a text that is read."""
DEEPEST = 100
"""Brackets within brackets."""
_BARE = re.compile(r"[^\W\d][\w.]*|[-+*/<>=]|[<>!]=")
_TOKEN = re.compile(
    r'(?P<key>[^\W\d]\w*)=(?=[^\s)\]=])|(?P<text>"(?:[^"\\]|\\.)*")'
    r'|(?P<bracket>[()\[\]])|(?P<word>[^\s()\[\]"]+)|(?P<blank>\s+)|(?P<other>.)'
)
_WORDS = {"none": None, "true": True, "false": False}
_NUMBERS: Sequence[Callable[[str], Any]] = (int, float, date.fromisoformat, datetime.fromisoformat)


def write(program: Program | Attribute | Aggregate | Condition) -> str:
    """The text of a program, or of a part of one."""
    return _written(program)


def read(text: str, schema: Schema) -> Program:
    """The program of a text.

    Raises:
        ProgramSyntaxError: if it is none, or one of another schema; says where.
    """
    reader = _Reader(text)
    program: Program = reader.whole(Program)
    for node, problem in problems(program, schema):
        raise ProgramSyntaxError(problem, text, reader.positions.get(id(node), 0))
    return program


def _written(value: Any, name: bool = False) -> str:
    """The text of a node.

    Args:
        name: whether nothing but a text can stand there, so that it needs no quotes.
    """
    match value:
        case tuple():
            return f"[{' '.join(_written(one) for one in value)}]"
        case None:
            return "none"
        case str():
            bare = name and _BARE.fullmatch(value)
            return value if bare else json.dumps(value, ensure_ascii=False)
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case date():
            return value.isoformat()
    kind: Any = type(value)
    said = [kind.__name__]
    for one, options, usual in _declared(kind):
        inner = getattr(value, one)
        if usual is MISSING or inner != usual:
            key = "" if usual is MISSING else f"{one}="
            said.append(key + _written(inner, _is_name(options)))
    return f"({' '.join(said)})"


@lru_cache(maxsize=64)
def _declared(kind: Any) -> Sequence[tuple[str, tuple[Any, ...], Any]]:
    """The fields of a class: what they are called, can be, and usually are."""
    hints = get_type_hints(kind)
    return [(one.name, _options(hints[one.name]), one.default) for one in fields(kind)]


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)


def _is_name(options: Sequence[Any]) -> bool:
    """Whether nothing but a text fits."""
    return all(one is str or get_origin(one) is Literal for one in options)


class _Token(NamedTuple):
    kind: str | None
    text: str
    at: int


class _Reader:
    """Reads what the types of the fields allow.

    Attributes:
        positions: where each node stands, by the id of the node.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.positions: dict[int, int] = {}
        if len(text) > LONGEST:
            self._fail(f"a program has {LONGEST} characters at most", LONGEST)
        self._tokens = [
            _Token(one.lastgroup, one[one.lastgroup or 0], one.start())
            for one in _TOKEN.finditer(text)
            if one.lastgroup != "blank"
        ]
        self._tokens.append(_Token(None, "", len(text)))
        self._tokens.reverse()

    def whole(self, hint: Any) -> Any:
        """All of the text, as a node."""
        made = self._value(_options(hint), 0)
        if (token := self._tokens[-1]).kind is not None:
            self._fail("the program ends before this", token.at)
        return made

    def _fail(self, message: str, at: int) -> Never:
        raise ProgramSyntaxError(message, self.text, at)

    def _wanted(self, wanted: str, token: _Token) -> Never:
        there = f"not {token.text[:40]}" if token.text else "and the text ends"
        self._fail(f"here stands {wanted}, {there}", token.at)

    def _value(self, options: Sequence[Any], depth: int) -> Any:
        token = self._tokens.pop()
        if depth > DEEPEST:
            self._fail(f"there are more than {DEEPEST} brackets within brackets", token.at)
        if token.text == "(":
            return self._node([one for one in options if is_dataclass(one)], token.at, depth)
        inner = [get_args(one)[0] for one in options if get_origin(one) is tuple]
        if token.text == "[" and inner:
            return self._several(_options(inner[0]), depth)
        for made in _readings(token, _is_name(options)):
            if any(_fits(made, one) for one in options):
                return made
        self._wanted(_told(options), token)

    def _node(self, options: Sequence[Any], at: int, depth: int) -> Any:
        token = self._tokens.pop()
        kind = next((one for one in options if one.__name__ == token.text), None)
        if kind is None:
            self._wanted(_told(options), token)
        made: dict[str, Any] = {}
        for name, inner, usual in _declared(kind):
            if usual is MISSING:
                made[name] = self._value(inner, depth + 1)
        while (token := self._tokens.pop()).kind == "key":
            named = {one: inner for one, inner, _ in _declared(kind) if one not in made}
            if token.text not in named:
                self._wanted(" or ".join([")", *named]), token)
            made[token.text] = self._value(named[token.text], depth + 1)
        if token.text != ")":
            self._wanted(")", token)
        try:
            node = kind(**made)
        except DomainError as error:
            self._fail(str(error), at)
        self.positions[id(node)] = at
        return node

    def _several(self, options: Sequence[Any], depth: int) -> tuple[Any, ...]:
        made = []
        while self._tokens[-1].text != "]":
            made.append(self._value(options, depth + 1))
        self._tokens.pop()
        return tuple(made)


def _readings(token: _Token, name: bool) -> Iterator[Any]:
    """What a text or a word can mean."""
    if token.kind == "text":
        try:
            yield json.loads(token.text)
        except ValueError:
            return
    elif token.kind == "word" and name:
        yield token.text
    elif token.kind == "word" and token.text in _WORDS:
        yield _WORDS[token.text]
    elif token.kind == "word":
        for kind in _NUMBERS:
            try:
                made = kind(token.text)
            except ValueError:
                continue
            if not isinstance(made, float) or math.isfinite(made):
                yield made


def _fits(value: Any, option: Any) -> bool:
    if get_origin(option) is Literal:
        return value in get_args(option)
    return isinstance(value, option) if option is date else type(value) is option


def _told(options: Sequence[Any]) -> str:
    """What could stand somewhere."""
    told: list[str] = []
    for one in options:
        if get_origin(one) is Literal:
            told += get_args(one)
        elif get_origin(one) is tuple:
            told.append("[")
        else:
            told.append(cast(type, one).__name__ if one is not type(None) else "none")
    return " or ".join(told)

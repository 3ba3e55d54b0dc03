"""Programs as texts that can be read back, and the one form of programs that are the same.

``(Listing (Rows Customer where=(Missing (Field [] Country))) [(Field [] Name)] limit=3)``

A node is its class and its fields in order; what has its usual value is left out, and else named.
Texts are quoted in values; names are quoted if they hold more than letters, digits and dots.
"""

from __future__ import annotations

import json
import math
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import date, datetime
from functools import lru_cache, partial
from types import UnionType
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from partwise.errors import DomainError, ProgramSyntaxError
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    And,
    Arithmetic,
    Attribute,
    Belonging,
    Between,
    Compare,
    Condition,
    Contains,
    Exists,
    Field,
    Figure,
    Grouping,
    Having,
    Holds,
    Listing,
    Not,
    OneOf,
    Or,
    Order,
    Program,
    Related,
    Rows,
    Sign,
    Union,
    Value,
    problems,
    rebuilt,
)
from partwise.execution.relational.schema import Schema
from partwise.language.program import TokenReader

LONGEST = 100_000
"""Characters of a text that is read."""
DEEPEST = 100
"""Brackets within brackets."""
_BARE = re.compile(r"[^\W\d][\w.]*|[-+*/<>=]|[<>!]=")
_TOKEN = re.compile(
    r'\s*(?:(?P<key>[^\W\d]\w*=)(?=[^\s)\]=])|(?P<text>"(?:[^"\\]|\\.)*")'
    r'|(?P<bracket>[()\[\]])|(?P<word>[^\s()\[\]"]+)|(?P<end>\Z)|(?P<other>.))'
)
_WORDS = {"none": None, "true": True, "false": False}
_NUMBERS: Sequence[Callable[[str], Any]] = (int, float, date.fromisoformat, datetime.fromisoformat)


def write(program: Program | Attribute | Aggregate | Condition) -> str:
    return _write(program)


def read(text: str, schema: Schema) -> Program:
    """The program of a text. Raises ProgramSyntaxError if it is none, or one of another schema;
    says where."""
    reader = _Reader(text)
    program: Program = reader.whole(Program)
    for node, problem in problems(program, schema):
        raise ProgramSyntaxError(problem, text, reader.positions.get(id(node), 0))
    return program


def _write(value: Any, name: bool = False) -> str:
    """The text of a node. `name`: whether nothing but a text can stand there, so that it needs no
    quotes."""
    match value:
        case tuple():
            return f"[{' '.join(_write(item) for item in value)}]"
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
    for field, options, usual in _fields_of(kind):
        inner = getattr(value, field)
        if usual is MISSING or inner != usual:
            key = "" if usual is MISSING else f"{field}="
            said.append(key + _write(inner, _is_name(options)))
    return f"({' '.join(said)})"


@lru_cache(maxsize=64)
def _fields_of(kind: Any) -> Sequence[tuple[str, tuple[Any, ...], Any]]:
    """The fields of a class: what they are called, can be, and usually are."""
    hints = get_type_hints(kind)
    return [(field.name, _options(hints[field.name]), field.default) for field in fields(kind)]


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in {typing.Union, UnionType} else (hint,)


def _is_name(options: Sequence[Any]) -> bool:
    return all(option is str or get_origin(option) is Literal for option in options)


class _Reader(TokenReader):
    """Reads what the types of the fields allow. `positions`: where each node stands, by the id of
    the node."""

    tokens, error = _TOKEN, ProgramSyntaxError

    def __init__(self, text: str) -> None:
        self.positions: dict[int, int] = {}
        if len(text) > LONGEST:
            raise ProgramSyntaxError(f"a program has {LONGEST} characters at most", text, LONGEST)
        super().__init__(text)

    def whole(self, hint: Any) -> Any:
        made = self._value(_options(hint), 0)
        if self.kind != "end":
            raise self.fail("the program ends before this")
        return made

    def _value(self, options: Sequence[Any], depth: int) -> Any:
        if depth > DEEPEST:
            raise self.fail(f"there are more than {DEEPEST} brackets within brackets")
        if self.token == "(":
            return self._node([option for option in options if is_dataclass(option)], depth)
        inner = [get_args(option)[0] for option in options if get_origin(option) is tuple]
        if self.token == "[" and inner:
            return self._several(_options(inner[0]), depth)
        for made in _readings(self.kind, self.token, _is_name(options)):
            if any(_fits(made, option) for option in options):
                self.advance()
                return made
        raise self.expected(_describe(options))

    def _node(self, options: Sequence[Any], depth: int) -> Any:
        at = self.start
        self.advance()
        kind = next((option for option in options if option.__name__ == self.token), None)
        if kind is None:
            raise self.expected(_describe(options))
        self.advance()
        made: dict[str, Any] = {}
        for name, inner, usual in _fields_of(kind):
            if usual is MISSING:
                made[name] = self._value(inner, depth + 1)
        named = {field: inner for field, inner, _ in _fields_of(kind) if field not in made}
        while self.kind == "key" and self.token[:-1] in named:
            name = self.advance()[:-1]
            made[name] = self._value(named.pop(name), depth + 1)
        self.expect(")", " or ".join([")", *named]))
        try:
            node = kind(**made)
        except DomainError as error:
            raise self.fail(str(error), at) from error
        self.positions[id(node)] = at
        return node

    def _several(self, options: Sequence[Any], depth: int) -> tuple[Any, ...]:
        self.advance()
        made = []
        while self.token != "]":
            made.append(self._value(options, depth + 1))
        self.advance()
        return tuple(made)


def _readings(kind: str, text: str, name: bool) -> Iterator[Any]:
    if kind == "text":
        try:
            yield json.loads(text)
        except ValueError:
            return
    elif kind == "word" and name:
        yield text
    elif kind == "word" and text in _WORDS:
        yield _WORDS[text]
    elif kind == "word":
        for number in _NUMBERS:
            try:
                made = number(text)
            except ValueError:
                continue
            if not isinstance(made, float) or math.isfinite(made):
                yield made


def _fits(value: Any, option: Any) -> bool:
    if get_origin(option) is Literal:
        return value in get_args(option)
    return isinstance(value, option) if option is date else type(value) is option


def _describe(options: Sequence[Any]) -> str:
    told: list[str] = []
    for option in options:
        if get_origin(option) is Literal:
            told += get_args(option)
        elif get_origin(option) is tuple:
            told.append("[")
        else:
            told.append(cast(type, option).__name__ if option is not type(None) else "none")
    return " or ".join(told)


P = TypeVar("P", bound=Listing | Grouping)
_NEGATED: Mapping[Sign, Sign] = {
    **{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
}
_MIRRORED: Mapping[Sign, Sign] = {
    **{"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
}


def canonical(program: Program, schema: Schema) -> Program:
    """The program that stands for all that are the same but for how they are put. Conditions and
    sums are sorted, negations are moved inwards, ``between`` becomes two comparisons, whole numbers
    are compared with ``>=`` and ``<``, and what changes nothing is left out. Programs with equal
    canonical forms have the same rows; not all that always have the same rows have equal ones."""
    made: Program = rebuilt(program, partial(_simplest, schema))
    match made:
        case Grouping(rows, (), (figure,), having=(), only=False):
            made = _number(rows, figure)
    return made


def _simplest(schema: Schema, node: Any) -> Any:
    match node:
        case And(parts) | Or(parts):
            return _join(type(node), parts)
        case Not(part):
            return _negate(part)
        case Between(of, low, high, open_):
            above, below = Compare(of, ">=", low), Compare(of, "<" if open_ else "<=", high)
            return _join(And, (_comparison(above), _comparison(below)))
        case Compare():
            return _comparison(node)
        case Contains(of, text, at):
            return Contains(of, text.lower(), at)
        case OneOf(of, values):
            return _join(Or, [_comparison(Compare(of, "=", value)) for value in values])
        case Value(float() as number) if number.is_integer():
            return Value(int(number))
        case Arithmetic("+" | "*" as sign, left, right):
            return Arithmetic(sign, *_sort((left, right)))
        case Aggregate(function, of) if function != "count" or of is None:
            return replace(node, distinct=False)
        case Figure(rows, aggregate):
            return Figure(rows, _count_rows(schema, rows, aggregate))
        case Having(aggregate, sign, Value(int() as number)) if _whole(aggregate):
            return Having(aggregate, *_whole_bound(sign, number))
        case Holds(Compare(Figure(rows, Aggregate("count", None)), ">=", Value(1))):
            return Exists(rows)
        case Among(of, values):
            return Among(of, _drop_order(values))
        case Listing():
            return _without_idle_order(node)
        case Grouping():
            return _grouping(schema, node)
        case Union(parts):
            return Union(_sort(_drop_order(program) for program in parts))
        case _:
            return node


def _sort(nodes: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(nodes, key=write))


def _join(kind: type[And | Or], parts: Iterable[Condition]) -> Condition:
    """Conditions that all hold, or of which one does: none is of the same class, and none twice."""
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    if kind is Or:
        flat = _one_of(flat)
    unique = dict.fromkeys(_sort(flat))
    return next(iter(unique)) if len(unique) == 1 else kind(tuple(unique))


def _one_of(parts: Iterable[Condition]) -> list[Condition]:
    """The same, with a list of values in place of several that one attribute may equal."""
    values: dict[Attribute, list[Value]] = {}
    others: list[Condition] = []
    for part in parts:
        match part:
            case Compare(of, "=", Value() as value):
                values.setdefault(of, []).append(value)
            case OneOf(of, some):
                values.setdefault(of, []).extend(some)
            case _:
                others.append(part)
    for of, several in values.items():
        each = tuple(dict.fromkeys(_sort(several)))
        others.append(OneOf(of, each) if len(each) > 1 else Compare(of, "=", each[0]))
    return others


def _negate(part: Condition) -> Condition:
    match part:
        case Not(inner):
            return inner
        case Compare(left, sign, right):
            return _comparison(Compare(left, _NEGATED[sign], right))
        case OneOf(of, values):
            return _join(And, [_comparison(Compare(of, "!=", value)) for value in values])
        case And(parts):
            return _join(Or, [_negate(condition) for condition in parts])
        case Or(parts):
            return _join(And, [_negate(condition) for condition in parts])
        case _:
            return Not(part)


def _comparison(compare: Compare) -> Condition:
    """A comparison with the number last, of whole numbers with ``>=`` or ``<``."""
    mirrored = Compare(compare.right, _MIRRORED[compare.sign], compare.left)
    if _place(mirrored) < _place(compare):
        compare = mirrored
    match compare:
        case Compare(left, sign, Value(int() as number)) if _whole(left):
            sign, value = _whole_bound(sign, number)
            return _as_missing(Compare(left, sign, value))
        case _:
            return compare


def _place(compare: Compare) -> tuple[bool, str, str]:
    """Where a comparison stands among the two that are the same."""
    return isinstance(compare.left, Value), write(compare.left), compare.sign


def _as_missing(compare: Compare) -> Condition:
    """Whether some row belongs to another, where it is counted for nothing else."""
    match compare:
        case Compare(Belonging(path, Figure(rows, Aggregate("count", None))), sign, Value(value)):
            if (sign, value) in ((">=", 1), ("!=", 0)):
                return Related(path, rows)
            if (sign, value) in (("<", 1), ("=", 0)):
                return Not(Related(path, rows))
    return compare


def _whole(of: Attribute | Aggregate) -> bool:
    if isinstance(of, Belonging):
        of = of.figure
    if isinstance(of, Figure):
        of = of.aggregate
    return isinstance(of, Aggregate) and of.function == "count"


def _whole_bound(sign: Sign, number: int) -> tuple[Sign, Value]:
    """A bound of whole numbers, with ``>=`` and ``<`` alone."""
    if sign in (">", "<="):
        return (">=" if sign == ">" else "<"), Value(number + 1)
    return sign, Value(number)


def _count_rows(schema: Schema, rows: Rows, figure: Aggregate) -> Aggregate:
    key = schema.table(rows.table).key
    if key is not None and figure.function == "count" and figure.of == Field((), key):
        return Aggregate("count")
    return figure


def _without_idle_order(program: P) -> P:
    """The program without orders that decide nothing."""
    kept: dict[Attribute | Aggregate, Order] = {}
    for order in program.order:
        if not isinstance(order.by, Value | Figure):
            kept.setdefault(order.by, order)
    first = program.only and program.limit == 1
    only = program.only and program.limit is not None and not first
    ties = (program.ties or first) and program.limit is not None and not only
    return replace(program, order=tuple(kept.values()), ties=ties, only=only)


def _drop_order(program: Listing | Grouping) -> Listing | Grouping:
    """What has the same values, where it does not matter in which order and how often."""
    if program.limit is not None:
        return program
    if isinstance(program, Listing) and not program.each:
        return replace(program, order=(), distinct=True, ties=False)
    return replace(program, order=(), ties=False)


def _grouping(schema: Schema, program: Grouping) -> Grouping:
    rows = program.rows
    figures = tuple(_measure(schema, rows, figure) for figure in program.figures)
    having = (
        replace(condition, aggregate=_measure(schema, rows, condition.aggregate))
        for condition in program.having
    )
    order = tuple(
        replace(criterion, by=_measure(schema, rows, criterion.by)) for criterion in program.order
    )
    shown = None if program.shown == program.by else program.shown
    made = replace(program, figures=figures, having=_sort(having), order=order, shown=shown)
    if program.by:
        return _without_idle_order(made)
    if made.only and (made.limit or 0) > 1:
        return replace(made, order=(), shown=None, ties=False)
    return replace(made, order=(), limit=None, shown=None, ties=False, only=False)


def _measure(schema: Schema, rows: Rows, figure: Any) -> Any:
    match figure:
        case Aggregate():
            return _count_rows(schema, rows, figure)
        case Arithmetic(sign, left, right):
            both = _measure(schema, rows, left), _measure(schema, rows, right)
            return Arithmetic(sign, *(_sort(both) if sign in "+*" else both))
        case _:
            return figure


def _number(rows: Rows, figure: Any) -> Any:
    match figure:
        case Aggregate():
            return Figure(rows, figure)
        case Arithmetic(sign, left, right):
            both = _number(rows, left), _number(rows, right)
            return Arithmetic(sign, *(_sort(both) if sign in "+*" else both))
        case _:
            return figure

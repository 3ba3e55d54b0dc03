"""Formulas of measures: ``sum of Quantity * UnitPrice where Invoice.Status = 'paid'``.

A formula is a function over the values of rows, and perhaps a condition on these rows. A column of
another table is reached along links, `Track.Milliseconds`, by the table's name or by the name of
the column that points to it.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import NamedTuple, NoReturn, get_args

from partwise.errors import DomainError, ProgramSyntaxError
from partwise.execution.relational import program as P
from partwise.execution.relational.schema import Link, Path, Schema

LONGEST = 2000
"""Characters of a formula."""
DEEPEST = 40
"""Levels of brackets and of signs before a number."""
FUNCTIONS: dict[str, P.Function] = {name: name for name in get_args(P.Function)}
PARTS: dict[str, P.Part] = {name: name for name in get_args(P.Part)}
RESERVED = frozenset(
    {"and", "or", "not", "where", "of", "distinct", "true", "false"}
    | {"in", "is", "missing", "between", "below", "contains", "starts", "ends", "with"}
)
"""Words that name a column only within quotation marks."""
_TOKEN = re.compile(
    r"""\s*(?:(?P<date>\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)
    |(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*")
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><=|>=|!=|[-+*/()<>=.,])
    |(?P<end>$))""",
    re.X,
)
_COMPARE = ("=", "!=", "<", "<=", ">", ">=")
Term = P.Attribute | P.Condition


class Formula(NamedTuple):
    """What a formula says.

    Attributes:
        of: a value of each row; None with `count` for the rows themselves.
        where: which rows count; None for all.
        distinct: whether equal values count once, with `count`.
    """

    function: P.Function
    of: P.Attribute | None
    where: P.Condition | None
    distinct: bool


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def read_formula(text: str, schema: Schema, table: str) -> Formula:
    """What a formula over the rows of a table says. Raises ProgramSyntaxError if it cannot be read,
    or names no column that can be reached."""
    return _Reader(text, schema, table).formula()


def next_link(schema: Schema, table: str, step: str) -> Link | None:
    """The link from a table that a step of a path names; None if none or several are so named."""
    leaving = list(schema.leaving(table))
    by_column = [one for one in leaving if one.column == step]
    by_target = [one for one in leaving if one.target == step != table]
    ways = by_column or by_target
    return ways[0] if len(ways) == 1 else None


class _Reader:
    """Reads one formula, from left to right."""

    def __init__(self, text: str, schema: Schema, table: str) -> None:
        self.text, self.schema, self.table = text, schema, table
        self.depth, self.at = 0, 0
        if len(text) > LONGEST:
            self.fail(f"a formula has {LONGEST} characters at most", 0)
        self.tokens = list(self._cut())

    def fail(self, why: str, start: int | None = None) -> NoReturn:
        """Refuse the formula."""
        raise ProgramSyntaxError(why, self.text, self.here.start if start is None else start)

    def _cut(self) -> Iterable[_Token]:
        start = 0
        while True:
            match = _TOKEN.match(self.text, start)
            if match is None:
                self.fail("nothing can be read here", start)
            kind = str(match.lastgroup)
            yield _Token(kind, match[kind], match.start(kind))
            if kind == "end":
                return
            start = match.end()

    @property
    def here(self) -> _Token:
        return self.tokens[self.at]

    def next(self) -> _Token:
        token = self.here
        self.at += token.kind != "end"
        return token

    def take(self, *texts: str) -> str | None:
        """The next word or sign, if it is one of these."""
        token = self.here
        if token.kind in ("word", "sign") and token.text.lower() in texts:
            self.at += 1
            return token.text.lower()
        return None

    def need(self, text: str) -> None:
        if self.take(text) is None:
            self.fail(f"{text!r} is missing")

    def formula(self) -> Formula:
        """The whole."""
        function = FUNCTIONS.get(self.here.text.lower()) if self.here.kind == "word" else None
        if function is None:
            self.fail(f"a formula begins with one of {', '.join(FUNCTIONS)}")
        self.at += 1
        of, distinct = None, False
        if function != "count" or self.here.text.lower() == "of":
            self.need("of")
            distinct = function == "count" and self.take("distinct") is not None
            of = self.value(self.sum())
        where = self.condition(self.either()) if self.take("where") else None
        if self.here.kind != "end":
            self.fail("the formula goes on where it could end")
        return Formula(function, of, where, distinct)

    def value(self, term: Term) -> P.Attribute:
        """A value, where one must be."""
        if not isinstance(term, P.Attribute):
            self.fail("here a value must stand, not a condition")
        return term

    def condition(self, term: Term) -> P.Condition:
        """A condition, where one must be."""
        if not isinstance(term, P.Condition):
            self.fail("here a condition must stand, as in: Total > 10")
        return term

    def either(self) -> Term:
        return self._several("or", P.Or, self.both)

    def both(self) -> Term:
        return self._several("and", P.And, self.negated)

    def _several(self, word: str, join: type[P.And] | type[P.Or], part: Callable[[], Term]) -> Term:
        first = part()
        parts = [first]
        while self.take(word):
            parts.append(part())
        return first if len(parts) == 1 else join(tuple(self.condition(one) for one in parts))

    def negated(self) -> Term:
        if self.take("not"):
            return P.Not(self.condition(self.within(self.negated)))
        return self.compared()

    def compared(self) -> Term:
        """A value, and perhaps what it is compared with."""
        left = self.sum()
        sign = self.take(*_COMPARE)
        if sign is not None:
            return P.Compare(self.value(left), sign, self.value(self.sum()))  # type: ignore[arg-type]
        if self.take("is"):
            negative = self.take("not") is not None
            self.need("missing")
            return _unless(negative, P.Missing(self.value(left)))
        negative = self.take("not") is not None
        test = self.take("in", "between", "contains", "starts", "ends")
        if test is None:
            if negative:
                self.fail("after 'not' comes one of in, between, contains, starts, ends")
            return left
        return _unless(negative, self._test(test, self.value(left)))

    def _test(self, test: str, of: P.Attribute) -> P.Condition:
        if test == "in":
            return P.OneOf(of, self._values())
        if test == "between":
            low = self.constant()
            self.need("and")
            open_ = self.take("below") is not None
            return P.Between(of, low, self.constant(), open_)
        if test != "contains":
            self.need("with")
        text = self.constant().value
        if not isinstance(text, str):
            self.fail("a text in single quotation marks must stand here")
        if test == "contains":
            return P.Contains(of, text)
        return P.Contains(of, text, "start" if test == "starts" else "end")

    def _values(self) -> tuple[P.Value, ...]:
        self.need("(")
        values = [self.constant()]
        while self.take(","):
            values.append(self.constant())
        self.need(")")
        return tuple(values)

    def constant(self) -> P.Value:
        """A value that is written out."""
        term = self.single()
        if not isinstance(term, P.Value):
            self.fail("a number, a text in single quotation marks or a date must stand here")
        return term

    def sum(self) -> Term:
        term = self.product()
        while sign := self.take("+", "-"):
            term = P.Arithmetic(sign, self.value(term), self.value(self.product()))  # type: ignore[arg-type]
        return term

    def product(self) -> Term:
        term = self.single()
        while sign := self.take("*", "/"):
            term = P.Arithmetic(sign, self.value(term), self.value(self.single()))  # type: ignore[arg-type]
        return term

    def within(self, read: Callable[[], Term]) -> Term:
        """One level deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"a formula has {DEEPEST} levels at most")
        term = read()
        self.depth -= 1
        return term

    def single(self) -> Term:
        """A constant, a column, a part of a date, or something in brackets."""
        if self.take("("):
            term = self.within(self.either)
            self.need(")")
            return term
        if self.take("-"):
            of = self.value(self.within(self.single))
            number = isinstance(of, P.Value) and isinstance(of.value, int | float)
            return P.Value(-of.value) if number else P.Arithmetic("-", P.Value(0), of)  # type: ignore
        token = self.next()
        match token.kind:
            case "number":
                return self._number(token)
            case "text":
                return P.Value(token.text[1:-1].replace("''", "'"))
            case "date":
                return self._date(token)
            case "word" if token.text.lower() in ("true", "false"):
                return P.Value(token.text.lower() == "true")
            case "word" if token.text.lower() in PARTS and self.take("of"):
                return P.DatePart(PARTS[token.text.lower()], self.value(self.within(self.single)))
            case "word" | "quoted":
                self.at -= 1
                return self.field()
        self.fail("a column, a number or a text is missing", token.start)

    def _number(self, token: _Token) -> P.Value:
        value = int(token.text) if token.text.isdecimal() else float(token.text)
        if math.isinf(value):
            self.fail("this number is too large", token.start)
        return P.Value(value)

    def _date(self, token: _Token) -> P.Value:
        try:
            moment = datetime.fromisoformat(token.text)
        except ValueError:
            self.fail("there is no such day", token.start)
        return P.Value(moment if "T" in token.text else moment.date())

    def name(self) -> _Token:
        """A name of a column or of a table."""
        token = self.next()
        if token.kind == "quoted":
            return token._replace(text=token.text[1:-1].replace('""', '"'))
        if token.kind != "word" or token.text.lower() in RESERVED:
            self.fail("the name of a column is missing", token.start)
        return token

    def field(self) -> P.Field:
        """A column, perhaps of a linked table."""
        steps = [self.name()]
        while self.take("."):
            steps.append(self.name())
        *before, last = steps
        table, path = self.table, []
        if before and before[0].text == table and next_link(self.schema, table, table) is None:
            before = before[1:]
        for step in before:
            link = next_link(self.schema, table, step.text)
            if link is None:
                self._no_link(table, step)
            path.append(link)
            table = link.target
        columns = [one.name for one in self.schema.table(table).columns]
        return P.Field(tuple(path), self._known(table, last, columns))

    def _known(self, table: str, token: _Token, columns: list[str]) -> str:
        alike = [one for one in columns if one.lower() == token.text.lower()]
        if token.text in columns:
            return token.text
        if len(alike) == 1:
            return alike[0]
        close = difflib.get_close_matches(token.text.lower(), columns, 1, 0.5)
        hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(columns)}"
        self.fail(f"{table} has no column {token.text}; {hint}", token.start)

    def _no_link(self, table: str, step: _Token) -> NoReturn:
        leaving = [f"{one.column} (to {one.target})" for one in self.schema.leaving(table)]
        known = f"name one of its links by its column: {', '.join(leaving)}"
        hint = known if leaving else "it has no link"
        self.fail(f"no single link of {table} is called {step.text}; {hint}", step.start)


def _unless(negative: bool, condition: P.Condition) -> P.Condition:
    return P.Not(condition) if negative else condition


Operand = P.Attribute | P.Aggregate
_CONTAINS = {"anywhere": "contains", "start": "starts with", "end": "ends with"}


def write_formula(formula: Formula, schema: Schema, table: str) -> str:
    """A formula over the rows of a table. Raises DomainError if it asks for rows of other tables
    that belong to a row, which no formula can."""
    writer = _Writer(schema, table)
    text: str = formula.function
    if formula.of is not None:
        text += f" of {'distinct ' * formula.distinct}{writer.sum(formula.of)}"
    if formula.where is not None:
        text += f" where {writer.condition(formula.where)}"
    return text


class _Writer:
    def __init__(self, schema: Schema, table: str) -> None:
        self.schema, self.table = schema, table

    def sum(self, of: Operand) -> str:
        """A value, where signs of any kind may stand."""
        if isinstance(of, P.Arithmetic) and of.sign in ("+", "-"):
            return f"{self.sum(of.left)} {of.sign} {self.product(of.right)}"
        return self.product(of)

    def product(self, of: Operand) -> str:
        if isinstance(of, P.Arithmetic) and of.sign in ("*", "/"):
            return f"{self.product(of.left)} {of.sign} {self.single(of.right)}"
        return self.single(of)

    def single(self, of: Operand) -> str:
        match of:
            case P.Value(value):
                return _constant(value)
            case P.Field(path, column):
                return ".".join([*self._steps(path), _name(column)])
            case P.DatePart(part, inner):
                return f"{part} of {self.single(inner)}"
            case P.Arithmetic():
                return f"({self.sum(of)})"
        raise DomainError(
            f"a measure over {self.table} asks for more than columns of a row, which no formula "
            "can say; keep it in the Python form"
        )

    def _steps(self, path: Path) -> list[str]:
        steps, table = [], self.table
        for link in path:
            by_target = next_link(self.schema, table, link.target) == link
            steps.append(_name(link.target if by_target else link.column))
            table = link.target
        return steps

    def condition(self, condition: P.Condition) -> str:
        match condition:
            case P.And(parts):
                return " and ".join(self._part(one) for one in parts)
            case P.Or(parts):
                return " or ".join(self._part(one) for one in parts)
            case P.Not(part):
                return f"not {self._part(part)}"
            case P.Compare(left, sign, right):
                return f"{self.sum(left)} {sign} {self.sum(right)}"
            case P.Missing(of):
                return f"{self.sum(of)} is missing"
        return self._test(condition)

    def _test(self, condition: P.Condition) -> str:
        match condition:
            case P.Between(of, low, high, open_):
                last = f"{'below ' * open_}{_constant(high.value)}"
                return f"{self.sum(of)} between {_constant(low.value)} and {last}"
            case P.Contains(of, text, at):
                return f"{self.sum(of)} {_CONTAINS[at]} {_constant(text)}"
            case P.OneOf(of, values):
                return f"{self.sum(of)} in ({', '.join(_constant(one.value) for one in values)})"
        raise DomainError(
            f"a measure over {self.table} has a condition on rows of other tables, which no "
            "formula can say; keep it in the Python form"
        )

    def _part(self, condition: P.Condition) -> str:
        text = self.condition(condition)
        return f"({text})" if isinstance(condition, P.And | P.Or) else text


def _constant(value: str | int | float | bool | date) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else repr(value)


def _name(name: str) -> str:
    plain = re.fullmatch(r"[^\W\d]\w*", name) and name.lower() not in RESERVED | set(PARTS)
    return name if plain else '"' + name.replace('"', '""') + '"'

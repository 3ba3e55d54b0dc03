"""Formulas of measures: ``sum of Quantity * UnitPrice where Invoice.Status = 'paid'``.

A formula is a function over the values of rows, and perhaps a condition on these rows. A column of
another table is reached along links, `Track.Milliseconds`, by the table's name or by the name of
the column that points to it.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import NamedTuple, get_args

from partwise.errors import DomainError, ProgramSyntaxError, TextSyntaxError
from partwise.execution.relational import program as P
from partwise.execution.relational.schema import Link, Path, Schema
from partwise.language.program import TokenReader

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
    |(?P<end>\Z)|(?P<other>.))""",
    re.X | re.S,
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


class _Reader(TokenReader):
    """Reads one formula, from left to right."""

    tokens, error = _TOKEN, ProgramSyntaxError

    def __init__(self, text: str, schema: Schema, table: str) -> None:
        self.schema, self.table, self.depth = schema, table, 0
        if len(text) > LONGEST:
            raise ProgramSyntaxError(f"a formula has {LONGEST} characters at most", text, 0)
        super().__init__(text)

    @property
    def word(self) -> str:
        """The next word or sign, "" for anything else."""
        return self.token.lower() if self.kind in ("word", "sign") else ""

    def passed(self, *texts: str) -> str | None:
        """The next word or sign, if it is one of these."""
        return self.advance().lower() if self.word in texts else None

    def need(self, text: str) -> None:
        if not self.passed(text):
            raise self.fail(f"{text!r} is missing")

    def formula(self) -> Formula:
        """The whole."""
        function = FUNCTIONS.get(self.word)
        if function is None:
            raise self.fail(f"a formula begins with one of {', '.join(FUNCTIONS)}")
        self.advance()
        of, distinct = None, False
        if function != "count" or self.word == "of":
            self.need("of")
            distinct = function == "count" and self.passed("distinct") is not None
            of = self.value(self.sum())
        where = self.condition(self.either()) if self.passed("where") else None
        if self.kind != "end":
            raise self.fail("the formula goes on where it could end")
        return Formula(function, of, where, distinct)

    def value(self, term: Term) -> P.Attribute:
        """A value, where one must be."""
        if not isinstance(term, P.Attribute):
            raise self.fail("here a value must stand, not a condition")
        return term

    def condition(self, term: Term) -> P.Condition:
        """A condition, where one must be."""
        if not isinstance(term, P.Condition):
            raise self.fail("here a condition must stand, as in: Total > 10")
        return term

    def either(self) -> Term:
        return self._several("or", P.Or, self.both)

    def both(self) -> Term:
        return self._several("and", P.And, self.negated)

    def _several(self, word: str, join: type[P.And] | type[P.Or], part: Callable[[], Term]) -> Term:
        first = part()
        parts = [first]
        while self.passed(word):
            parts.append(part())
        return first if len(parts) == 1 else join(tuple(self.condition(one) for one in parts))

    def negated(self) -> Term:
        if self.passed("not"):
            return P.Not(self.condition(self.within(self.negated)))
        return self.compared()

    def compared(self) -> Term:
        """A value, and perhaps what it is compared with."""
        left = self.sum()
        sign = self.passed(*_COMPARE)
        if sign is not None:
            return P.Compare(self.value(left), sign, self.value(self.sum()))  # type: ignore[arg-type]
        if self.passed("is"):
            negative = self.passed("not") is not None
            self.need("missing")
            return _unless(negative, P.Missing(self.value(left)))
        negative = self.passed("not") is not None
        test = self.passed("in", "between", "contains", "starts", "ends")
        if test is None:
            if negative:
                raise self.fail("after 'not' comes one of in, between, contains, starts, ends")
            return left
        return _unless(negative, self._test(test, self.value(left)))

    def _test(self, test: str, of: P.Attribute) -> P.Condition:
        if test == "in":
            return P.OneOf(of, self._values())
        if test == "between":
            low = self.constant()
            self.need("and")
            open_ = self.passed("below") is not None
            return P.Between(of, low, self.constant(), open_)
        if test != "contains":
            self.need("with")
        text = self.constant().value
        if not isinstance(text, str):
            raise self.fail("a text in single quotation marks must stand here")
        if test == "contains":
            return P.Contains(of, text)
        return P.Contains(of, text, "start" if test == "starts" else "end")

    def _values(self) -> tuple[P.Value, ...]:
        self.need("(")
        values = [self.constant()]
        while self.passed(","):
            values.append(self.constant())
        self.need(")")
        return tuple(values)

    def constant(self) -> P.Value:
        """A value that is written out."""
        term = self.single()
        if not isinstance(term, P.Value):
            raise self.fail("a number, a text in single quotation marks or a date must stand here")
        return term

    def sum(self) -> Term:
        term = self.product()
        while sign := self.passed("+", "-"):
            term = P.Arithmetic(sign, self.value(term), self.value(self.product()))  # type: ignore[arg-type]
        return term

    def product(self) -> Term:
        term = self.single()
        while sign := self.passed("*", "/"):
            term = P.Arithmetic(sign, self.value(term), self.value(self.single()))  # type: ignore[arg-type]
        return term

    def within(self, read: Callable[[], Term]) -> Term:
        """One level deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fail(f"a formula has {DEEPEST} levels at most")
        term = read()
        self.depth -= 1
        return term

    def single(self) -> Term:
        """A constant, a column, a part of a date, or something in brackets."""
        if self.passed("("):
            term = self.within(self.either)
            self.need(")")
            return term
        if self.passed("-"):
            of = self.value(self.within(self.single))
            number = isinstance(of, P.Value) and isinstance(of.value, int | float)
            return P.Value(-of.value) if number else P.Arithmetic("-", P.Value(0), of)  # type: ignore
        match self.kind:
            case "number":
                return self._number()
            case "text":
                return P.Value(self.advance()[1:-1].replace("''", "'"))
            case "date":
                return self._date()
            case "word" if truth := self.passed("true", "false"):
                return P.Value(truth == "true")
            case "word" | "quoted":
                word, first = self.word, self.name()
                if word in PARTS and self.passed("of"):
                    return P.DatePart(PARTS[word], self.value(self.within(self.single)))
                return self.field(first)
        raise self.fail("a column, a number or a text is missing")

    def _number(self) -> P.Value:
        value = int(self.token) if self.token.isdecimal() else float(self.token)
        if math.isinf(value):
            raise self.fail("this number is too large")
        self.advance()
        return P.Value(value)

    def _date(self) -> P.Value:
        try:
            moment = datetime.fromisoformat(self.token)
        except ValueError:
            raise self.fail("there is no such day") from None
        return P.Value(moment if "T" in self.advance() else moment.date())

    def name(self) -> tuple[str, int]:
        """A name of a column or of a table, and where it begins."""
        start = self.start
        if self.kind == "quoted":
            return self.advance()[1:-1].replace('""', '"'), start
        if self.kind != "word" or self.word in RESERVED:
            raise self.fail("the name of a column is missing")
        return self.advance(), start

    def field(self, first: tuple[str, int]) -> P.Field:
        """A column, perhaps of a linked table, whose first name was read."""
        steps = [first]
        while self.passed("."):
            steps.append(self.name())
        *before, last = steps
        table, path = self.table, []
        if before and before[0][0] == table and next_link(self.schema, table, table) is None:
            before = before[1:]
        for step, start in before:
            link = next_link(self.schema, table, step)
            if link is None:
                raise self._no_link(table, step, start)
            path.append(link)
            table = link.target
        return P.Field(tuple(path), self._known(table, *last))

    def _known(self, table: str, name: str, start: int) -> str:
        columns = [one.name for one in self.schema.table(table).columns]
        alike = [one for one in columns if one.lower() == name.lower()]
        if name in columns:
            return name
        if len(alike) == 1:
            return alike[0]
        close = difflib.get_close_matches(name.lower(), columns, 1, 0.5)
        hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(columns)}"
        raise self.fail(f"{table} has no column {name}; {hint}", start)

    def _no_link(self, table: str, step: str, start: int) -> TextSyntaxError:
        leaving = [f"{one.column} (to {one.target})" for one in self.schema.leaving(table)]
        known = f"name one of its links by its column: {', '.join(leaving)}"
        hint = known if leaving else "it has no link"
        return self.fail(f"no single link of {table} is called {step}; {hint}", start)


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

"""One program for all that differ only in how they are put."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

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
    rebuilt,
)
from partwise.execution.relational.schema import Schema
from partwise.execution.relational.writing import write

P = TypeVar("P", bound=Listing | Grouping)
_NEGATED: Mapping[Sign, Sign] = {
    **{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
}
_MIRRORED: Mapping[Sign, Sign] = {
    **{"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
}


def canonical(program: Program, schema: Schema) -> Program:
    """The program that stands for all that are the same but for how they are put.

    Conditions and sums are sorted, negations are moved inwards, ``between`` becomes two
    comparisons, whole numbers are compared with ``>=`` and ``<``, and what changes nothing is left
    out. Programs with equal canonical forms have the same rows; not all that always have the same
    rows have equal ones.
    """
    made: Program = rebuilt(program, partial(_simplest, schema))
    match made:
        case Grouping(rows, (), (figure,), having=(), only=False):
            made = _number(rows, figure)
    return made


def _simplest(schema: Schema, node: Any) -> Any:
    """A node whose parts are canonical already."""
    match node:
        case And(parts) | Or(parts):
            return _joined(type(node), parts)
        case Not(part):
            return _negated(part)
        case Between(of, low, high, open_):
            above, below = Compare(of, ">=", low), Compare(of, "<" if open_ else "<=", high)
            return _joined(And, (_comparison(above), _comparison(below)))
        case Compare():
            return _comparison(node)
        case Contains(of, text, at):
            return Contains(of, text.lower(), at)
        case OneOf(of, values):
            return _joined(Or, [_comparison(Compare(of, "=", one)) for one in values])
        case Value(float() as number) if number.is_integer():
            return Value(int(number))
        case Arithmetic("+" | "*" as sign, left, right):
            return Arithmetic(sign, *_sorted((left, right)))
        case Aggregate(function, of) if function != "count" or of is None:
            return replace(node, distinct=False)
        case Figure(rows, aggregate):
            return Figure(rows, _counted(schema, rows, aggregate))
        case Having(aggregate, sign, Value(int() as number)) if _whole(aggregate):
            return Having(aggregate, *_bound(sign, number))
        case Holds(Compare(Figure(rows, Aggregate("count", None)), ">=", Value(1))):
            return Exists(rows)
        case Among(of, values):
            return Among(of, _unordered(values))
        case Listing():
            return _without_idle_order(node)
        case Grouping():
            return _grouping(schema, node)
        case Union(parts):
            return Union(_sorted(_unordered(one) for one in parts))
        case _:
            return node


def _sorted(nodes: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(nodes, key=write))


def _joined(kind: type[And | Or], parts: Iterable[Condition]) -> Condition:
    """Conditions that all hold, or of which one does: none is of the same class, and none twice."""
    flat: list[Condition] = []
    for one in parts:
        flat += one.parts if isinstance(one, kind) else (one,)
    if kind is Or:
        flat = _one_of(flat)
    unique = dict.fromkeys(_sorted(flat))
    return next(iter(unique)) if len(unique) == 1 else kind(tuple(unique))


def _one_of(parts: Iterable[Condition]) -> list[Condition]:
    """The same, with a list of values in place of several that one attribute may equal."""
    values: dict[Attribute, list[Value]] = {}
    others: list[Condition] = []
    for one in parts:
        match one:
            case Compare(of, "=", Value() as value):
                values.setdefault(of, []).append(value)
            case OneOf(of, some):
                values.setdefault(of, []).extend(some)
            case _:
                others.append(one)
    for of, several in values.items():
        each = tuple(dict.fromkeys(_sorted(several)))
        others.append(OneOf(of, each) if len(each) > 1 else Compare(of, "=", each[0]))
    return others


def _negated(part: Condition) -> Condition:
    """That a canonical condition does not hold."""
    match part:
        case Not(inner):
            return inner
        case Compare(left, sign, right):
            return _comparison(Compare(left, _NEGATED[sign], right))
        case OneOf(of, values):
            return _joined(And, [_comparison(Compare(of, "!=", one)) for one in values])
        case And(parts):
            return _joined(Or, [_negated(one) for one in parts])
        case Or(parts):
            return _joined(And, [_negated(one) for one in parts])
        case _:
            return Not(part)


def _comparison(compare: Compare) -> Condition:
    """A comparison with the number last, of whole numbers with ``>=`` or ``<``."""
    mirrored = Compare(compare.right, _MIRRORED[compare.sign], compare.left)
    if _place(mirrored) < _place(compare):
        compare = mirrored
    match compare:
        case Compare(left, sign, Value(int() as number)) if _whole(left):
            sign, value = _bound(sign, number)
            return _related(Compare(left, sign, value))
        case _:
            return compare


def _place(compare: Compare) -> tuple[bool, str, str]:
    """Where a comparison stands among the two that are the same."""
    return isinstance(compare.left, Value), write(compare.left), compare.sign


def _related(compare: Compare) -> Condition:
    """Whether some row belongs to another, where it is counted for nothing else."""
    match compare:
        case Compare(Belonging(path, Figure(rows, Aggregate("count", None))), sign, Value(value)):
            if (sign, value) in ((">=", 1), ("!=", 0)):
                return Related(path, rows)
            if (sign, value) in (("<", 1), ("=", 0)):
                return Not(Related(path, rows))
    return compare


def _whole(of: Attribute | Aggregate) -> bool:
    """Whether a figure can only be a whole number."""
    if isinstance(of, Belonging):
        of = of.figure
    if isinstance(of, Figure):
        of = of.aggregate
    return isinstance(of, Aggregate) and of.function == "count"


def _bound(sign: Sign, number: int) -> tuple[Sign, Value]:
    """A bound of whole numbers, with ``>=`` and ``<`` alone."""
    if sign in (">", "<="):
        return (">=" if sign == ">" else "<"), Value(number + 1)
    return sign, Value(number)


def _counted(schema: Schema, rows: Rows, figure: Aggregate) -> Aggregate:
    """The count of the rows, in place of the count of their keys."""
    key = schema.table(rows.table).key
    if key is not None and figure.function == "count" and figure.of == Field((), key):
        return Aggregate("count")
    return figure


def _without_idle_order(program: P) -> P:
    """The program without orders that decide nothing."""
    kept: dict[Attribute | Aggregate, Order] = {}
    for one in program.order:
        if not isinstance(one.by, Value | Figure):
            kept.setdefault(one.by, one)
    first = program.only and program.limit == 1
    only = program.only and program.limit is not None and not first
    ties = (program.ties or first) and program.limit is not None and not only
    return replace(program, order=tuple(kept.values()), ties=ties, only=only)


def _unordered(program: Listing | Grouping) -> Listing | Grouping:
    """What has the same values, where it does not matter in which order and how often."""
    if program.limit is not None:
        return program
    if isinstance(program, Listing) and not program.each:
        return replace(program, order=(), distinct=True, ties=False)
    return replace(program, order=(), ties=False)


def _grouping(schema: Schema, program: Grouping) -> Grouping:
    """Groups; one group has no order."""
    rows = program.rows
    figures = tuple(_measure(schema, rows, one) for one in program.figures)
    having = (
        replace(one, aggregate=_measure(schema, rows, one.aggregate)) for one in program.having
    )
    order = tuple(replace(one, by=_measure(schema, rows, one.by)) for one in program.order)
    shown = None if program.shown == program.by else program.shown
    made = replace(program, figures=figures, having=_sorted(having), order=order, shown=shown)
    if program.by:
        return _without_idle_order(made)
    if made.only and (made.limit or 0) > 1:
        return replace(made, order=(), shown=None, ties=False)
    return replace(made, order=(), limit=None, shown=None, ties=False, only=False)


def _measure(schema: Schema, rows: Rows, figure: Any) -> Any:
    """A figure of groups that counts rows, not their keys."""
    match figure:
        case Aggregate():
            return _counted(schema, rows, figure)
        case Arithmetic(sign, left, right):
            both = _measure(schema, rows, left), _measure(schema, rows, right)
            return Arithmetic(sign, *(_sorted(both) if sign in "+*" else both))
        case _:
            return figure


def _number(rows: Rows, figure: Any) -> Any:
    """A figure over all rows, as a program of its own."""
    match figure:
        case Aggregate():
            return Figure(rows, figure)
        case Arithmetic(sign, left, right):
            both = _number(rows, left), _number(rows, right)
            return Arithmetic(sign, *(_sorted(both) if sign in "+*" else both))
        case _:
            return figure

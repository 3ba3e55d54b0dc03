"""The shape of a program: what of it a question as a whole speaks for, in any database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Any

from partwise.database.apart import nodes_of
from partwise.database.layer.model import SemanticLayer
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Attribute,
    Belonging,
    Compare,
    Condition,
    Field,
    Figure,
    Grouping,
    Listing,
    Missing,
    Not,
    OneOf,
    Or,
    Order,
    Program,
    Related,
    Rows,
    Value,
)

MOST = 3
"""Counts above are told as this."""
FURTHEST = 9
"""Links to what nothing leads to."""
_COUNTED = {"Compare", "Between", "Contains", "Missing", "OneOf", "Related", "Among", "Or", "Not"}


def shape_of(
    program: Program,
    said: Container[str],
    layer: SemanticLayer,
    guessed: Container[str] = frozenset(),
) -> tuple[str, ...]:
    """Names of what a program is made of, each once; none of a table, a column or a value.

    Args:
        said: tables that the question names.
        guessed: tables of people that "who" may stand for.
    """
    nodes = list(nodes_of(program))
    kinds = Counter(type(one).__name__ for one in nodes)
    made = [f"is {type(program).__name__}"]
    made += [f"{name} {min(MOST, kinds[name])}" for name in sorted(_COUNTED & set(kinds))]
    made.append(f"queries {min(MOST, kinds['Rows'])}")
    made += [f"function {one.function}" for one in nodes if isinstance(one, Aggregate)]
    made.append(f"links {min(MOST, len(_links(nodes)))}")
    made += _of_kind(program, layer, guessed)
    unsaid = {one.table for one in nodes if isinstance(one, Rows) and one.table not in said}
    made.append(f"tables unsaid {min(MOST, len(unsaid))}")
    joined = [one for one in nodes if isinstance(one, And | Or)]
    odd = {
        "repeats a name": _repeats(program, layer),
        "counts each row": _counts_each(program, layer),
        "bounds twice": any(map(_twice_bounded, joined)),
        "says it again": any(_says_again(one.parts) for one in joined),
    }
    made += [name for name, is_so in odd.items() if is_so]
    return tuple(dict.fromkeys(made))


def _of_kind(program: Program, layer: SemanticLayer, guessed: Container[str]) -> Iterator[str]:
    """What only programs of some kind are made of."""
    match program:
        case Listing() | Grouping():
            yield from _table(program)
        case Figure(_, aggregate):
            yield f"figure of {'rows' if aggregate.of is None else 'column'}"
    if isinstance(program, Listing):
        if len(program.order) == 1 and program.shown == (program.order[0].by,):
            # "When is the next concert".
            yield "shows its order"
        if _chooses_of_one(program, layer):
            yield "chooses of one"
        if program.rows.table in guessed and _is_far(program, layer):
            yield "is far"


def _is_far(program: Listing, layer: SemanticLayer) -> bool:
    """Whether other people are nearer to what is done than those that are listed: who booked is a
    passenger, and no member of the crew of a ship that was booked."""
    table = program.rows.table
    events = [one.rows.table for one in nodes_of(program.rows.where) if isinstance(one, Related)]
    events += [
        one.figure.rows.table
        for order in program.order
        for one in nodes_of(order.by)
        if isinstance(one, Belonging)
    ]
    others = [one.name for one in layer.tables if one.person and one.name != table]
    return any(
        _steps(layer, one, event) < _steps(layer, table, event)
        for one in others
        for event in events
    )


def _chooses_of_one(program: Listing, layer: SemanticLayer) -> bool:
    """Whether the first or last is chosen, by a date, where a name leaves one row: "when did Ann
    last order" is not about her first contact."""
    names = {*layer.table(program.rows.table).display}
    where = program.rows.where
    if program.limit != 1 or not names or where is None or not names <= {*_equal(where)}:
        return False
    dates = [
        one.by.column for one in program.order if isinstance(one.by, Field) and not one.by.path
    ]
    known = {one.name: one.kind for one in layer.table(program.rows.table).columns}
    return any(known.get(one) == "date" for one in dates)


def _steps(layer: SemanticLayer, table: str, event: str) -> int:
    """How many links lead from what happens to people."""
    path = layer.schema.path(event, table)
    return FURTHEST if path is None else len(path)


def _repeats(program: Program, layer: SemanticLayer) -> bool:
    """Whether an answer has no more than names that the question says: "dogs" are seldom the
    species called dog, and "how many dogs" seldom how many species."""
    match program:
        case Listing(rows, shown, order=()):
            keys: set[str | None] = set()
            asked = [one.column if _is_own(one) else "" for one in shown]  # type: ignore[union-attr]
        case Figure(rows, Aggregate("count", None)):
            # "How many dogs": there is one species with this code.
            keys = {layer.schema.table(rows.table).key}
            asked = []
        case _:
            return False
    names = {*layer.table(rows.table).display, *keys}
    return rows.where is not None and {*asked, *_equal(rows.where)} <= names


def _counts_each(program: Program, layer: SemanticLayer) -> bool:
    """Whether rows are counted for each key of theirs, so that each count is one."""
    if not isinstance(program, Grouping):
        return False
    key = layer.schema.table(program.rows.table).key
    return Field((), key or "") in program.by and Aggregate("count", None) in program.figures


def _twice_bounded(conditions: And | Or) -> bool:
    """Whether one thing has two bounds on the same side, of which one says nothing: "an area above
    10 or a population above 1000" does not speak of the area twice."""
    bounds = [
        (one.left, one.sign[0])
        for one in conditions.parts
        if isinstance(one, Compare) and isinstance(one.right, Value)
        if one.sign in ("<", "<=", ">", ">=")
    ]
    return len(set(bounds)) < len(bounds)


def _says_again(parts: Sequence[Condition]) -> bool:
    """Whether a condition stands beside itself, or beside its opposite; "headcount today" says
    twice who is still here."""
    plain = [one.part if isinstance(one, Not) else one for one in parts]
    return any(
        one in plain[:place] and not (isinstance(one, Missing) and parts[place] in parts[:place])
        for place, one in enumerate(plain)
    )


def _equal(where: Condition) -> Iterator[str]:
    """The columns of a row whose values are given; empty names for all other conditions."""
    match where:
        case And(parts) | Or(parts):
            for one in parts:
                yield from _equal(one)
        case Compare(Field((), column), "=", Value()) | OneOf(Field((), column)):
            yield column
        case _:
            yield ""


def _is_own(one: Attribute) -> bool:
    return isinstance(one, Field) and not one.path


def _table(program: Listing | Grouping) -> Iterator[str]:
    name = type(program).__name__
    shown = program.shown if isinstance(program, Listing) else program.showing
    yield f"{name} shows {min(MOST, len(shown or ()))}"
    for order in program.order:
        one = program.limit == 1 or program.only
        cut = "all" if program.limit is None else "one" if one else "some"
        yield f"{name} orders {cut} by {_by(order)}"
    if isinstance(program, Grouping):
        yield f"groups by {min(MOST, len(program.by))}, figures {min(MOST, len(program.figures))}"
        yield f"having {min(MOST, len(program.having))}"
    else:
        if program.each:
            yield "first of each"


def _by(order: Order) -> str:
    match order.by:
        case Field(path):
            return "column" if not path else "linked column"
        case Belonging():
            return "what belongs"
        case _:
            return "figure"


def _links(nodes: list[Any]) -> set[Any]:
    return {link for one in nodes if isinstance(one, Field) for link in one.path}

"""Which labels a question's own SQL names: a search among these finds right readings sooner."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from partwise.database.reading.label import Label

Allowed = Callable[[Label, str], bool]
"""Whether a label may be used in a role."""


def allowed_by(sql: str) -> Allowed | None:
    """Allows the tables, columns and values that a query names; None if it cannot be read."""
    try:
        tree = parse_one(sql, dialect="sqlite")
    except SqlglotError:
        return None
    columns = {one.name.lower() for one in tree.find_all(exp.Column)}
    tables = {one.name.lower() for one in tree.find_all(exp.Table)}
    values = {str(one.this).lower() for one in tree.find_all(exp.Literal)}
    # In SQLite a text may stand in double quotes, as names do.
    quoted = (one for one in tree.find_all(exp.Column) if one.this.args.get("quoted"))
    values |= {one.name.lower() for one in quoted}

    def allowed(label: Label, role: str) -> bool:
        thing = label.thing
        if thing is None or thing.kind == "measure":
            return True
        if label.kind == "value":
            said = str(label.value).lower() in values or bool(label.columns)
            return said and thing.column.lower() in columns
        named = thing.table.lower() in tables
        return named and (thing.kind == "table" or thing.column.lower() in columns)

    return allowed

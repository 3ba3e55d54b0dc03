"""Groups of rows that belong to a table's row, as figures of that row."""

from __future__ import annotations

from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Attribute,
    Belonging,
    Compare,
    Condition,
    Field,
    Figure,
    Grouping,
    Listing,
    Order,
    Related,
    Rows,
)
from partwise.execution.relational.schema import Association, Path
from partwise_papers.spider.converting.frame import JoinedRows, united
from partwise_papers.spider.converting.style import UnsupportedSqlError


def as_measures(grouped: Grouping, frame: JoinedRows) -> Listing:
    """The rows of the table that the groups are of, each with its figures.

    Raises:
        UnsupportedSqlError: if the groups are not those of one table.
    """
    path = _key(grouped, frame)
    schema = frame.scope.schema
    table = schema.end(frame.table, path)
    if schema.relation(table, frame.table) != Association((), frame.table, path, ()):
        raise UnsupportedSqlError("groups of rows that do not belong to a table's row")
    figure = _RowFigures(grouped.rows, path, schema.key(table))
    conditions: list[Condition] = [
        Compare(figure.of(one.aggregate), one.sign, one.value) for one in grouped.having
    ]
    fewest = any(not one.descending for one in grouped.order if isinstance(one.by, Aggregate))
    if not grouped.having and (fewest or not grouped.order or grouped.rows.where is not None):
        conditions.insert(0, Related((), grouped.rows))
    shown = [figure.own(one) for one in grouped.showing]
    shown += [figure.of(one) for one in grouped.figures]
    orders = tuple(Order(figure.of(one.by), one.descending) for one in grouped.order)
    return Listing(Rows(table, united(conditions)), tuple(shown), orders, grouped.limit)


def _key(grouped: Grouping, frame: JoinedRows) -> Path:
    """The way to the row that the groups are of: its key, or what points to it."""
    schema = frame.scope.schema
    fields = [one for one in grouped.keys if isinstance(one, Field)]
    if len(fields) < len(grouped.keys):
        raise UnsupportedSqlError("groups by what is not a column")
    for one in grouped.by:
        if not isinstance(one, Field):
            continue
        end = schema.end(frame.table, one.path)
        for link in schema.leaving(end):
            if link.column == one.column:
                return (*one.path, link)
        if one.path:
            return one.path
    raise UnsupportedSqlError("groups by a column of the rows themselves")


class _RowFigures:
    """Turns what is said of the groups into what is said of the row that they are of."""

    def __init__(self, rows: Rows, path: Path, key: str) -> None:
        self.rows, self.path, self.key = rows, path, key

    def of(self, figure: Aggregate | Arithmetic | Attribute) -> Attribute:
        """A figure over a group, as one of a row."""
        if isinstance(figure, Aggregate):
            return Belonging((), Figure(self.rows, figure))
        if isinstance(figure, Arithmetic):
            return Arithmetic(figure.sign, self.of(figure.left), self.of(figure.right))
        return self.own(figure)

    def own(self, attribute: Attribute) -> Attribute:
        """A column of the row."""
        if isinstance(attribute, Field):
            size = len(self.path)
            if attribute == Field(self.path[:-1], self.path[-1].column):
                return Field((), self.key)
            if attribute.path[:size] == self.path:
                return Field(attribute.path[size:], attribute.column)
        raise UnsupportedSqlError("a column that is not one of the group's row")

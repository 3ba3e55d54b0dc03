"""SQL under the conventions of programs, where SQLite's own say nothing about a question.

A null makes no group where groups are chosen, comes last in an order, and is in no set. A value
that equals the one column of a query equals one of its rows, not SQLite's first. Groups that tie at
a limit are ordered by what makes them.
"""

from __future__ import annotations

from sqlglot import exp

_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


def conventional(tree: exp.Expression) -> exp.Expression:
    """A query with these conventions written out; the tree given stays as it is."""
    tree = tree.copy()
    for ordered in list(tree.find_all(exp.Ordered)):
        ordered.set("nulls_first", False)
    for select in list(tree.find_all(exp.Select)):
        for key in _keys(select):
            select.where(exp.Not(this=exp.Is(this=key.copy(), expression=exp.Null())), copy=False)
        group, order = select.args.get("group"), select.args.get("order")
        if group is not None and order is not None and select.args.get("limit"):
            for key in group.expressions:
                last = exp.Ordered(this=key.copy(), desc=False, nulls_first=False)
                order.append("expressions", last)
    for equal in list(tree.find_all(exp.EQ)):
        if isinstance(equal.expression, exp.Subquery) and _lists(equal.expression.this):
            equal.replace(exp.In(this=equal.this.copy(), query=equal.expression.copy()))
    return tree


def sqlite_text(tree: exp.Expression) -> str:
    """A query as SQLite reads it."""
    return tree.sql(dialect="sqlite")


def _keys(select: exp.Select) -> list[exp.Expression]:
    if isinstance(select.parent, exp.SetOperation):
        shown = [one for one in select.expressions if isinstance(one, exp.Column)]
        return [*shown, *_made(select)]
    return _made(select)


def _made(select: exp.Select) -> list[exp.Expression]:
    group = select.args.get("group")
    if group is not None:
        chosen = select.args.get("limit") or select.args.get("having")
        return list(group.expressions) if chosen else []
    if select.args.get("distinct") and select.args.get("order") and select.args.get("limit"):
        return [one for one in select.expressions if isinstance(one, exp.Column)]
    return []


def _lists(query: exp.Expression) -> bool:
    return not (isinstance(query, exp.Select) and query.expressions[0].find(*_AGGREGATES))

"""MySQL's SQL, where SQLAlchemy leaves something to do."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.mysql.base import MySQLCompiler, MySQLIdentifierPreparer
from sqlalchemy.dialects.mysql.pymysql import MySQLDialect_pymysql
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import operators


class _NullsLast(MySQLCompiler):
    """MySQL has no ``NULLS LAST``: whether a value is missing is sorted by first."""

    def visit_nulls_last_op_unary_modifier(
        self, unary: sa.UnaryExpression[Any], operator: Any, **kw: Any
    ) -> str:
        inner: Any = unary.element
        ordered = isinstance(inner, sa.UnaryExpression) and inner.modifier in (
            operators.desc_op,
            operators.asc_op,
        )
        value = inner.element if ordered else inner
        return f"{self.process(value, **kw)} IS NULL, {self.process(inner, **kw)}"


def mysql_dialect(shown: bool = False) -> Dialect:
    """The dialect of MySQL.

    Args:
        shown: whether it is for people, with names in backticks; else it is for the worker.
    """
    made: Any = MySQLDialect_pymysql(paramstyle="named" if shown else "format")
    made.statement_compiler = _NullsLast
    made.identifier_preparer = MySQLIdentifierPreparer(made, server_ansiquotes=not shown)
    return made  # type: ignore[no-any-return]

"""The date that is meant where a question names none: "orders in 2024", "breads by month"."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer, TableInfo
from partwise.database.reading.comparing import UnfitError
from partwise.database.reading.frame import Ref
from partwise.database.spans.periods import Period, Recurring

BIRTH = {"birth", "born", "birthday", "dob"}
OF_LIFE = BIRTH | {"death", "died", "deceased"}
YEARLY = {"number", "id"}
"""Kinds of columns that may hold years as numbers."""


def usual_date(layer: SemanticLayer, base: str, what: Period | Recurring | None) -> Ref:
    """The date of a row; else the nearest of what it leads to or of what belongs to it, where those
    that say when something happened come first.

    Args:
        what: the days that are spoken of.

    Raises:
        UnfitError: if there is none.
    """
    near: list[tuple[bool, int, str, str]] = []
    for table in layer.tables:
        column = _date_of(table, what, table.name == base)
        path = layer.schema.path(base, table.name)
        back = layer.schema.path(table.name, base)
        if table.private or not column or (path is None and back is None):
            continue
        far = len(path) if path is not None else 1 + 2 * len(back or ())
        # "Breads in 2024": when they were sold, not when their baker was born or hired.
        happens = table.date is not None and not table.person
        # "Passengers who booked in 2024" are not those who were born in it.
        of_life = bool(OF_LIFE & {*table.column(column).label.split()})
        mine = far == 0 and not of_life
        near.append((not (mine or happens), far, table.name, column))
    if not near:
        raise UnfitError(f"no date is near {base}")
    _, _, name, column = min(near)
    return Ref(name, column)


def _date_of(table: TableInfo, what: Period | Recurring | None, own: bool) -> str | None:
    """The date of a table's rows, or the column that holds their years as numbers.

    Args:
        own: whether the question is about these rows.
    """
    if not (isinstance(what, Period) and what.year_only):
        return table.date or _first(table, False)
    several = own and what.years[0] < what.years[1]
    column = _counted_year(table) if several else None
    return column or _called_year(table) or table.date or _first(table, True)


def _first(table: TableInfo, of_year: bool) -> str | None:
    """The first date, a birth last, or a column that holds years as numbers."""
    dates = [one for one in table.columns if one.kind == "date" and not one.private]
    dates.sort(key=lambda one: bool(OF_LIFE & {*one.label.split()}))
    return dates[0].name if dates else _counted_year(table) if of_year else None


def _called_year(table: TableInfo) -> str | None:
    """A number that is called the year, as people who ask of a year see it in the table; it may be
    a link to a table of years."""
    some = [one for one in table.columns if one.kind in YEARLY and not one.private]
    return next((one.name for one in some if one.label == "year"), None)


def _counted_year(table: TableInfo) -> str | None:
    """A column that holds years as numbers."""
    columns = [one for one in table.columns if one.kind == "number" and not one.private]
    years = [one.name for one in columns if "year" in one.label.split()]
    return years[0] if years else None

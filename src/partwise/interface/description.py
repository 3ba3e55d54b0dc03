"""What can be asked about, for people and for programs that choose their questions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnDescription:
    """A property that things of a kind have.

    Attributes:
        name: as it is stored.
        label: as people call it.
        kind: number, text, date, boolean or id.
        description: a sentence; "" if there is none.
        unit: what its numbers count; None if that is not known.
        values: all its values, where they are few; else none.
    """

    name: str
    label: str
    kind: str
    description: str = ""
    unit: str | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableDescription:
    """A kind of things.

    Attributes:
        links: the tables that one of its rows leads to, by the column that does so.
    """

    name: str
    label: str
    description: str
    columns: tuple[ColumnDescription, ...]
    links: dict[str, str]


@dataclass(frozen=True)
class MeasureDescription:
    """A figure that has a name.

    Attributes:
        table: whose rows it is over, as it is stored.
    """

    name: str
    label: str
    table: str
    description: str = ""
    unit: str | None = None


@dataclass(frozen=True)
class DomainDescription:
    """What can be asked about; nothing private."""

    name: str
    tables: tuple[TableDescription, ...] = ()
    measures: tuple[MeasureDescription, ...] = ()
    examples: tuple[str, ...] = ()

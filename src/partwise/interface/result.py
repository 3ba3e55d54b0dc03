"""Answers that are tables, and what a domain says of a meaning beside its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from partwise.errors import DataError
from partwise.interface.description import DomainDescription

M_contra = TypeVar("M_contra", contravariant=True)
Cell = str | int | float | bool | None
"""A value of a table, as JSON has it; dates are texts such as ``2024-03-01``."""


class Explanation(NamedTuple):
    """A meaning for people.

    Attributes:
        restated: the question as it was understood, in words.
        sql: the statement that gives the answer.
    """

    restated: str
    sql: str


@dataclass(frozen=True)
class ResultTable:
    """An answer that is a table.

    Attributes:
        columns: what is in each column, for people; no two are called the same.
        truncated: whether there are more rows, which are left out.
        ties: further rows that are equal to the last one in what the rows are ordered by, where
            only the first rows are asked for.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    explanation: Explanation
    truncated: bool = False
    ties: tuple[tuple[Cell, ...], ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said beside the rows."""
        notes = [f"only the first {len(self.rows):,} rows are shown"] if self.truncated else []
        if self.ties:
            shown = ", ".join(spell(row[0]) for row in self.ties)
            notes.append(f"tied with the last row: {shown}")
        return tuple(notes)


@runtime_checkable
class GuidedDomain(Protocol):
    """A domain whose answers tell whether a meaning is likely; a `Domain` may be one, too.

    Attributes:
        tried: how many interpretations are run, at most, until one has an answer that is not empty.
    """

    @property
    def tried(self) -> int: ...


@runtime_checkable
class ExplainingDomain(Protocol[M_contra]):
    """A domain that says a meaning in words; a `Domain` may be one, too.

    Attributes:
        readings: how many interpretations are offered where nobody asks for a number.
    """

    @property
    def readings(self) -> int: ...

    def explain(self, meaning: M_contra) -> Explanation:
        """The meaning in words and as a statement.

        Raises:
            PartwiseError: if it cannot be run on this domain.
        """
        ...

    def describe(self) -> DomainDescription:
        """What can be asked about."""
        ...


def spell(value: Cell) -> str:
    """A value as people read it: ``0.25``, ``yes``; nothing for a missing one."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else repr(value)
    return str(value)


def to_pandas(table: ResultTable) -> Any:
    """A `pandas.DataFrame`.

    Raises:
        DataError: if pandas is not installed.
    """
    pandas = _library("pandas", "pandas")
    return pandas.DataFrame(dict(zip(table.columns, _columns(table), strict=True)))


def to_polars(table: ResultTable) -> Any:
    """A `polars.DataFrame`.

    Raises:
        DataError: if polars is not installed.
    """
    polars = _library("polars", "polars")
    return polars.DataFrame(dict(zip(table.columns, _columns(table), strict=True)))


def to_arrow(table: ResultTable) -> Any:
    """A `pyarrow.Table`.

    Raises:
        DataError: if pyarrow is not installed.
    """
    arrow = _library("pyarrow", "batch")
    return arrow.table(dict(zip(table.columns, _columns(table), strict=True)))


def _columns(table: ResultTable) -> list[list[Cell]]:
    """The values by column; texts, if a column has values of several types."""
    listed = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    return [_of_one_type(column) for column in listed]


def _of_one_type(values: Sequence[Cell]) -> list[Cell]:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return list(values)


def _library(name: str, extra: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise DataError(f"{name} is not installed: pip install 'partwise[{extra}]'") from error

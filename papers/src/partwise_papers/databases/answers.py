"""Whether rows answer a question.

Columns may stand in any order, and at most two more may be shown if they look like keys or names.
Text is compared without case, numbers at two decimals. A person's name may stand in one column or
in two. The order of rows counts only where the question asks for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, Protocol

from partwise_papers.spider.answers import Expected, Record

MORE = 2
"""Columns that may be shown beside those asked for."""
TRIED = 500
"""Orders of columns that are tried, at most."""
LEFT = 40
"""Rows that may differ in the last digit of a number, at most."""
_NUMBER = re.compile(r"-?(0|[1-9]\d*|0\d)(\.\d+)?([eE][-+]?\d+)?")
"""``03`` is a month, and ``0123`` is a code."""
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00(:00(\.0+)?)?Z?")
_YES_NO = {
    **dict.fromkeys(("yes", "y", "true", "1"), True),
    **dict.fromkeys(("no", "n", "false", "0"), False),
}


class RightRows(Protocol):
    """What rows must be to answer a question."""

    def lenient(self, rows: Sequence[Record]) -> bool:
        """Whether they answer it."""
        ...

    def exact(self, rows: Sequence[Record]) -> bool:
        """Whether they are the expected rows, no column more."""
        ...


@dataclass(frozen=True)
class SqlRows:
    """The rows of one of Spider's queries, as SQLite gives them and under the conventions of
    programs: nulls are not chosen and come last, and rows that tie may stand in any order."""

    expected: Expected

    def lenient(self, rows: Sequence[Record]) -> bool:
        """Whether they are the same rows, but for the conventions and for repeated rows."""
        return self.expected.verdict(rows) != "different"

    def exact(self, rows: Sequence[Record]) -> bool:
        """Whether they are just the rows that SQLite gives."""
        return self.expected.verdict(rows) == "same"


@dataclass(frozen=True)
class Answering:
    """Rows that answer a question.

    Attributes:
        groups: a number for each row; only rows of equal numbers may swap places.
    """

    rows: Sequence[Record]
    groups: Sequence[int]

    @classmethod
    def of(
        cls, rows: Sequence[Record], ordered: bool, groups: Sequence[int] | None = None
    ) -> Answering:
        """Rows whose order counts or does not; `groups` are of equal ranks, if that is known."""
        given = groups if groups is not None else range(len(rows))
        return cls(rows, tuple(given) if ordered else (0,) * len(rows))


@dataclass(frozen=True)
class TypedRows:
    """The rows that answer a typed question, any of several.

    Attributes:
        yes_no: whether it is asked for yes or no.
        half_cent: whether numbers may differ by the last of two decimals.
    """

    accepted: Sequence[Answering]
    yes_no: bool = False
    half_cent: bool = False
    _plain: list[list[Record]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        plain = [[tuple(map(_plain, row)) for row in one.rows] for one in self.accepted]
        object.__setattr__(self, "_plain", plain)

    def lenient(self, rows: Sequence[Record]) -> bool:
        """Whether they answer it."""
        if self.yes_no:
            said = _truth(rows)
            return said is not None and any(said == _truth(one.rows) for one in self.accepted)
        mine = [tuple(map(_plain, row)) for row in rows]
        return any(
            self._fits(said, wanted, one.groups)
            for one, gold in zip(self.accepted, self._plain, strict=True)
            if len(gold) == len(mine)
            for said, wanted in _with_names(mine, gold)
        )

    def exact(self, rows: Sequence[Record]) -> bool:
        """Whether they are the expected rows, no column more."""
        if self.yes_no:
            return self.lenient(rows)
        mine = [tuple(map(_plain, row)) for row in rows]
        return any(
            len(gold) == len(mine)
            and (not gold or len(gold[0]) == len(mine[0]))
            and self._fits(mine, gold, one.groups)
            for one, gold in zip(self.accepted, self._plain, strict=True)
        )

    def _fits(self, mine: Sequence[Record], gold: Sequence[Record], groups: Sequence[int]) -> bool:
        """Whether rows are the expected ones in some order of columns."""
        if not gold:
            return True
        width, most = len(gold[0]), len(mine[0])
        if not width <= most <= width + MORE:
            return False
        columns = [[(row[number],) for row in mine] for number in range(most)]
        fitting = []
        for number in range(width):
            wanted = [(row[number],) for row in gold]
            fitting.append([k for k in range(most) if self._same(columns[k], wanted)])
        for order in islice(product(*fitting), TRIED):
            more = [columns[k] for k in range(most) if k not in order]
            if len(set(order)) == width and all(_spare(one, gold) for one in more):
                moved = [tuple(row[k] for k in order) for row in mine]
                if self._in_order(moved, gold, groups):
                    return True
        return False

    def _in_order(
        self, mine: Sequence[Record], gold: Sequence[Record], groups: Sequence[int]
    ) -> bool:
        ends = [n for n in range(1, len(gold)) if groups[n] != groups[n - 1]] + [len(gold)]
        starts = [0, *ends[:-1]]
        return all(
            self._same(mine[start:end], gold[start:end])
            for start, end in zip(starts, ends, strict=True)
        )

    def _same(self, mine: Sequence[Record], gold: Sequence[Record]) -> bool:
        """Whether rows are the same in any order."""
        said, wanted = Counter(map(_rounded, mine)), Counter(map(_rounded, gold))
        if said == wanted:
            return True
        # Two roundings of one number may differ; what is left is compared pair by pair.
        rest, left = list((said - wanted).elements()), wanted - said
        if len(rest) > LEFT:
            return False
        odd = [row for row in mine if _rounded(row) in set(rest)]
        open_ = [row for row in gold if left[_rounded(row)]]
        return len(odd) == len(open_) and self._paired(odd, open_)

    def _paired(self, mine: Sequence[Record], gold: list[Record]) -> bool:
        for row in mine:
            near = (number for number, other in enumerate(gold) if all(map(self._near, row, other)))
            found = next(near, None)
            if found is None:
                return False
            del gold[found]
        return True

    def _near(self, said: Any, wanted: Any) -> bool:
        if not (isinstance(said, float) or isinstance(wanted, float)):
            return bool(said == wanted)
        if not isinstance(said, int | float) or not isinstance(wanted, int | float):
            return False
        raw = abs(said - round(said, 2)) > 1e-9
        most = 0.0101 if self.half_cent else 0.005 + 1e-6 if raw else 1e-9
        return abs(said - wanted) <= most


def _plain(value: Any) -> Any:
    """A value as it is compared: numbers in texts are numbers, and texts have no case."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = " ".join(unicodedata.normalize("NFC", str(value)).split())
    if _NUMBER.fullmatch(text):
        return float(text) if re.search("[.eE]", text) else int(text)
    day = _MIDNIGHT.fullmatch(text)
    return (day[1] if day else text).casefold()


def _rounded(row: Record) -> Record:
    return tuple(round(value, 2) if isinstance(value, float) else value for value in row)


def _truth(rows: Sequence[Record]) -> bool | None:
    if len(rows) != 1 or len(rows[0]) != 1:
        return None
    return _YES_NO.get(str(_plain(rows[0][0])))


def _spare(column: Sequence[Record], gold: Sequence[Record]) -> bool:
    """Whether a column that is not asked for looks like a name or a key."""
    values = [value for (value,) in column]
    if all(value is None or isinstance(value, str) for value in values):
        return True
    figure = len(gold) == 1 and all(isinstance(value, int | float) for value in gold[0])
    whole = all(isinstance(value, int | float) and float(value).is_integer() for value in values)
    return whole and not figure and len(set(values)) == len(values)


def _with_names(
    mine: Sequence[Record], gold: Sequence[Record]
) -> Iterator[tuple[Sequence[Record], Sequence[Record]]]:
    """Rows and expected rows as they are, and with two texts side by side made one in either."""
    yield mine, gold
    if mine and len(mine[0]) <= len(gold[0]) + MORE:
        yield from ((one, gold) for one in _joined(mine))
    for one in _joined(gold):
        yield mine, one


def _joined(rows: Sequence[Record]) -> Iterator[Sequence[Record]]:
    width = len(rows[0]) if rows else 0
    for left in range(width - 1):
        if all(isinstance(row[left], str) and isinstance(row[left + 1], str) for row in rows):
            for form in ("{0} {1}", "{1}, {0}"):
                yield [
                    (*row[:left], form.format(row[left], row[left + 1]), *row[left + 2 :])
                    for row in rows
                ]

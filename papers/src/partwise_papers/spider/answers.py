"""Whether two answers are the same: rows in any order of columns, numbers rounded to 6 digits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any, Literal, NamedTuple

Record = tuple[Any, ...]
"""A row of an answer."""
Verdict = Literal["same", "usual", "ties", "repeats", "different"]
"""How an answer compares: the same rows; the same under the
conventions of programs for nulls, single values and ties of groups;
the same but for the choice among rows that tie or for their order; the same once each row is listed
once; different."""
VERDICTS: tuple[Verdict, ...] = ("same", "usual", "ties", "repeats", "different")
"""From the best to the worst."""
WIDEST = 5
"""Columns up to which all orders are tried; of more, only those in which the columns fit."""


class Gold(NamedTuple):
    """The rows of the right answer.

    Attributes:
        rows: in their order.
        keys: what each of `every` is ordered by; empty without an order.
        every: all rows, as if there were no limit.
        ordered: whether the order matters.
    """

    rows: list[Record]
    keys: list[Record]
    every: list[Record]
    ordered: bool

    def verdict(self, predicted: Sequence[Record]) -> Verdict:
        """How predicted rows compare with these."""
        mine = [tuple(map(_plain, row)) for row in predicted]
        gold = self._replaced(*([tuple(map(_plain, row)) for row in one] for one in self[:3]))
        best: Verdict = "different"
        for order in _orders(mine, gold.every):
            moved = [tuple(row[one] for one in order) for row in mine]
            found = gold._compared(moved)
            if found == "same":
                return "same"
            if found != "different":
                best = found if best == "different" or found == "ties" else best
        return best

    def _replaced(self, rows: list[Record], keys: list[Record], every: list[Record]) -> Gold:
        return Gold(rows, keys, every, self.ordered)

    def _compared(self, mine: list[Record]) -> Verdict:
        if mine == self.rows if self.ordered else Counter(mine) == Counter(self.rows):
            return "same"
        if self.keys and len(mine) == len(self.rows) and self._tied(mine):
            return "ties"
        once, gold = list(dict.fromkeys(mine)), list(dict.fromkeys(self.rows))
        cut = len(self.rows) < len(self.every)
        if not cut and (once == gold if self.ordered and not self.keys else set(once) == set(gold)):
            return "repeats"
        return "different"

    def _tied(self, mine: list[Record]) -> bool:
        """Whether rows follow the order, with any of those that tie."""
        start = 0
        while start < len(mine):
            key, end = self.keys[start], start
            while end < len(self.keys) and self.keys[end] == key:
                end += 1
            tied = Counter(self.every[start:end])
            if Counter(mine[start:end]) - tied:
                return False
            start = end
        return True


class Expected(NamedTuple):
    """The rows of the right answer: as SQLite gives them, and under the conventions of programs."""

    plain: Gold
    usual: Gold

    def verdict(self, predicted: Sequence[Record]) -> Verdict:
        """How predicted rows compare with these, at best."""
        plain = self.plain.verdict(predicted)
        if plain == "same":
            return plain
        usual = self.usual.verdict(predicted)
        return min(plain, "usual" if usual == "same" else usual, key=VERDICTS.index)


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return round(value, 6) if isinstance(value, float) else value


def _orders(mine: Sequence[Record], gold: Sequence[Record]) -> Iterator[tuple[int, ...]]:
    """The orders of the columns in which predicted rows can be the right ones."""
    width = len(gold[0]) if gold else len(mine[0]) if mine else 0
    if mine and len(mine[0]) != width:
        return
    if width > WIDEST or not mine or not gold:
        yield tuple(range(width))
        return
    columns = [set(one) for one in zip(*mine, strict=True)]
    right = [set(one) for one in zip(*gold, strict=True)]
    for order in permutations(range(width)):
        if all(columns[one] <= right[number] for number, one in enumerate(order)):
            yield order

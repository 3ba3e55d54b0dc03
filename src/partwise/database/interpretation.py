"""What a question may mean: a program, and the tree that it was read off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from partwise.chart.k_best import FromConstant, FromFill, FromJoin, Item
from partwise.execution.relational.program import Program


class Parse(NamedTuple):
    """A program, and how it was found.

    Attributes:
        item: the frame that says the whole question.
        steps: what the program has that no word said, by name, and the shape of the frame.
    """

    program: Program
    item: Item
    steps: tuple[str, ...]
    score: float


def items_of(item: Item) -> Iterator[Item]:
    """An item and all that it is made of, from the top, from left to right."""
    waiting = [item]
    while waiting:
        here = waiting.pop()
        yield here
        match here.back:
            case FromConstant():
                pass
            case FromJoin(_, left, right):
                waiting += [right, left]
            case FromFill(_, _, before, modifier):
                waiting += [modifier] if before is None else [modifier, before]
            case _:
                waiting.append(here.back.item)


def constants_of(item: Item) -> list[int]:
    """Numbers of the constants that were used, from left to right."""
    return [part.back.number for part in items_of(item) if isinstance(part.back, FromConstant)]

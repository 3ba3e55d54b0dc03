"""A question as it was read, and the names of the database that it was read by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from torch import Tensor

from partwise.database.context import Context
from partwise.database.reading.labels import Labeller
from partwise.database.reading.readings import Reading, ReadingScores
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import Word


class Read(NamedTuple):
    """A question as it was read.

    Attributes:
        vectors: ``[words, dim]``.
        context: which names it may speak of.
        scores: of its labels, from which those of the readings are summed.
        readings: the best first.
        odds: of the first readings, as the cross-encoder tells them (logarithms); none without it.
    """

    words: tuple[Word, ...]
    vectors: Tensor
    context: Context
    scores: ReadingScores
    readings: list[Reading]
    odds: tuple[float, ...] = ()


class NameTable(NamedTuple):
    """The names of a database as the parser compares them.

    Attributes:
        vectors: ``[names, dim]``; `compared` the same in the space of comparison.
        things: which rows are of which thing.
    """

    labeller: Labeller
    vectors: Tensor
    compared: Tensor | None
    things: Mapping[SchemaItem, Sequence[int]]

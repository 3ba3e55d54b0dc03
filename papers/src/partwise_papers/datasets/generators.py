"""What questions can be made without end: a plain dict that one can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from partwise.interface.data import Example
from partwise.language.query.graph import QueryGraph
from partwise_papers.films.generate import questions

GENERATORS: dict[str, Callable[[int], Iterator[Example[QueryGraph]]]] = {"films": questions}
"""Name -> different questions without end, always the same for the same seed."""

"""Prices of words and places, which confirmed questions teach: what one database's people mean.

A price is added to the score of an interpretation that uses a table or a column (a *place*) where
the question has a word; the word "" is in every question. So prices change which interpretation is
the best one, never what may be seen. They stand in a file of the database's folder, as
``{"fitted": {...}, "prices": {"bill": {"BILL.AMT": 0.41}}}``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.database.domain import used
from partwise.database.features import SchemaQuestion
from partwise.database.interpretation import Parse
from partwise.errors import DataError
from partwise.execution.relational.program import Program
from partwise.execution.relational.schema import Schema
from partwise.interface.domain import Issue
from partwise.interface.files import file_state

FILE = "prices.json"
LARGEST = 1_000_000
"""Bytes of a file."""
MOST, LEAST = 5.0, 0.01
"""How far a price may be from 0, and how far it must be to be kept."""
PULL, STEPS = 1.0, 150
"""How strongly prices are pulled to 0, and steps of the descent. Of 0.3 to 30, this pull let most
other questions be found on half of the databases for choosing (benchmarks/confirming.py)."""

Prices = Mapping[tuple[str, str], float]
"""Of words, as stems, and places."""


class Known(NamedTuple):
    """A question whose meaning is known, and how it was parsed.

    Attributes:
        keys: of each interpretation, what has a price.
        scores: of each, without prices.
        right: of each, whether it says that meaning.
    """

    keys: Sequence[Collection[tuple[str, str]]]
    scores: Sequence[float]
    right: Sequence[bool]


def keys_of(program: Program, question: SchemaQuestion, schema: Schema) -> set[tuple[str, str]]:
    """What has a price in a question that means a program."""
    both = zip(question.words, question.skips, strict=True)
    words = {"", *(word.stem for word, skip in both if skip != "skip function")}
    places = {
        table if column is None else f"{table}.{column}"
        for table, column in used(program, "", schema)
    }
    return {(word, place) for word in words for place in places}


def priced(
    found: Sequence[Parse], question: SchemaQuestion, prices: Prices, schema: Schema
) -> list[Parse]:
    """Interpretations with prices in their scores, the best first."""
    if not prices:
        return list(found)
    made = (
        x._replace(
            score=x.score
            + math.fsum(prices.get(key, 0.0) for key in keys_of(x.program, question, schema))
        )
        for x in found
    )
    return sorted(made, key=lambda x: -x.score)


def fit_prices(questions: Sequence[Known]) -> dict[tuple[str, str], float]:
    """Prices that make the right interpretations together as probable as they can among all, where
    each costs its square; by Nesterov's descent."""
    lists = [known for known in questions if 0 < sum(known.right) < len(known.right)]
    names = sorted({key for known in lists for keys in known.keys for key in keys})
    if not names:
        return {}
    number = {name: column for column, name in enumerate(names)}
    blocks = [np.zeros((len(known.keys), len(names))) for known in lists]
    for block, known in zip(blocks, lists, strict=True):
        for row, keys in enumerate(known.keys):
            block[row, [number[key] for key in keys]] = 1.0
    # What all interpretations of a question have changes nothing.
    rows = np.concatenate([block - block.mean(0) for block in blocks])
    starts = np.cumsum([0, *map(len, blocks)])
    scores = np.concatenate([known.scores for known in lists])
    right = np.concatenate([known.right for known in lists])

    def shares(of: NDArray[np.float64]) -> NDArray[np.float64]:
        parts = np.split(of, starts[1:-1])
        grown = [np.exp(part - part.max()) for part in parts]
        return np.concatenate([part / part.sum() for part in grown])

    steepest = np.ones(len(names))
    for _ in range(15):
        steepest = rows.T @ (rows @ steepest)
        size = float(np.linalg.norm(steepest))
        steepest /= size or 1.0
    rate, last, ahead, pace = 1 / (size / 2 + PULL), np.zeros(len(names)), np.zeros(len(names)), 1.0
    for _ in range(STEPS):
        total = scores + rows @ ahead
        wrong = shares(total) - shares(np.where(right, total, -np.inf))
        new = ahead - rate * (rows.T @ wrong + PULL * ahead)
        faster = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
        ahead, last, pace = new + (pace - 1) / faster * (new - last), new, faster
    each = zip(names, np.clip(last, -MOST, MOST).round(3).tolist(), strict=True)
    return {name: price for name, price in each if abs(price) >= LEAST}


def log_share(known: Known, prices: Prices) -> float:
    """The logarithm of how probable the right interpretations are; 0 if none is."""
    total = np.array(known.scores) + [sum(prices.get(x, 0.0) for x in keys) for keys in known.keys]
    grown, right = np.exp(total - total.max()), np.array(known.right, bool)
    return math.log(max(1e-12, grown[right].sum() / grown.sum())) if right.any() else 0.0


class FolderPrices:
    """The prices of a folder, which are read again when their file changes; none from a file that
    cannot be read."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self._state: tuple[int, ...] = ()
        self._known: Prices = {}

    def __call__(self) -> Prices:
        if (state := file_state(self.file)) != self._state:
            try:
                self._known = self.read()
            except DataError:
                self._known = {}
            self._state = state
        return self._known

    def read(self) -> Prices:
        """What the file says; nothing if there is none. Raises DataError if it cannot be read."""
        if not self.file.exists():
            return {}
        try:
            if not self.file.is_file() or self.file.stat().st_size > LARGEST:
                raise DataError(f"{self.file} is no file, or larger than {LARGEST} bytes")
            said = json.loads(self.file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise DataError(f"{self.file} cannot be read: {error}") from error
        words = said.get("prices") if isinstance(said, dict) else None
        if not isinstance(words, dict) or not all(isinstance(x, dict) for x in words.values()):
            raise DataError(f'{self.file}: it has no "prices" of words and, in these, of places')
        made = {(word, place): price for word, x in words.items() for place, price in x.items()}
        for (word, place), price in made.items():
            # A whole number may be too large for one with a fraction, and what is no number fails.
            if type(price) not in (int, float) or not -MOST <= price <= MOST:
                raise DataError(
                    f"{self.file}: the price of {word!r} and {place!r} is {str(price)[:40]}; it "
                    f"must be a number from {-MOST} to {MOST}"
                )
        return made

    def issues(self) -> Iterator[Issue]:
        """Why the file is not used."""
        try:
            self.read()
        except DataError as error:
            advice = "fit them again with partwise improve --write, or take the file out"
            yield Issue("error", "prices", "the prices", str(error), advice, FILE)


def text_of(prices: Prices, fitted: Mapping[str, Any]) -> str:
    """The text of a file. `fitted`: what they were fitted on."""
    words: dict[str, dict[str, float]] = {}
    for (word, place), price in sorted(prices.items()):
        words.setdefault(word, {})[place] = price
    return json.dumps({"fitted": fitted, "prices": words}, indent=1, ensure_ascii=False) + "\n"

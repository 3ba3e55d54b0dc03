"""How the arguments of a call may follow each other, as automata over kinds of arguments.

Sets of kinds are whole numbers, a bit for each kind.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from partwise.language.open_types import MAX_PARTS
from partwise.language.types import Bindings, Pattern, match, substitute


class Item(NamedTuple):
    """An argument: its name, if it is written with one, and the kinds that it may have."""

    keyword: str
    kinds: int


class Row(NamedTuple):
    """Arguments that may follow each other, and the number of the kind of the whole call."""

    items: tuple[Item, ...]
    result: int


class Call(Protocol):
    """The automaton of one head; its states are called places, which only it reads."""

    def open(self, wanted: int, within: int) -> Hashable | None:
        """The place after ``head(``, if the call can be of a kind that is wanted.

        Args:
            within: kinds that arguments may have, which are those of limited depth.
        """

    def items(self, place: Any, within: int) -> Mapping[str, int]:
        """Name of the next argument ("" for none) -> the kinds that it may have."""

    def push(self, place: Any, keyword: str, kind: int) -> Hashable:
        """The place after an argument."""

    def result(self, place: Any) -> int | None:
        """The kind of the call if it may end here."""

    def results(self) -> int:
        """All kinds that the call may have."""


def bits(kinds: int) -> Iterator[int]:
    """The numbers of the kinds in a set."""
    while kinds:
        lowest = kinds & -kinds
        yield lowest.bit_length() - 1
        kinds ^= lowest


class Rows:
    """A call with a bounded number of arguments.

    A place is the number of arguments that are there, and the set of rows still possible.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)
        self._items: dict[tuple[tuple[int, int], int], Mapping[str, int]] = {}

    def open(self, wanted: int, within: int) -> tuple[int, int] | None:
        """See `Call`."""
        alive = sum(
            1 << number
            for number, row in enumerate(self.rows)
            if wanted >> row.result & 1 and all(item.kinds & within for item in row.items)
        )
        return (0, alive) if alive else None

    def items(self, place: tuple[int, int], within: int) -> Mapping[str, int]:
        """See `Call`."""
        if (place, within) not in self._items:
            found: dict[str, int] = {}
            for row in map(self.rows.__getitem__, bits(place[1])):
                if len(row.items) > place[0]:
                    keyword, kinds = row.items[place[0]]
                    found[keyword] = found.get(keyword, 0) | kinds & within
            self._items[place, within] = found
        return self._items[place, within]

    def push(self, place: tuple[int, int], keyword: str, kind: int) -> tuple[int, int]:
        """See `Call`."""
        at, kept = place[0], 0
        for number in bits(place[1]):
            items = self.rows[number].items
            if len(items) > at and items[at].keyword == keyword and items[at].kinds >> kind & 1:
                kept |= 1 << number
        return at + 1, kept

    def result(self, place: tuple[int, int]) -> int | None:
        """See `Call`."""
        rows = map(self.rows.__getitem__, bits(place[1]))
        return next((row.result for row in rows if len(row.items) == place[0]), None)

    def results(self) -> int:
        """See `Call`."""
        return sum({1 << row.result for row in self.rows})


Bound = tuple[tuple[tuple[str, Pattern], ...] | None, ...]
"""What each signature of a conjunction binds its variables to; None where a part does not fit."""


class Conjunction:
    """The types of a conjunction of any number of parts, part by part.

    Args:
        signatures: the pattern of each signature's only parameter, and what it returns.
    """

    def __init__(self, signatures: Sequence[tuple[Pattern, Pattern]]) -> None:
        self.signatures = signatures
        self.start: Bound = ((),) * len(signatures)

    def step(self, bound: Bound, part: Pattern) -> Bound | None:
        """What is bound after one more part; None where it fits no signature."""
        after: list[tuple[tuple[str, Pattern], ...] | None] = []
        for (pattern, _), known in zip(self.signatures, bound, strict=True):
            bindings: Bindings | None = None if known is None else dict(known)  # type: ignore[arg-type]
            bindings = None if bindings is None else match(pattern, part, bindings)
            after.append(None if bindings is None else tuple(sorted(bindings.items())))
        return tuple(after) if any(one is not None for one in after) else None

    def type(self, bound: Bound) -> Pattern:
        """What the conjunction returns: the first signature that takes all parts decides."""
        (_, returns), known = next(
            (signature, known)
            for signature, known in zip(self.signatures, bound, strict=True)
            if known is not None
        )
        return substitute(returns, dict(known))


PartsPlace = tuple[Bound, int, int]


class Parts:
    """A conjunction of two to `MAX_PARTS` parts.

    A place is what is bound, the number of parts that are there, and the kinds wanted.

    Args:
        steps: what is bound -> for each kind of a next part what is bound after it.
        kinds: what is bound -> the number of the kind of the whole.
    """

    def __init__(
        self,
        start: Bound,
        steps: Mapping[Bound, Mapping[int, Bound]],
        kinds: Mapping[Bound, int],
    ) -> None:
        self.start, self.steps, self.kinds = start, steps, kinds
        self._ends: dict[tuple[PartsPlace, int], bool] = {}
        self._items: dict[tuple[PartsPlace, int], Mapping[str, int]] = {}

    def open(self, wanted: int, within: int) -> PartsPlace | None:
        """See `Call`."""
        place = (self.start, 0, wanted)
        return place if self._can_end(place, within) else None

    def _can_end(self, place: PartsPlace, within: int) -> bool:
        if self.result(place) is not None:
            return True
        if place[1] == MAX_PARTS:
            return False
        if (place, within) not in self._ends:
            self._ends[place, within] = any(
                self._can_end((after, place[1] + 1, place[2]), within)
                for after in {
                    after for kind, after in self.steps[place[0]].items() if within >> kind & 1
                }
            )
        return self._ends[place, within]

    def items(self, place: PartsPlace, within: int) -> Mapping[str, int]:
        """See `Call`."""
        if (place, within) not in self._items:
            bound, count, wanted = place
            kinds = 0
            for kind, after in self.steps[bound].items() if count < MAX_PARTS else ():
                if within >> kind & 1 and self._can_end((after, count + 1, wanted), within):
                    kinds |= 1 << kind
            self._items[place, within] = {"": kinds} if kinds else {}
        return self._items[place, within]

    def push(self, place: PartsPlace, keyword: str, kind: int) -> PartsPlace:
        """See `Call`."""
        return self.steps[place[0]][kind], place[1] + 1, place[2]

    @staticmethod
    def shortened(place: Any) -> PartsPlace:
        """A place with as few parts as may stand for all that have two or more."""
        bound, count, wanted = place
        return bound, min(count, 2), wanted

    def result(self, place: PartsPlace) -> int | None:
        """See `Call`."""
        bound, count, wanted = place
        kind = self.kinds.get(bound)
        return kind if count > 1 and kind is not None and wanted >> kind & 1 else None

    def results(self) -> int:
        """See `Call`."""
        return sum({1 << kind for kind in self.kinds.values()})

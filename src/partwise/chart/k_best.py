"""The k best phrases of every span, for algebras whose items carry a meaning.

An item is a kind and a meaning. Items of neighbouring spans join as a table of pairs of kinds says;
a *frame* takes its modifiers one by one, from left to right, so that each meaning has one tree.
Words between may be passed over, at a price.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from partwise.interface.budget import Work

NEVER = -math.inf
FILLED, JOINED = 32_000, 500
"""What letting a modifier into a frame, and joining two phrases, cost of `Work`."""

Made = tuple[str, Any, str]
"""Kind, meaning and name of what a join or a unary step gives."""


JoinRule = Callable[[Any, Any], Iterable[Made]]
"""What two meanings give."""

UnaryRule = Callable[[Any], Iterable[Made]]
"""What one meaning may be as well."""


class FromConstant(NamedTuple):
    """A constant of the question, by its number."""

    number: int


class FromJoin(NamedTuple):
    """Two neighbours."""

    name: str
    left: Item
    right: Item


class FromUnary(NamedTuple):
    """One item, raised to another kind."""

    name: str
    item: Item


class FromSkip(NamedTuple):
    """An item, and a word beside it that was passed over."""

    word: int
    item: Item


class FromFill(NamedTuple):
    """A frame and one modifier more.

    Attributes:
        slot: what the modifier does.
        links: how far its table is from those of the frame.
        before: the frame; None where this is its first modifier.
        last: the slot that was filled before; ``start`` if there is none.
        same: whether it speaks of a table of the frame, ``same`` or ``other``; nothing at the
            beginning.
    """

    slot: str
    links: int
    before: Item | None
    item: Item
    last: str
    same: str


Back = FromConstant | FromJoin | FromUnary | FromSkip | FromFill


class Item(NamedTuple):
    """A phrase.

    Attributes:
        back: what it is made of.
        constant: its number, where it is a constant and nothing else; -1 if it is built of several.
        start: its first word that gave something.
        end: behind its last word that did.
    """

    score: float
    kind: str
    meaning: Any
    back: Back
    constant: int
    start: int
    end: int


class Leaf(Protocol):
    """A constant of a question."""

    @property
    def start(self) -> int:
        """Its first word."""

    @property
    def end(self) -> int:
        """Behind its last word."""

    @property
    def kind(self) -> str:
        """Its kind."""

    @property
    def meaning(self) -> Any:
        """Its meaning."""


class PhraseAlgebra(Protocol):
    """Which phrases join."""

    @property
    def joins(self) -> Mapping[tuple[str, str], JoinRule]:
        """Pairs of kinds -> what two meanings give."""

    @property
    def unary(self) -> Mapping[str, UnaryRule]:
        """Kind -> what one meaning may be as well. That of `FRAME` closes a frame."""

    @property
    def modifiers(self) -> frozenset[str]:
        """Kinds that a frame may take."""

    @property
    def empty(self) -> Any:
        """The frame that nothing has filled."""

    @property
    def distinct(self) -> frozenset[str]:
        """Kinds whose constants are told apart although they mean the same: what words they are
        counts later."""

    def fill(self, frame: Any, kind: str, meaning: Any) -> Iterable[tuple[Any, str]]:
        """What a modifier may do in a frame: the frame after it, and the slot."""

    def links(self, frame: Any, kind: str, meaning: Any) -> int:
        """How far what a modifier speaks of is from what the frame does."""


class PhraseScores(Protocol):
    """What is summed over a tree; of one question."""

    def constant(self, number: int) -> float:
        """Of a constant."""

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""

    def join(self, name: str, left: Item, right: Item) -> float:
        """Of a join."""

    def unary(self, name: str, item: Item) -> float:
        """Of a unary step."""

    def fill(self, slot: str, item: Item, last: str, same: str) -> float:
        """Of what a modifier does in a frame, as `FromFill` names it."""

    def links(self, number: int) -> float:
        """Of the links between a modifier and its frame."""


class Beam(NamedTuple):
    """How much is kept; infinite widths search everything.

    Attributes:
        cell: phrases of each span, and frames from the beginning that end at each word.
        inner: frames of each span inside.
        margin: how far below the best of its span a phrase may score.
        longest: words of the widest phrase, or frame inside.
        frames: whole frames that are returned.
        slack: how much more a slot may add to a frame than the same modifier's did to better
            frames; less than that is not looked for.
    """

    cell: float = 30
    inner: float = 8
    margin: float = 12.0
    longest: int = 9
    frames: int = 60
    slack: float = 2.0


FRAME = "FRAME"
"""The kind of frames."""

Cell = dict[int, Item]
"""The best phrase of each key of a span."""


def k_best(
    constants: Sequence[Leaf],
    scores: PhraseScores,
    algebra: PhraseAlgebra,
    beam: Beam,
    work: Work | None = None,
) -> list[Item]:
    """The best frames over all words that some constant covers, best first. A frame inside another
    begins behind the first of these words. Raises TooCostlyError if it is more than `work`
    allows."""
    return _Chart(constants, scores, algebra, beam).whole(work or Work())


class _Chart:
    """The recurrence over spans of the words that some constant covers, by their ends.

    Phrases are *tight*: their first and their last word give something. A join takes a tight left
    part, and a right one behind words that are passed over, so that each pair joins once.

    Attributes:
        states: numbers of kinds with meanings.
        tight: span -> phrases, best first; frames come last.
        right: the same behind words that are passed over, by kind.
        opened: first word -> end -> frames that may take a modifier there, best first.
    """

    def __init__(
        self, constants: Sequence[Leaf], scores: PhraseScores, algebra: PhraseAlgebra, beam: Beam
    ) -> None:
        self.scores, self.algebra, self.beam = scores, algebra, beam
        self.words = sorted({w for leaf in constants for w in range(leaf.start, leaf.end)})
        self.skips = [scores.skip(word) for word in self.words]
        place = {word: number for number, word in enumerate(self.words)}
        self.leaves: dict[tuple[int, int], list[Item]] = {}
        for number, leaf in enumerate(constants):
            span, back = (leaf.start, leaf.end), FromConstant(number)
            item = Item(scores.constant(number), leaf.kind, leaf.meaning, back, number, *span)
            places = place[leaf.start], place[leaf.end - 1] + 1
            self.leaves.setdefault(places, []).append(item)
        self.width = len(constants) + 1
        self.states: dict[tuple[str, Any], int] = {}
        self.joined: dict[tuple[int, int], list[tuple[int, Made]]] = {}
        self.partners: dict[str, list[tuple[str, JoinRule]]] = {}
        for (left, kind), rule in algebra.joins.items():
            self.partners.setdefault(left, []).append((kind, rule))
        self.tight: dict[tuple[int, int], Cell] = {}
        self.right: dict[tuple[int, int], dict[str, list[tuple[int, Item]]]] = {}
        self.opened: dict[int, list[Cell]] = {}
        self.spent = 0

    def whole(self, work: Work) -> list[Item]:
        """The frames over all words."""
        for end in range(1, len(self.words) + 1):
            for start in range(end - 1, max(-1, end - 1 - self.beam.longest), -1):
                self.fill_span(start, end)
                work.spend(self.spent)
                self.spent = 0
            self.fill_frames(0, end, self.beam.cell)
        found = self.opened[0][-1].values() if self.words else ()
        return list(found)[: self.beam.frames]

    def key(self, kind: str, meaning: Any, constant: int) -> int:
        """What keeps the phrases of a span apart."""
        states = self.states
        state = states.setdefault((kind, meaning), len(states)) * self.width
        return state + constant + 1 if kind in self.algebra.distinct else state

    def put(self, cell: Cell, item: Item) -> None:
        """Keep a phrase if it is the best of its key."""
        key = self.key(item.kind, item.meaning, item.constant)
        old = cell.get(key)
        if item.score > (NEVER if old is None else old.score):
            cell[key] = item

    def pruned(self, cell: Cell, size: float) -> Cell:
        """The best phrases, best first."""
        best = sorted(cell.items(), key=_score, reverse=True)
        if len(best) > size:
            del best[int(size) :]
        floor = best[0][1].score - self.beam.margin if best else 0.0
        while best and best[-1][1].score < floor:
            best.pop()
        return dict(best)

    def passed(self, item: Item, place: int) -> Item:
        """A phrase, and a word beside it that is passed over."""
        score, kind, meaning, _, constant, start, end = item
        back = FromSkip(self.words[place], item)
        return Item(score + self.skips[place], kind, meaning, back, constant, start, end)

    def fill_span(self, start: int, end: int) -> None:
        """All phrases over a span."""
        cell: Cell = {}
        for item in self.leaves.get((start, end), ()):
            self.put(cell, item)
        for middle in range(start + 1, end):
            left, right = self.tight[start, middle], self.right[middle, end]
            if left and right:
                self.join(cell, left, right)
        for item in list(cell.values()):
            self.raise_item(cell, item)
        cell = self.tight[start, end] = self.pruned(cell, self.beam.cell)
        plain = dict(cell)
        frames: Cell = {}
        if start > 0 and self.algebra.modifiers:
            frames = self.fill_frames(start, end, self.beam.inner)
            for item in frames.values():
                self.raise_item(plain, item)
            self.tight[start, end] = {**plain, **frames}
        after = self.right.get((start + 1, end), {})
        self.right[start, end] = self.extended(start, after, plain, frames)

    def extended(
        self, start: int, after: Mapping[str, list[tuple[int, Item]]], plain: Cell, frames: Cell
    ) -> dict[str, list[tuple[int, Item]]]:
        """The phrases from a word on, also those that pass over it, by kind."""
        skip = self.skips[start]
        for kind, some in after.items():
            cell = frames if kind == FRAME else plain
            for key, item in some:
                old = cell.get(key)
                if item.score + skip > (NEVER if old is None else old.score):
                    cell[key] = self.passed(item, start)
        by_kind: dict[str, list[tuple[int, Item]]] = {}
        for cell, size in ((plain, self.beam.cell), (frames, self.beam.inner)):
            for pair in self.pruned(cell, size).items():
                by_kind.setdefault(pair[1].kind, []).append(pair)
        return by_kind

    def join(self, cell: Cell, left: Cell, right: Mapping[str, list[tuple[int, Item]]]) -> None:
        """Join the phrases of two neighbours."""
        for key, first in left.items():
            for kind, rule in self.partners.get(first.kind, ()):
                seconds = right.get(kind, ())
                self.spent += JOINED * len(seconds)
                for other, second in seconds:
                    pair = key // self.width, other // self.width
                    made = self.joined.get(pair)
                    if made is None:
                        every = rule(first.meaning, second.meaning)
                        made = [(self.key(some[0], some[1], -1), some) for some in every]
                        self.joined[pair] = made
                    for new, (result, meaning, name) in made:
                        total = first.score + second.score
                        total += self.scores.join(name, first, second)
                        old = cell.get(new)
                        if total > (NEVER if old is None else old.score):
                            back = FromJoin(name, first, second)
                            span = first.start, second.end
                            cell[new] = Item(total, result, meaning, back, -1, *span)

    def raise_item(self, cell: Cell, item: Item) -> None:
        """What a phrase may be as well."""
        rule = self.algebra.unary.get(item.kind)
        for kind, meaning, name in () if rule is None else rule(item.meaning):
            score = item.score + self.scores.unary(name, item)
            self.put(cell, Item(score, kind, meaning, FromUnary(name, item), *item[4:]))

    def fill_frames(self, start: int, end: int, size: float) -> Cell:
        """The frames from a word on whose last modifier ends here. Pairs of a frame and a modifier
        come best first; a modifier is done when what its slots add no longer reaches what is
        kept."""
        opened = self.opened.setdefault(start, [{} for _ in range(start + 1)])
        cell, floor = Cell(), NEVER
        queue: list[tuple[float, int, int, list[Item], Item]] = []
        gains: list[float] = []
        for middle in range(max(start, end - self.beam.longest), end):
            befores = list(opened[middle].values())
            for item in self.tight[middle, end].values():
                if item.kind not in self.algebra.modifiers:
                    continue
                if start in (0, middle):
                    self.fill(cell, None, self.first(item, middle, start), floor)
                if befores:
                    base = -item.score - befores[0].score
                    queue.append((base, len(gains), 0, befores, item))
                    gains.append(math.inf)
        heapq.heapify(queue)
        while queue:
            base, number, place, befores, item = queue[0]
            if gains[number] - base < floor - self.beam.slack:
                heapq.heappop(queue)
                continue
            gain = self.fill(cell, befores[place], item, floor)
            if gain > NEVER and (gains[number] == math.inf or gain > gains[number]):
                gains[number] = gain
            if place + 1 < len(befores):
                base = -item.score - befores[place + 1].score
                heapq.heapreplace(queue, (base, number, place + 1, befores, item))
            else:
                heapq.heappop(queue)
            if len(cell) > 2 * size:
                cell = self.pruned(cell, size)
                kept = [item.score for item in cell.values()]
                floor = kept[-1] if len(kept) >= size else kept[0] - self.beam.margin
        cell = self.pruned(cell, size)
        opened.append(self.kept_open(cell, opened[end - 1], end - 1, size))
        return cell

    def first(self, item: Item, place: int, start: int) -> Item:
        """A modifier, and the words from the beginning that are passed over before it."""
        for number in range(place - 1, start - 1, -1):
            item = self.passed(item, number)
        return item

    def kept_open(self, cell: Cell, opened: Cell, place: int, size: float) -> Cell:
        """Frames, also those that pass over the last word."""
        every, skip = dict(cell), self.skips[place]
        for key, frame in opened.items():
            old = cell.get(key)
            if frame.score + skip > (NEVER if old is None else old.score):
                every[key] = self.passed(frame, place)
        return self.pruned(every, size)

    def fill(self, cell: Cell, before: Item | None, item: Item, floor: float) -> float:
        """Let a modifier do what it may in a frame. Returns the most that this adds."""
        self.spent += FILLED
        frame, score, start, last, same, links = self.algebra.empty, 0.0, item.start, "start", "", 0
        if before is not None:
            frame, score, start = before.meaning, before.score, before.start
            links = self.algebra.links(frame, item.kind, item.meaning)
            last, same = last_slot(before), "other" if links else "same"
        base = score + item.score
        link = self.scores.links(links)
        gain = NEVER
        for made, slot in self.algebra.fill(frame, item.kind, item.meaning):
            more = link + self.scores.fill(slot, item, last, same)
            if more > gain:
                gain = more
            total = base + more
            if total >= floor:
                key = self.key(FRAME, made, -1)
                known = cell.get(key)
                if total > (NEVER if known is None else known.score):
                    back = FromFill(slot, links, before, item, last, same)
                    cell[key] = Item(total, FRAME, made, back, -1, start, item.end)
        return gain


def _score(pair: tuple[int, Item]) -> float:
    return pair[1].score


def last_slot(frame: Item) -> str:
    """The slot of a frame that was filled last."""
    while isinstance(frame.back, FromSkip):
        frame = frame.back.item
    return frame.back.slot if isinstance(frame.back, FromFill) else ""

"""Random algebras of phrases with scores, and all their trees, listed without a recurrence over
scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from brute import TooMany
from hypothesis import strategies as st

from partwise.chart.k_best import (
    FRAME,
    FromConstant,
    FromFill,
    FromJoin,
    FromSkip,
    FromUnary,
    Item,
    JoinRule,
    Made,
    UnaryRule,
)

KINDS = "ABCD"
Meaning = frozenset[int]
FrameSet = tuple[str, Meaning]


class RandomLeaf(NamedTuple):
    """A constant."""

    start: int
    end: int
    kind: str
    meaning: Meaning


class RandomPhrases:
    """An algebra whose meanings are sets: most can be built in several ways. A frame remembers the
    slot that was filled last, so that what counts later is in its meaning."""

    empty: FrameSet = ("start", frozenset())

    def __init__(self, rng: np.random.Generator) -> None:
        pairs = [*itertools.product(KINDS, KINDS), *((kind, FRAME) for kind in KINDS)]
        chosen = [pair for pair in pairs if rng.random() < 0.5]
        self.joins: dict[tuple[str, str], JoinRule] = {
            pair: self.rule(pair, rng) for pair in chosen
        }
        raised = {kind: str(rng.choice(list(KINDS))) for kind in (*KINDS, FRAME)}
        self.unary: dict[str, UnaryRule] = {
            k: self.raiser(k, to) for k, to in raised.items() if rng.random() < 0.5
        }
        self.modifiers = frozenset(kind for kind in KINDS if rng.random() < 0.8)
        self.distinct = frozenset(kind for kind in KINDS if rng.random() < 0.3)
        self.slots = {
            kind: [f"slot {n}" for n in range(rng.choice([0, 1, 1, 2]))] for kind in KINDS
        }

    def rule(self, pair: tuple[str, str], rng: np.random.Generator) -> JoinRule:
        """A join that gives one or two kinds, if the parts have nothing in common."""
        kinds = [str(rng.choice(list(KINDS))) for _ in range(rng.integers(1, 3))]

        def made(left: Meaning, right: Any) -> Iterator[Made]:
            other = right[1] if pair[1] == FRAME else right
            if not left & other:
                for kind in kinds:
                    yield kind, left | other, f"{' '.join(pair)} {kind}"

        return made

    def raiser(self, kind: str, raised: str) -> UnaryRule:
        """A unary step."""
        return lambda m: [(raised, m[1] if kind == FRAME else m, f"{kind} as {raised}")]

    def fill(self, frame: FrameSet, kind: str, meaning: Meaning) -> Iterator[tuple[FrameSet, str]]:
        for slot in self.slots[kind] if not meaning <= frame[1] else ():
            yield (slot, frame[1] | meaning), slot

    def links(self, frame: FrameSet, kind: str, meaning: Meaning) -> int:
        return len(frame[1] & meaning) % 3


class RandomScores:
    """A score for each name and what it sees: kinds, and constants that are told apart."""

    def __init__(self, rng: np.random.Generator, distinct: frozenset[str]) -> None:
        self.distinct, self.seed = distinct, int(rng.integers(2**31))
        self.spread = float(rng.choice([0.3, 2.0]))
        self.of = cache(self._of)

    def _of(self, *key: object) -> float:
        digits = [ord(letter) for letter in repr(key)]
        return float(np.random.default_rng([self.seed, *digits]).normal(0, self.spread))

    def seen(self, item: Item) -> tuple[str, int]:
        """What counts of a phrase."""
        return item.kind, item.constant if item.kind in self.distinct else -1

    def constant(self, number: int) -> float:
        return self.of("constant", number)

    def skip(self, word: int) -> float:
        return self.of("skip", word)

    def join(self, name: str, left: Item, right: Item) -> float:
        return self.of(name, *self.seen(left), *self.seen(right))

    def unary(self, name: str, item: Item) -> float:
        return self.of(name, *self.seen(item))

    def fill(self, slot: str, item: Item, last: str, same: str) -> float:
        return self.of(slot, *self.seen(item), last, same)

    def links(self, number: int) -> float:
        return self.of("links", number)


@dataclass(eq=False)
class PhraseProblem:
    """Constants, an algebra and scores."""

    constants: Sequence[RandomLeaf]
    algebra: RandomPhrases
    scores: RandomScores
    limit: int = 6_000

    @cached_property
    def words(self) -> list[int]:
        """The words that something covers."""
        return sorted({w for leaf in self.constants for w in range(leaf.start, leaf.end)})

    def best(self) -> dict[FrameSet, float]:
        """The best score of each whole frame."""
        found: dict[FrameSet, float] = {}
        for item in self.trees():
            found[item.meaning] = max(found.get(item.meaning, item.score), item.score)
        return found

    def trees(self) -> list[Item]:
        """All whole frames."""
        self.phrases: dict[tuple[int, int], list[Item]] = {}
        self.frames: dict[tuple[int, int], list[Item]] = {}
        ends = [word + 1 for word in self.words]
        for i, j in [(i, j) for j in ends for i in reversed(self.words) if i < j]:
            plain = [*self.leaves(i, j), *self.joined(i, j)]
            plain += [raised for item in plain for raised in self.raised(item)]
            firsts = [frame for item in plain for frame in self.filled(None, item)]
            inner = [*firsts, *self.fuller(self.frames, i, j)] if i > self.words[0] else []
            self.frames[i, j] = inner
            closed = [raised for item in inner for raised in self.raised(item)]
            self.phrases[i, j] = plain + closed + inner
            if len(self.phrases[i, j]) > self.limit:
                raise TooMany
        return self.whole(ends)

    def whole(self, ends: list[int]) -> list[Item]:
        """Frames from the beginning; words before and behind them are passed over."""
        found: dict[tuple[int, int], list[Item]] = {}
        begin, end = self.words[0], ends[-1]
        for j in ends:
            firsts = [
                frame
                for i in self.words
                for item in self.phrases.get((i, j), ())
                for frame in self.filled(None, self.passed(item, begin, i))
            ]
            found[begin, j] = [*firsts, *self.fuller(found, begin, j)]
            if len(found[begin, j]) > self.limit:
                raise TooMany
        return [self.passed(item, j, end) for (_, j), some in found.items() for item in some]

    def passed(self, item: Item, start: int, end: int) -> Item:
        """A phrase beside words that are passed over."""
        for word in self.words:
            if start <= word < end:
                score = item.score + self.scores.skip(word)
                item = item._replace(score=score, back=FromSkip(word, item))
        return item

    def leaves(self, i: int, j: int) -> Iterator[Item]:
        for number, leaf in enumerate(self.constants):
            if (leaf.start, leaf.end) == (i, j):
                score, back = self.scores.constant(number), FromConstant(number)
                yield Item(score, leaf.kind, leaf.meaning, back, number, i, j)

    def rights(self, m: int, j: int) -> Iterator[Item]:
        """Phrases that end here, behind words that are passed over."""
        for start in self.words:
            if m <= start < j:
                for item in self.phrases[start, j]:
                    yield self.passed(item, m, start)

    def joined(self, i: int, j: int) -> Iterator[Item]:
        for m in range(i + 1, j):
            for left, right in itertools.product(self.phrases.get((i, m), ()), self.rights(m, j)):
                rule = self.algebra.joins.get((left.kind, right.kind))
                for kind, meaning, name in rule(left.meaning, right.meaning) if rule else ():
                    score = left.score + right.score + self.scores.join(name, left, right)
                    yield Item(score, kind, meaning, FromJoin(name, left, right), -1, i, j)

    def raised(self, item: Item) -> Iterator[Item]:
        rule = self.algebra.unary.get(item.kind)
        for kind, meaning, name in rule(item.meaning) if rule else ():
            score = item.score + self.scores.unary(name, item)
            back = FromUnary(name, item)
            yield item._replace(score=score, kind=kind, meaning=meaning, back=back)

    def fuller(self, frames: dict[tuple[int, int], list[Item]], i: int, j: int) -> Iterator[Item]:
        """Frames with a modifier more."""
        for m in range(i + 1, j):
            for before, item in itertools.product(frames.get((i, m), ()), self.rights(m, j)):
                yield from self.filled(before, item)

    def filled(self, before: Item | None, item: Item) -> Iterator[Item]:
        frame, last, same, links, score = self.algebra.empty, "start", "", 0, 0.0
        if item.kind not in self.algebra.modifiers:
            return
        if before is not None:
            frame, last, score = before.meaning, before.meaning[0], before.score
            links = self.algebra.links(frame, item.kind, item.meaning)
            same = "other" if links else "same"
        for made, slot in self.algebra.fill(frame, item.kind, item.meaning):
            more = self.scores.links(links) + self.scores.fill(slot, item, last, same)
            back = FromFill(slot, links, before, item, last, same)
            start = item.start if before is None else before.start
            yield Item(score + item.score + more, FRAME, made, back, -1, start, item.end)


def score_of(item: Item, scores: RandomScores) -> float:
    """The sum over a tree."""
    match item.back:
        case FromConstant(number):
            return scores.constant(number)
        case FromJoin(name, left, right):
            return score_of(left, scores) + score_of(right, scores) + scores.join(name, left, right)
        case FromUnary(name, part):
            return score_of(part, scores) + scores.unary(name, part)
        case FromSkip(word, part):
            return score_of(part, scores) + scores.skip(word)
        case FromFill(slot, links, before, part, last, same):
            first = 0.0 if before is None else score_of(before, scores)
            more = scores.links(links) + scores.fill(slot, part, last, same)
            return first + score_of(part, scores) + more
    raise AssertionError(item.back)


def words_of(item: Item, constants: Sequence[RandomLeaf]) -> list[int]:
    """All words of a tree, those that are passed over too, as often as they occur."""
    match item.back:
        case FromConstant(number):
            return list(range(constants[number].start, constants[number].end))
        case FromJoin(_, left, right):
            return words_of(left, constants) + words_of(right, constants)
        case FromUnary(_, part):
            return words_of(part, constants)
        case FromSkip(word, part):
            return [word, *words_of(part, constants)]
        case FromFill(_, _, before, part):
            first = [] if before is None else words_of(before, constants)
            return first + words_of(part, constants)
    raise AssertionError(item.back)


@st.composite
def phrase_problems(draw: st.DrawFn) -> PhraseProblem:
    """Up to five words, with a constant or two on most."""
    n = draw(st.integers(1, 5))
    rng = np.random.default_rng([draw(st.integers(0, 2**32 - 1)), n])
    algebra = RandomPhrases(rng)
    constants = []
    for number in range(int(rng.integers(n, 2 * n + 1))):
        start = int(rng.integers(n))
        end = min(n, start + int(rng.choice([1, 1, 1, 2])))
        meaning = frozenset({number if rng.random() < 0.7 else 0})
        leaf = RandomLeaf(start, end, str(rng.choice(list(KINDS))), meaning)
        # The same constant twice would be one phrase with two scores of what it fills.
        constants += [leaf] if leaf not in constants else []
    return PhraseProblem(constants, algebra, RandomScores(rng, algebra.distinct))

"""What phrase rules mean, taken word for word: a right-hand side matched part by part.

Right-hand sides are built here as nested tuples, written out for `read_grammar`, and matched
without any automaton, table or recurrence over scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from partwise.graph.grammar.phrases import Constituent, Symbol, Tags

Part = tuple
"""``("word", name)``, ``("row", parts)``, ``("or", parts)``, or ``(mark, part)``."""
MOST_WORK = 5000
Found = tuple[int, tuple]
"""Where a match ends, and its parts."""


class TooMany(Exception):
    """More trees than a test should look at."""


def written(part: Part) -> str:
    """A right-hand side as a line has it."""
    kind, inside = part
    if kind == "word":
        return inside
    if kind == "row":
        return " ".join(bracketed(p) if p[0] == "or" else written(p) for p in inside)
    if kind == "or":
        return " | ".join(written(p) for p in inside)
    return bracketed(inside) + kind


def bracketed(part: Part) -> str:
    return written(part) if part[0] == "word" else f"({written(part)})"


def may_be_empty(part: Part) -> bool:
    kind, inside = part
    if kind == "word":
        return False
    if kind == "row":
        return all(may_be_empty(p) for p in inside)
    if kind == "or":
        return any(may_be_empty(p) for p in inside)
    return kind in "?*" or may_be_empty(inside)


def coordinates_nothing(part: Part) -> bool:
    """Whether a part that may be missing is coordinated, which rules forbid."""
    kind, inside = part
    if kind == "word":
        return False
    if kind in ("row", "or"):
        return any(coordinates_nothing(p) for p in inside)
    return (kind in ("&", "&&") and may_be_empty(inside)) or coordinates_nothing(inside)


def names(part: Part) -> Iterator[str]:
    kind, inside = part
    if kind == "word":
        yield inside
    else:
        for one in inside if kind in ("row", "or") else (inside,):
            yield from names(one)


@dataclass
class _Numbered:
    """Hands out places to words from left to right, and numbers to coordinations, inner first."""

    places: int = 0
    groups: int = 0

    def number(self, part: Part) -> Part:
        kind, inside = part
        if kind == "word":
            self.places += 1
            return kind, Symbol(inside, self.places - 1)
        if kind in ("row", "or"):
            return kind, [self.number(p) for p in inside]
        inner = self.number(inside)
        if kind not in ("&", "&&"):
            return kind, inner
        self.groups += 1
        return kind, inner, -self.groups


class Brute:
    """All trees of a question.

    Args:
        rules: (category, right-hand side); the first one's category is that of questions.
    """

    def __init__(self, rules: list[tuple[str, Part]], tags: Tags, most: int = 400) -> None:
        self.rules = [(category, _Numbered().number(part)) for category, part in rules]
        self.tags, self.most, self.work = tags, most, 0

    def trees(self) -> set[Constituent]:
        return self.phrases(self.rules[0][0], 0, len(self.tags), frozenset())

    def phrases(self, category: str, start: int, end: int, above: frozenset) -> set[Constituent]:
        """A phrase holds no phrase of its own category over all of its own words."""
        if (category, start, end) in above:
            return set()
        inner = above | {(category, start, end)}
        found = {
            Constituent(category, number, start, end, parts)
            for number, (made, part) in enumerate(self.rules)
            if made == category
            for stop, parts in self.match(part, start, end, inner)
            if stop == end and parts
        }
        if len(found) > self.most:
            raise TooMany
        return found

    def match(self, part: Part, at: int, end: int, above: frozenset) -> set[Found]:
        """All matches of a part that begin at a token and end at or before `end`."""
        self.work += 1
        if self.work > MOST_WORK:
            raise TooMany
        kind, inside = part[:2]
        if kind == "word":
            return self.word(inside, at, end, above)
        if kind == "or":
            return set().union(*(self.match(p, at, end, above) for p in inside))
        if kind == "row":
            return self.row(inside, at, end, above)
        if kind == "?":
            return {(at, ())} | self.match(inside, at, end, above)
        if kind in ("&", "&&"):
            once = self.match(inside, at, end, above) if kind == "&" else set()
            return once | self.coordinated(inside, part[2], at, end, above)
        once = self.match(inside, at, end, above)
        more = {m for m in once if m[0] > at}
        found = once | ({(at, ())} if kind == "*" else set())
        while more:
            more = {
                (stop, parts + others)
                for middle, parts in more
                for stop, others in self.match(inside, middle, end, above)
                if stop > middle
            } - found
            found |= more
        return found

    def word(self, symbol: Symbol, at: int, end: int, above: frozenset) -> set[Found]:
        if symbol.name[0].isupper():
            return {
                (stop, ((symbol, phrase),))
                for stop in range(at + 1, end + 1)
                for phrase in self.phrases(symbol.name, at, stop, above)
            }
        fits = at < end and symbol.name in self.tags[at]
        return {(at + 1, ((symbol, at),))} if fits else set()

    def row(self, parts: list[Part], at: int, end: int, above: frozenset) -> set[Found]:
        found: set[Found] = {(at, ())}
        for part in parts:
            found = {
                (stop, before + here)
                for middle, before in found
                for stop, here in self.match(part, middle, end, above)
            }
        return found

    def coordinated(
        self, part: Part, place: int, at: int, end: int, above: frozenset
    ) -> set[Found]:
        """``X and X``, ``X , X and X``, ``X , X , and X``, and longer lists."""
        comma, conjunction = ("word", Symbol(",", place)), ("word", Symbol("and", place))
        found = self.row([part, conjunction, part], at, end, above)
        for more in range(1, (end - at) // 2):
            middle = [comma, part] * more
            for last in ([conjunction], [comma, conjunction]):
                found |= self.row([part, *middle, *last, part], at, end, above)
        return found

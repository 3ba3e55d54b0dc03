"""What may stand in the place of a noun phrase, and the patterns that are left then.

A string is one if, wherever it stands, an attested question is left when `THING` is put in its
place, and the gold graph agrees: one of its variables cuts what the string mentions off from all
else, so that the string can stand for it. Put back to the symbols that they may stand for, strings
leave few patterns of whole questions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from partwise.graph.alignment import components
from partwise.graph.grammar.tokens import ENTITY, TaggedTokens
from partwise.graph.induction.patterns import (
    THING,
    Pattern,
    Patterns,
    places_of,
    put,
    stretches,
    where,
)
from partwise.interface.budget import Work
from partwise.language.query_graph import ANSWER, QueryGraph

FEWEST = 3
"""In so many contexts a string must be replaceable."""
SHARE = 0.35
"""Share of a string's contexts in which it must be replaceable."""
ROUNDS = 4
"""So often what was accepted may widen the contexts."""
AGREED = 0.8
"""Share of questions whose graphs must agree."""
ASKED = 12
"""Uses whose graphs are asked."""
USE = 10_000
"""How many joins of a chart of spans take as long as looking at a use."""
SUPPORT = 2
"""So many strings of a word class must be seen outside of noun phrases, to be a category."""


Context = tuple[Pattern, Pattern]
"""What stands before a string, and after it."""


class Use(NamedTuple):
    """A string in a pattern, its start and end, and the pattern with a symbol in its place."""

    pattern: Pattern
    start: int
    end: int
    left: Pattern

    @property
    def context(self) -> Context:
        return self.pattern[: self.start], self.pattern[self.end :]

    @property
    def string(self) -> Pattern:
        return self.pattern[self.start : self.end]

    def overlaps(self, strings: Collection[Pattern]) -> bool:
        """Whether one of some strings stands beside this one, or across its borders."""
        return any(
            not (self.start <= start and end <= self.end)
            and not (start <= self.start and self.end <= end)
            for start, end in where(self.pattern, strings)
        )

    def within(self, strings: Collection[Pattern]) -> bool:
        """Whether this string is a part of another."""
        return any(
            start <= self.start and self.end <= end and (start, end) != (self.start, self.end)
            for start, end in where(self.pattern, strings)
        )


Agrees = Callable[[Use], "bool | None"]
"""Whether the graphs of a use agree that its string stands for a node; None if they cannot tell."""


def substitutes(patterns: Patterns, agrees: Agrees, work: Work) -> dict[Pattern, int]:
    """Strings that may stand in the place of a thing, with the number of contexts that say so. What
    is accepted widens the contexts in which a thing is known to stand: "was M0 M1" is no question,
    but "was M0 M1 's director" is. From the second round on, the surest strings come first, and
    what was accepted before explains its own uses. Raises `TooCostlyError`."""
    every: dict[Pattern, list[Use]] = defaultdict(list)
    for use in _uses(patterns.plain()):
        every[use.string].append(use)
    attested = patterns.occurrences
    contexts = {use.context for some in every.values() for use in some if use.left in attested}
    uses = {string: some for string, some in every.items() if len(some) >= FEWEST}
    accepted: dict[Pattern, int] = {}
    for _ in range(ROUNDS):
        before, accepted = accepted, {}
        explained: set[Pattern] = set()
        for string in sorted(uses, key=lambda s: (-before.get(s, 0), s)):
            work.spend(USE * len(uses[string]))
            good = _replaceable(uses[string], contexts, explained, before)
            if good and _agree([use for use in good if use.left in attested], agrees):
                accepted[string] = len(good)
                explained |= {string} if before else set()
        contexts |= {use.context for string in accepted for use in uses[string]}
        if set(before) == set(accepted):
            break
    return accepted


def _uses(patterns: Iterable[Pattern]) -> Iterator[Use]:
    for pattern in patterns:
        for start, end in stretches(pattern):
            if end - start < len(pattern) and pattern[start:end] != (THING,):
                yield Use(pattern, start, end, put(pattern, start, end, THING))


def _replaceable(
    uses: Iterable[Use],
    contexts: Collection[Context],
    explained: Collection[Pattern],
    before: Collection[Pattern],
) -> list[Use]:
    """The uses of a string where the symbol is known to stand; none where these are too few."""
    mine = [use for use in uses if not use.overlaps(explained)]
    good = [use for use in mine if use.context in contexts]
    if len(good) < FEWEST:
        return []
    bad = sum(
        use.context not in contexts
        and not use.within(before)
        and not any(where(use.left, explained))
        for use in mine
    )
    return good if len(good) >= SHARE * (len(good) + bad) else []


def _agree(uses: Iterable[Use], agrees: Agrees) -> bool:
    """Whether graphs agree; those of the shortest questions say most."""
    shortest = sorted(uses, key=lambda u: (len(u.pattern), u.pattern))[:ASKED]
    votes = [vote for use in shortest if (vote := agrees(use)) is not None]
    return bool(votes) and sum(votes) >= AGREED * len(votes)


def smallest(strings: Mapping[Pattern, int]) -> list[Pattern]:
    """The strings that are not made of others by putting one in the place of a thing."""

    def is_made(string: Pattern) -> bool:
        return any(
            put(string, start, end, THING) in strings
            for start, end in where(string, strings)
            if end - start < len(string)
        )

    return [string for string in strings if not is_made(string)]


def nest(things: Sequence[Pattern], patterns: Patterns) -> dict[str, list[Pattern]]:
    """The strings of word classes that are categories of their own inside noun phrases. Where "a
    film" is a phrase, so is "a film that M0 directed"; and "which film that M0 directed" is found
    where "which film" is. So what stands after "a" is a category."""
    plain = set(patterns.plain())
    categories: dict[str, list[Pattern]] = {}
    for name in sorted(patterns.classes):
        strings: dict[Pattern, set[Pattern]] = defaultdict(set)
        for thing in things:
            for start, end in places_of((name,), thing):
                before, after = thing[:start], thing[end:]
                for other in things:
                    string = other[start : len(other) - len(after)]
                    same = other == (*before, *string, *after)
                    if same and len(string) > 1 and THING in string:
                        strings[string].add(before)
        if sum(_stands(s, name, before, plain) for s, before in strings.items()) >= SUPPORT:
            categories[name] = sorted(strings)
    return categories


def _stands(string: Pattern, name: str, inside: set[Pattern], plain: set[Pattern]) -> bool:
    """Whether a string stands where its class could, after other words than in noun phrases."""
    return any(
        put(pattern, *place, name) in plain
        and not any(prefix and pattern[: place[0]][-len(prefix) :] == prefix for prefix in inside)
        for pattern in plain
        for place in places_of(string, pattern)
    )


def is_made_of(
    string: Pattern, name: str, strings: Sequence[Pattern], things: Collection[Pattern]
) -> bool:
    """Whether a string is another one with a string of a category in the place of its class."""
    return any(put(string, *place, name) in things for place in where(string, strings))


LOOKED_AT = 3
"""So many questions of a pattern are looked at."""


class CutVertexTest:
    def __init__(
        self, patterns: Patterns, questions: Sequence[TaggedTokens], graphs: Sequence[QueryGraph]
    ) -> None:
        self.patterns, self.questions, self.graphs = patterns, questions, graphs
        self.variables = {
            pattern: {len(graphs[number].variables) for number, _ in some}
            for pattern, some in patterns.occurrences.items()
        }

    def __call__(self, use: Use) -> bool | None:
        """Whether in most a variable cuts the string's entities off, and as many are left as the
        question that is left has; None if the graphs cannot tell."""
        votes: Counter[bool] = Counter()
        attested = self.variables[use.left]
        for number, spans in self.patterns.occurrences[use.pattern][:LOOKED_AT]:
            begin, end = spans[use.start][0], spans[use.end - 1][1]
            tokens = self.questions[number]
            inside = _entities(tokens, begin, end)
            outside = _entities(tokens, 0, begin) | _entities(tokens, end, len(tokens))
            if not inside & outside:
                votes[bool(variables_within(self.graphs[number], inside, outside) & attested)] += 1
        return votes[True] >= votes[False] if votes else None


def _entities(tokens: TaggedTokens, begin: int, end: int) -> frozenset[str]:
    return frozenset(tokens.texts[at] for at in range(begin, end) if ENTITY in tokens.classes[at])


def variables_within(
    graph: QueryGraph, inside: frozenset[str], outside: frozenset[str]
) -> frozenset[int]:
    """How many variables may be left when a noun phrase becomes an entity. For every variable that
    cuts the entities `inside` off from those `outside` and from what is asked for: the variables
    that are neither it nor connected by it alone."""
    edges = [(edge.subject, edge.object) for edge in graph.edges]
    asked = {ANSWER} if graph.head == "select" else set()
    left: set[int] = set()
    for head in set(graph.variables) - asked:
        beside = {end for edge in edges if head in edge for end in edge}
        parts = [p for p in components(set(graph.nodes) - {head}, edges) if p & beside]
        mine = [part for part in parts if part & inside]
        if any(part & (outside | asked) for part in mine):
            continue
        least = 1 + sum(map(_variables, mine))
        # A part without entities may belong to the phrase or to the rest.
        sums = {len(graph.variables) - least}
        for part in parts:
            if not part & (inside | outside | asked):
                sums |= {total - _variables(part) for total in sums}
        left |= sums
    return frozenset(left)


def _variables(part: set[str]) -> int:
    return sum(name.startswith("?") for name in part)


WAYS = 400
"""So many ways to reduce one pattern are looked at."""
REDUCTION = 10_000
"""How many joins of a chart of spans take as long as reducing a pattern once."""
NEEDED = 0.0005
"""A string that less than this share of questions needs is dropped."""
ROOT = 0.002
"""A pattern of whole questions stands for at least this share of them, and for `KINDS` patterns."""
KINDS = 3


@dataclass
class Reducer:
    """Strings, each with the symbol that may stand in its place."""

    strings: dict[Pattern, str]
    work: Work = field(default_factory=Work, compare=False)

    def all(self, pattern: Pattern) -> set[Pattern]:
        """Everything that a pattern reduces to, itself included."""
        reduced, waiting = {pattern}, [pattern]
        while waiting and len(reduced) < WAYS:
            self.work.spend(REDUCTION)
            string = waiting.pop()
            for start, end in where(string, self.strings):
                less = put(string, start, end, self.strings[string[start:end]])
                if less not in reduced and less != (THING,):
                    reduced.add(less)
                    waiting.append(less)
        return reduced

    def one(self, pattern: Pattern) -> Pattern:
        """What is left if the longest string is reduced first."""
        while places := list(where(pattern, self.strings)):
            start, end = max(places, key=lambda p: (p[1] - p[0], -p[0]))
            pattern = put(pattern, start, end, self.strings[pattern[start:end]])
        return pattern

    def explain(self, weights: Mapping[Pattern, int], roots: Collection[Pattern]) -> int:
        """The weight of the patterns that reduce to roots."""
        return sum(n for pattern, n in weights.items() if not self.all(pattern).isdisjoint(roots))


def find_roots(
    patterns: Patterns, strings: Mapping[Pattern, str], work: Work | None = None
) -> tuple[Reducer, list[Pattern]]:
    """The fewest patterns that questions without lists reduce to, and the strings for it. Raises
    TooCostlyError if the work that is left is not enough."""
    weights = {pattern: len(patterns.occurrences[pattern]) for pattern in patterns.plain()}
    total = sum(weights.values())
    reducer = Reducer(dict(strings), work or Work())
    roots = _cover(weights, reducer, total)
    explained = reducer.explain(weights, roots)
    # The shorter a string, the more others rest on it.
    for string in sorted(strings, key=lambda s: (-len(s), s)):
        rest = {pattern: name for pattern, name in reducer.strings.items() if pattern != string}
        fewer = Reducer(rest, reducer.work)
        less = fewer.explain(weights, roots)
        if explained - less < NEEDED * total:
            reducer, explained = fewer, less
    return reducer, roots


def _cover(weights: Mapping[Pattern, int], reducer: Reducer, total: int) -> list[Pattern]:
    """Greedy set cover: each time the pattern that most questions are left to reduce to."""
    covered: dict[Pattern, set[Pattern]] = defaultdict(set)
    for pattern in weights:
        for less in reducer.all(pattern):
            covered[less].add(pattern)
    candidates = {p for p in covered if not any(where(p, reducer.strings))}
    left, roots = set(weights), []
    while left and candidates:
        gains = {p: sum(weights[one] for one in covered[p] & left) for p in candidates}
        best = max(sorted(candidates), key=lambda p: (gains[p], -len(p)))
        if gains[best] < ROOT * total:
            break
        if len(covered[best] & left) >= KINDS:
            roots.append(best)
            left -= covered[best]
        candidates.remove(best)
    return roots

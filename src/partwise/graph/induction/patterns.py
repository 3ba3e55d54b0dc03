"""Questions as patterns: word classes in place of words, what is coordinated as one, no modifiers.

"Did M0 's French director edit , write , and produce M1" is ``did Thing 's role verb Thing``.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from partwise.graph.grammar.phrases import AND, COMMA
from partwise.graph.grammar.tokens import ENTITY, Kinds, TaggedTokens, group

THING = "Thing"
"""The category of what stands for a node: entities, coordinated ones, and noun phrases."""
Pattern = tuple[str, ...]
Modifier = tuple[str, str, str]
"""A word class that may be left out between two symbols."""
LONGEST = 10
"""Symbols of the longest string that may stand for a symbol."""
WINDOWS = ((2, 2), (2, 1), (1, 2), (1, 1), (1, 0), (0, 1))
"""How many neighbours on the left and right tell which class a word has, the best first."""
OFTEN = 3
"""In so many patterns a class must be seen left out between two symbols."""
SHARE = 0.4
"""In this share of the patterns that have it there, too."""
EDGE, OPEN = "^", ""
"""What stands before and after a question, and a symbol that may be of several classes."""


class Occurrence(NamedTuple):
    """A question with a pattern: its number, and the tokens of each symbol, the end excluded."""

    number: int
    spans: tuple[tuple[int, int], ...]


@dataclass
class Patterns:
    """The patterns of all questions.

    Attributes:
        occurrences: pattern -> its questions.
        modifiers: what was left out of patterns, and between what; True where several may stand.
        coordinated: classes whose words were coordinated.
        classes: all word classes.
        repeated: classes of which several words may stand where one may.
    """

    occurrences: dict[Pattern, list[Occurrence]]
    modifiers: dict[Modifier, bool] = field(default_factory=dict)
    coordinated: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    repeated: frozenset[str] = frozenset()

    def plain(self) -> list[Pattern]:
        """Patterns without lists."""
        return [
            pattern for pattern in self.occurrences if AND not in pattern and COMMA not in pattern
        ]


def commonest(patterns: Patterns, number: int) -> Patterns:
    """So many of the patterns, those of the most questions."""
    every = sorted(patterns.occurrences.items(), key=lambda item: (-len(item[1]), item[0]))
    return replace(patterns, occurrences=dict(every[:number]))


def put(pattern: Pattern, start: int, end: int, symbol: str) -> Pattern:
    """A pattern with a symbol in the place of a stretch."""
    return (*pattern[:start], symbol, *pattern[end:])


def stretches(pattern: Pattern, longest: int = LONGEST) -> Iterator[tuple[int, int]]:
    """The starts and ends of the strings in a pattern."""
    for start in range(len(pattern)):
        for end in range(start + 1, min(len(pattern), start + longest) + 1):
            yield start, end


def where(pattern: Pattern, strings: Collection[Pattern]) -> Iterator[tuple[int, int]]:
    """Where strings of a set stand in a pattern."""
    return (place for place in stretches(pattern) if pattern[slice(*place)] in strings)


def places_of(string: Pattern, pattern: Pattern) -> Iterator[tuple[int, int]]:
    """Where one string stands, however long it is."""
    for start in range(len(pattern) - len(string) + 1):
        if pattern[start : start + len(string)] == string:
            yield start, start + len(string)


class _Symbol(NamedTuple):
    """What a symbol may be, its tokens, the end excluded, and whether they are coordinated."""

    kinds: Kinds
    span: tuple[int, int]
    several: bool


def read_patterns(questions: Sequence[TaggedTokens], classes: Collection[str]) -> Patterns:
    """The patterns of questions, by the domain's word classes."""
    classes = frozenset(classes) - {ENTITY}
    grouped = {number: _symbols(tokens) for number, tokens in enumerate(questions)}
    grouped = {number: symbols for number, symbols in grouped.items() if symbols}
    repeated = _repeatable(grouped.values(), classes)
    grouped = {number: _once(symbols, repeated) for number, symbols in grouped.items()}
    coordinated: set[str] = set()
    occurrences: dict[Pattern, list[Occurrence]] = defaultdict(list)
    chosen = _choose(list(grouped.values()))
    for (number, symbols), kinds in zip(grouped.items(), chosen, strict=True):
        coordinated |= {kind for kind, symbol in zip(kinds, symbols, strict=True) if symbol.several}
        pattern = tuple(THING if kind == ENTITY else kind for kind in kinds)
        occurrences[pattern].append(Occurrence(number, tuple(symbol.span for symbol in symbols)))
    listed = frozenset(coordinated & {*classes, ENTITY})
    return _without_modifiers(Patterns(dict(occurrences), {}, listed, classes, repeated))


def _repeatable(questions: Iterable[Sequence[_Symbol]], classes: frozenset[str]) -> frozenset[str]:
    """Classes of whose words several may stand where one may, as in "a old red tree"."""
    known = {tuple(symbol.kinds for symbol in symbols) for symbols in questions}
    times: Counter[str] = Counter()
    for pattern in known:
        for kinds, start, end in _runs(pattern):
            if end - start > 1 and len(kinds) == 1 and kinds <= classes:
                times[min(kinds)] += (*pattern[:start], kinds, *pattern[end:]) in known
    return frozenset(kind for kind, often in times.items() if often >= OFTEN)


def _runs(pattern: Iterable[Kinds]) -> Iterator[tuple[Kinds, int, int]]:
    at = 0
    for kinds, some in itertools.groupby(pattern):
        start, at = at, at + len(list(some))
        yield kinds, start, at


def _once(symbols: Sequence[_Symbol], repeated: frozenset[str]) -> list[_Symbol]:
    """Words of such a class that stand beside each other as one symbol."""
    merged: list[_Symbol] = []
    for kinds, start, end in _runs(symbol.kinds for symbol in symbols):
        some = symbols[start:end]
        if kinds <= repeated and len(kinds) == 1:
            span = some[0].span[0], some[-1].span[1]
            some = [_Symbol(kinds, span, any(symbol.several for symbol in some))]
        merged += some
    return merged


def _symbols(tokens: TaggedTokens) -> list[_Symbol]:
    """What each group of tokens may be; nothing where it is open what is coordinated. "a composer
    and star M0": "star" may be a verb, and then it is no part of a group."""
    symbols = []
    for unit in group(tokens, grouping=True, phrases=False):
        if len({tokens.classes[at] - {tokens.texts[at]} for at in unit.tokens}) > 1:
            return []
        span = unit.tokens[0], unit.tokens[-1] + 1
        symbols.append(_Symbol(frozenset(unit.tag.split("|")), span, len(unit.tokens) > 1))
    return symbols


Windows = Sequence[Counter[tuple[str, ...]]]
"""For each of `WINDOWS` how often each sequence of classes was seen."""


def _choose(questions: Sequence[Sequence[_Symbol]]) -> list[list[str]]:
    """One class for each symbol: of several, the one most seen between such neighbours. Only
    symbols that leave no choice are counted."""
    counts: Windows = [Counter() for _ in WINDOWS]
    lines: list[list[str]] = []
    for symbols in questions:
        names = [min(symbol.kinds) if len(symbol.kinds) == 1 else OPEN for symbol in symbols]
        line = [EDGE, EDGE, *names, EDGE, EDGE]
        lines.append(line)
        for at in range(2, len(line) - 2):
            for count, (left, right) in zip(counts, WINDOWS, strict=True):
                count[tuple(line[at - left : at + right + 1])] += 1
    for symbols, line in zip(questions, lines, strict=True):
        for at, symbol in enumerate(symbols, 2):
            line[at] = line[at] or _likeliest(line, at, symbol.kinds, counts)
    return [line[2:-2] for line in lines]


def _likeliest(line: Sequence[str], at: int, kinds: Kinds, counts: Windows) -> str:
    for count, (left, right) in zip(counts, WINDOWS, strict=True):
        before, after = line[at - left : at], line[at + 1 : at + right + 1]
        best = max(sorted(kinds), key=lambda kind: count[*before, kind, *after])
        if OPEN not in after and count[*before, best, *after]:
            return best
    return min(kinds)


def _without_modifiers(patterns: Patterns) -> Patterns:
    """Leave out classes without which questions are questions too."""
    left_out: Counter[Modifier] = Counter()
    there: Counter[Modifier] = Counter()
    for pattern in patterns.plain():
        for at, key in enumerate(_between(pattern)):
            if key[0] in patterns.classes:
                there[key] += 1
                left_out[key] += pattern[:at] + pattern[at + 1 :] in patterns.occurrences
    total: Counter[str] = Counter()
    for key, times in there.items():
        total[key[0]] += 2 * left_out[key] - times
    modifiers = {
        key: key[0] in patterns.repeated
        for key, times in there.items()
        if total[key[0]] > 0 and left_out[key] >= max(OFTEN, SHARE * times)
    }
    occurrences: dict[Pattern, list[Occurrence]] = defaultdict(list)
    for pattern, some in patterns.occurrences.items():
        kept = [at for at, key in enumerate(_between(pattern)) if key not in modifiers]
        shorter = tuple(pattern[at] for at in kept)
        occurrences[shorter] += [
            Occurrence(number, tuple(spans[at] for at in kept)) for number, spans in some
        ]
    return replace(patterns, occurrences=dict(occurrences), modifiers=modifiers)


def _between(pattern: Pattern) -> Iterator[Modifier]:
    padded = (EDGE, *pattern, EDGE)
    return zip(pattern, padded, padded[2:], strict=False)

"""Questions as patterns: word classes in place of words, what is coordinated as one, no modifiers.

"Did M0 's French director edit , write , and produce M1" is ``did Thing 's role verb Thing``.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from partwise.graph.grammar.rules import AND, COMMA
from partwise.graph.grammar.tagging import ENTITY, Tokens
from partwise.graph.grounding.groups import Kinds, group

THING = "Thing"
"""The category of what stands for a node: entities, coordinated ones, and noun phrases."""
Pattern = tuple[str, ...]
Modifier = tuple[str, str, str]
"""A word class that may be left out between two symbols."""
WINDOWS = ((2, 2), (2, 1), (1, 2), (1, 1), (1, 0), (0, 1))
"""How many neighbours on the left and right tell which class a word has, the best first."""
OFTEN = 3
"""In so many patterns a class must be seen left out between two symbols."""
SHARE = 0.4
"""In this share of the patterns that have it there, too."""
EDGE = "^"


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
        return [one for one in self.occurrences if AND not in one and COMMA not in one]


def put(pattern: Pattern, start: int, end: int, symbol: str) -> Pattern:
    """A pattern with a symbol in the place of a stretch."""
    return (*pattern[:start], symbol, *pattern[end:])


def stretches(size: int, longest: int) -> Iterator[tuple[int, int]]:
    """The starts and ends of all stretches of a pattern."""
    for start in range(size):
        for end in range(start + 1, min(size, start + longest) + 1):
            yield start, end


def where(
    pattern: Pattern, strings: Collection[Pattern], longest: int
) -> Iterator[tuple[int, int]]:
    """The stretches of a pattern that are strings of a set."""
    for start, end in stretches(len(pattern), longest):
        if pattern[start:end] in strings:
            yield start, end


def places_of(string: Pattern, pattern: Pattern) -> Iterator[int]:
    """Where a string starts in a pattern."""
    for at in range(len(pattern) - len(string) + 1):
        if pattern[at : at + len(string)] == string:
            yield at


class _Symbol(NamedTuple):
    """What a symbol may be, its tokens, the end excluded, and whether they are coordinated."""

    kinds: Kinds
    span: tuple[int, int]
    several: bool


def read_patterns(questions: Sequence[Tokens], classes: Collection[str]) -> Patterns:
    """The patterns of questions.

    Args:
        classes: the domain's word classes.
    """
    grouped = {number: _symbols(tokens) for number, tokens in enumerate(questions)}
    grouped = {number: symbols for number, symbols in grouped.items() if symbols}
    names = frozenset(classes) | {ENTITY}
    repeated = _repeated(grouped.values(), names)
    grouped = {number: _once(symbols, repeated) for number, symbols in grouped.items()}
    coordinated: set[str] = set()
    occurrences: dict[Pattern, list[Occurrence]] = defaultdict(list)
    chosen = _choose([[one.kinds for one in symbols] for symbols in grouped.values()])
    for (number, symbols), kinds in zip(grouped.items(), chosen, strict=True):
        several = {kind for kind, one in zip(kinds, symbols, strict=True) if one.several}
        coordinated |= several & names
        pattern = tuple(THING if kind == ENTITY else kind for kind in kinds)
        occurrences[pattern].append(Occurrence(number, tuple(one.span for one in symbols)))
    classes = names - {ENTITY}
    return _without_modifiers(
        Patterns(dict(occurrences), {}, frozenset(coordinated), classes, repeated)
    )


def _repeated(questions: Iterable[Sequence[_Symbol]], names: Collection[str]) -> frozenset[str]:
    """Classes of whose words several may stand where one may: "a old red tree".

    In "a tree that M0 that M1 watered planted" two verbs stand together by chance; with one of
    them, no question is left.
    """
    known = {tuple(one.kinds for one in symbols) for symbols in questions}
    times: Counter[str] = Counter()
    for pattern in known:
        for kinds, start, end in _runs(pattern):
            (kind, *more) = kinds
            if end - start > 1 and not more and kind in names and kind != ENTITY:
                times[kind] += (*pattern[:start], kinds, *pattern[end:]) in known
    return frozenset(kind for kind, often in times.items() if often >= OFTEN)


def _runs(pattern: Iterable[Kinds]) -> Iterator[tuple[Kinds, int, int]]:
    at = 0
    for kinds, some in itertools.groupby(pattern):
        start, at = at, at + len(list(some))
        yield kinds, start, at


def _once(symbols: Sequence[_Symbol], repeated: frozenset[str]) -> list[_Symbol]:
    """Words of such a class that stand beside each other as one symbol."""
    merged: list[_Symbol] = []
    for kinds, start, end in _runs(one.kinds for one in symbols):
        some = symbols[start:end]
        if kinds <= repeated and len(kinds) == 1:
            span = some[0].span[0], some[-1].span[1]
            some = [_Symbol(kinds, span, any(one.several for one in some))]
        merged += some
    return merged


def _symbols(tokens: Tokens) -> list[_Symbol]:
    """What each group of tokens may be; nothing where it is open what is coordinated.

    "a composer and star M0": "star" may be a verb, and then it is no part of a group.
    """
    groups = group(tokens, grouping=True, phrases=False)
    for one in groups:
        if len({tokens.classes[at] - {tokens.texts[at]} for at in one.tokens}) > 1:
            return []
    return [
        _Symbol(
            frozenset(one.tag.split("|")),
            (one.tokens[0], one.tokens[-1] + 1),
            len(one.tokens) > 1,
        )
        for one in groups
    ]


Windows = Sequence[Counter[tuple[str | None, ...]]]
"""For each of `WINDOWS` how often each sequence of classes was seen."""


def _choose(questions: Sequence[Sequence[Kinds]]) -> list[list[str]]:
    """One class for each symbol: of several, the one most seen between such neighbours.

    Only symbols that leave no choice are counted.
    """
    counts: Windows = [Counter() for _ in WINDOWS]
    lines: list[list[str | None]] = []
    for symbols in questions:
        names = [next(iter(kinds)) if len(kinds) == 1 else None for kinds in symbols]
        line = [EDGE, EDGE, *names, EDGE, EDGE]
        lines.append(line)
        for at in range(2, len(line) - 2):
            for count, (left, right) in zip(counts, WINDOWS, strict=True):
                window = tuple(line[at - left : at + right + 1])
                if None not in window:
                    count[window] += 1
    for symbols, line in zip(questions, lines, strict=True):
        for at, kinds in enumerate(symbols, 2):
            if line[at] is None:
                line[at] = _likeliest(line, at, kinds, counts)
    return [[name for name in line[2:-2] if name is not None] for line in lines]


def _likeliest(line: Sequence[str | None], at: int, kinds: Kinds, counts: Windows) -> str:
    for count, (left, right) in zip(counts, WINDOWS, strict=True):
        after = tuple(line[at + 1 : at + right + 1])
        if None not in after:
            scores = {kind: count[(*line[at - left : at], kind, *after)] for kind in sorted(kinds)}
            if any(scores.values()):
                return max(scores, key=lambda kind: scores[kind])
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
        if total[key[0]] > 0 and left_out[key] >= OFTEN and left_out[key] >= SHARE * times
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
    """Each symbol with its neighbours."""
    padded = (EDGE, *pattern, EDGE)
    return ((name, padded[at], padded[at + 2]) for at, name in enumerate(pattern))

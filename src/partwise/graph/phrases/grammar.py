"""Phrase rules, read from a few lines of text.

A rule ``Thing: a adjective* noun Rel?`` says what a phrase of a category looks like. On the right
stand literal words (``a``), word classes of the domain (``adjective``), and categories of phrases
(``Rel``, with a capital); ``?`` marks what may be missing, ``*`` what may stand any number of
times, ``+`` once or more, ``&`` what may be coordinated (``X``, ``X and X``, ``X , X , and X``),
``&&`` what must be. Brackets make a part of several (``(past by)&``), and ``|`` parts
alternatives, inside brackets too (``(what|which)``). A backslash makes a word of a mark (``\\?``).

A rule says nothing of meaning: what a phrase adds to the query graph is learned.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from partwise.errors import DomainError

_TOKEN = re.compile(r"\s*(\\[()|?*+&\\]|[()|?*+]|&&?|[^\s()|?*+&]+)")
MARKS = frozenset("()|?*+&\\")
"""What a rule writes with a backslash before it, as a word."""
LARGEST = 2000
"""Parts of a rule with its coordinations written out, each of which makes three of one: rules are
read from saved parsers too, and a short line of nested ones could fill the memory."""
COMMA, AND = ",", "and"


@dataclass(frozen=True)
class Symbol:
    """A part of a rule: a literal word, a word class or a category; `place` tells it from others.

    Coordinated repetitions of a part have its place.
    """

    name: str
    place: int


@dataclass(frozen=True)
class Rule:
    """A phrase rule as an automaton without empty moves.

    Attributes:
        category: what it makes.
        text: as declared.
        symbols: the parts by place.
        moves: for each state the parts that may come next, with the state after it; a comma or an
            "and" between coordinated parts has a place below 0, one for each coordination.
        final: states in which the phrase may end; the first state is 0.
        groups: for each coordination the places of its parts, inner coordinations first.
    """

    category: str
    text: str
    symbols: tuple[Symbol, ...]
    moves: tuple[tuple[tuple[Symbol, int], ...], ...]
    final: frozenset[int]
    groups: tuple[frozenset[int], ...]


@dataclass(frozen=True)
class Grammar:
    """All rules of a domain; `categories` and `classes` in the order in which they occur."""

    rules: tuple[Rule, ...]
    root: str
    categories: tuple[str, ...]
    classes: tuple[str, ...]
    literals: tuple[str, ...]


def read_grammar(lines: Iterable[str], classes: Collection[str]) -> Grammar:
    """Read rules; the first one's category is that of whole questions.

    Raises:
        DomainError: for a line that is no rule, a category without rules, or a category that
            nothing uses; says which.
    """
    rules = [_rule(line, number) for number, line in enumerate(lines)]
    if not rules:
        raise DomainError("a domain without phrase rules cannot be parsed into phrases")
    made = list(dict.fromkeys(rule.category for rule in rules))
    used = dict.fromkeys(s.name for rule in rules for s in rule.symbols)
    capital = [name for name in used if name[0].isupper()]
    for name in capital:
        if name not in made:
            raise DomainError(f"no phrase rule makes {name}; add a line '{name}: ...'")
    for name in made[1:]:
        if name not in capital:
            raise DomainError(f"no phrase rule uses {name}; use it or take its rules away")
    small = [name for name in used if not name[0].isupper()]
    return Grammar(
        tuple(rules),
        made[0],
        tuple(made),
        tuple(name for name in small if name in classes),
        tuple(name for name in small if name not in classes),
    )


def _rule(line: str, number: int) -> Rule:
    category, colon, text = line.partition(":")
    category = category.strip()
    if not colon or not category[:1].isupper() or not text.strip():
        raise DomainError(f"phrase rule {number + 1}, {line!r}: expected 'Category: parts'")
    try:
        return _Builder(category, text.strip()).rule()
    except DomainError as error:
        raise DomainError(f"phrase rule {number + 1}, {line!r}: {error}") from error


Parts = tuple[set[int], set[int], bool]
"""Positions that may come first and last, and whether the part may be empty (Glushkov)."""


class _Builder:
    """Makes the position automaton (Glushkov 1961) of one right-hand side."""

    def __init__(self, category: str, text: str) -> None:
        self.category, self.text = category, text
        self.tokens = [m.group(1) for m in _TOKEN.finditer(text)]
        self.at = 0
        self.positions: list[Symbol] = []
        self.after: list[set[int]] = []
        self.places = 0
        self.groups = 0
        self.inside: dict[int, frozenset[int]] = {}

    def rule(self) -> Rule:
        first, last, empty = self._alternatives()
        if self.at < len(self.tokens):
            raise DomainError(f"{self.tokens[self.at]!r} has no opening bracket")
        if empty:
            raise DomainError("a phrase of no words cannot be")
        starts = [first, *self.after]
        moves = tuple(
            tuple((self.positions[p], p + 1) for p in sorted(following)) for following in starts
        )
        named = {s.place: s for s in self.positions if s.place >= 0}
        symbols = tuple(named[place] for place in sorted(named))
        final = frozenset(p + 1 for p in last)
        groups = tuple(self.inside[number] for number in sorted(self.inside))
        return Rule(self.category, self.text, symbols, moves, final, groups)

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _alternatives(self) -> Parts:
        first, last, empty = self._sequence()
        while self._peek() == "|":
            self.at += 1
            more = self._sequence()
            first, last, empty = first | more[0], last | more[1], empty or more[2]
        return first, last, empty

    def _sequence(self) -> Parts:
        parts = [self._marked()]
        while self._peek() and self._peek() not in ")|":
            parts.append(self._marked())
        return self._chain(parts)

    def _chain(self, parts: Sequence[Parts]) -> Parts:
        first, last, empty = parts[0]
        for more_first, more_last, more_empty in parts[1:]:
            self._link(last, more_first)
            first = first | more_first if empty else first
            last = more_last | last if more_empty else more_last
            empty = empty and more_empty
        return first, last, empty

    def _link(self, last: set[int], first: set[int]) -> None:
        for position in last:
            self.after[position] |= first

    def _marked(self) -> Parts:
        begin, places, groups = self.at, self.places, self.groups
        first, last, empty = self._part()
        mark = self._peek()
        if mark not in ("?", "*", "+", "&", "&&"):
            return first, last, empty
        end = self.at
        self.at += 1
        if mark[0] == "&":
            return self._coordinated(
                (first, last, empty), begin, end, (places, groups), mark == "&&"
            )
        if mark != "?":
            self._link(last, first)
        return first, last, empty or mark != "+"

    def _coordinated(
        self, part: Parts, begin: int, end: int, before: tuple[int, int], several: bool
    ) -> Parts:
        """``X (and X | (, X)+ , and X)?``; all the copies have the places of the first.

        Args:
            several: whether one ``X`` alone will not do.
        """

        def again() -> Parts:
            self.at, (self.places, self.groups) = begin, before
            return self._part()

        def join(word: str) -> Parts:
            position = self._position(Symbol(word, -1 - group))
            return {position}, {position}, False

        goal, group = end + 1, self.groups
        self.inside[group] = frozenset(range(before[0], self.places))
        comma, more = join(COMMA), again()
        self._link(comma[1], more[0])
        self._link(more[1], comma[0])
        last_comma, conjunction, tail = join(COMMA), join(AND), again()
        self._link(conjunction[1], tail[0])
        self._link(last_comma[1], conjunction[0])
        self._link(more[1], last_comma[0])
        # Users write lists without the last comma too.
        self._link(more[1], conjunction[0])
        self._link(part[1], comma[0] | conjunction[0])
        self.at, self.groups = goal, group + 1
        if part[2]:
            raise DomainError("what may be missing cannot be coordinated")
        return part[0], tail[1] if several else part[1] | tail[1], False

    def _position(self, symbol: Symbol) -> int:
        if len(self.positions) >= LARGEST:
            raise DomainError(
                f"with its coordinations written out it has more than {LARGEST:,} parts; "
                "make categories of what is inside"
            )
        self.positions.append(symbol)
        self.after.append(set())
        return len(self.positions) - 1

    def _part(self) -> Parts:
        token = self._peek()
        if token == "(":
            self.at += 1
            inner = self._alternatives()
            if self._peek() != ")":
                raise DomainError("a bracket is not closed")
            self.at += 1
            return inner
        if not token or token in (")", "|", "?", "*", "+", "&", "&&"):
            raise DomainError(f"a part is missing before {token or 'the end'!r}")
        self.at += 1
        name = token[1:] if token[0] == "\\" and token[1:] in MARKS else token
        position = self._position(Symbol(name, self.places))
        self.places += 1
        return {position}, {position}, False

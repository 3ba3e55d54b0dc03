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
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from partwise.errors import DomainError

_TOKEN = re.compile(r"\s*(\\[()|?*+&\\]|[()|?*+]|&&?|[^\s()|?*+&]+)")
MARKS = frozenset("()|?*+&\\")
"""What a rule writes with a backslash before it, as a word."""
LARGEST = 2000
"""Parts of a rule with its coordinations written out, each of which makes three of one: rules are
read from saved parsers too, and a short line of nested ones could fill the memory."""
COMMA, AND = ",", "and"
REPEATS = ("?", "*", "+", "&", "&&")


@dataclass(frozen=True)
class Symbol:
    """A part of a rule: a literal word, a word class or a category, and its place in the rule.

    Coordinated repetitions of a part have its place. A comma or an "and" between coordinated parts
    has a place below 0, one for each coordination.
    """

    name: str
    place: int


@dataclass(frozen=True)
class PhraseRule:
    """A phrase rule as an automaton without empty moves.

    Attributes:
        category: what it makes.
        moves: for each state the parts that may come next, with the state after them.
        final: states in which the phrase may end; the first state is 0.
        groups: for each coordination the places of its parts, inner coordinations first.
    """

    category: str
    moves: tuple[tuple[tuple[Symbol, int], ...], ...]
    final: frozenset[int]
    groups: tuple[frozenset[int], ...]


@dataclass(frozen=True)
class PhraseGrammar:
    """All rules of a domain; its categories in the order in which they occur."""

    rules: tuple[PhraseRule, ...]
    root: str
    categories: tuple[str, ...]


def read_grammar(lines: Iterable[str]) -> PhraseGrammar:
    """Read rules; the first one's category is that of whole questions.

    Raises:
        DomainError: for a line that is no rule, a category without rules, or a category that
            nothing uses; says which.
    """
    rules = [_rule(line, number) for number, line in enumerate(lines, 1)]
    if not rules:
        raise DomainError("a domain without phrase rules cannot be parsed into phrases")
    made = list(dict.fromkeys(rule.category for rule in rules))
    symbols = (symbol for rule in rules for moves in rule.moves for symbol, _ in moves)
    used = dict.fromkeys(symbol.name for symbol in symbols if symbol.name[0].isupper())
    for name in used:
        if name not in made:
            raise DomainError(f"no phrase rule makes {name}; add a line '{name}: ...'")
    for name in made[1:]:
        if name not in used:
            raise DomainError(f"no phrase rule uses {name}; use it or take its rules away")
    return PhraseGrammar(tuple(rules), made[0], tuple(made))


def _rule(line: str, number: int) -> PhraseRule:
    category, _, text = (part.strip() for part in line.partition(":"))
    try:
        if not category[:1].isupper() or not text:
            raise DomainError("expected 'Category: parts'")
        return _Automaton(text).rule(category)
    except DomainError as error:
        raise DomainError(f"phrase rule {number}, {line!r}: {error}") from error


class _Part(NamedTuple):
    """Positions that may come first and last, and whether the part may be empty."""

    first: set[int]
    last: set[int]
    empty: bool = False


class _Automaton:
    """The position automaton (Glushkov 1961) of one right-hand side."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = [*_TOKEN.findall(text), ""]
        self.positions: list[Symbol] = []
        self.after: list[set[int]] = []
        self.groups: dict[int, frozenset[int]] = {}
        # The token that is read next, and how many places and coordinations were met.
        self.at = self.places = self.group = 0

    def rule(self, category: str) -> PhraseRule:
        """The rule of the whole text."""
        whole = self._alternatives()
        if self._peek():
            raise DomainError(f"{self._peek()!r} has no opening bracket")
        if whole.empty:
            raise DomainError("a phrase of no words cannot be")
        moves = tuple(
            tuple((self.positions[p], p + 1) for p in sorted(following))
            for following in (whole.first, *self.after)
        )
        groups = tuple(self.groups[number] for number in sorted(self.groups))
        return PhraseRule(category, moves, frozenset(p + 1 for p in whole.last), groups)

    def _peek(self) -> str:
        return self.tokens[self.at]

    def _alternatives(self) -> _Part:
        part = self._sequence()
        while self._peek() == "|":
            self.at += 1
            more = self._sequence()
            part = _Part(part.first | more.first, part.last | more.last, part.empty or more.empty)
        return part

    def _sequence(self) -> _Part:
        part = self._marked()
        while self._peek() not in ("", ")", "|"):
            more = self._marked()
            self._link((part, more))
            first = part.first | more.first if part.empty else part.first
            last = more.last | part.last if more.empty else more.last
            part = _Part(first, last, part.empty and more.empty)
        return part

    def _link(self, *pairs: tuple[_Part, _Part]) -> None:
        """Let the second part of each pair follow the first."""
        for before, after in pairs:
            for position in before.last:
                self.after[position] |= after.first

    def _marked(self) -> _Part:
        begin = self.at, self.places, self.group
        part = self._single()
        mark = self._peek()
        if mark not in REPEATS:
            return part
        self.at += 1
        if mark[0] == "&":
            return self._coordinated(part, begin, mark == "&&")
        if mark != "?":
            self._link((part, part))
        return part._replace(empty=part.empty or mark != "+")

    def _coordinated(self, part: _Part, begin: tuple[int, int, int], several: bool) -> _Part:
        """``X (and X | (, X)+ , and X)?``; all the copies have the places of the first.

        Args:
            begin: the token, the place and the coordination at which the part begins.
            several: whether one ``X`` alone will not do.
        """
        if part.empty:
            raise DomainError("what may be missing cannot be coordinated")
        end, group = self.at, self.group
        self.groups[group] = frozenset(range(begin[1], self.places))
        comma = self._position(COMMA, -1 - group)
        more = self._again(begin)
        last_comma, conjunction = (self._position(word, -1 - group) for word in (COMMA, AND))
        tail = self._again(begin)
        self._link((part, comma), (comma, more), (more, comma), (more, last_comma))
        # Users write lists without the last comma too.
        self._link((last_comma, conjunction), (more, conjunction))
        self._link((part, conjunction), (conjunction, tail))
        self.at, self.group = end, group + 1
        return _Part(part.first, tail.last if several else part.last | tail.last)

    def _again(self, begin: tuple[int, int, int]) -> _Part:
        self.at, self.places, self.group = begin
        return self._single()

    def _position(self, name: str, place: int) -> _Part:
        if len(self.positions) >= LARGEST:
            raise DomainError(
                f"with its coordinations written out it has more than {LARGEST:,} parts; "
                "make categories of what is inside"
            )
        self.positions.append(Symbol(name, place))
        self.after.append(set())
        position = {len(self.positions) - 1}
        return _Part(position, position)

    def _single(self) -> _Part:
        token = self._peek()
        if token in ("", ")", "|", *REPEATS):
            raise DomainError(f"a part is missing before {token or 'the end'!r}")
        self.at += 1
        if token == "(":
            inner = self._alternatives()
            if self._peek() != ")":
                raise DomainError("a bracket is not closed")
            self.at += 1
            return inner
        self.places += 1
        name = token[1:] if token[0] == "\\" and token[1:] in MARKS else token
        return self._position(name, self.places - 1)

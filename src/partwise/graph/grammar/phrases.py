"""Phrase rules, read from a few lines of text, and the chart parser for them.

A rule ``Thing: a adjective* noun Rel?`` says what a phrase of a category looks like. On the right
stand literal words (``a``), word classes of the domain (``adjective``), and categories of phrases
(``Rel``, with a capital); ``?`` marks what may be missing, ``*`` what may stand any number of
times, ``+`` once or more, ``&`` what may be coordinated (``X``, ``X and X``, ``X , X , and X``),
``&&`` what must be. Brackets make a part of several (``(past by)&``), and ``|`` parts
alternatives, inside brackets too (``(what|which)``). A backslash makes a word of a mark (``\\?``).
A rule says nothing of meaning: what a phrase adds to the query graph is learned.

The chart's items are ``(rule, state)`` over a span; a constituent of a category is a way to reach a
final state of one of its rules. Words are read from left to right; for each right end the left ends
go from right to left, so that all shorter constituents are complete before a longer one needs them.
Unary chains are followed to a fixed point.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from partwise.errors import DomainError
from partwise.interface.budget import Work

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
    has a place below 0, one for each coordination."""

    name: str
    place: int


@dataclass(frozen=True)
class PhraseRule:
    """A phrase rule as an automaton without empty moves.

    Attributes:
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
    """Read rules; the first one's category is that of whole questions. Raises DomainError for a
    line that is no rule, or a category without rules or use; says which."""
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
        part = self._mark()
        while self._peek() not in ("", ")", "|"):
            more = self._mark()
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

    def _mark(self) -> _Part:
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
        """``X (and X | (, X)+ , and X)?``; if `several`, not ``X`` alone. Copies share places."""
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


Tags = Sequence[frozenset[str]]
"""For each token its word classes, and the literals that it matches."""


@dataclass(frozen=True)
class Constituent:
    """A constituent of a question.

    Attributes:
        rule: number of the rule that made it.
        start, end: its tokens, the end excluded.
        parts: (symbol of the rule, token number or constituent), in order, with the commas and
            conjunctions of coordinations.
    """

    category: str
    rule: int
    start: int
    end: int
    parts: tuple[Part, ...]

    def constituents(self) -> list[Constituent]:
        """This constituent and all those inside, the inner ones first."""
        parts = (part for _, part in self.parts)
        inner = (
            constituent
            for p in parts
            if isinstance(p, Constituent)
            for constituent in p.constituents()
        )
        return [*inner, self]


Part = tuple[Symbol, int | Constituent]
State = tuple[int, int]
"""A rule, and a state of its automaton."""
Item = tuple[int, int, State]
"""A state over a span: start, end, state."""
Step = tuple[Item | None, Symbol, int, str]
"""What an item was made of: the item before, the symbol that was read, where that began, and its
category, "" for a word."""
Above = frozenset[str]
"""Categories of the constituents that hold nothing but the one in question."""
SPLIT, STEP = 300, 600
"""How many joins of a chart of spans take as long as a split of a span, and as a step."""
NONE: Above = frozenset()
Way = tuple[int, tuple[Part, ...]]
"""The parts of an item, with the number of constituents in them."""


class ConstituencyChart:
    """All constituents over all spans of one question, packed; the fewest are the best tree."""

    def __init__(self, grammar: PhraseGrammar, tags: Tags, work: Work | None = None) -> None:
        self.work, self._added = work or Work(), 0
        self.grammar, self.tags, self.n = grammar, tags, len(tags)
        self.steps: dict[Item, dict[Step, None]] = {}
        # By end and start: the items, and the categories with the states that complete them.
        self._open: list[dict[int, dict[State, None]]] = [{} for _ in range(self.n + 1)]
        self._done: list[dict[int, dict[str, dict[State, None]]]] = [{} for _ in range(self.n + 1)]
        self._first: dict[str, list[tuple[Symbol, State]]] = defaultdict(list)
        for number, rule in enumerate(grammar.rules):
            for symbol, state in rule.moves[0]:
                self._first[symbol.name].append((symbol, (number, state)))
        self._unary = _unary_chains(grammar)
        for end in range(1, self.n + 1):
            for start in range(end - 1, -1, -1):
                self._fill(start, end)
        self._best: dict[tuple[str, int, int, Above], list[tuple[int, Constituent]]] = {}
        self._ways: dict[tuple[Item, Above], list[Way]] = {}

    def trees(self, limit: int = 16) -> list[Constituent]:
        """Trees over the whole question, best first; the inner choices are cut to `limit` too."""
        if not self.n or self.grammar.root not in self._done[self.n].get(0, {}):
            return []
        self._best.clear()
        self._ways.clear()
        return [tree for _, tree in self._trees(self.grammar.root, 0, self.n, limit, NONE)]

    def _fill(self, start: int, end: int) -> None:
        self.work.spend(SPLIT * (end - start) + STEP * self._added)
        self._added = 0
        if start == end - 1:
            # Sorted, so that trees that are equally good come in the same order in every process.
            for name in sorted(self.tags[start]):
                self._begin(start, end, name, "")
            for left in self._open[start]:
                self._advance(left, start, end, self.tags[start], False)
        for middle in range(start + 1, end):
            self._advance(start, middle, end, self._done[end].get(middle, ()), True)
        agenda = self._complete(start, end)
        while agenda:
            category = agenda.pop()
            self._begin(start, end, category, category)
            agenda += self._complete(start, end)

    def _begin(self, start: int, end: int, name: str, category: str) -> None:
        for symbol, state in self._first.get(name, ()):
            self._add((start, end, state), (None, symbol, start, category))

    def _advance(
        self, start: int, middle: int, end: int, names: Collection[str], complete: bool
    ) -> None:
        """Extend the items of a span over a word or over the complete constituents after it."""
        for rule, state in self._open[middle].get(start, ()) if names else ():
            for symbol, after in self.grammar.rules[rule].moves[state]:
                if symbol.name in names:
                    category = symbol.name if complete else ""
                    step = (start, middle, (rule, state)), symbol, middle, category
                    self._add((start, end, (rule, after)), step)

    def _add(self, item: Item, step: Step) -> None:
        start, end, state = item
        self._added += 1
        self._open[end].setdefault(start, {})[state] = None
        self.steps.setdefault(item, {})[step] = None

    def _complete(self, start: int, end: int) -> list[str]:
        """Categories that are new over a span."""
        new = []
        for rule, state in self._open[end].get(start, ()):
            made = self.grammar.rules[rule]
            if state in made.final:
                known = self._done[end].setdefault(start, {})
                if made.category not in known:
                    new.append(made.category)
                known.setdefault(made.category, {})[rule, state] = None
        return new

    def _trees(
        self, category: str, start: int, end: int, limit: int, above: Above
    ) -> list[tuple[int, Constituent]]:
        """The best constituents of a category over a span, with their sizes."""
        unary = self._unary[category]
        key = category, start, end, above & unary
        if key not in self._best:
            above = (above | {category}) & unary
            trees = [
                (size + 1, Constituent(category, state[0], start, end, parts))
                for state in self._done[end][start][category]
                for size, parts in self._parts((start, end, state), limit, above)
            ]
            self._best[key] = sorted(trees, key=lambda pair: pair[0])[:limit]
        return self._best[key]

    def _parts(self, item: Item, limit: int, above: Above) -> list[Way]:
        """The best ways to reach an item."""
        key = item, above
        if key in self._ways:
            return self._ways[key]
        ways: list[Way] = []
        for before, symbol, begin, category in self.steps[item]:
            # A constituent of nothing but itself would go on for ever.
            if before is None and category in above:
                continue
            lefts: list[Way] = [(0, ())] if before is None else self._parts(before, limit, NONE)
            rights: Sequence[tuple[int, int | Constituent]] = [(0, begin)]
            if category:
                over = above if before is None else NONE
                rights = self._trees(category, begin, item[1], limit, over)
            ways += [
                (left + right, (*parts, (symbol, part)))
                for left, parts in lefts
                for right, part in rights
            ]
        self.work.spend(STEP * len(ways))
        self._ways[key] = sorted(ways, key=lambda way: way[0])[:limit]
        return self._ways[key]


def _unary_chains(grammar: PhraseGrammar) -> dict[str, frozenset[str]]:
    """For each category those of which it may hold one constituent alone, at any depth."""
    chains: dict[str, set[str]] = {category: set() for category in grammar.categories}
    for rule in grammar.rules:
        for symbol, state in rule.moves[0]:
            if state in rule.final and symbol.name in chains:
                chains[rule.category].add(symbol.name)
    # Each round follows the chains one step further, so as many rounds as categories are enough.
    for _ in chains:
        for inside in chains.values():
            inside.update(*(chains[name] for name in list(inside)))
    return {category: frozenset(inside) for category, inside in chains.items()}

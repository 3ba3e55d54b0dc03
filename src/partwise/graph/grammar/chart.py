"""A chart parser for phrase rules: the constituency trees of a question, packed and exact.

Items are ``(rule, state)`` over a span; a constituent of a category is a way to reach a final state
of one of its rules. Words are read from left to right; for each right end the left ends go from
right to left, so that all shorter constituents are complete before a longer one needs them. Unary
chains are followed to a fixed point.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from partwise.graph.grammar.rules import PhraseGrammar, Symbol
from partwise.interface.budget import Work

Tags = Sequence[frozenset[str]]
"""For each token its word classes, and the literals that it matches."""


@dataclass(frozen=True)
class Constituent:
    """A constituent of a question.

    Attributes:
        category: what it is.
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
        inner = (one for p in parts if isinstance(p, Constituent) for one in p.constituents())
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
    """All constituents over all spans of one question, packed.

    The tree with the fewest constituents is the best.
    """

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

"""A chart parser for phrase rules: the phrase trees of a question, packed and exact.

Items are ``(rule, state)`` over a span; a phrase of a category over a span is a way to reach a
final state of one of its rules. Words are read from left to right; for each right end the left
ends go from right to left, so that all shorter phrases are there when a longer one asks for them,
and phrases that hold just one other phrase are followed to a fixed point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partwise.graph.phrases.grammar import Grammar, Symbol

Tags = Sequence[frozenset[str]]
"""For each token what it may be: its word classes and the literals that it spells."""


@dataclass(frozen=True)
class Phrase:
    """A phrase of a question.

    Attributes:
        category, rule: what it is, and the number of the rule that made it.
        start, end: its tokens, the end excluded.
        parts: (symbol of the rule, token number or phrase), in order, the commas and conjunctions
            of coordinations too.
    """

    category: str
    rule: int
    start: int
    end: int
    parts: tuple[tuple[Symbol, int | Phrase], ...]

    def phrases(self) -> list[Phrase]:
        """This phrase and all those inside, the inner ones first."""
        inside = [p for _, part in self.parts if isinstance(part, Phrase) for p in part.phrases()]
        return [*inside, self]


Key = tuple[int, int, int, int]
"""An item: start, end, rule, state."""
Where = tuple[str, int, int]
"""A category over a span."""
Above = frozenset[str]
"""Categories of phrases that hold nothing but the phrase in question."""
NONE: Above = frozenset()
Way = tuple[float, tuple[tuple[Symbol, "int | Phrase"], ...]]
"""The parts of an item, with their score."""
Step = tuple["Key | None", Symbol, int, str]
"""What an item was made of: the item before, the symbol read, where it began, and its category or
"" for a word."""


class PhraseChart:
    """All phrases over all spans of one question, packed.

    Args:
        weights: log-weight of each rule; by default each costs as much as any other, so that the
            tree of the fewest phrases is the best.
    """

    def __init__(
        self, grammar: Grammar, tags: Tags, weights: Sequence[float] | None = None
    ) -> None:
        self.grammar, self.tags, self.n = grammar, tags, len(tags)
        self.weights = list(weights) if weights is not None else [-1.0] * len(grammar.rules)
        self.steps: dict[Key, dict[Step, None]] = {}
        # For each end and start: the items, and the categories with the rules that make them.
        self._open: list[dict[int, dict[tuple[int, int], None]]]
        self._done: list[dict[int, dict[str, dict[tuple[int, int], None]]]]
        self._starts = self._start_moves()
        self._alone = _standing_alone(grammar)
        self._fill()
        self._best: dict[tuple[Where, Above], list[tuple[float, Phrase]]] = {}
        self._ways: dict[tuple[Key, Above], list[Way]] = {}

    def best(self) -> Phrase | None:
        """The best tree over the whole question, or None if no rules fit."""
        found = self.trees(1)
        return found[0] if found else None

    def trees(self, limit: int = 16) -> list[Phrase]:
        """Trees over the whole question, best first; the inner choices are cut to `limit` too."""
        if not self.n or self.grammar.root not in self._done[self.n].get(0, {}):
            return []
        self._best.clear()
        self._ways.clear()
        return [tree for _, tree in self._phrases(self.grammar.root, 0, self.n, limit, frozenset())]

    def _start_moves(self) -> dict[str, list[tuple[int, Symbol, int]]]:
        found: dict[str, list[tuple[int, Symbol, int]]] = {}
        for number, rule in enumerate(self.grammar.rules):
            for symbol, state in rule.moves[0]:
                found.setdefault(symbol.name, []).append((number, symbol, state))
        return found

    def _fill(self) -> None:
        self._done = [{} for _ in range(self.n + 1)]
        self._open = [{} for _ in range(self.n + 1)]
        for end in range(1, self.n + 1):
            for start in range(end - 1, -1, -1):
                self._span(start, end)

    def _span(self, start: int, end: int) -> None:
        if start == end - 1:
            # Sorted, so that trees that are as good come in one order in every process.
            for name in sorted(self.tags[start]):
                self._begin(start, end, name, "")
            for left in self._open[start]:
                self._advance_word(left, start, end)
        self._advance_phrases(start, end)
        agenda = self._finish(start, end)
        while agenda:
            category = agenda.pop()
            self._begin(start, end, category, category)
            agenda += self._finish(start, end)

    def _begin(self, start: int, end: int, name: str, category: str) -> None:
        for rule, symbol, state in self._starts.get(name, ()):
            self._item(start, end, rule, state, (None, symbol, start, category))

    def _advance_word(self, left: int, start: int, end: int) -> None:
        """Items that end before a word, over it."""
        tags = self.tags[start]
        for rule, state in self._open[start][left]:
            for symbol, after in self.grammar.rules[rule].moves[state]:
                if symbol.name in tags:
                    before = (left, start, rule, state)
                    self._item(left, end, rule, after, (before, symbol, start, ""))

    def _advance_phrases(self, start: int, end: int) -> None:
        """Items from `start`, over a phrase that ends at `end`."""
        for middle in range(start + 1, end):
            whole = self._done[end].get(middle)
            if not whole:
                continue
            for rule, state in self._open[middle].get(start, ()):
                for symbol, after in self.grammar.rules[rule].moves[state]:
                    if symbol.name in whole:
                        before = (start, middle, rule, state)
                        self._item(start, end, rule, after, (before, symbol, middle, symbol.name))

    def _item(self, start: int, end: int, rule: int, state: int, step: Step) -> None:
        self._open[end].setdefault(start, {})[rule, state] = None
        self.steps.setdefault((start, end, rule, state), {})[step] = None

    def _finish(self, start: int, end: int) -> list[str]:
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

    def _phrases(
        self, category: str, start: int, end: int, limit: int, above: Above
    ) -> list[tuple[float, Phrase]]:
        """The best phrases of a category over a span.

        Args:
            above: categories of the phrases that hold nothing but this one.
        """
        alone = self._alone[category]
        key = (category, start, end), above & alone
        if key in self._best:
            return self._best[key]
        above = (above | {category}) & alone
        found = []
        for rule, state in self._done[end][start][category]:
            for score, parts in self._parts((start, end, rule, state), limit, above):
                phrase = Phrase(category, rule, start, end, parts)
                found.append((score + self.weights[rule], phrase))
        found = sorted(found, key=lambda pair: -pair[0])[:limit]
        self._best[key] = found
        return found

    def _parts(self, item: Key, limit: int, above: Above) -> list[Way]:
        """The best ways to reach an item."""
        key = item, above
        if key in self._ways:
            return self._ways[key]
        found: list[Way] = []
        end = item[1]
        for before, symbol, begin, category in self.steps[item]:
            # A phrase of nothing but itself would go on for ever.
            if before is None and category in above:
                continue
            lefts = [(0.0, ())] if before is None else self._parts(before, limit, NONE)
            if category:
                over = above if before is None else NONE
                rights: list[tuple[float, int | Phrase]] = [
                    *self._phrases(category, begin, end, limit, over)
                ]
            else:
                rights = [(0.0, begin)]
            found += [
                (left + right, (*parts, (symbol, part)))
                for left, parts in lefts
                for right, part in rights
            ]
        found = sorted(found, key=lambda pair: -pair[0])[:limit]
        self._ways[key] = found
        return found


def _standing_alone(grammar: Grammar) -> dict[str, frozenset[str]]:
    """For each category those of which it may hold one phrase and nothing else, however deep."""
    found: dict[str, set[str]] = {category: set() for category in grammar.categories}
    for rule in grammar.rules:
        for symbol, state in rule.moves[0]:
            if state in rule.final and symbol.name in found:
                found[rule.category].add(symbol.name)
    # Each round follows the chains one phrase further, so that as many rounds as categories do.
    for _ in found:
        for inside in found.values():
            inside.update(*(found[name] for name in list(inside)))
    return {category: frozenset(inside) for category, inside in found.items()}

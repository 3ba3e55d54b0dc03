"""Strings and conjuncts written as phrase rules."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from partwise.graph.grammar.rules import MARKS
from partwise.graph.grammar.tagging import ENTITY
from partwise.graph.induction.coordination import QUESTION, Conjuncts, Context
from partwise.graph.induction.patterns import EDGE, THING, Pattern, Patterns, places_of
from partwise.graph.induction.reduction import Reducer

TEXT = 50_000
"""How many joins of a chart of spans take as long as writing a string."""
Place = tuple[int, int, int]
"""Where conjuncts stand in a string: start, end, and their number; all -1 for nowhere."""


def productive(rules: Iterable[str]) -> tuple[str, ...]:
    """The rules that some question can be made with: of categories that the question's rules come
    to, and that come to words themselves."""
    kept = list(dict.fromkeys(rules))
    able: set[str] = set()
    while more := {_category(r) for r in kept if able.issuperset(_categories(r))} - able:
        able |= more
    kept = [rule for rule in kept if able.issuperset(_categories(rule))]
    used = {QUESTION}
    while more := {c for r in kept if _category(r) in used for c in _categories(r)} - used:
        used |= more
    return tuple(rule for rule in kept if _category(rule) in used)


def _category(rule: str) -> str:
    return rule.partition(":")[0]


def _categories(rule: str) -> list[str]:
    return re.findall(r"\b[A-Z]\w*", rule.partition(":")[2])


@dataclass
class Writer:
    """Writes rules, with the conjuncts of lists in the place of what is coordinated somewhere."""

    patterns: Patterns
    reducer: Reducer
    roots: Sequence[Pattern]
    conjuncts: Sequence[Conjuncts]

    def lines(self) -> tuple[str, ...]:
        """All rules, the whole question's first."""
        if not self.roots:
            return ()
        strings = self.reducer.strings
        self.categories = {name: name.capitalize() for name in (THING, *strings.values())}
        self.parts = {
            number: f"Part{number}"
            for number, conjuncts in enumerate(self.conjuncts)
            if any(set(string) & set(self.categories) for string in conjuncts.strings)
        }
        rules = [(QUESTION, text) for text in self._texts(self.roots, [(QUESTION, (), ())])]
        for name, category in self.categories.items():
            rules.append((category, f"{ENTITY}&" if name == THING else self._word(name)))
            mine = [string for string, kind in strings.items() if kind == name]
            rules += [(category, text) for text in self._texts(mine, [(name, (), ())])]
        for number, category in self.parts.items():
            rules += [(category, text) for text in self._alternatives(number)]
        return productive(f"{kind}: {text}" for kind, text in rules)

    def _texts(
        self,
        strings: Collection[Pattern],
        where: Collection[Context],
        within: frozenset[int] = frozenset(),
    ) -> Iterator[str]:
        """Right-hand sides of strings, with conjuncts in the place of what is coordinated there.

        Args:
            where: the contexts of the strings.
            within: the numbers of the conjuncts that are being written.
        """
        pool, edge = set(strings), EDGE if (QUESTION, (), ()) in where else ""
        for string in strings:
            self.reducer.work.spend(TEXT)
            longest = max(
                self._coordinated(string, pool, where, within),
                key=lambda place: place[1] - place[0],
                default=(-1, -1, -1),
            )
            yield self._text(string, longest, within, edge)

    def _coordinated(
        self,
        string: Pattern,
        pool: Collection[Pattern],
        where: Collection[Context],
        within: frozenset[int],
    ) -> Iterator[Place]:
        """Where others of some conjuncts stand in the place of one, or lists of them do."""
        for number, conjuncts in enumerate(self.conjuncts):
            for one in conjuncts.strings if number not in within else ():
                for start, end in places_of(one, string):
                    before, after = string[:start], string[end:]
                    others = ((*before, *o, *after) for o in conjuncts.strings if o != one)
                    lists = ((c, (*left, *before), (*after, *right)) for c, left, right in where)
                    if any(o in pool for o in others) or not conjuncts.contexts.isdisjoint(lists):
                        yield start, end, number

    def _text(self, string: Pattern, place: Place, within: frozenset[int], edge: str) -> str:
        start, end, number = place
        around = (edge, *string, edge)
        words: list[str] = []
        for at in range(len(string) + 1):
            if not start < at < end:
                words += self._between(around[at], around[at + 1])
            if at == start:
                words.append(f"{self.parts.get(number) or self._bracket(number, within)}&")
            if at < len(string) and not start <= at < end:
                words.append(self.categories.get(string[at], self._word(string[at])))
        return " ".join(words)

    def _between(self, left: str, right: str) -> list[str]:
        """What may stand between two symbols."""
        return [
            f"{kind}{'*' if several else '?'}"
            for (kind, *beside), several in sorted(self.patterns.modifiers.items())
            if beside == [left, right]
        ]

    def _bracket(self, number: int, within: frozenset[int]) -> str:
        return f"({' | '.join(dict.fromkeys(self._alternatives(number, within)))})"

    def _alternatives(self, number: int, within: frozenset[int] = frozenset()) -> Iterator[str]:
        conjuncts = self.conjuncts[number]
        return self._texts(conjuncts.strings, conjuncts.contexts, within | {number})

    def _word(self, name: str) -> str:
        if name in MARKS:
            return f"\\{name}"
        several, listed = name in self.patterns.repeated, name in self.patterns.coordinated
        if several and listed:
            return f"({name}+)&"
        return f"{name}{'+' * several}{'&' * listed}"

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

Writing = frozenset[int]
"""The conjuncts that are being written."""
NONE: Writing = frozenset()
Licence = tuple[int, int, int]
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
        names = dict.fromkeys(self.reducer.strings.values())
        self.categories = {THING: THING}
        self.categories |= {name: name.capitalize() for name in names if name != THING}
        self.parts = {
            number: f"Part{number}"
            for number, conjuncts in enumerate(self.conjuncts)
            if any(set(string) & set(self.categories) for string in conjuncts.strings)
        }
        rules = [(QUESTION, text) for text in self._texts(self.roots, [(QUESTION, (), ())])]
        rules.append((THING, f"{ENTITY}&"))
        for name, category in self.categories.items():
            mine = [string for string, kind in self.reducer.strings.items() if kind == name]
            if name != THING:
                rules.append((category, self._word(name)))
            rules += [(category, text) for text in self._texts(mine, [(name, (), ())])]
        for number, category in self.parts.items():
            rules += [(category, text) for text in self._alternatives(number, NONE)]
        return productive(f"{kind}: {text}" for kind, text in rules)

    def _texts(
        self, strings: Sequence[Pattern], where: Collection[Context], within: Writing = NONE
    ) -> Iterator[str]:
        """Right-hand sides of strings, with conjuncts in the place of what is coordinated there.

        Args:
            where: the contexts of the strings.
            within: the conjuncts that are being written.
        """
        pool, edge = set(strings), EDGE if (QUESTION, (), ()) in where else ""
        for string in strings:
            yield self._text(string, self._licensed(string, pool, where, within), within, edge)

    def _licensed(
        self, string: Pattern, pool: set[Pattern], where: Collection[Context], within: Writing
    ) -> Licence:
        """Where conjuncts may stand in a string; the longest."""
        best = -1, -1, -1
        for number, conjuncts in enumerate(self.conjuncts):
            for one in conjuncts.strings if number not in within else ():
                for at in places_of(one, string) if len(one) > best[1] - best[0] else ():
                    before, after = string[:at], string[at + len(one) :]
                    if self._stand(conjuncts, one, (before, after), pool, where):
                        best = at, at + len(one), number
                        break
        return best

    @staticmethod
    def _stand(
        conjuncts: Conjuncts,
        one: Pattern,
        context: tuple[Pattern, Pattern],
        pool: Collection[Pattern],
        where: Collection[Context],
    ) -> bool:
        """Whether others of the conjuncts stand where one does, or lists of them do.

        Args:
            where: the contexts of the string that it stands in.
        """
        before, after = context
        others = (other for other in conjuncts.strings if other != one)
        return any((*before, *other, *after) in pool for other in others) or any(
            (category, (*left, *before), (*after, *right)) in conjuncts.contexts
            for category, left, right in where
        )

    def _text(self, string: Pattern, licence: Licence, within: Writing, edge: str) -> str:
        start, end, number = licence
        around = (edge, *string, edge)
        words: list[str] = []
        for at in range(len(string) + 1):
            if not start < at < end:
                words += self._between(around[at], around[at + 1])
            if at == start:
                words.append(self._conjuncts(number, within))
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

    def _conjuncts(self, number: int, within: Writing) -> str:
        if number in self.parts:
            return f"{self.parts[number]}&"
        return f"({' | '.join(dict.fromkeys(self._alternatives(number, within)))})&"

    def _alternatives(self, number: int, within: Writing) -> Iterator[str]:
        conjuncts = self.conjuncts[number]
        return self._texts(conjuncts.strings, conjuncts.contexts, within | {number})

    def _word(self, name: str) -> str:
        if name in MARKS:
            return f"\\{name}"
        several, listed = name in self.patterns.repeated, name in self.patterns.coordinated
        if several and listed:
            return f"({name}+)&"
        return f"{name}{'+' * several}{'&' * listed}"

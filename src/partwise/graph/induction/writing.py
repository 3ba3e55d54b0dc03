"""Strings and units written as phrase rules."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from partwise.graph.grammar.rules import MARKS
from partwise.graph.grammar.tagging import ENTITY
from partwise.graph.induction.coordination import QUESTION, Conjuncts, Context
from partwise.graph.induction.patterns import EDGE, THING, Pattern, Patterns
from partwise.graph.induction.reduction import Reducer

Writing = frozenset[int]
"""The units that are being written."""
NONE: Writing = frozenset()


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
    """Writes rules, with the units of lists in the place of what is coordinated somewhere."""

    patterns: Patterns
    reducer: Reducer
    roots: Sequence[Pattern]
    conjuncts: Sequence[Conjuncts]

    def lines(self) -> tuple[str, ...]:
        """All rules, the productive question's first."""
        if not self.roots:
            return ()
        names = dict.fromkeys(self.reducer.strings.values())
        self.categories = {THING: THING} | {
            name: name.capitalize() for name in names if name != THING
        }
        self.parts = {
            number: f"Part{number}"
            for number, units in enumerate(self.conjuncts)
            if any(set(string) & set(self.categories) for string in units.strings)
        }
        found = [(QUESTION, text) for text in self._texts(self.roots, [(QUESTION, (), ())])]
        found.append((THING, f"{ENTITY}&"))
        for name, category in self.categories.items():
            mine = [string for string, kind in self.reducer.strings.items() if kind == name]
            if name != THING:
                found.append((category, self._word(name)))
            found += [(category, text) for text in self._texts(mine, [(name, (), ())])]
        for number, category in self.parts.items():
            found += [(category, text) for text in self._unit_texts(number, NONE)]
        return productive(f"{kind}: {text}" for kind, text in found)

    def _texts(
        self, strings: Sequence[Pattern], where: Collection[Context], within: Writing = NONE
    ) -> Iterator[str]:
        """Right-hand sides of strings, with units in the place of what is coordinated there.

        Args:
            within: the units that are being written.
        """
        pool = set(strings)
        for string in strings:
            choice = self._licensed(string, pool, where, within)
            yield self._text(string, choice, within, EDGE if (QUESTION, (), ()) in where else "")

    def _licensed(
        self, string: Pattern, pool: set[Pattern], where: Collection[Context], within: Writing
    ) -> tuple[int, int, int] | None:
        """Where units stand in a string: start, end, and their number; the longest."""
        best: tuple[int, int, int] | None = None
        for number, units in enumerate(self.conjuncts):
            if number in within:
                continue
            for unit in units.strings:
                for at in range(len(string) - len(unit) + 1):
                    if string[at : at + len(unit)] != unit:
                        continue
                    context = string[:at], string[at + len(unit) :]
                    if best is not None and best[1] - best[0] >= len(unit):
                        continue
                    if self._stand(units, unit, context, pool, where):
                        best = at, at + len(unit), number
        return best

    def _stand(
        self,
        units: Conjuncts,
        unit: Pattern,
        context: tuple[Pattern, Pattern],
        pool: Collection[Pattern],
        where: Collection[Context],
    ) -> bool:
        """Whether others of the units stand where one does, or lists of them do.

        Args:
            where: the contexts of the string that the unit stands in.
        """
        before, after = context
        others = (one for one in units.strings if one != unit)
        return any((*before, *one, *after) in pool for one in others) or any(
            (category, (*left, *before), (*after, *right)) in units.contexts
            for category, left, right in where
        )

    def _text(
        self, string: Pattern, choice: tuple[int, int, int] | None, within: Writing, edge: str
    ) -> str:
        start, end, number = choice or (-1, -1, -1)
        around = (edge, *string, edge)
        words: list[str] = []
        for at in range(len(string) + 1):
            if not start < at < end:
                words += self._between(around[at], around[at + 1])
            if at == start:
                words.append(self._unit_text(number, within))
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

    def _unit_text(self, number: int, within: Writing) -> str:
        if number in self.parts:
            return f"{self.parts[number]}&"
        texts = self._unit_texts(number, within)
        return f"({' | '.join(dict.fromkeys(texts))})&"

    def _unit_texts(self, number: int, within: Writing) -> Iterator[str]:
        units = self.conjuncts[number]
        return self._texts(units.strings, units.contexts, within | {number})

    def _word(self, name: str) -> str:
        if name in MARKS:
            return f"\\{name}"
        several, listed = name in self.patterns.repeated, name in self.patterns.coordinated
        if several and listed:
            return f"({name}+)&"
        return f"{name}{'+' * several}{'&' * listed}"

"""Phrase rules of a parser that learns them: from training questions, then by what is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from partwise.errors import DataError
from partwise.graph.induction.rules import induce_rules
from partwise.graph.induction.writing import whole
from partwise.graph.phrases.chart import Phrase
from partwise.graph.phrases.grammar import Symbol
from partwise.graph.phrases.tagging import Tokens
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph

NEEDED = 0.0005
"""A learned rule that a smaller share of the aligned trees needs is dropped."""


def learned_rules(
    examples: Sequence[tuple[Example[QueryGraph], Tokens]], domain: GraphDomain
) -> tuple[str, ...]:
    """Phrase rules from training questions with their tokens.

    Raises:
        DataError: if they show none.
    """
    rules = induce_rules(
        [tokens for _, tokens in examples], [e.meaning for e, _ in examples], domain.words
    )
    if not rules:
        raise DataError(
            f"no phrase rules can be learned from {len(examples)} questions: too few are alike; "
            "use composition=flat, or declare the domain's phrase rules"
        )
    return rules


def supported(
    rules: Sequence[str], trees: Sequence[Phrase]
) -> tuple[tuple[str, ...], list[Phrase]]:
    """The rules that the trees which explain the gold graphs need, and the trees by these rules."""
    times = Counter(number for tree in trees for number in {p.rule for p in tree.phrases()})
    kept = whole(rule for number, rule in enumerate(rules) if times[number] > NEEDED * len(trees))
    numbers = {number: kept.index(rule) for number, rule in enumerate(rules) if rule in kept}
    return kept, [found for tree in trees if (found := _renumbered(tree, numbers)) is not None]


def _renumbered(tree: Phrase, numbers: Mapping[int, int]) -> Phrase | None:
    """A tree by other numbers of its rules; None if one of them is not among them."""
    parts: list[tuple[Symbol, int | Phrase]] = []
    for symbol, part in tree.parts:
        found = _renumbered(part, numbers) if isinstance(part, Phrase) else part
        if found is None:
            return None
        parts.append((symbol, found))
    if tree.rule not in numbers:
        return None
    return replace(tree, rule=numbers[tree.rule], parts=tuple(parts))

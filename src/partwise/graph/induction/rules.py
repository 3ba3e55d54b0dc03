"""The whole way from questions and their graphs to phrase rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from partwise.graph.induction.categories import made_of, nested
from partwise.graph.induction.coordination import find_units, merged
from partwise.graph.induction.parting import Parting
from partwise.graph.induction.patterns import THING, Pattern, read_patterns
from partwise.graph.induction.reduction import find_roots
from partwise.graph.induction.substitution import smallest, substitutes
from partwise.graph.induction.writing import Writer
from partwise.graph.phrases.chart import PhraseChart
from partwise.graph.phrases.grammar import AND, COMMA, read_grammar
from partwise.graph.phrases.tagging import ENTITY, Tokens
from partwise.language.query.graph import QueryGraph

RARE = 3
"""A rare pattern of whole questions is a rule if so many questions need it."""
ROUNDS = 3
"""Rounds of adding rare patterns, which show more of what is coordinated."""


def induce_rules(
    questions: Sequence[Tokens], graphs: Sequence[QueryGraph], classes: Collection[str]
) -> tuple[str, ...]:
    """Phrase rules from questions and their gold graphs.

    Args:
        questions: with the word classes of their tokens.
        classes: all word classes of the domain.

    Returns:
        Lines for `partwise.graph.phrases.grammar.read_grammar`; none if nothing was found.
    """
    patterns = read_patterns(questions, classes)
    found = substitutes(THING, patterns, (), Parting(patterns, questions, graphs))
    things = smallest(found, THING)
    strings = dict.fromkeys(things, THING)
    for name, more in nested(things, patterns).items():
        others = {s: kind for s, kind in strings.items() if not made_of(s, name, more, things)}
        strings = others | dict.fromkeys(more, name)
    reducer, roots = find_roots(patterns, strings)
    for _ in range(ROUNDS):
        writer = Writer(patterns, reducer, roots, find_units(patterns, reducer, roots))
        more = _left_over(writer, questions, classes)
        if not more:
            break
        roots = [*roots, *more]
    return writer.lines()


def _left_over(
    writer: Writer, questions: Sequence[Tokens], classes: Collection[str]
) -> list[Pattern]:
    """Rare patterns of the questions that the rules do not fit."""
    if not writer.roots:
        return []
    grammar = read_grammar(writer.lines(), [*classes, ENTITY])
    times: Counter[Pattern] = Counter()
    for pattern, readings in writer.patterns.readings.items():
        left = writer.reducer.one(merged(pattern, writer.units))
        if left in writer.roots or AND in left or COMMA in left:
            continue
        for reading in readings:
            times[left] += not PhraseChart(grammar, questions[reading.number].classes).trees(1)
    return [pattern for pattern, count in times.most_common() if count >= RARE]

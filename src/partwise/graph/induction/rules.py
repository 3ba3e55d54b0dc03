"""From questions and their graphs to phrase rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from partwise.errors import TooCostlyError
from partwise.graph.grammar.chart import ConstituencyChart, Constituent, Part
from partwise.graph.grammar.rules import AND, COMMA, read_grammar
from partwise.graph.grammar.tagging import TaggedTokens
from partwise.graph.induction.coordination import find_conjuncts, merged
from partwise.graph.induction.cut_vertex import CutVertexTest
from partwise.graph.induction.patterns import THING, Pattern, Patterns, commonest, read_patterns
from partwise.graph.induction.reduction import find_roots
from partwise.graph.induction.substitution import made_of, nested, smallest, substitutes
from partwise.graph.induction.writing import Writer, productive
from partwise.interface.budget import Work
from partwise.language.query_graph import QueryGraph

RARE = 3
"""A rare pattern of whole questions is a rule if so many questions need it."""
MOST_WORK = 20_000_000_000
"""Steps of some two nanoseconds after which induction begins again, with fewer patterns."""
FEWER = 4
"""By this factor they are fewer."""
ROUNDS = 3
"""Rounds of adding rare patterns, which show more of what is coordinated."""
NEEDED = 0.0005
"""A learned rule that a smaller share of the aligned trees needs is dropped."""


def induce_rules(
    questions: Sequence[TaggedTokens], graphs: Sequence[QueryGraph], classes: Collection[str]
) -> tuple[str, ...]:
    """Phrase rules from questions and their gold graphs.

    Classes that say little make thousands of patterns that mean many things. What takes too much
    work is tried again with the commonest patterns alone, so that it ends for any questions.

    Args:
        questions: with the word classes of their tokens.
        classes: all word classes of the domain.

    Returns:
        Lines for `partwise.graph.grammar.rules.read_grammar`; none if nothing was found.
    """
    patterns = read_patterns(questions, classes)
    while patterns.occurrences:
        try:
            return _induced(patterns, questions, graphs, Work(MOST_WORK))
        except TooCostlyError:
            patterns = commonest(patterns, len(patterns.occurrences) // FEWER)
    return ()


def _induced(
    patterns: Patterns, questions: Sequence[TaggedTokens], graphs: Sequence[QueryGraph], work: Work
) -> tuple[str, ...]:
    test = CutVertexTest(patterns, questions, graphs)
    attested = substitutes(patterns, test, work)
    things = smallest(attested)
    strings = dict.fromkeys(things, THING)
    for name, more in nested(things, patterns).items():
        others = {s: kind for s, kind in strings.items() if not made_of(s, name, more, things)}
        strings = others | dict.fromkeys(more, name)
    reducer, roots = find_roots(patterns, strings, work)
    for _ in range(ROUNDS):
        writer = Writer(patterns, reducer, roots, find_conjuncts(patterns, reducer, roots))
        more = _left_over(writer, questions)
        if not more:
            break
        roots = [*roots, *more]
    return writer.lines()


def _left_over(writer: Writer, questions: Sequence[TaggedTokens]) -> list[Pattern]:
    """Rare patterns of the questions that the rules do not fit."""
    if not writer.roots:
        return []
    grammar = read_grammar(writer.lines())
    times: Counter[Pattern] = Counter()
    for pattern, occurrences in writer.patterns.occurrences.items():
        left = writer.reducer.one(merged(pattern, writer.conjuncts))
        if left not in writer.roots and AND not in left and COMMA not in left:
            work = writer.reducer.work
            charts = (
                ConstituencyChart(grammar, questions[o.number].classes, work) for o in occurrences
            )
            times[left] += sum(not chart.trees(1) for chart in charts)
    return [pattern for pattern, count in times.most_common() if count >= RARE]


def supported(
    rules: Sequence[str], trees: Sequence[Constituent]
) -> tuple[tuple[str, ...], list[Constituent]]:
    """The rules that the trees which explain the gold graphs need, and the trees by these rules."""
    times = Counter(number for tree in trees for number in {p.rule for p in tree.constituents()})
    often = (rule for number, rule in enumerate(rules) if times[number] > NEEDED * len(trees))
    kept = productive(often)
    numbers = {number: kept.index(rule) for number, rule in enumerate(rules) if rule in kept}
    able = (t for t in trees if all(one.rule in numbers for one in t.constituents()))
    return kept, [_renumbered(tree, numbers) for tree in able]


def _renumbered(tree: Constituent, numbers: Mapping[int, int]) -> Constituent:
    """A tree by other numbers of its rules."""

    def part(one: Part) -> Part:
        symbol, inner = one
        return symbol, _renumbered(inner, numbers) if isinstance(inner, Constituent) else inner

    return replace(tree, rule=numbers[tree.rule], parts=tuple(map(part, tree.parts)))

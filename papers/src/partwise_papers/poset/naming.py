"""Names of variables in the order in which a question speaks of them.

A query's own names follow from its text, in which nothing of the question's order is left. In CFQ,
for which the paper was written, variables have numbers in the order of the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from partwise.language.query_graph import ANSWER, QueryGraph, Triple
from partwise_papers.poset.phrases import entity_of
from partwise_papers.poset.sketch import Primitive, said

Places = Mapping[Primitive, Sequence[float]]
"""Primitive -> where a question's words stand for it."""


def in_question_order(graph: QueryGraph, words: Sequence[str], found: Places) -> QueryGraph:
    """The graph with its variables numbered by where they stand in the question.

    What is asked for stays the first. A variable stands in the middle of the words for its
    attributes, or where it has none, of the words for its edges.
    """
    names = {name: place for place, word in enumerate(words) if (name := entity_of(word))}
    placed = [(*one, _place(*one, found, names)) for one in said(graph)]

    def place_of(variable: str) -> tuple[bool, float, str]:
        first = variable == ANSWER and graph.head == "select"
        own = [(one.constant, place) for ends, one, place in placed if variable in ends]
        attributes = [place for constant, place in own if constant]
        known = [place for place in attributes or [two[1] for two in own] if place is not None]
        return not first, fmean(known) if known else float(len(words)), variable

    order = sorted(graph.variables, key=place_of)
    return graph.renamed({old: f"?x{number}" for number, old in enumerate(order)})


def _place(
    triple: Triple, primitive: Primitive, found: Places, names: Mapping[str, int]
) -> float | None:
    """Where the words for a triple stand; those nearest to its entity, if it has one."""
    places = found.get(primitive, ())
    if not places:
        return None
    near = [names[end] for end in (triple.subject, triple.object) if end in names]
    return min(places, key=lambda one: abs(one - near[0])) if near else fmean(places)

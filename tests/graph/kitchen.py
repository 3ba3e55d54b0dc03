"""A tiny language of our own, about who cooks, tastes and sells what."""

from __future__ import annotations

from languages import domain

from partwise.graph.grammar.decomposition import Decomposition, Fragment, PlacedFragment, decompose
from partwise.graph.grammar.phrases import ConstituencyChart, read_grammar
from partwise.graph.grammar.tokens import Tagger
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph, Triple

KITCHEN = domain("kitchen")


def cut(question: str, domain: GraphDomain = KITCHEN, trees: int = 1) -> Decomposition:
    """The fragments of a question that has so many trees; of the best one."""
    grammar = read_grammar(domain.phrases)
    tokens = Tagger(domain)(question)
    found = ConstituencyChart(grammar, tokens.classes).trees(100)
    assert len(found) == trees, question
    return decompose(found[0], tokens.texts, grammar)


def shown(fragment: Fragment | PlacedFragment) -> str:
    """A fragment as one line: ``Past: past{cooked} Thing``."""
    fragment = fragment.fragment if isinstance(fragment, PlacedFragment) else fragment
    parts = [
        e.name + ("" if not e.words or e.words == (e.name,) else f"{{{', '.join(e.words)}}}")
        for e in fragment.elements
    ]
    return f"{fragment.category}: {' '.join(parts)}"


def graph(*edges: str, attributes: tuple[str, ...] = ()) -> QueryGraph:
    """``graph("?x0 made M0")``; selecting if it has an ?x0 and no variable says otherwise."""
    triples = frozenset(Triple(*edge.split()) for edge in edges)
    constants = frozenset(Triple(*attribute.split()) for attribute in attributes)
    head = "select" if any("?x0" in t for t in triples | constants) else "ask"
    return QueryGraph(head, triples, constants)

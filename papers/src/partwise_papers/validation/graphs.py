"""Checks of questions with query graphs: what reads, and what is written as the files say."""

from __future__ import annotations

from functools import cache

from partwise.errors import QueryError
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import ENTITY, QueryGraph, expected_head, with_filters
from partwise_papers.validation.checks import Check, Checks
from partwise_papers.validation.findings import Finding


class GraphChecks(Checks):
    """Checks of the queries of a domain; wants their `texts`.

    Args:
        domain: how queries are written, which nodes differ, and which questions ask whether.
    """

    wants_texts = True

    def __init__(self, domain: GraphDomain) -> None:
        super().__init__()
        self.domain = domain
        self.relations = {relation.predicate for relation in domain.relations}
        self.constants = {(a.predicate, a.constant) for a in domain.attributes}
        checks = [
            ("queries written as they were read, repeated lines aside", self._written),
            ("questions and queries of the same entities", self._entities),
            ("predicates and constants of the domain", self._declared),
            ("FILTERs just where nodes must differ", self._filters),
            ("queries of the head that the first word calls for", self._head),
        ]
        if domain.dialect == "wikidata":
            checks.append(("queries in canonical form", self._canonical))
        self.checks = [Check(Finding(what), reason) for what, reason in checks]
        self._canonical_text = cache(self._in_canonical_form)

    def _written(self, example: Example[QueryGraph]) -> str:
        mine, text = self.domain.write(example.meaning), self.texts[example.source]
        # Some published queries repeat a line, which a graph cannot.
        return "" if mine == text or mine == _once(text) else f"written {mine}"

    def _canonical(self, example: Example[QueryGraph]) -> str:
        mine = self._canonical_text(example.meaning)
        return "" if mine == self.texts[example.source] else mine

    def _in_canonical_form(self, graph: QueryGraph) -> str:
        try:
            return self.domain.write(self.domain.canonical(graph))
        except QueryError as error:
            return str(error)

    def _entities(self, example: Example[QueryGraph]) -> str:
        named = {word for word in example.question.split() if ENTITY.fullmatch(word)}
        one_sided = sorted(named ^ set(example.meaning.entities))
        return f"only on one side: {', '.join(one_sided)}" if one_sided else ""

    def _declared(self, example: Example[QueryGraph]) -> str:
        graph = example.meaning
        unknown = [str(edge) for edge in graph.edges if edge.predicate not in self.relations]
        unknown += [str(a) for a in graph.attributes if a[1:] not in self.constants]
        return f"unknown: {', '.join(sorted(unknown))}" if unknown else ""

    def _filters(self, example: Example[QueryGraph]) -> str:
        called_for = with_filters(example.meaning, self.domain.differing).filters
        wrong = called_for ^ example.meaning.filters
        return f"missing or too much: {sorted(wrong)}" if wrong else ""

    def _head(self, example: Example[QueryGraph]) -> str:
        expected = expected_head(example.question, self.domain.asking)
        return "" if example.meaning.head == expected else f"expected {expected}"


def _once(text: str) -> str:
    """A query in CFQ's form without repeated lines."""
    head, *lines = text.split("\n")
    body = dict.fromkeys(line.removesuffix(" .") for line in lines[:-1])
    return "\n".join([head, " .\n".join(body), *lines[-1:]])

"""Checks of questions with query graphs: what reads, and what is written as the files say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from partwise.errors import QueryError
from partwise.evaluation.summary import Failure, Finding
from partwise.interface.data import Dataset, Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.canonical import canonical, expected_head, with_filters
from partwise.language.query.graph import ENTITY, QueryGraph
from partwise.language.query.sparql_write import write_query

Test = Callable[[Example[QueryGraph], str], str]
"""What is wrong with an example whose query stands in the file as the text; "" for nothing."""


def check_graphs(
    domain: GraphDomain, dataset: Dataset[QueryGraph], texts: Mapping[str, str]
) -> list[Finding]:
    """All findings on one split; see `GraphCheck`.

    Args:
        texts: the queries as they stand in the files, by the examples' source.
    """
    check = GraphCheck(domain)
    check.add(dataset, texts)
    return check.findings


class GraphCheck:
    """Collects findings on the splits of a data set, one split at a time.

    Args:
        domain: how queries are written, which nodes differ, and which questions ask whether.
    """

    def __init__(self, domain: GraphDomain) -> None:
        self.domain = domain
        self.relations = {relation.predicate for relation in domain.relations}
        self.constants = {(a.predicate, a.constant) for a in domain.attributes}
        self.read = Finding("lines that can be read")
        self.tests: list[tuple[Finding, Test]] = [
            (Finding("queries written as they were read, repeated lines aside"), self._written),
            (Finding("questions and queries of the same entities"), self._entities),
            (Finding("predicates and constants of the domain"), self._declared),
            (Finding("FILTERs just where nodes must differ"), self._filters),
            (Finding("queries of the head that the first word calls for"), self._head),
        ]
        if domain.dialect == "wikidata":
            self.tests.append((Finding("queries in canonical form"), self._canonical))
        self.known: dict[str, str] = {}

    @property
    def findings(self) -> list[Finding]:
        """What was found so far."""
        return [self.read, *(finding for finding, _ in self.tests)]

    def add(self, dataset: Dataset[QueryGraph], texts: Mapping[str, str]) -> None:
        """Check a split; `texts` as for `check_graphs`."""
        split = dataset.split
        examples = [example for part in dataset.parts().values() for example in part]
        bad = [Failure(message, "", "", "left out") for message in dataset.skipped]
        self.read.add(split, len(examples) + len(bad), bad)
        for finding, test in self.tests:
            finding.add(split, len(examples), list(_failures(examples, texts, test)))

    def _written(self, example: Example[QueryGraph], text: str) -> str:
        mine = write_query(example.meaning, self.domain.dialect)
        # Some published queries repeat a line, which a graph cannot.
        return "" if mine == text or mine == _once(text) else f"written {mine}"

    def _canonical(self, example: Example[QueryGraph], text: str) -> str:
        if text not in self.known:
            try:
                mine = write_query(canonical(example.meaning), self.domain.dialect)
                self.known[text] = "" if mine == text else f"canonical {mine}"
            except QueryError as error:
                self.known[text] = str(error)
        return self.known[text]

    def _entities(self, example: Example[QueryGraph], text: str) -> str:
        named = {word for word in example.question.split() if ENTITY.fullmatch(word)}
        one_sided = sorted(named ^ set(example.meaning.entities))
        return f"only on one side: {', '.join(one_sided)}" if one_sided else ""

    def _declared(self, example: Example[QueryGraph], text: str) -> str:
        graph = example.meaning
        unknown = [str(edge) for edge in graph.edges if edge.predicate not in self.relations]
        unknown += [str(a) for a in graph.attributes if a[1:] not in self.constants]
        return f"unknown: {', '.join(sorted(unknown))}" if unknown else ""

    def _filters(self, example: Example[QueryGraph], text: str) -> str:
        called_for = with_filters(example.meaning, self.domain.differing).filters
        wrong = called_for ^ example.meaning.filters
        return f"missing or too much: {sorted(wrong)}" if wrong else ""

    def _head(self, example: Example[QueryGraph], text: str) -> str:
        expected = expected_head(example.question, self.domain.asking)
        return "" if example.meaning.head == expected else f"expected {expected}"


def _failures(
    examples: Iterable[Example[QueryGraph]], texts: Mapping[str, str], test: Test
) -> Iterable[Failure]:
    for example in examples:
        text = texts[example.source]
        reason = test(example, text)
        if reason:
            yield Failure(example.source, example.question, text, reason)


def _once(text: str) -> str:
    """A query in CFQ's form without repeated lines."""
    head, *lines = text.split("\n")
    body = dict.fromkeys(line.removesuffix(" .") for line in lines[:-1])
    return "\n".join([head, " .\n".join(body), *lines[-1:]])

"""Query graphs compared with gold ones: exact match, edges match, and what went wrong.

Two queries match if they are equal up to the names of variables. *Exact match* is of the whole
query: head, edges, attributes and filters. *Edges match* is of the edges alone, the reduced target
of Gai and Jain (2021, section 4), which leaves out types, genders, nationalities and filters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from partwise.errors import QueryError
from partwise.evaluation.metrics import NO_PARSE
from partwise.graph.denotations import Denotations
from partwise.graph.result import GraphParse
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.canonical import same
from partwise.language.query.graph import QueryGraph

EDGES, ATTRIBUTES, HEAD, ASKED, FILTERS = "edges", "attributes", "head", "asked node", "filters"
KINDS = (NO_PARSE, EDGES, ATTRIBUTES, HEAD, ASKED, FILTERS)
"""What a wrong query is first wrong in; each is counted once. ``asked node``: its triples are
right, but it selects another node."""


@dataclass(frozen=True)
class GraphOutcome:
    """How one question came out.

    Attributes:
        exact_match: the queries are equal up to the names of variables.
        edges: so are their edges.
        wrong: one of `KINDS`, None for an exact match.
        variables: how many the gold query has.
        denotation: both queries ran and gave the same; None where queries are not run.
        error: why nothing was compared (`NO_PARSE`), or why the query did not run.
    """

    exact_match: bool
    edges: bool
    wrong: str | None
    variables: int
    denotation: bool | None = None
    error: str | None = None


@dataclass(frozen=True)
class GraphMetrics:
    """Outcomes of query graphs."""

    outcomes: tuple[GraphOutcome, ...]

    @property
    def n(self) -> int:
        """Number of examples."""
        return len(self.outcomes)

    @property
    def exact_match(self) -> float:
        """Share of exact matches."""
        return fmean(outcome.exact_match for outcome in self.outcomes)

    @property
    def no_parse(self) -> int:
        """Number of questions without a prediction."""
        return sum(outcome.error == NO_PARSE for outcome in self.outcomes)

    @property
    def failed(self) -> int:
        """Number of predictions that did not run."""
        return sum(outcome.error is not None for outcome in self.outcomes) - self.no_parse

    @property
    def edges_match(self) -> float:
        """Share of queries whose edges match."""
        return fmean(outcome.edges for outcome in self.outcomes)

    @property
    def denotation(self) -> float | None:
        """Share of right answers; None where queries are not run."""
        found = [o.denotation for o in self.outcomes if o.denotation is not None]
        return fmean(found) if found else None

    def by_variables(self) -> dict[int, tuple[float, int]]:
        """Number of variables -> exact match of the questions with so many, and their number."""
        found: dict[int, list[bool]] = {}
        for outcome in self.outcomes:
            found.setdefault(outcome.variables, []).append(outcome.exact_match)
        return {number: (fmean(found[number]), len(found[number])) for number in sorted(found)}

    def by_error(self) -> dict[str, int]:
        """What the queries that do not match are first wrong in, and how many."""
        counts = Counter(outcome.wrong for outcome in self.outcomes)
        return {kind: counts[kind] for kind in KINDS if counts[kind]}

    def to_json(self) -> dict[str, Any]:
        """The means, counts and breakdowns."""
        answers = {} if self.denotation is None else {"denotation": self.denotation}
        return {
            "exact_match": self.exact_match,
            "edges_match": self.edges_match,
            **answers,
            "n": self.n,
            "no_parse": self.no_parse,
            **({"failed": self.failed} if answers else {}),
            "errors": self.by_error(),
            "by_variables": {
                str(number): {"exact_match": share, "n": n}
                for number, (share, n) in self.by_variables().items()
            },
        }


def score_graphs(
    domain: GraphDomain,
    examples: Sequence[Example[QueryGraph]],
    parses: Sequence[GraphParse],
    answers: Denotations | None = None,
) -> GraphMetrics:
    """Compare parses with the graphs of the examples.

    Args:
        answers: runs queries, where there is a knowledge graph to run them on.

    Raises:
        ValueError: if there are no examples or the lengths differ.
        DataError: if a gold query fails to run; names the example's source.
    """
    if not examples or len(examples) != len(parses):
        raise ValueError(f"{len(parses)} parses for {len(examples)} examples")
    pairs = zip(examples, parses, strict=True)
    return GraphMetrics(tuple(_outcome(example, parse, answers) for example, parse in pairs))


def edges_of(graph: QueryGraph) -> QueryGraph:
    """The edges alone; no variable of them is asked for."""
    return QueryGraph("ask", graph.edges)


def _outcome(
    example: Example[QueryGraph], parse: GraphParse, answers: Denotations | None
) -> GraphOutcome:
    gold, guess = example.meaning, parse.graph
    count = len(gold.variables)
    denotation, error = (None, None) if answers is None else answers.compare(example, guess)
    if guess is None:
        return GraphOutcome(False, False, NO_PARSE, count, denotation, NO_PARSE)
    edges = _equal(edges_of(gold), edges_of(guess))
    wrong = None if _equal(gold, guess) else _first_wrong(gold, guess, edges)
    return GraphOutcome(wrong is None, edges, wrong, count, denotation, error)


def _first_wrong(gold: QueryGraph, guess: QueryGraph, edges: bool) -> str:
    if not edges:
        return EDGES
    said, meant = (QueryGraph("ask", g.edges, g.attributes) for g in (guess, gold))
    if not _equal(said, meant):
        return ATTRIBUTES
    if gold.head != guess.head:
        return HEAD
    said, meant = (QueryGraph(g.head, g.edges, g.attributes) for g in (guess, gold))
    return FILTERS if _equal(said, meant) else ASKED


def _equal(one: QueryGraph, other: QueryGraph) -> bool:
    try:
        return same(one, other)
    except QueryError:
        # Variables too many or too much alike to be named: nobody can say that they are equal.
        return False

"""The queries of a domain of query graphs as rules of GBNF.

They take what `GraphConstraint` allows, and more: nodes may be of any kinds, FILTERs on any nodes,
and what is asked for need not be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from partwise.errors import DomainError
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import ENTITY
from partwise.language.sparql import heads
from partwise_papers.constrained.graphs import VARIABLES
from partwise_papers.constrained.patterns import pattern_text, quoted
from partwise_papers.constrained.predicates import Predicates

_BODIES = {
    "cfq": 'clause (" . " clause)* " }"',
    "wikidata": 'triple (" . " triple)* (" . " filter)* " }"',
    "sparql": '(triple " . ")+ (filter " . ")* "}"',
}
"""Dialect -> what follows the head and a blank."""


def query_rules(domain: GraphDomain) -> Iterator[tuple[str, str]]:
    """The nonterminals with their right-hand sides, for queries on one line; ``root`` is the first.

    Raises:
        DomainError: for a domain that declares no predicates.
    """
    predicates = Predicates(domain)
    # A relation is followed by a node, and each other predicate by one of its constants.
    rests = ['relation " " node'] if predicates.relations else []
    for name, constants in predicates.attributes.items():
        rests.append(f"{quoted(f'{name} ')} ({_one_of(constants)})")
    if not rests:
        raise DomainError(f"{domain.name} declares no relations or attributes, so has no queries")
    yield "root", f"({_one_of(f'{head} ' for head in heads(domain.dialect).values())}) body"
    yield "body", _BODIES[domain.dialect]
    if domain.dialect == "cfq":
        yield "clause", "triple | filter"
    yield "triple", f'node " " ({" | ".join(rests)})'
    yield "filter", '"FILTER ( " node " != " node " )"'
    variables = _one_of(f"?x{number}" for number in range(VARIABLES))
    yield "node", f"{variables} | {pattern_text(ENTITY)}"
    if predicates.relations:
        yield "relation", _one_of(predicates.relations)


def _one_of(texts: Iterable[str]) -> str:
    return " | ".join(map(quoted, texts))

"""The constraint of a domain."""

from __future__ import annotations

from partwise.language.domain import Domain
from partwise.language.graph_domain import GraphDomain
from partwise.language.program import DEEPEST
from partwise_papers.constrained.constraint import Constraint
from partwise_papers.constrained.graphs import VARIABLES, GraphConstraint
from partwise_papers.constrained.programs import ProgramConstraint


def constraint_of(
    domain: object, deepest: int = DEEPEST, variables: int = VARIABLES
) -> Constraint | None:
    """The constraint of a domain; None for one that cannot say which texts are well-typed.

    Args:
        domain: a `Domain`, or a `GraphDomain` that declares predicates.
        deepest: how many levels of calls a program may have.
        variables: how many variables a query may have, two at least.

    Raises:
        DomainError: for a domain with ever larger types, or without any program.
    """
    if isinstance(domain, Domain):
        return ProgramConstraint(domain, deepest)
    if isinstance(domain, GraphDomain) and (domain.relations or domain.attributes):
        return GraphConstraint(domain, variables)
    return None

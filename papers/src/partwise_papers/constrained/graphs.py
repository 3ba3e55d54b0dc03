"""Query graphs of a domain, token by token: each that is complete is read, and may have a match.

Tokens are what blanks separate in `GraphDomain.write`. The order of triples is free.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from partwise.errors import QueryError
from partwise.language.graph_domain import ANY, GraphDomain, Kinds
from partwise.language.query_graph import ANSWER, ENTITY, QueryGraph
from partwise.language.sparql import heads
from partwise_papers.constrained.constraint import Allowed
from partwise_papers.constrained.predicates import Predicates, joined

VARIABLES = 10
"""How many variables a query may have, where nothing else is said."""
CACHED = 1 << 16
"""States of which the allowed tokens are kept."""
_OPENING = "{"
_FILTER = "FILTER"
_PLACEHOLDER = re.compile(rf"\b{ENTITY.pattern}\b")
Phase = Literal["head", "clause", "dotted", "end of clause", "end"]
"""What comes next: the head; a clause; a clause or ``}``; ``.`` or ``}``; nothing."""


@dataclass(frozen=True)
class GraphState:
    """How far a query is read.

    Attributes:
        nodes: what may stand as a node: variables, and the placeholders of the question.
        done: the tokens of the head or the clause that is being read.
        kinds: the nodes of triples, sorted, each with its kinds.
        apart: the ends of relations whose ends must differ.
        filtered: the nodes of FILTERs.
    """

    nodes: tuple[str, ...]
    phase: Phase = "head"
    done: tuple[str, ...] = ()
    select: bool = False
    kinds: tuple[tuple[str, Kinds], ...] = ()
    apart: frozenset[tuple[str, str]] = frozenset()
    filtered: frozenset[str] = frozenset()


class GraphConstraint:
    """The constraint of a domain of query graphs.

    Predicates are those that the domain declares, between nodes that can be something by its kinds
    (`GraphDomain.is_possible`). A FILTER is on the ends of a relation whose ends must differ; in
    the dialect ``cfq``, where it may come before the relation, on any two nodes.

    Args:
        variables: how many variables there may be, two at least.
    """

    def __init__(self, domain: GraphDomain, variables: int = VARIABLES) -> None:
        self.domain, self.predicates = domain, Predicates(domain)
        self.variables = tuple(f"?x{number}" for number in range(variables))
        # Only there do FILTERs stand among the triples.
        self._mixed = domain.dialect == "cfq"
        self._heads = {kind: tuple(head.split()) for kind, head in heads(domain.dialect).items()}
        self.allowed = lru_cache(CACHED)(self._allowed)

    def start(self, names: str | Collection[str] = ()) -> GraphState:
        """The state before the first token.

        Args:
            names: a question, or the placeholders in it.
        """
        found = _PLACEHOLDER.findall(names) if isinstance(names, str) else names
        return GraphState((*self.variables, *sorted(set(found))))

    def advance(self, state: GraphState, token: str) -> GraphState:
        """The state after one more token.

        Raises:
            QueryError: if the token is not allowed.
        """
        allowed = self.allowed(state)
        if token not in allowed:
            few = ", ".join(sorted(allowed.tokens)[:10]) or "only the end"
            raise QueryError(f"{token!r} may not stand here; what may: {few}")
        if token == "}":
            return replace(state, phase="end")
        if token == "." and state.phase == "end of clause":
            return replace(state, phase="dotted" if self.domain.dialect == "sparql" else "clause")
        state = replace(state, done=(*state.done, token))
        if state.phase != "head":
            return self._clause(state)
        if token == _OPENING:
            select = state.done == self._heads["select"]
            return replace(state, phase="clause", done=(), select=select)
        return state

    def split(self, meaning: QueryGraph) -> list[str]:
        """The tokens of a query."""
        return self.domain.write(meaning).split()

    def join(self, tokens: Sequence[str]) -> QueryGraph:
        """The query that tokens spell.

        Raises:
            QuerySyntaxError: for tokens that spell none.
        """
        return self.domain.read(" ".join(tokens))

    # --- steps -----------------------------------------------------------------------------

    def _clause(self, state: GraphState) -> GraphState:
        done = state.done
        if done[0] == _FILTER and len(done) == 6:
            filtered = state.filtered | {done[2], done[4]}
            return replace(state, phase="end of clause", done=(), filtered=filtered)
        if done[0] == _FILTER or len(done) < 3:
            return state
        subject, predicate, end = done
        kinds = dict(state.kinds)
        for node, demand in self.predicates.demands(subject, predicate, end, state.nodes):
            after = joined(kinds.get(node, ANY), demand)
            assert after is not None
            kinds[node] = after
        apart = {(subject, end)} if predicate in self.predicates.differing else set()
        return replace(
            state,
            phase="end of clause",
            done=(),
            kinds=tuple(sorted(kinds.items(), key=lambda one: one[0])),
            apart=state.apart | {pair for pair in apart if end in state.nodes and subject != end},
        )

    # --- what may come next ----------------------------------------------------------------

    def _allowed(self, state: GraphState) -> Allowed:
        return Allowed(frozenset(self._tokens(state)), end=state.phase == "end")

    def _tokens(self, state: GraphState) -> Iterator[str]:
        done = state.done
        if state.phase == "head":
            yield from (h[len(done)] for h in self._heads.values() if h[: len(done)] == done)
        elif state.phase == "end of clause":
            yield "."
        ends = "dotted" if self.domain.dialect == "sparql" else "end of clause"
        if state.phase == ends and not done and self._may_end(state):
            yield "}"
        if state.phase in ("clause", "dotted"):
            yield from self._filter(state) if done[:1] == (_FILTER,) else self._triple(state)

    def _triple(self, state: GraphState) -> Iterator[str]:
        """The next token of a triple, or the first one of a FILTER."""
        done, known = state.done, dict(state.kinds)
        if not done and self._may_filter(state):
            yield _FILTER
        if not done and (self._mixed or not state.filtered):
            yield from (n for n in state.nodes if self._of(n, known, state.nodes))
        elif len(done) == 1:
            yield from self._of(done[0], known, state.nodes)
        elif len(done) == 2:
            yield from self._ends(done[0], done[1], known, state.nodes)

    def _may_end(self, state: GraphState) -> bool:
        nodes = {node for node, _ in state.kinds}
        answered = not state.select or ANSWER in nodes
        return bool(nodes) and answered and state.filtered <= nodes

    def _of(self, subject: str, known: dict[str, Kinds], nodes: Sequence[str]) -> frozenset[str]:
        others = frozenset(known.get(node, ANY) for node in nodes if node != subject)
        return self.predicates.of(known.get(subject, ANY), others)

    def _ends(
        self, subject: str, predicate: str, known: dict[str, Kinds], nodes: Sequence[str]
    ) -> Iterator[str]:
        kinds = known.get(subject, ANY)
        yield from self.predicates.constants(predicate, kinds)
        for node in nodes:
            other = None if node == subject else known.get(node, ANY)
            if self.predicates.is_edge(predicate, kinds, other):
                yield node

    def _may_filter(self, state: GraphState) -> bool:
        if self._mixed:
            return bool(self.predicates.differing)
        return bool(state.apart) and (not state.select or ANSWER in dict(state.kinds))

    def _filter(self, state: GraphState) -> Iterator[str]:
        """The next token of ``FILTER ( ?x0 != ?x1 )``."""
        done = state.done
        if len(done) not in (2, 4):
            yield {1: "(", 3: "!=", 5: ")"}[len(done)]
        elif self._mixed:
            yield from (node for node in state.nodes if node != done[-2 if len(done) == 4 else -1])
        elif len(done) == 2:
            yield from {one for one, _ in state.apart}
        else:
            yield from {other for one, other in state.apart if one == done[2]}

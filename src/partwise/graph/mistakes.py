"""The questions whose query came out wrong, a JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from partwise.graph.metrics import KINDS, GraphMetrics
from partwise.graph.result import GraphParse
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph
from partwise.language.query.sparql_write import write_query


def graph_mistakes(
    domain: GraphDomain,
    examples: Sequence[Example[QueryGraph]],
    parses: Sequence[GraphParse],
    metrics: GraphMetrics,
) -> str:
    """What differs from the gold query, sorted by what it is first wrong in.

    Each line has ``question``, ``query``, ``predicted`` (null for no parse), ``wrong`` (one of
    `graphs.KINDS`), ``missing`` and ``extra`` (triples of the one query that the other lacks,
    variables by the names that they have there), ``right_answer`` (null where queries are not
    run), ``error``, ``variables`` and ``source``.

    Raises:
        ValueError: if the metrics are not of these examples.
    """
    lines: list[tuple[int, str]] = []
    for example, parse, outcome in zip(examples, parses, metrics.outcomes, strict=True):
        if outcome.wrong is None:
            continue
        gold, guess = example.meaning, parse.graph
        said = frozenset() if guess is None else guess.triples
        line: dict[str, Any] = {
            "question": example.question,
            "query": write_query(gold, domain.dialect),
            "predicted": None if guess is None else write_query(guess, domain.dialect),
            "wrong": outcome.wrong,
            "missing": sorted(map(str, gold.triples - said)),
            "extra": sorted(map(str, said - gold.triples)),
            "right_answer": outcome.denotation,
            "error": parse.reason if guess is None else outcome.error,
            "variables": outcome.variables,
            "source": example.source,
        }
        lines.append((KINDS.index(outcome.wrong), json.dumps(line, ensure_ascii=False)))
    return "".join(f"{text}\n" for _, text in sorted(lines, key=lambda line: line[0]))

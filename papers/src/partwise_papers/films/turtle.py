"""The knowledge graph as Turtle."""

from __future__ import annotations

from collections import defaultdict

from partwise.domains.films.domain import NAMESPACE, PREFIX
from partwise_papers.films.knowledge import Knowledge

HEADER = f"""\
# Films and who made them. Made by scripts/build_films.py from the tables of this package.
@prefix {PREFIX}: <{NAMESPACE}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def to_turtle(graph: Knowledge) -> str:
    """The graph's facts and labels, sorted by name; always the same text for the same graph."""
    said: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for subject, predicate, value in sorted(graph.facts):
        said[subject][predicate].append(value)
    return HEADER + "".join(
        f"\n{name} rdfs:label {_text(graph.labels[name])}@en"
        + "".join(f" ;\n  {p} {', '.join(values)}" for p, values in said[name].items())
        + " .\n"
        for name in sorted(graph.labels)
    )


def _text(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

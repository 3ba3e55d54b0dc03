"""Small languages of our own, published questions, and what hangs together in a graph."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from partwise.language.graph_domain import Attribute, GraphDomain, Relation

Node = TypeVar("Node", bound=Hashable)
HERE = Path(__file__).parent
MCWQ = Path(os.environ.get("PARTWISE_DATA", HERE.parents[2] / "shared" / "data")) / "mcwq"
needs_mcwq = pytest.mark.skipif(not MCWQ.is_dir(), reason="the published MCWQ files are not here")


def domain(name: str) -> GraphDomain:
    """A small language of our own: its words, phrase rules, relations and attributes."""
    values = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return GraphDomain(
        name,
        "wikidata",
        tuple(Relation(one, differ=one == "wed") for one in values.get("relations", ())),
        tuple(Attribute(*pair) for pair in values.get("attributes", ())),
        words={kind: tuple(text.split(", ")) for kind, text in values["words"].items()},
        phrases=tuple(values.get("phrases", ())),
    )


def mcwq_lines(part: str) -> list[str]:
    """Lines of a published file: question, query, and more, with tabs between."""
    with gzip.open(MCWQ / f"{part}.tsv.gz", "rt", encoding="utf-8") as file:
        return file.readlines()


def parts_of(edges: Iterable[Sequence[Node]], nodes: Iterable[Node]) -> list[set[Node]]:
    """What hangs together of nodes and the ends of edges."""
    edges = list(edges)
    parts = [{node} for node in {*nodes, *(end for edge in edges for end in edge)}]
    for edge in edges:
        mine = [part for part in parts if part & set(edge)]
        parts = [part for part in parts if part not in mine] + [set().union(*mine)]
    return parts

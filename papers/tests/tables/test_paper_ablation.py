"""The ablation's cells and tables."""

from __future__ import annotations

from typing import Any

import pytest

from graph_ablation import ALIKE, Cell, ablation_tables, cells
from partwise.graph.config import GraphParserConfig
from partwise.graph.flat import read_flat
from partwise.graph.grammar.tokens import Tagger
from partwise_papers.domains.wikidata.domain import WIKIDATA

FULL = Cell("words", True, True, "group")
BARE = Cell("words", False, False, ALIKE)


def row(cell: Cell, split: str, seed: int, exact: float, edges: float) -> dict[str, Any]:
    """A row of the benchmark's file."""
    figures = {"exact_match": exact, "edges_match": edges}
    return {"split": split, "seed": seed, **cell._asdict(), **figures}


def test_the_papers_rows_come_first() -> None:
    found = cells()
    assert len(found) == len(set(found)) == 18
    assert found[0] == BARE
    assert FULL in found[:3]
    for cell in found:
        GraphParserConfig(composition="flat", **cell.settings())


@pytest.mark.parametrize("question", ["Did M0 and M1 marry M2", "Who edited M1 , M0 , and M3"])
def test_without_grouping_both_kinds_of_nodes_are_the_same(question: str) -> None:
    tokens = Tagger(WIKIDATA)(question)
    plain = GraphParserConfig(grouping=False)
    both = [
        read_flat(tokens, GraphParserConfig(grouping=False, group_nodes=n)) for n in (True, False)
    ]
    assert both[0] == both[1] == read_flat(tokens, plain)
    grouped = [read_flat(tokens, GraphParserConfig(group_nodes=n)).members for n in (True, False)]
    assert grouped[0] != grouped[1]


def test_tables_have_means_and_the_papers_rows() -> None:
    done = [
        row(FULL, "mcd1", 0, 0.3, 0.4),
        row(FULL, "mcd1", 1, 0.5, 0.6),
        row(BARE, "mcd3", 0, 0.1, 0.2),
        row(Cell("tags", True, True, "group"), "mcd1", 0, 0.7, 0.8),
    ]
    every, beside = ablation_tables({"budget": "small", "data": "recovered", "cells": done})
    by_name = {line[-1]: line for line in every.rows if line[-1]}
    full = by_name["Grounded Graph Decoding"]
    assert full[:6] == ("words", "yes", "yes", "group", "40.0 ± 127.1 (2)", "50.0 ± 127.1 (2)")
    assert by_name["Graph decoding only"][8:10] == ("10.0 (1)", "20.0 (1)")
    assert sum("70.0 (1)" in line for line in every.rows) == 1
    assert [line[0] for line in beside.rows][2] == "Grounded Graph Decoding"
    assert beside.rows[2][1:] == ("50.0 ± 127.1 (2)", "–", "–", "98.6", "67.9", "77.4")
    for grid in (every, beside):
        assert any("recovered" in note for note in grid.notes)
        assert any("small" in note for note in grid.notes)

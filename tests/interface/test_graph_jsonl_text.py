"""Texts of graph examples that no file could hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from partwise.errors import DataError
from partwise.interface.jsonl import read_jsonl
from partwise.language.sparql import parse_query


def test_half_of_a_surrogate_pair_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "Did M0 edit \\ud800", "query": "ASK WHERE { M0 a b:c }"}\n')
    with pytest.raises(DataError, match=r":1: field 'question' holds half of a surrogate pair"):
        read_jsonl(file, parse_query)

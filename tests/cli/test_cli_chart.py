"""``partwise parse --chart``."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

ASKED = ("which states border texas?", "what is the capital of ohio?")


def test_a_chart_is_drawn_for_each_question(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "chart.svg"
    result = cli("parse", "--model", "geography", "--chart", str(file), "--no-tree", *ASKED)
    assert result.exit_code == 0, result.output
    for number, question in enumerate(ASKED, start=1):
        root = ET.parse(file.with_name(f"chart-{number}.svg")).getroot()
        assert root.findtext("{http://www.w3.org/2000/svg}title") == f"Chart of “{question}”"


def test_a_question_without_a_parse_has_none(cli: Any, tmp_path: Path) -> None:
    result = cli("parse", "--model", "geography", "--chart", str(tmp_path / "chart.svg"), "?" * 90)
    assert result.exit_code == 1
    assert "chart.svg is not drawn: the question has" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_graph_parsers_have_none(cli: Any, tmp_path: Path) -> None:
    result = cli("parse", "--model", "films", "--chart", str(tmp_path / "a.svg"), "Who directed M0")
    assert result.exit_code == 2
    assert "--chart: a parser of kind graph has none" in result.stderr

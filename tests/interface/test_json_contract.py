"""The JSON of answers has the fields that docs/reference/json.md describes, of these types."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from partwise.interface.prediction import JSON_VERSION, Answer, Explanation, Prediction, ResultTable

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "json.md"
TYPES: Mapping[str, tuple[type[Any], ...]] = {
    "text": (str,),
    "number": (int, float),
    "list": (list,),
    "object": (dict,),
    "null": (type(None),),
    "true": (bool,),
    "false": (bool,),
}
ONLY_WITH_ANSWERS = {"answer", "columns", "truncated", "notes"}
ONLY_OF_THE_QUESTION = {"version", "question", "words", "suggestions", "alternatives"}
SAID = Explanation("people", "SELECT name FROM person")
TABLE = ResultTable(("name",), (("Ada",), (None,)), SAID)
FULL: Answer[str] = Answer(
    Prediction("who", ("who",), "m", 0.9), "m", ("Ada", "-"), TABLE, explanation=SAID
)
LINES: Answer[str] = Answer(Prediction("who", ("who",), "m", 0.9), "m", ("ada",), {"ada"})
REFUSED: Answer[str] = Answer(Prediction("who", ("who",), reason="unknown"), reason="unknown")


def documented() -> dict[str, tuple[type[Any], ...]]:
    """Field -> its types, of the tables of the page."""
    fields = {}
    for names, kinds in re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|", PAGE.read_text("utf-8"), re.M):
        words = re.findall(r"\w+", kinds)
        types = tuple(kind for word in words if word in TYPES for kind in TYPES[word])
        assert types, f"{names}: {kinds}"
        fields |= dict.fromkeys(re.findall(r"`(\w+)`", names), types)
    older = re.search(r"^`(\w+)` and `(\w+)` are older names", PAGE.read_text("utf-8"), re.M)
    assert older is not None
    return {**fields, older[1]: (str, type(None)), older[2]: (str,)}


@pytest.mark.parametrize("one", [FULL, LINES, REFUSED], ids=["table", "lines", "refused"])
@pytest.mark.parametrize("ran", [True, False])
def test_the_fields_are_those_of_the_page(one: Answer[str], ran: bool) -> None:
    values = json.loads(json.dumps(replace(one, alternatives=(FULL,)).to_json(ran)))
    fields = documented()
    assert {*values} == {*fields} - (set() if ran else ONLY_WITH_ANSWERS)
    (other,) = values["alternatives"]
    assert {*other} == {*values} - ONLY_OF_THE_QUESTION
    for name, value in [*values.items(), *other.items()]:
        assert isinstance(value, fields[name]), name


def test_the_version_is_that_of_the_page() -> None:
    found = re.search(r"version, which is now \*\*(\d+)\*\*", PAGE.read_text("utf-8"))
    assert found is not None
    assert int(found[1]) == JSON_VERSION


def test_the_examples_of_the_page_are_json_with_its_fields() -> None:
    blocks = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    assert len(blocks) == 2
    for block in blocks:
        assert {*json.loads(block)} <= {*documented()}

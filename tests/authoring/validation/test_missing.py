"""For a pair that no tree reaches, the report says which declaration may be missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from partwise.authoring.validation import validate_domain
from partwise.language.domain import Domain, default, entities, predicate
from partwise.language.values import Many, One


class Ship: ...


class Port: ...


class Harbour(Domain):
    """Ships, with nothing declared that outside languages need."""

    name: ClassVar[str] = "harbour"
    infix: ClassVar = ()
    answers: ClassVar = Many[Ship]

    @entities(("oslo", "bergen"), bare=True)
    def port(self, name: str) -> One[Port]: ...  # type: ignore[empty-body]

    @predicate("ships")
    def ship(self) -> Many[Ship]: ...  # type: ignore[empty-body]

    @predicate("from")
    def left(self, port: One[Port]) -> Many[Ship]: ...  # type: ignore[empty-body]

    @predicate("via")
    def between(  # type: ignore[empty-body]
        self, start: One[Port], end: One[Port], over: One[Port] = default()
    ) -> Many[Ship]: ...

    @predicate("and", commutes=("one", "two"))
    def both(self, one: Many[Ship], two: Many[Ship]) -> Many[Ship]: ...  # type: ignore[empty-body]

    @predicate("fast")
    def fast(self, of: Many[Ship]) -> Many[Ship]: ...  # type: ignore[empty-body]


def advice(folder: Path, question: str, program: str) -> str:
    file = folder / "pairs.jsonl"
    file.write_text(json.dumps({"question": question, "program": program}), encoding="utf-8")
    report = validate_domain(Harbour(), file)
    (issue,) = [one for one in report.issues if one.kind in ("unreached-pair", "untyped-pair")]
    return issue.suggestion


@pytest.mark.parametrize(
    ("question", "program", "says"),
    [
        ("ships from oslo", "both(ship(), left(oslo))", "declare it as @type_shift over *parts"),
        ("oslo", "left(oslo)", "no word stands for left, declare it as @type_shift(of_phrases="),
        ("ships via oslo", "between(oslo, oslo)", "one mention of oslo fills several arguments"),
        (
            "from fast oslo ships",
            "both(fast(ship()), left(oslo))",
            "stands within the words of",
        ),
        ("ships", "<=(ship(), ship())", "declare it as @predicate(name='<=')"),
    ],
)
def test_what_may_be_missing_is_said(
    tmp_path: Path, question: str, program: str, says: str
) -> None:
    assert says in advice(tmp_path, question, program)

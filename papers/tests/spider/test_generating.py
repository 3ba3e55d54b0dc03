"""Generated questions: programs that run, words that are where they are said to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from partwise.database.layer.model import SemanticLayer
from partwise.execution.relational.checking import problems
from partwise.execution.relational.sql import Compiler
from partwise.execution.relational.writing import read
from partwise_papers.spider.data import SpiderQuestion, SpiderSchema
from partwise_papers.spider.filling import fill, literals_of, rows_of
from partwise_papers.spider.generating.generate import generate
from partwise_papers.spider.generating.naming import from_place, plural
from partwise_papers.spider.generating.noise import misspelt
from partwise_papers.spider.generating.phrases import patterns, say, spoken, word
from partwise_papers.spider.layers import declared_layer

SAID = "SELECT Name FROM Shops WHERE City = 'France' AND City = 'Oslo'"


@pytest.fixture
def filled(shop: SpiderSchema, tmp_path: Path) -> tuple[SemanticLayer, dict[str, Any], Path]:
    file = tmp_path / "shop.sqlite"
    fill(shop, literals_of([SpiderQuestion("1", "shop", "?", SAID)])["shop"], file, 0)
    layer = declared_layer(shop)
    return layer, rows_of(file, layer), file


def test_programs_run_and_words_are_in_place(
    filled: tuple[SemanticLayer, dict[str, Any], Path],
) -> None:
    layer, rows, file = filled
    compiler = Compiler(layer.schema, texts=True)
    made = generate(layer, rows, 400, seed=0)
    assert len(made) == 400
    engine = sa.create_engine(f"sqlite:///{file}")
    answered = 0
    with engine.connect() as connection:
        for one in made:
            assert all(one.question[start:end].strip() for start, end, _ in one.words)
            if one.program is None:
                assert any(part == "missing" for _, _, part in one.words)
                continue
            assert not list(problems(one.program, layer.schema))
            answered += bool(connection.execute(compiler.select(one.program)).fetchall())
    assert answered > 250


def test_programs_are_written_as_text(
    filled: tuple[SemanticLayer, dict[str, Any], Path],
) -> None:
    layer, rows, _ = filled
    for one in generate(layer, rows, 100, seed=5):
        stored = one.to_json()["program"]
        assert (None if stored is None else read(stored, layer.schema)) == one.program


def test_same_seed_same_questions(filled: tuple[SemanticLayer, dict[str, Any], Path]) -> None:
    layer, rows, _ = filled
    assert generate(layer, rows, 30, seed=1) == generate(layer, rows, 30, seed=1)
    assert generate(layer, rows, 30, seed=1) != generate(layer, rows, 30, seed=2)


def test_all_kinds_are_drawn(filled: tuple[SemanticLayer, dict[str, Any], Path]) -> None:
    layer, rows, _ = filled
    kinds = {one.kind for one in generate(layer, rows, 800, seed=3)}
    assert {"list", "count", "lookup", "best", "per_count", "having", "no_column"} <= kinds


def test_patterns_have_several_forms() -> None:
    few = {kind for kind, some in patterns().items() if len(some) < 2}
    assert not few


def test_words_know_their_parts() -> None:
    said = say("[count|how many] {heads} are there", heads=word("cars", "table:Car"))
    text, parts = spoken((*said, *word("?")))
    assert text == "how many cars are there?"
    assert [(text[start:end], part) for start, end, part in parts] == [
        ("how many", "count"),
        ("cars", "table:Car"),
    ]


@pytest.mark.parametrize(
    ("one", "many"),
    [("city", "cities"), ("bus", "buses"), ("date of birth", "dates of birth"), ("day", "days")],
)
def test_plural(one: str, many: str) -> None:
    assert plural(one) == many


def test_adjectives_of_places() -> None:
    assert "french" in from_place("France")
    assert from_place("Atlantis") == ()


@given(st.text("abcdefghij", min_size=5, max_size=12), st.randoms())
def test_misspelt_words_stay_close(text: str, rng: Any) -> None:
    assert abs(len(misspelt(text, rng)) - len(text)) <= 1

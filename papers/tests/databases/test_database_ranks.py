"""Ranks of right interpretations, beside a baseline."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import pytest
from cli_helpers import run_cli

from partwise.database.parser import DatabaseParser
from partwise_papers.databases import ranks
from partwise_papers.databases.options import DatabaseRecipe, RankedOn
from partwise_papers.databases.ranks import (
    Key,
    Ranked,
    constructs,
    mcnemar,
    ranks_of,
    read_baseline,
    summary,
    text,
)


@pytest.fixture
def choosing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny databases are for choosing."""
    folders = [home / "bakery", home / "garden"]
    monkeypatch.setattr(ranks, "database_folders", lambda: folders)
    monkeypatch.setattr(ranks.DatabaseRecipe, "held_out", ("bakery",))


@pytest.mark.usefixtures("choosing")
def test_memorised_questions_are_first(parser: DatabaseParser, tmp_path: Path) -> None:
    made = ranks_of(parser, RankedOn(), tmp_path, lambda line: None)
    assert [question.rank for question in made] == [1] * 6
    two = {Key("typed", "bakery", "bakery-2"), Key("spider", "bakery", "bakery-1")}
    (only,) = ranks_of(parser, RankedOn(), tmp_path, lambda line: None, two)
    assert (only.key.id, only.text, only.rank) == ("bakery-2", "all bakers", 1)


@pytest.mark.usefixtures("choosing", "parser")
def test_ranks_are_a_baseline_for_others(recipe: DatabaseRecipe, tmp_path: Path) -> None:
    given, file = str(recipe.out / "parser"), tmp_path / "ranks.json"
    result = run_cli("database-parser", "ranks", given, "--answers", str(file))
    assert result.exit_code == 0, result.output
    assert "typed: 6 questions, first 100.0" in result.stdout
    kept = read_baseline(file)
    assert len(kept) == 6
    lines = json.loads(file.read_text())
    file.write_text(json.dumps([{**line, "rank": None} for line in lines[:2]]))
    result = run_cli("database-parser", "ranks", given, "--baseline", str(file), "--json")
    assert json.loads(result.stdout)["typed"]["baseline"] == {
        **{"questions": 2, "in 1": 0, "in 5": 0, "in 20": 0, "in 100": 0},
        **{"won": 2, "lost": 0, "p": 0.5},
    }
    result = run_cli("database-parser", "ranks", given, "--baseline", str(file), "--every")
    assert "6 questions" in result.stdout
    assert "first here alone 2, there alone 0 (p 0.500)" in result.stdout


def test_figures_are_by_set_and_construct() -> None:
    def ranked(number: int, sql: str, rank: int | None) -> Ranked:
        return Ranked("spider", "shop", str(number), "?", sql, rank, 9, 0.01 * number)

    some = [
        ranked(0, "SELECT 1", 1),
        ranked(1, "SELECT a FROM b WHERE c NOT IN (SELECT d FROM e)", 7),
        ranked(2, "SELECT a FROM b UNION SELECT d FROM e LIMIT 3", None),
    ]
    made = summary(some, {some[1].key: 1, some[2].key: None})
    figures = made["spider"]
    assert [figures[f"in {depth}"] for depth in ranks.DEPTHS] == [1, 1, 2, 2]
    assert figures["baseline"]["lost"] == 1
    assert figures["seconds"] == {"median": 0.01, "p95": 0.02}
    assert figures["constructs"]["negation"]["in 20"] == 1
    assert "baseline" not in figures["constructs"]["flat"]
    assert "nested: 1 questions, first 0, in 5 0, in 20 1" in text(made)


def test_constructs_of_a_query() -> None:
    assert constructs("SELECT a FROM b") == ["flat"]
    assert constructs("SELECT a FROM b INTERSECT SELECT a FROM c") == ["set operation"]
    assert constructs("SELECT a FROM b\nWHERE c IN (SELECT d FROM e)") == ["nested"]
    assert constructs("SELECT a FROM b WHERE d > '2024-01-05' OR e LIKE 'x%' LIMIT 1") == [
        *("flat", "superlative", "or", "like", "dates")
    ]


def test_counts_that_chance_may_give() -> None:
    assert mcnemar(0, 0) == mcnemar(5, 5) == 1.0
    assert mcnemar(14, 21) == mcnemar(21, 14)
    assert mcnemar(0, 5) == 2 / 2**5
    tail = sum(comb(35, k) for k in range(15)) / 2**35
    assert mcnemar(14, 21) == pytest.approx(2 * tail)

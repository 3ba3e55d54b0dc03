"""Two tiny databases with typed questions, and a parser that is trained on one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from partwise.database.parser import DatabaseParser
from partwise_papers.databases.recipe import DatabaseRecipe, train_database_parser


@pytest.fixture(scope="session")
def home() -> Path:
    """A folder with both; not to be changed."""
    return Path(__file__).parent / "home"


@pytest.fixture(scope="session")
def recipe(home: Path, tmp_path_factory: pytest.TempPathFactory) -> DatabaseRecipe:
    out = tmp_path_factory.mktemp("run")
    return DatabaseRecipe(
        out=out, encoder="bilstm", typed=home, held_out=("garden",), rounds=2, epochs=6
    )


@pytest.fixture(scope="session")
def parser(recipe: DatabaseRecipe) -> DatabaseParser:
    said: list[str] = []
    made = train_database_parser(recipe, said.append)
    assert said[0].startswith("bakery: 6 questions")
    return made

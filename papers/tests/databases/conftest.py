"""Two tiny databases with typed questions, and a parser that is trained on one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from partwise.database.parser import DatabaseParser
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.recipe import train_database_parser


@pytest.fixture(scope="session")
def home() -> Path:
    """A folder with both; not to be changed."""
    return Path(__file__).parent / "home"


@pytest.fixture(scope="session")
def recipe(home: Path, tmp_path_factory: pytest.TempPathFactory) -> DatabaseRecipe:
    out = tmp_path_factory.mktemp("run")
    few = {"rounds": 1, "epochs": 6, "together": 6, "compared": 0, "typed_per_round": 1.0}
    return DatabaseRecipe(out=out, encoder="bilstm", typed=home, held_out=("garden",), **few)


@pytest.fixture(scope="session")
def parser(recipe: DatabaseRecipe) -> DatabaseParser:
    # As commands do, which other tests run: more threads round otherwise, and ties fall otherwise.
    torch.set_num_threads(1)
    said: list[str] = []
    made = train_database_parser(recipe, said.append)
    assert any(line.startswith("typed/bakery: 7 questions") for line in said)
    return made

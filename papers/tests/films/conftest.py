"""What the tests of the domain films share."""

from __future__ import annotations

from importlib.resources import files

import pytest

from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph
from partwise_papers.films.generate import generate


@pytest.fixture(scope="session")
def sample() -> list[Example[QueryGraph]]:
    """Questions; not to be changed."""
    return generate(4000, 7)


@pytest.fixture(scope="session")
def turtle() -> str:
    """The Turtle file of the package."""
    return files("partwise.domains.films").joinpath("films.ttl").read_text(encoding="utf-8")

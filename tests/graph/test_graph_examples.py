"""The examples of a graph domain are read and answered, and offered where a question is not."""

from __future__ import annotations

import pytest

from partwise import GraphParser
from partwise.domains.films.domain import FILMS


@pytest.fixture(scope="module")
def films() -> GraphParser:
    return GraphParser.from_pretrained("films")


@pytest.mark.parametrize("question", FILMS.examples)
def test_examples_are_answered(films: GraphParser, question: str) -> None:
    reply = films(question)
    assert reply.lines, reply.reason


def test_who_cannot_be_understood_is_told_how_to_ask(films: GraphParser) -> None:
    reply = films("Who may ever have made Alien?")
    assert reply.lines == ()
    offered = " or ".join(map(repr, FILMS.examples[:2]))
    assert str(reply.reason).endswith(f"it understands questions such as {offered}")

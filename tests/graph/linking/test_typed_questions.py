"""Typed questions about films become questions that the phrase rules fit."""

from collections.abc import Callable

import pytest

from partwise import GraphParser, answer
from partwise.domains.films.domain import FILMS
from partwise.graph.linking.linker import Linked
from partwise.graph.linking.questions import QuestionLinker

Rewrite = Callable[[str], list[Linked]]


@pytest.fixture(scope="module")
def typed() -> Rewrite:
    return QuestionLinker(FILMS).rewrite


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("composer rear window", "What was M0 's composer"),
        ("pls tell me who cut fargo", "What was M0 's editor"),
        ("the big lebowski actors", "What was M0 's star"),
        ("flicks by bergman", "What film was directed by M0"),
        ("what movies has uma thurman been in", "What film starred M0"),
        ("did john hurt act in alien", "Was M0 M1 's star"),
        ("is john hurt a cinematographer", "Was M0 a cinematographer"),
        ("box office of alien", None),
        ("movies lensed by gordon willis", "What film whose cinematographer was M0 was a film"),
        ("italian composers", "What italian composer was a composer"),
    ],
)
def test_fragments_become_questions(typed: Rewrite, question: str, meant: str | None) -> None:
    assert [one.question for one in typed(question)][:1] == ([] if meant is None else [meant])


def test_misspelt_names_and_surnames_are_linked(typed: Rewrite) -> None:
    (first, *_) = typed("who drected rashomno")
    assert first.question == "What directed M0"
    assert next(iter(first.bindings.values())).endswith("#Rashomon")
    assert typed("miyazaki films")[0].question == "What film was directed by M0"


def test_a_word_that_nothing_knows_is_not_passed_over(typed: Rewrite) -> None:
    assert typed("budget of titanic") == []
    assert typed("when was alien released") == []


def test_shipped_parser_answers_and_counts() -> None:
    parser = GraphParser.from_pretrained("films")
    counted, listed, bought, unread = answer(
        parser,
        [
            "how many films did orson welles direct",
            "films directed by orson welles",
            "who acquired Pixar?",
            "weather in paris",
        ],
    )
    assert counted.lines == (str(len(listed.lines)),)
    assert bought.lines == ("Walt Disney Studios",)
    assert unread.lines == ()
    assert unread.reason

"""Reading typed questions takes no longer than what is typed warrants."""

import signal

from partwise.domains.films.domain import FILMS
from partwise.domains.geography import Geography
from partwise.graph.linking import QuestionLinker
from partwise.language.typed import TypedReader

GENEROUS = 60
"""Seconds for all of them; where the work grew with the square of the text, it took far more."""
TEXTS = (
    "texas ohio utah cities " * 20_000,
    "tell me " * 40_000 + "texas",
    ", . ! ? please " * 20_000,
    "u.s." * 50_000,
    "pleese thx " * 50,
    "a" * 100_000,
    " ".join("directr movei actro" for _ in range(60)),
)


def test_long_texts_end() -> None:
    domain = Geography()
    reader = TypedReader(domain.vocabulary, domain.typed_matcher, domain.typing, {"texas"})
    films = QuestionLinker(FILMS)
    signal.alarm(GENEROUS)
    try:
        for text in TEXTS:
            reader(text)
            films.rewrite(text)
    finally:
        signal.alarm(0)

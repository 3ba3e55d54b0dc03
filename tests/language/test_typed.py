"""Reading questions as people type them."""

import pytest

from partwise.domains.geography import Geography
from partwise.language.text import inflections
from partwise.language.typed import TypedReader, plain


@pytest.fixture(scope="module")
def reader() -> TypedReader:
    domain = Geography()
    known = {"longest", "weather", "located", "largest"}
    return TypedReader(domain.vocabulary, domain.typed_matcher, domain.typing, known)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("Hey, can you tell me what's the capital of maine?", "what is the capital of maine"),
        ("people in the u.s. please", "people in the us"),
        ("doesnt utah", "does not utah"),
        ("population kansas", "population in kansas"),
        ("kansas population", "kansas 's population"),
        ("kansas city population", "kansas city 's population"),
        ("ohio river", "ohio river"),
        ("does iowa border utah", "does iowa state border utah"),
        ("longest rivr in arizonna", "longest river in arizona"),
        ("weather", "weather"),
        ("newmexico", "new mexico"),
        ("area of iowa in sq miles", "area of iowa"),
        ("???", "? ? ?"),
    ],
)
def test_words(reader: TypedReader, typed: str, words: str) -> None:
    assert " ".join(reader(typed).words) == words


def test_offsets_are_those_of_the_text(reader: TypedReader) -> None:
    words = reader("hi, populaton utah?")
    assert [words.text[a:b] for a, b in words.offsets] == ["populaton", "", "utah"]


def test_small_talk_alone_stays() -> None:
    assert plain("hello?", {}) == ["hello"]


def test_forms() -> None:
    assert set(inflections("border")) >= {"borders", "bordered", "bordering"}
    assert set(inflections("city")) >= {"cities"}
    assert set(inflections("run")) >= {"runs", "running", "ran"}
    assert set(inflections("cross")) >= {"crosses", "crossing"}
    assert inflections("in") == ()

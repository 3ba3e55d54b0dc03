"""Names are found wherever they stand, as a search through all of them finds them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from cases import cases
from partwise.domains.geography import Geography
from partwise.language.domain import Domain, entities, predicate
from partwise.language.lexicon import LexiconRow, read_lexicon
from partwise.language.matcher import MISSPELT, Match, PhraseMatcher
from partwise.language.text import (
    FUNCTION_WORDS,
    LONG,
    SHORTEST,
    Words,
    fold,
    inflections,
    is_punctuation,
    split,
    tokenize,
)
from partwise.language.typed import TypedReader, plain

FILMS = ("Alien", "St. Malo", "Her", "Über den Wolken", "Wolken", "The Wind, the Sea", "Rio")


class Film:
    """A sort."""


class Number:
    """A sort."""


class Shelf(Domain):
    """Films by name, misspelt or not, and numbers."""

    name = "shelf"
    lexicon: ClassVar = {"film('Rio')": ["that parrot film"]}

    @entities(names=FILMS, aliases={"Alien": ("ellen ripley",)}, typos=True)
    def film(self, name: str) -> Film: ...  # type: ignore[empty-body]

    @entities(names=("seven",), pattern=r"\d{4}-\d\d-\d\d|\d+([.,]\d+)*", bare=True)
    def number(self, name: str) -> Number: ...  # type: ignore[empty-body]

    @predicate("longer than", "clouds")
    def longer(self, than: Film) -> Film: ...  # type: ignore[empty-body]


DOMAIN = Shelf()


def found(question: str) -> list[tuple[str, str, bool]]:
    """Words, category, and whether it is a guess."""
    words = tokenize(question)
    return [
        (words.span(m.start, m.end), DOMAIN.vocabulary[m.number].category, m.guess)
        for m in DOMAIN.matcher.find(words)
    ]


@cases("question, name, typed")
def test_a_name_is_found_in_other_spellings(question: str, name: str, typed: str) -> None:
    assert (typed, f"film({name!r})", False) in found(question)


def test_folded_names_are_found_beside_the_names_within_them() -> None:
    assert found("longer than uber den wolken") == [
        ("longer than", "longer", False),
        ("uber den wolken", "film('Über den Wolken')", False),
        ("wolken", "film('Wolken')", False),
    ]


@pytest.mark.parametrize("question", ["did her film win", "Her film won", "WAS IT HER"])
def test_a_function_word_is_no_name(question: str) -> None:
    assert found(question) == []


def test_patterns_give_entities_that_are_not_listed() -> None:
    assert found("7 of 1,000 since 2020-01-31 or seven") == [
        ("7", "7", False),
        ("1,000", "1,000", False),
        ("2020-01-31", "2020-01-31", False),
        ("seven", "seven", False),
    ]
    assert found("a7 and b12c") == []


@cases("typed, name")
def test_errors_of_spelling_are_forgiven(typed: str, name: str) -> None:
    assert (typed, f"film({name!r})", True) in found(f"who made {typed} ?")


@pytest.mark.parametrize("typed", ["rip", "rioo", "lien", "alxxn", "cloud", "longer", "their"])
def test_what_is_too_short_too_far_or_language_is_no_name(typed: str) -> None:
    assert not [match for match in found(f"who made {typed} ?") if match[2]]


def test_a_question_that_names_an_entity_rightly_has_no_guess_there() -> None:
    assert [guess for _, _, guess in found("alien wolken")] == [False, False]


KNOWN = "Alien St . Malo Her Über den Uber Wolken The Wind , the Sea Rio longer than clouds"
STRANGE = 'alein mallo 7 seven ’s " ALIEN Wolkn wolkenn'
ALPHABET = st.sampled_from(f"{KNOWN} {STRANGE}".split())


# In more than `MISSPELT` words no errors are looked for.
@given(st.lists(ALPHABET, max_size=MISSPELT).map(" ".join))
def test_all_that_a_search_through_all_phrases_finds(question: str) -> None:
    words = tokenize(question)
    assert DOMAIN.matcher.find(words) == sorted(brute(words))


def brute(words: Words) -> set[Match]:
    """Every span against every phrase of every constant."""
    plain: set[Match] = set()
    for start, end in itertools.combinations(range(len(words) + 1), 2):
        for constant in DOMAIN.constants:
            if any(
                same(words, start, end, phrase, constant.is_entity) for phrase in constant.phrases
            ):
                single = end - start == 1 and words.words[start] in FUNCTION_WORDS
                if not (constant.name == "Her" and single and not as_name(words, start)):
                    plain.add(Match(start, end, constant.number))
        text = words.span(start, end)
        if text.isdigit():
            number = DOMAIN.vocabulary.find("", text)
            assert number is not None
            plain.add(Match(start, end, number.number))
    return plain | guesses(words, plain)


def same(words: Words, start: int, end: int, phrase: str, loose: bool) -> bool:
    if words.words[start:end] == split(phrase):
        return True
    edges = not is_punctuation(words.words[start]) and not is_punctuation(words.words[end - 1])
    return loose and edges and key(words.words[start:end]) == key(split(phrase))


def key(words: tuple[str, ...]) -> tuple[str, ...]:
    folds = [fold(word) for word in words]
    return tuple(word for word in folds if not is_punctuation(word)) or tuple(folds)


def as_name(words: Words, place: int) -> bool:
    typed = words.text[words.offsets[place][0]]
    quoted = place > 0 and words.words[place - 1] == '"'
    return quoted or (place > 0 and typed.isupper() and not words.text.isupper())


def guesses(words: Words, plain: set[Match]) -> set[Match]:
    covered = {place for m in plain for place in range(m.start, m.end)}
    films = [c for c in DOMAIN.constants if c.head == "film"]
    spelt = {word for c in films for p in c.phrases for word in key(split(p)) if len(word) > 3}
    said = {
        word for c in DOMAIN.constants if not c.is_entity for p in c.phrases for word in split(p)
    }
    strange = {
        place
        for place, word in enumerate(words.words)
        if place not in covered and len(word) >= SHORTEST and fold(word).isalpha()
        and fold(word) not in spelt | said | FUNCTION_WORDS
    }  # fmt: skip
    taken = {match[:3] for match in plain}
    return {
        Match(start, end, c.number, True)
        for start, end in itertools.combinations(range(len(words) + 1), 2)
        for c in films
        for phrase in c.phrases
        if not is_punctuation(words.words[start]) and not is_punctuation(words.words[end - 1])
        if (start, end, c.number) not in taken
        if nearly(words, start, end, key(split(phrase)), strange)
    }


def nearly(words: Words, start: int, end: int, name: tuple[str, ...], strange: set[int]) -> bool:
    places = [p for p in range(start, end) if not is_punctuation(words.words[p])]
    if len(places) != len(name):
        return False
    wrong = 0
    for place, word in zip(places, name, strict=True):
        typed = fold(words.words[place])
        if place in strange:
            allowed = 2 if len(typed) >= LONG else 1
            if typed[0] != word[0] or len(word) < SHORTEST:
                return False
            if OSA.distance(typed, word) > allowed:
                return False
            wrong += 1
        elif typed != word:
            return False
    return 1 <= wrong <= 2


def test_the_matcher_of_nothing_finds_nothing() -> None:
    assert Domain().matcher.find(tokenize("who is there ?")) == []
    assert isinstance(Domain().matcher, PhraseMatcher)


class Apart(Domain):
    @predicate("take ... off", "as ... as ... can")
    def remove(self) -> Number:
        return Number(1)

    @predicate("take")
    def take(self) -> Number:
        return Number(2)


@cases("question, places")
def test_phrases_with_words_between_their_parts(
    question: str, places: list[tuple[int, int, int]]
) -> None:
    assert [match[:3] for match in Apart().matcher.find(tokenize(question))] == places


@cases("text, words")
def test_vowel_signs_and_accents_are_parts_of_words(text: str, words: tuple[str, ...]) -> None:
    assert tokenize(text).words == split(text) == words


@pytest.fixture(scope="module")
def reader() -> TypedReader:
    domain = Geography()
    known = {"longest", "weather", "located", "largest"}
    return TypedReader(domain.vocabulary, domain.typed_matcher, domain.typing, known)


@cases("typed, words")
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


def write(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (folder / "some_words").mkdir()
    (folder / "some_words" / "__init__.py").touch()
    (folder / "some_words" / "words.tsv").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(__import__("sys").modules, "some_words", raising=False)


def test_rows_with_sections_and_comments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, monkeypatch, "# words\nhello\n\n[prices]\ncost, fee\tprice\tsaid of both\n")
    rows = read_lexicon("some_words", "words.tsv")
    assert rows == (LexiconRow("hello"), LexiconRow("cost, fee", "price", "prices"))
    assert rows[1].phrases == ("cost", "fee")
    assert rows[0].meanings == ()


@pytest.mark.parametrize("line", ["\tprice", "cost\tprice\tsaid\tmore"])
def test_a_wrong_row_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    write(tmp_path, monkeypatch, f"fee\tprice\n{line}\n")
    with pytest.raises(ValueError, match="line 2"):
        read_lexicon("some_words", "words.tsv")

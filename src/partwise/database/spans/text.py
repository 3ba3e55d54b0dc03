"""The words of a question, and their stems."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import Stemmer

from partwise.database.source.value_search import is_shouted

_WORD = re.compile(
    r"""\d+(?:st|nd|rd|th)\b          # 1st
    | \d+s\b                         # 1990s
    | \d+(?:[.,]\d+)*(?=[a-z%]*\b)   # a number; its unit is a word of its own
    | (?:\w\.){2,}                     # u.s.
    | (?:two|three|four|five|six|seven|eight|nine|ten|twelve)(?=-[a-z]{3})   # two-year
    | \w+(?:[-'’]\w+)*                 # a word, with hyphens and apostrophes
    | <=|>=|!=|<>                      # signs of two characters
    | [^\s\w]""",
    re.VERBOSE,
)
_AVERAGE = re.compile(r"\b(?:above|below)-average\b", re.IGNORECASE)
_DIRECTLY = re.compile(r"(?<=\w )directly(?= (?:to|under|for|from|by)\b)", re.IGNORECASE)
_STEMMER = Stemmer.Stemmer("english")
_ENDINGS = (("our", "or"), ("tr", "ter"), ("br", "ber"), ("is", "iz"), ("ys", "yz"))
"""How stems end in British and in American spelling."""
SHORTEST = 5
"""The letters of the longest stem that is left as it is, as those of "hour" and "basis" are."""
_AMERICAN = {
    **{"litr": "liter", "metr": "meter", "centr": "center", "fibr": "fiber"},
    **{"catalogu": "catalog", "programm": "program", "licenc": "licens", "defenc": "defens"},
    **{"jewelleri": "jewelri", "favourit": "favorit", "neighbourhood": "neighborhood"},
    **{"aluminium": "aluminum", "mould": "mold", "plough": "plow", "gray": "grey"},
}
CODES = {"US": "usa", "IT": "information technology"}
"""Codes that are small words unless they are in capitals, and what stands for their stems."""
LONGEST, LONGEST_WORD = 64, 100
"""The most words of a question that are looked at, and letters of a word that is inflected."""


class Word(NamedTuple):
    """A word of a question.

    Attributes:
        text: as it was typed.
        plain: in lower case, without accents and the ending ``'s``.
        stem: without its inflection.
        start: its first character.
        end: behind its last character.
    """

    text: str
    plain: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=2**14)
def stem(word: str) -> str:
    """An English word without its inflection, alike in British and American spelling."""
    if len(word) > LONGEST_WORD:
        return word
    stemmed = str(_STEMMER.stemWord(word))
    if stemmed in _AMERICAN:
        return _AMERICAN[stemmed]
    for british, american in _ENDINGS:
        if stemmed.endswith(british) and len(stemmed) > SHORTEST:
            return stemmed.removesuffix(british) + american
    return stemmed


def plain(text: str) -> str:
    """Lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in decomposed if not unicodedata.combining(one))


def words_of(question: str) -> tuple[Word, ...]:
    """The words and marks of a question, as many as are looked at."""
    apart = _AVERAGE.sub(lambda match: match.group().replace("-", " "), question)
    # Who reports to somebody does so directly.
    apart = _DIRECTLY.sub(lambda match: " " * len(match.group()), apart)
    found = tuple(_word(one) for one in list(_WORD.finditer(apart))[:LONGEST])
    if is_shouted([one.text for one in found]):
        return found
    return tuple(one._replace(stem=CODES.get(one.text, one.stem)) for one in found)


def _word(match: re.Match[str]) -> Word:
    text = match.group()
    simple = re.sub(r"['’]s?$", "", plain(text)) or text
    return Word(text, simple, stem(simple), match.start(), match.end())


@lru_cache(maxsize=2**14)
def stems_of(name: str) -> tuple[str, ...]:
    """The stems of a name's words."""
    return tuple(one.stem for one in words_of(name) if one.plain.isalnum())


@cache
def function_words() -> frozenset[str]:
    """Stems of words that mean nothing here."""
    return frozenset(stem(one) for line in lines_of("function_words.txt") for one in line.split())


def lines_of(name: str, package: str = __package__) -> list[str]:
    """The lines of a word list in a package that are no comments."""
    text = (files(package) / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]

"""Text: words of questions and phrases, their inflected forms, and words that are spelt alike.

One rule splits questions, phrases of lexicons and names of entities alike. Inflection is by rule:
forms that nobody uses do no harm. Spelling is compared by optimal string alignment distance (one
letter too many, too few, wrong, or two swapped are one error each).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

_MARKS = "".join(c for c in map(chr, range(0x300, 0x10000)) if unicodedata.category(c)[0] == "M")
"""Vowel signs, accents and the like: of the word that they stand in, though no letters."""
_LETTER = rf"[\w{_MARKS}\u200c\u200d]"
_WORD = re.compile(rf"['’]s\b|\d+(?:[.,]\d+)*|{_LETTER}+|[^\w\s]")
QUOTES = "\"'“”„‘’«»‹›`"
_FUNCTION = """
a an and are by did do does for from had has have he her hers him his how i in is it its me my no
not of on or our she so that the their them they this to up us was we were what when where which
who whom whose why with you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Words that hold sentences together, in every domain."""
_ENDS = ".,;:!?)]}" + QUOTES
# Letters that are no base letter with a mark, yet are commonly typed as one.
_PLAIN = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
_CLITIC = re.compile(r"(?<=\w)(['’])S\b")
_CHUNK = re.compile(r"\S+")
_IRREGULAR = {
    "run": ("ran",),
    "wind": ("wound",),
    "lie": ("lay", "lying"),
    "go": ("went", "gone"),
    "flow": ("flown",),
    "have": ("had",),
}
_INFLECTED = 3
"""Letters that a word needs to have inflected forms."""
SHORTEST, LONG = 4, 8
"""Letters that a word needs for one error of spelling to be forgiven, and for two."""


@dataclass(frozen=True)
class Words:
    """The words of a question, lower-cased, with their character offsets in `text`."""

    text: str
    words: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.words)

    def span(self, start: int, end: int) -> str:
        return self.text[self.offsets[start][0] : self.offsets[end - 1][1]] if end > start else ""


def tokenize(text: str) -> Words:
    """Split a text into words: runs of letters or digits, the clitic 's, single other marks."""
    matches = list(_WORD.finditer(text))
    return Words(
        text,
        tuple(match.group().lower().replace("’", "'") for match in matches),
        tuple(match.span() for match in matches),
    )


def split(text: str) -> tuple[str, ...]:
    """The words of a text alone, as `tokenize` reads them."""
    return tuple(word.lower().replace("’", "'") for word in _WORD.findall(text))


def only_punctuation(word: str) -> bool:
    return not any(map(str.isalnum, word))


class TypedWord(NamedTuple):
    """A word as typed, where it stands (the end excluded), and its key: `fold`. `possessive` says
    that it is an apostrophe right after an s, outside quotes."""

    text: str
    key: str
    start: int
    end: int
    possessive: bool = False


def read_words(text: str, whole: Collection[str] = ()) -> list[TypedWord]:
    """The words of a text; those in `whole` (``co-wrote``) are one in spite of punctuation."""
    kept: dict[int, int] = {}
    for chunk in _CHUNK.finditer(text):
        bare = chunk.group().rstrip(_ENDS)
        if bare.lower() in whole:
            kept[chunk.start()] = chunk.start() + len(bare)
    gathered: list[TypedWord] = []
    quoted = False
    for start, end in tokenize(_CLITIC.sub(r"\1s", text)).offsets:
        if gathered and start < gathered[-1].end:
            continue
        end = kept.get(start, end)
        typed = text[start:end]
        after_s = text[max(start - 1, 0) : start].lower() == "s"
        possessive = typed in "'’" and after_s and not quoted
        quoted = quoted ^ (typed in "'‘’" and not possessive)
        gathered.append(TypedWord(typed, fold(typed), start, end, possessive))
    return gathered


def is_punctuation(word: str) -> bool:
    """Whether a word of a key is punctuation or another sign."""
    return not (word[0].isalnum() or word[0] == "_" or word == "'s")


def key(name: str) -> tuple[str, ...]:
    """The words of a name without punctuation; with it if it has nothing else."""
    return content(tuple(word.key for word in read_words(compose(name))))


def keys(name: str) -> set[tuple[str, ...]]:
    """The ways to find a name: without punctuation, and with its commas; none for an empty one."""
    words = (word.key for word in read_words(compose(name)))
    inner = " ".join(word for word in words if word == "," or not is_punctuation(word))
    return {key(name), tuple(inner.strip(" ,").split())} - {()}


def content(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words of a key without punctuation; with it if there is nothing else."""
    return tuple(word for word in words if not is_punctuation(word)) or words


def compose(text: str) -> str:
    """The text with letters and their diacritics in one, as far as there are such letters."""
    return unicodedata.normalize("NFC", text)


def fold(word: str) -> str:
    if word == "&":
        return "and"
    if word.isascii():
        return word.lower()
    return without_marks(word.replace("’", "'")) or word


def without_marks(text: str) -> str:
    plain = text.casefold().translate(_PLAIN)
    if plain.isascii():
        return plain
    parted = unicodedata.normalize("NFKD", plain)
    return "".join(letter for letter in parted if not unicodedata.combining(letter))


def inflections(word: str) -> tuple[str, ...]:
    """Plural, third person, past and participles: ``border`` -> borders, bordered, bordering. None
    for function words and others of few letters."""
    if len(word) < _INFLECTED or not word.isalpha() or word in FUNCTION_WORDS:
        return ()
    endings = [f"{word}s", f"{word}ed", f"{word}ing"]
    consonant = word[-1] not in "aeiouwxy"
    if word[-1] == "e":
        endings[1:] = [f"{word}d", f"{word[:-1]}ing"]
    elif word[-1] == "y" and word[-2] not in "aeiou":
        endings[:2] = [f"{word[:-1]}ies", f"{word[:-1]}ied"]
    elif word.endswith(("s", "x", "sh", "ch")):
        endings[0] = f"{word}es"
    elif consonant and word[-2] in "aeiou" and word[-3:-2] not in tuple("aeiou"):
        endings += [f"{word}{word[-1]}ed", f"{word}{word[-1]}ing"]
    if word.endswith("s") and not word.endswith("ss"):
        endings.append(word[:-1])
    return (*endings, *_IRREGULAR.get(word, ()))


def spelt_like(
    word: str, words: Collection[str], limit: int | None = None, long: int = LONG
) -> list[tuple[int, str]]:
    """Words that one error turns into a word, the closest first, with their errors: up to `limit`
    of them. In words of `long` letters two errors are forgiven."""
    allowed = 2 if len(word) >= long else 1
    near = extract(word, words, scorer=OSA.distance, score_cutoff=allowed, limit=limit)
    return [(int(errors), known) for known, errors, _ in near]

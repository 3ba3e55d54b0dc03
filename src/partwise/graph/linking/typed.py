"""Questions as people type them, put into the forms that phrase rules of questions have.

A question that no phrase rules fit is tried once more: small talk goes, names may be surnames or
misspelt, other words are put in the place of those that the domain lacks, and fragments ("director
of M0", "movies with M1") become questions. What holds a word that nothing knows stays unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from partwise.graph.grammar.tagging import ENTITY
from partwise.graph.linking.forms import FORMS
from partwise.graph.linking.linker import Linked, Linker
from partwise.language.graph_domain import HOW_MANY
from partwise.language.query.graph import ENTITY as PLACEHOLDER
from partwise.language.text import FUNCTION_WORDS, inflections, spelt_like, split
from partwise.language.typed import MOST_WORDS, TypedWords, plain

LETTERS = 5
"""Letters of a word in which an error is forgiven, at least; two from `LONG` on."""
LONG = 7
PARTICLES = frozenset({"de", "di", "del", "la", "van", "von", "der", "le"})
GENERIC = frozenset(
    {"Studios", "Studio", "Pictures", "Productions", "Entertainment", "Company", "Films", "Bros"}
    | {"Cinema", "Picture", "Animation", "Media", "Group", "Corporation", "Inc", "Classics"}
)
"""Words in the names of companies that are left out."""
_FIXED = {
    **dict.fromkeys(("who", "what", "which", "whom", "where", "whose"), "w"),
    **dict.fromkeys(("is", "was", "are", "were", "be", "been", "being"), "a"),
    **dict.fromkeys(("did", "does", "do", "has", "have", "had"), "d"),
    **dict.fromkeys(("of", "for", "to", "on", "from", "at", "behind", "about"), "o"),
    **{"by": "b", "in": "i", "'s": "s", "and": "&", ",": "&", "with": "x", "between": "x"},
}
_LEFT_OUT = frozenset(
    [
        "a",
        "an",
        "the",
        "all",
        "any",
        "some",
        "both",
        "ever",
        "that",
        "there",
        "their",
        "his",
        "her",
        "it",
        "this",
    ]
)
_CLASSES = {"role": "R", "past": "V", "verb": "B", "noun": "N", "adjective": "J", ENTITY: "E"}


class Piece(NamedTuple):
    """Words of a question and the letter of their class."""

    letter: str
    text: str
    kinds: str = ""


class TypedQuestions:
    """Rewrites questions.

    Args:
        linker: of the names as they are.
        names: name -> IRIs.
        of_type: the IRIs of a type.
        classes: word class -> its phrases.
    """

    def __init__(
        self,
        typed: TypedWords,
        names: Mapping[str, Sequence[str]],
        of_type: Callable[[str], Iterable[str]],
        classes: Mapping[str, Sequence[str]],
        make: Callable[[Mapping[str, Sequence[str]]], Linker],
    ) -> None:
        self.typed = typed
        self.kinds = {letter: frozenset(of_type(kind)) for letter, kind in typed.kinds.items()}
        persons = frozenset().union(*map(of_type, typed.persons))
        self.letters = _letters(classes)
        self.normal = dict(_bases(classes))
        self.bases = {
            past: base
            for base in classes.get("verb", ())
            for past in classes.get("past", ())
            if past in _pasts(base)
        }
        self.words = {tuple(split(one)): other for one, other in typed.words.items()}
        language = {word for phrase in (*self.words, *self.letters) for word in phrase}
        language |= FUNCTION_WORDS | _FIXED.keys()
        self.language = language
        self.names = _shorter(names, persons, language)
        self.linker = make(self.names)
        self.known = language | {word for name in self.names for word in split(name)}
        self.targets = sorted(word for word in self.known if len(word) >= LETTERS)

    def __call__(self, question: str) -> list[Linked]:
        """The question in other words, the closest first; none where nothing can be made of it."""
        words = plain(question, {})
        if len(words) > MOST_WORDS:
            return []
        words = [part for word in words for part in self._mended(word).split()]
        counting = re.match(r"(how many|(total )?(number|count) of( the)?) ", " ".join(words))
        counted = counting is not None
        words = ["what", *words[counting[0].count(" ") :]] if counting else words
        linked = self.linker.link(" ".join(words))
        if counted:
            linked = replace(linked, bindings={**linked.bindings, HOW_MANY: ""})
        pieces = self._pieces(linked)
        if pieces is None:
            return []
        spoken = " ".join(piece.text for piece in pieces)
        bare = [piece for piece in pieces if piece.text not in _LEFT_OUT]
        made = FORMS.question(bare, self.typed.nouns, self.bases)
        return [replace(linked, question=one) for one in (made, spoken) if one]

    def _mended(self, word: str) -> str:
        if word in self.known or len(word) < LETTERS or not word.isalpha():
            return word
        if word.endswith("s") and word[:-1] in self.known:
            return word[:-1] if word[:-1] in self.language else f"{word[:-1]} 's"
        alike = [
            (errors, known[-1] != word[-1], known)
            for errors, known in spelt_like(word, self.targets, 5, LONG)
            if known[0] == word[0]
        ]
        return min(alike)[2] if alike else word

    def _pieces(self, linked: Linked) -> list[Piece] | None:
        """The words by their classes; None if there is one that nothing knows."""
        words = [w if PLACEHOLDER.fullmatch(w) else w.lower() for w in linked.question.split()]
        words = _replaced(words, self.words)
        gathered: list[Piece] = []
        at = 0
        while at < len(words):
            size = next((n for n in (4, 3, 2, 1) if tuple(words[at : at + n]) in self.letters), 1)
            text = " ".join(words[at : at + size])
            piece = self._piece(text, linked)
            if piece is None:
                return None
            gathered.append(piece)
            at += size
        return gathered

    def _piece(self, text: str, linked: Linked) -> Piece | None:
        if PLACEHOLDER.fullmatch(text):
            iris = linked.ambiguous.get(text) or (linked.bindings.get(text, ""),)
            kinds = (k for k, some in self.kinds.items() if not some.isdisjoint(iris))
            return Piece("E", text, "".join(kinds))
        if text in _FIXED or text in _LEFT_OUT:
            return Piece(_FIXED.get(text, "-"), text)
        text = self.normal.get(text, text)
        letter = self.letters.get(tuple(text.split()))
        return None if letter is None else Piece(letter, text)


def _letters(classes: Mapping[str, Sequence[str]]) -> dict[tuple[str, ...], str]:
    """The letter of each phrase; one in several classes has that of the first."""
    letters: dict[tuple[str, ...], str] = {}
    for name, letter in _CLASSES.items():
        for phrase in classes.get(name, ()):
            letters.setdefault(tuple(phrase.lower().split()), letter)
    for phrase, base in _bases(classes):
        letters.setdefault(tuple(phrase.split()), letters[tuple(base.split())])
    return letters


def _bases(classes: Mapping[str, Sequence[str]]) -> Iterable[tuple[str, str]]:
    """Inflected form -> the form that the classes have: plurals to nouns, present to past."""
    taken = {phrase.lower() for phrases in classes.values() for phrase in phrases}
    for name in ("role", "noun"):
        for phrase in classes.get(name, ()):
            plural = _plural(phrase)
            if plural not in taken:
                yield plural, phrase
    pasts = classes.get("past", ())
    for base in classes.get("verb", ()):
        words = base.split()
        past = next((one for one in pasts if one in _pasts(base)), None)
        for form in inflections(words[-1]) if past else ():
            inflected = " ".join((*words[:-1], form))
            if inflected not in taken and past:
                yield inflected, past


def _pasts(base: str) -> set[str]:
    words = base.split()
    regular = {" ".join((*words[:-1], form)) for form in inflections(words[-1])}
    return regular | {{"write": "wrote"}.get(base, "")}


def _plural(phrase: str) -> str:
    *before, last = phrase.split()
    irregular = {"person": "people", "child": "children", "country": "countries"}
    if " of " in phrase:
        return phrase
    return " ".join((*before, irregular.get(last, inflections(last)[0])))


def _replaced(words: Sequence[str], table: Mapping[tuple[str, ...], str]) -> list[str]:
    """The words with those of the table replaced, the longest first."""
    longest = max(map(len, table), default=1)
    made: list[str] = []
    at = 0
    while at < len(words):
        sizes = range(min(longest, len(words) - at), 0, -1)
        size = next((n for n in sizes if tuple(words[at : at + n]) in table), 0)
        made += table[tuple(words[at : at + size])].split() if size else [words[at]]
        at += size or 1
    return made


def _shorter(
    names: Mapping[str, Sequence[str]], persons: frozenset[str], language: set[str]
) -> dict[str, tuple[str, ...]]:
    """The names, and what is short for them: surnames, titles without article or subtitle."""
    short: dict[str, list[str]] = {name: list(iris) for name, iris in names.items()}
    first: dict[str, list[str]] = {}
    for name, iris in names.items():
        people = [iri for iri in iris if iri in persons]
        words = name.split()
        if people and len(words) > 1:
            for surname in _surnames(words):
                _add(short, surname, people, language)
            _add(first, words[0], people, language)
        if len(people) < len(iris):
            rest = [iri for iri in iris if iri not in persons]
            for part in _titles(name, words):
                _add(short, part, rest, language)
            _add(short, f"the {name}", rest, set())
    for word, people in first.items():
        if word not in short and len(set(people)) == 1:
            short[word] = people
    return {name: tuple(dict.fromkeys(iris)) for name, iris in short.items()}


def _surnames(words: Sequence[str]) -> Iterator[str]:
    """What the words of a person's name are shortened to."""
    yield words[-1]
    if len(words) > 2 and words[0] not in ("The", "A"):
        yield f"{words[0]} {words[-1]}"
    if words[-2].lower() in PARTICLES:
        yield " ".join(words[-2:])


def _titles(name: str, words: Sequence[str]) -> Iterator[str]:
    """What a title is shortened to."""
    dots = "".join(re.findall(r"\b([A-Z])\.", name))
    specific = [word for word in words if word not in GENERIC]
    alone = specific[-1] if len(specific) < len(words) and specific else name
    for part in (_without_article(name), name.split(":")[0], dots, alone):
        if part and part != name:
            yield from (part, _without_article(part))


def _without_article(title: str) -> str:
    return re.sub(r"^(The|A) ", "", title)


def _add(table: dict[str, list[str]], name: str, iris: Sequence[str], language: set[str]) -> None:
    if len(name) > 1 and name.lower() not in language:
        table.setdefault(name, []).extend(iris)

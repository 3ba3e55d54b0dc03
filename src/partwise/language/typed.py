"""Questions as people type them, to the words that a parser learns from.

Small talk around a question and marks at its end go, contractions and abbreviations are written
out, words that nobody knows are taken for the domain's word that they misspell, and fragments
("population texas") get the word that holds them together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from partwise.language.constants import Vocabulary
from partwise.language.matcher import Match, PhraseMatcher
from partwise.language.text import (
    FUNCTION_WORDS,
    SHORTEST,
    Words,
    inflections,
    only_punctuation,
    spelt_like,
    split,
    tokenize,
)

MOST_WORDS = 200
"""Longer texts are no typed questions, and are left as they are."""
KEPT = 1024
"""How many questions are kept for the next time that they are asked."""
_ASK = "(?:(?:can|could|would|will) (?:you|u|someone|anyone|i) (?:please |pls )?)?"
_TELL = "(?:tell|show|give|find|list|get|say|name)(?: (?:me|us))?(?: out)?(?: please| pls)?"
_OPENINGS = (
    "hey|hi|hello|yo|ok|okay|so|um|well|please|pls|plz|sorry|thanks|anyway|actually|quick question",
    f"{_ASK}{_TELL}(?: (?:about|if|whether))?|search(?: for)?|look up",
    "(?:do|does|did) (?:you|u|anyone|anybody|someone) (?:happen to )?know(?: if| whether)?",
    "(?:any|no) idea|i (?:wonder|was wondering|am wondering|am curious)(?: if| whether)?|wondering",
    "i (?:just )?(?:want|need|would like|d like|' d like|am trying|m trying) to "
    "(?:know|find out|see)(?: about| if)?",
    "i (?:am|' m|m) (?:looking for|curious)(?: about)?|i need|i want|let me know|question|there",
)
_OPENING = re.compile(rf"(?:(?:{'|'.join(_OPENINGS)})(?= )(?: [,.!:;-])* )+")
_UNITS = "miles|mi|km|kms|kilometers|kilometres|meters|metres|m|feet|ft|acres|people"
_CLOSINGS = (
    "please|pls|plz|thanks|thank you|thx|ty|lol|btw|again|exactly|anyone|anybody|do you know",
    rf"(?:in|by) (?:the )?(?:(?:sq|square) )?(?:{_UNITS})|sq (?:{_UNITS})|square (?:{_UNITS})",
)
_CLOSING = re.compile(rf"(?:(?: [,.!?])* (?:{'|'.join(_CLOSINGS)}))+$")
_NOT = re.compile(r"(?:do|does|did|is|are|was|were|have|has)n")
_SHORT = {
    **{f"{word}s": f"{word} is" for word in ("what", "where", "who", "how", "which", "whats")},
    **{f"{word}nt": f"{word} not" for word in ("do", "does", "did", "is", "are", "was", "were")},
    **{"u": "you", "r": "are", "wat": "what", "wut": "what", "wht": "what", "teh": "the"},
    **{"thru": "through", "ppl": "people", "n": "and", "w": "with", "im": "i am"},
    **{"th": "the", "te": "the", "hte": "the", "adn": "and", "hw": "how", "og": "of", "iin": "in"},
}
"""What people type in short, in any domain, and commonly mistype in words of few letters."""
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_ASKING = frozenset({"what", "where", "who", "how", "which", "that", "there"})
_WHETHER = frozenset({"is", "are", "was", "were", "does", "do", "did", "can", "isn"})


@dataclass(frozen=True)
class Typing:
    """What people type in place of a domain's words.

    Attributes:
        words: a word -> the words that it stands for, as "mtn" -> "mountain".
        phrases: predicate -> more phrases that name it.
        nouns: predicates whose phrases and a name beside them need a word in between.
        adjectives: the same, where the name is first.
        kinds: constructor of entities -> the noun of their kind, and the predicates that may
            stand beside a name of it without a word in between.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    phrases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    nouns: Collection[str] = ()
    adjectives: Collection[str] = ()
    kinds: Mapping[str, tuple[str, Collection[str]]] = field(default_factory=dict)


class _Token(NamedTuple):
    word: str
    start: int
    end: int


class TypedReader:
    """Reads questions for a domain; `known` words are no misspelt ones, beside the domain's own."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        matcher: PhraseMatcher,
        typing: Typing,
        known: Collection[str] | None,
    ) -> None:
        self.typing, self.matcher, self.vocabulary = typing, matcher, vocabulary
        self.short = {**_SHORT, **typing.words}
        names = {split(name) for entity_type in vocabulary.types for name in entity_type.names}
        self.single_names = {name[0] for name in names if len(name) == 1}
        phrases = set(matcher.exact)
        self.words = {word for phrase in phrases for word in phrase if word.isalpha()}
        self.words |= FUNCTION_WORDS
        self.known = None if known is None else set(known) | self.words
        self.compounds = {"".join(name): name for name in names if len(name) > 1}
        self.targets = sorted(word for word in self.words if len(word) >= SHORTEST)
        heads = {predicate.head: predicate.number for predicate in vocabulary.predicates}
        self.nouns = {heads[name] for name in typing.nouns}
        self.adjectives = {heads[name] for name in typing.adjectives}
        self.beside = {
            place: {heads[name] for name in typing.kinds.get(entity_type.head, ("", ()))[1]}
            for place, entity_type in enumerate(vocabulary.types)
        }
        self._kept = lru_cache(maxsize=KEPT)(self._read)

    def __call__(self, text: str) -> Words:
        """The words of a question; those put in stand over no letters."""
        whole = tokenize(text)
        return whole if len(whole) > MOST_WORDS else self._kept(whole)

    def _read(self, whole: Words) -> Words:
        text = whole.text
        tokens = [_Token(w, *place) for w, place in zip(whole.words, whole.offsets, strict=True)]
        tokens = _bare(_write_out(tokens, self.short)) or tokens
        if self.known is not None:
            tokens = [spelling for token in tokens for spelling in self._spelt(token, self.known)]
        tokens = self._hold_together(tokens, text)
        return _words(text, tokens)

    def _spelt(self, token: _Token, known: Collection[str]) -> list[_Token]:
        word = token.word
        if word in known or not word.isalpha():
            return [token]
        if word in self.compounds:
            return _several(token, self.compounds[word])
        if word.endswith("s") and word[:-1] in self.single_names:
            return _several(token, (word[:-1], "'s"))
        if len(word) < SHORTEST:
            return [token]
        alike = [
            (errors, known[0] != word[0], known[-1] != word[-1], known)
            for errors, known in spelt_like(word, self.targets, 8)
            if known[0] == word[0] or errors == 1
        ]
        return [token._replace(word=min(alike)[-1])] if alike else [token]

    def _hold_together(self, tokens: list[_Token], text: str) -> list[_Token]:
        """The words, with "in" or "'s" between a noun and a name, and the kind of what a question
        that asks whether is about."""
        if not self.nouns:
            return tokens
        matches = _longest(self.matcher.find(_words(text, tokens)))
        put: dict[int, str] = {}
        for span, others in matches.items():
            after = [
                each for place, some in matches.items() if place[0] == span[1] for each in some
            ]
            for match in others:
                for follower in after:
                    joint = self._joint(match, follower)
                    plural = tokens[span[1]].word.endswith("s")
                    if joint and (plural or not self._beside(others, after)):
                        put[span[1]] = joint
        asked = self._subject(tokens, matches)
        if asked is not None:
            put[asked[0]] = asked[1]
        made: list[_Token] = []
        for place, token in enumerate(tokens):
            if place in put:
                made.append(_Token(put[place], token.start, token.start))
            made.append(token)
        return made

    def _joint(self, match: Match, follower: Match) -> str:
        if match.number in self.nouns and self.vocabulary.is_entity(follower.number):
            return "in"
        if follower.number in self.nouns | self.adjectives:
            return "'s" if self.vocabulary.is_entity(match.number) else ""
        return ""

    def _beside(self, some: Sequence[Match], others: Sequence[Match]) -> bool:
        for one, other in ((a, b) for a in some for b in others):
            for name, noun in ((one.number, other.number), (other.number, one.number)):
                if not self.vocabulary.is_entity(name):
                    continue
                if noun in self.beside[self.vocabulary.type_of(name)]:
                    return True
        return False

    def _subject(
        self, tokens: Sequence[_Token], matches: Mapping[tuple[int, int], Sequence[Match]]
    ) -> tuple[int, str] | None:
        if not tokens or tokens[0].word not in _WHETHER:
            return None
        article = len(tokens) > 1 and tokens[1].word == "the"
        for (start, end), some in matches.items():
            heads = [
                self.vocabulary.types[self.vocabulary.type_of(match.number)].head
                for match in some
                if self.vocabulary.is_entity(match.number)
            ]
            nouns = [self.typing.kinds[head][0] for head in heads if head in self.typing.kinds]
            if start != 1 + article or end == len(tokens) or not nouns:
                continue
            noun = nouns[-1] if article else nouns[0]
            # "lake michigan" says its kind itself.
            own = self.matcher.exact.get((tokens[end - 1].word,), ())
            said = tokens[end].word in nouns or not self.nouns.isdisjoint(own)
            return None if said else (end, noun)
        return None


def typed_matcher(vocabulary: Vocabulary, typing: Typing) -> PhraseMatcher:
    """A matcher that knows more phrases of the predicates, and all inflected forms."""
    more: dict[int, list[str]] = {}
    for predicate in vocabulary.predicates:
        phrases = (*predicate.phrases, *typing.phrases.get(predicate.head, ()))
        written = [tuple(phrase.split()) for phrase in phrases]
        more[predicate.number] = [
            " ".join((*words[:place], form, *words[place + 1 :]))
            for words in written
            for place, word in enumerate(words)
            for form in (word, *inflections(word))
        ]
    return PhraseMatcher(vocabulary, more)


def plain(text: str, short: Mapping[str, str]) -> list[str]:
    whole = tokenize(text)
    if len(whole) > MOST_WORDS:
        return list(whole.words)
    tokens = [_Token(w, *place) for w, place in zip(whole.words, whole.offsets, strict=True)]
    return [token.word for token in _bare(_write_out(tokens, {**_SHORT, **short}))]


def _words(text: str, tokens: Sequence[_Token]) -> Words:
    words = tuple(token.word for token in tokens)
    return Words(text, words, tuple((token.start, token.end) for token in tokens))


def _several(token: _Token, words: Sequence[str]) -> list[_Token]:
    rest = [_Token(word, token.end, token.end) for word in words[1:]]
    return [token._replace(word=words[0]), *rest]


def _write_out(tokens: list[_Token], short: Mapping[str, str]) -> list[_Token]:
    made: list[_Token] = []
    at = 0
    while at < len(tokens):
        some, at = _next(tokens, at, short, made[-1].word if made else "")
        made += some
    return made


def _next(
    tokens: Sequence[_Token], at: int, short: Mapping[str, str], before: str
) -> tuple[list[_Token], int]:
    first, rest = tokens[at], [token.word for token in tokens[at + 1 : at + 3]]
    dotted = _end_of_abbreviation(tokens, at)
    if dotted > at + 1:
        word = "".join(token.word for token in tokens[at:dotted] if token.word != ".")
        return [_Token(word, first.start, tokens[dotted - 1].end)], dotted
    if rest and rest[0] in _ORDINAL and first.word.isdigit() and first.end == tokens[at + 1].start:
        return [_Token(first.word + rest[0], first.start, tokens[at + 1].end)], at + 2
    if rest == ["'", "t"] and _NOT.fullmatch(first.word):
        denied = _Token("not", tokens[at + 1].start, first.end + 2)
        return [first._replace(word=first.word[:-1]), denied], at + 3
    if first.word == "w" and rest[:1] == ["/"]:
        return [first._replace(word="with")], at + 2
    if first.word == "'s" and before in _ASKING:
        return [first._replace(word="is")], at + 1
    return _several(first, split(short[first.word])) if first.word in short else [first], at + 1


def _end_of_abbreviation(tokens: Sequence[_Token], at: int) -> int:
    """The end of an abbreviation with dots, as "u.s."; where it begins if there is none."""
    end, letters = at, 0
    while end + 1 < len(tokens) and tokens[end + 1].word == "." and len(tokens[end].word) == 1:
        apart = letters and tokens[end].start != tokens[end - 1].end
        if apart or tokens[end + 1].start != tokens[end].end or not tokens[end].word.isalpha():
            break
        end, letters = end + 2, letters + 1
    last = end < len(tokens) and len(tokens[end].word) == 1 and tokens[end].word.isalpha()
    if letters and last and tokens[end].start == tokens[end - 1].end:
        return end + 1
    return end if letters > 1 else at


def _bare(tokens: list[_Token]) -> list[_Token]:
    """A question without what people say around it; all of it if nothing would be left."""
    while tokens and only_punctuation(tokens[-1].word):
        tokens = tokens[:-1]
    text = " ".join(token.word for token in tokens)
    opening = _OPENING.match(text)
    begin = text[: opening.end()].count(" ") if opening else 0
    closing = _CLOSING.search(text)
    end = text[: closing.start()].count(" ") + 1 if closing else len(tokens)
    inner = [token for token in tokens[begin:end] if token.word not in "?!"]
    return inner or tokens


def _longest(matches: Sequence[Match]) -> dict[tuple[int, int], list[Match]]:
    places = {(match.start, match.end) for match in matches}
    whole = {
        (a, b)
        for a, b in places
        if not any((c, d) != (a, b) and c <= a and b <= d for c, d in places)
    }
    kept: dict[tuple[int, int], list[Match]] = {}
    for match in matches:
        if (match.start, match.end) in whole:
            kept.setdefault((match.start, match.end), []).append(match)
    return kept

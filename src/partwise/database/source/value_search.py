"""The search for the stored values of one question, among its words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import NamedTuple

from partwise.database.inflection import done_to, inflected
from partwise.database.source.lexicon import (
    CODE,
    PLAIN_CODES,
    Region,
    may_be_from,
    may_hold,
    places_called,
    usual_words,
    word_set,
)
from partwise.database.source.names import words_of_name
from partwise.database.source.value_arrays import (
    FUZZY,
    JOINED,
    MOST,
    PART,
    IndexArrays,
    StoredValue,
    changed,
    joined_number,
    phrase_number,
    tokens_of,
    word_number,
)
from partwise.language.text import LONG, spelt_like

LONGEST = 8
"""The most words of a value, but for one in quotes."""
MOST_TOKENS = 256
"""The most tokens of a question that are looked at: signs may stand for many words each."""
EMPTY = word_set("function words") | word_set("no values")
"""Words that are no stored value by themselves, unless quotes or a capital mark them."""
_OWNING = re.compile(r"\w['’]s$", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "'": "'", "‘": "’"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a part of one that has signs inside.

    Attributes:
        plain: without case and accents.
        word: its place among the question's words.
        first, last: whether it begins and ends that word.
        capital: whether it begins with a capital inside a sentence.
        upper: whether it is written in capitals in a question that is not.
        owner: of "Ann's", the word without its ending; else empty.
    """

    plain: str
    word: int
    first: bool
    last: bool
    capital: bool
    upper: bool
    owner: str = ""

    @property
    def empty(self) -> bool:
        """Whether it is no stored value by itself."""
        return self.plain in EMPTY


def is_shouted(words: Sequence[str]) -> bool:
    """Whether a question is written in capitals, which then say nothing."""
    return sum(one.isupper() for one in words) > max(2, len(words) / 2)


class QuestionTokens:
    """The tokens of a question and the spans that may be values. `quotes`: whether what is in
    quotes is one value."""

    def __init__(self, words: Sequence[str], quotes: bool = True) -> None:
        shouted = is_shouted(words)
        made = (
            Token(
                plain,
                at,
                number == 0,
                number == len(parts) - 1,
                at > 0 and not shouted and word[:1].isupper(),
                word.isupper() and not shouted,
                plain[:-1] if _OWNING.search(word) and number == len(parts) - 1 else "",
            )
            for at, word in enumerate(words)
            for parts in [tokens_of(word)]
            for number, plain in enumerate(parts)
        )
        self.tokens = list(islice(made, MOST_TOKENS))
        marks = _quoted(words) if quotes else []
        self.quoted = [self._span(start, end) for start, end in marks]

    def _span(self, start: int, end: int) -> tuple[int, int]:
        inside = [at for at, one in enumerate(self.tokens) if start <= one.word < end]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    def spans(self) -> list[tuple[int, int]]:
        """Spans of whole words; what is in quotes is one."""
        size = len(self.tokens)
        every = [
            (start, end)
            for start in range(size)
            for end in range(start + 1, min(size, start + LONGEST) + 1)
        ]
        every += [one for one in self.quoted if one[1] - one[0] > LONGEST]
        return [(start, end) for start, end in every if self.may_be(start, end)]

    def may_be(self, start: int, end: int) -> bool:
        """Whether a span is of whole words, and all or nothing of what is in quotes."""
        if not (self.tokens[start].first and self.tokens[end - 1].last):
            return False
        apart = (
            (start, end) == one or end <= one[0] or start >= one[1] for one in self.quoted if one[1]
        )
        return all(apart)

    def marked(self, start: int, end: int) -> bool:
        """Whether capitals or quotes say that a span is a name."""
        return (start, end) in self.quoted or any(one.capital for one in self.tokens[start:end])

    def words(self, start: int, end: int) -> tuple[int, int]:
        """A span of tokens as one of words."""
        return self.tokens[start].word, self.tokens[end - 1].word + 1


def _quoted(words: Sequence[str]) -> list[tuple[int, int]]:
    """The words between two quotation marks, which may be words of their own."""
    made: list[tuple[int, int]] = []
    for at, word in enumerate(words):
        mark = _QUOTES.get(word[:1])
        if mark and (not made or made[-1][1] <= at):
            ends = (end for end in range(at, len(words)) if words[end][end == at :].endswith(mark))
            made += [(at, end + 1) for end in ends][:1]
    return made


PER_SPAN = 6
"""The most matches of one span."""
NAMING = {"name", "title", "model", "product", "type", "kind", "category", "species", "breed"}
"""Words of columns whose values are names of things."""
INFLECTED = 0.95
"""The score of a word in another form."""
REPLACED = 2
"""The most misspelt words of a value."""
LEAST_SHARE = 0.34
"""The least share of a long value's letters that point to it."""
LEAST_ALONE, LEAST_LAST = 0.42, 0.33
"""The least score of a single word that is a part of a value and begins with no capital; and of one
that is the last of a value, as "wheat" of "Winter wheat"."""


class PersonName(NamedTuple):
    """A name in several columns, as first and last name.

    Attributes:
        table: whose rows have it.
        columns: the columns, and `values` what is stored in each of them.
    """

    table: str
    columns: tuple[str, ...]
    values: tuple[str, ...]


class ValueMatch(NamedTuple):
    """Words of a question that are, or are close to, a stored value.

    Attributes:
        start: the first of the words.
        end: behind the last of them.
        text: the value as it is stored; of a name in several columns its parts with blanks.
        places: tables and columns that have it.
        score: 1.0 if they are equal but for case, accents and punctuation; less for typos, parts of
            a value, a first name alone, and words that may mean something else.
        people: where the value is a name in several columns; then `places` may be empty.
    """

    start: int
    end: int
    text: str
    places: tuple[tuple[str, str], ...]
    score: float
    people: tuple[PersonName, ...] = ()


class ValueHit(NamedTuple):
    """A span of tokens and an entry.

    Attributes:
        sure: whether the value is said whole and without typos.
        place: whether it is a country or a state under another name.
    """

    start: int
    end: int
    entry: StoredValue
    score: float
    sure: bool = True
    place: bool = False


def is_covered(hit: ValueHit, whole: Sequence[ValueHit]) -> bool:
    """Whether a doubtful hit is of words of which others are sure, or for which a longer one is."""
    return not hit.sure and any(
        one.start <= hit.start
        and hit.end <= one.end
        and one.score > 0.85
        and (one.end - one.start > max(1, hit.end - hit.start) if not one.sure else True)
        for one in whole
        if one is not hit
    )


def is_respelt(hit: ValueHit, question: QuestionTokens, whole: Sequence[ValueHit]) -> bool:
    """Whether a value would only fit if words were misspelt that are a value themselves, as "The
    Crunge" for "the Grunge" where there is a Grunge."""
    if hit.sure or hit.place:
        return False
    stored = set(tokens_of(hit.entry.text.replace(PART, " ")))
    return any(
        one.sure
        and not one.place
        and hit.start <= one.start
        and one.end <= hit.end
        and not {token.plain for token in question.tokens[one.start : one.end]} & stored
        for one in whole
    )


def _names_rows(entry: StoredValue) -> bool:
    """Whether a value is of a column with names, not with notes and the like."""
    return any(NAMING & set(words_of_name(column)) for _, column in entry.group.places)


def _forms(word: str) -> tuple[str, ...]:
    """A word in its other forms."""
    forms = inflected(word)
    if word.endswith("ed") and word[:-2] in usual_words():
        # "Signed" is of "sign", and not of "Signe".
        forms = tuple(one for one in forms if one != word[:-1])
    return forms


def _share(inside: Sequence[Token], stored: Sequence[str]) -> float:
    """Which share of a value's letters some words have, misspelt ones a little less."""
    letters = sum(len(one) for one in stored if one not in EMPTY) or 1
    said = sum(len(one.plain) for one in inside if one.plain in stored)
    spelt = sum(len(one.plain) for one in inside if one.plain not in stored)
    return (said + 0.8 * spelt) / letters


class ValueSearch:
    """The search for the values of one question."""

    def __init__(self, arrays: IndexArrays, question: QuestionTokens) -> None:
        self.arrays, self.question, self.tokens = arrays, question, question.tokens
        self.numbers = [word_number(one.plain) for one in self.tokens]
        self.known = arrays.has_words(self.numbers)
        self.variants = [self._variants(one, at) for at, one in enumerate(self.tokens)]

    def _variants(self, token: Token, at: int) -> dict[str, tuple[int, float]]:
        """Words of the vocabulary that a word may be meant for -> their number and a score."""
        word = token.plain
        made = {} if token.empty else dict.fromkeys(_forms(word), INFLECTED)
        if word.endswith("s") and token.last and not token.first:
            # "Follow-ups".
            made.setdefault(word[:-1], INFLECTED)
        if token.owner:
            made[token.owner] = 1.0
        known = word in self.arrays.schema_words or word in usual_words()
        usual = token.empty or (known and not self.question.marked(at, at + 1))
        if len(word) >= FUZZY and not usual:
            for one, score in self._spelt_like(word):
                made.setdefault(one, score)
        best = sorted(made, key=lambda one: -made[one])[:MOST]
        numbers = {one: word_number(one) for one in best}
        inside = self.arrays.has_words(list(numbers.values()))
        return {
            one: (numbers[one], made[one])
            for one, place in zip(best, inside, strict=True)
            if place is not None
        }

    def _spelt_like(self, word: str) -> Iterator[tuple[str, float]]:
        """Words of the vocabulary that a word may be a misspelling of, with a score."""
        each = 0.1 if len(word) < LONG else 0.08
        near = [known for known, _ in self.arrays.spelt_like(word)[: 4 * MOST]]
        for errors, known in spelt_like(word, near):
            if errors:
                yield known, 1 - each * errors

    def whole(self) -> Iterator[ValueHit]:
        """Spans that are values, but for typos."""
        asked = [
            (start, end, *spelling)
            for start, end in self.question.spans()
            for spelling in self._spellings(start, end)
        ]
        for at, entry, close in self.arrays.with_keys([one[2] for one in asked]):
            start, end, _, score = asked[at]
            yield ValueHit(start, end, self.arrays.entry(entry), score * close, score == 1)

    def _spellings(self, start: int, end: int) -> Iterator[tuple[int, float]]:
        """The keys of a phrase: as it is, and with words in place of misspelt ones."""
        number = phrase_number(self.numbers[start:end])
        for places in self._replaced(start, end):
            for chosen in product(*(self.variants[at].values() for at in places)):
                key, score = number, 1.0
                for at, (new, close) in zip(places, chosen, strict=True):
                    key = changed(key, end - start, at - start, self.numbers[at], new)
                    score *= close
                yield key, score

    def _replaced(self, start: int, end: int) -> list[tuple[int, ...]]:
        """The words of a phrase that are replaced together: all that are unknown, and maybe another
        one."""
        unknown = tuple(at for at in range(start, end) if self.known[at] is None)
        if len(unknown) > REPLACED or any(not self.variants[at] for at in unknown):
            return []
        others = [
            at for at in range(start, end) if self.known[at] is not None and self.variants[at]
        ]
        more = [(*unknown, at) for at in others] if len(unknown) < REPLACED else []
        return [unknown, *more]

    def joined(self) -> Iterator[ValueHit]:
        """Spans that are values but for blanks: "acdc" and "heavymetal"."""
        spans = [one for one in self.question.spans() if one[1] - one[0] <= JOINED]
        texts = [[one.plain for one in self.tokens[start:end]] for start, end in spans]
        asked = [(span, joined_number(some), 1.0) for span, some in zip(spans, texts, strict=True)]
        asked += [
            (span, phrase_number([word_number("".join(some))]), 0.95)
            for span, some in zip(spans, texts, strict=True)
            if len(some) > 1
        ]
        for at, entry, close in self.arrays.with_keys([key for _, key, _ in asked]):
            yield ValueHit(*asked[at][0], self.arrays.entry(entry), asked[at][2] * close)

    def places(self) -> Iterator[ValueHit]:
        """Countries and states under another name, and words for what is from there."""
        called = places_called()
        for start, end in self.question.spans():
            words = tuple(one.plain for one in self.tokens[start:end])
            for place in called.get(words, ()):
                if self._is_place(start, end, words):
                    yield from self._of_place(start, end, words, place)

    def _is_place(self, start: int, end: int, words: tuple[str, ...]) -> bool:
        """A code is one in capitals or behind "the", as in "the us"; else "us" is who asks."""
        if len("".join(words)) > CODE or words in PLAIN_CODES:
            return True
        upper = any(one.upper for one in self.tokens[start:end])
        return upper or (start > 0 and self.tokens[start - 1].plain == "the")

    def _of_place(
        self, start: int, end: int, words: tuple[str, ...], place: Region
    ) -> Iterator[ValueHit]:
        names = [one for one in (*place.names, *place.words) if tuple(tokens_of(one)) != words]
        keys = [phrase_number(map(word_number, tokens_of(one))) for one in names]
        for at, entry, close in self.arrays.with_keys(keys):
            found = self.arrays.entry(entry)
            kept = tuple(
                one
                for one in found.group.places
                if may_hold(words_of_name(one[1]), names[at], place.sort)
                if names[at] in place.names or may_be_from(words_of_name(one[1]))
            )
            if kept and not found.group.parts and close == 1:
                group = found.group._replace(places=kept)
                yield ValueHit(start, end, found._replace(group=group), 0.92, place=True)

    def parts(self) -> Iterator[ValueHit]:
        """Spans that are a distinctive part of a longer value."""
        seen = set()
        for at, token in enumerate(self.tokens):
            if token.empty or len(token.plain) < 3:
                continue
            others = self.arrays.has_words([number for number, _ in self.variants[at].values()])
            known = [one for one in (self.known[at], *others) if one is not None]
            for entry in [one for word in known[:4] for one in self.arrays.entries_with(word)]:
                hit = self._run(at, self.arrays.entry(entry))
                if hit is not None and (hit.start, hit.end, entry) not in seen:
                    seen.add((hit.start, hit.end, entry))
                    yield hit

    def _run(self, at: int, entry: StoredValue) -> ValueHit | None:
        """The longest run of words around a word that a value has, too."""
        stored = tokens_of(entry.text.replace(PART, " "))
        runs = [
            (at - self._along(at, place, stored, -1), at + self._along(at, place, stored, 1) + 1)
            for place, word in enumerate(stored)
            if self._same(at, word)
        ]
        parts = [self._part(start, end, stored, entry) for start, end in runs]
        made = [one for one in parts if one is not None]
        return max(made, key=lambda one: one.score, default=None)

    def _along(self, at: int, place: int, stored: Sequence[str], step: int) -> int:
        """How many words further question and value have the same words, but for one."""
        reach, away, other = 0, step, False
        while 0 <= at + away < len(self.tokens) and 0 <= place + away < len(stored):
            if self._same(at + away, stored[place + away]):
                reach = abs(away)
            elif other:
                break
            else:
                other = True
            away += step
        return reach

    def _same(self, at: int, word: str) -> bool:
        return self.tokens[at].plain == word or word in self.variants[at]

    def _part(
        self, start: int, end: int, stored: Sequence[str], entry: StoredValue
    ) -> ValueHit | None:
        start, end = self._without_empty(start, end)
        if start == end or not self.question.may_be(start, end):
            return None
        inside = [one for one in self.tokens[start:end] if not one.empty]
        share = _share(inside, stored)
        if len(inside) == 1 and not self.question.marked(start, end):
            score = 0.0 if self._usual(inside[0], stored) else 0.6 * min(1.0, share) ** 0.5
            last = inside[0].plain == stored[-1] and _names_rows(entry)
            least = LEAST_LAST if last else LEAST_ALONE
            return ValueHit(start, end, entry, score, False) if score > least else None
        score = 0.85 * min(1.0, share) ** 0.5
        return ValueHit(start, end, entry, score, False) if share > LEAST_SHARE else None

    def _without_empty(self, start: int, end: int) -> tuple[int, int]:
        """A span without the words at its ends that say nothing."""
        while end > start and self.tokens[end - 1].empty:
            end -= 1
        while start < end and self.tokens[start].empty:
            start += 1
        return start, end

    def _usual(self, token: Token, stored: Sequence[str]) -> bool:
        """Whether a single word may well mean something else than a part of a value: it is one of
        the database's names, or misspelt; "repaired" may be "in repair"."""
        forms = {token.plain, *done_to(token.plain)}
        return token.plain in self.arrays.schema_words or not forms & set(stored)

    def matches(self, hits: Sequence[ValueHit]) -> list[ValueMatch]:
        """Hits with the same words and the same value as one; the best of each span."""
        merged: dict[tuple[int, int, str], list[ValueHit]] = defaultdict(list)
        for one in hits:
            score = self._weighed(one)
            if score > 0:
                merged[one.start, one.end, one.entry.text].append(one._replace(score=score))
        of_span: dict[tuple[int, int], list[ValueMatch]] = defaultdict(list)
        for (start, end, _), some in merged.items():
            of_span[start, end].append(self._match(start, end, some))
        ordered = sorted(of_span.items(), key=lambda one: (one[0][0], -one[0][1]))
        return [
            one
            for _, some in ordered
            for one in sorted(some, key=lambda match: (-match.score, match.text))[:PER_SPAN]
        ]

    def _match(self, start: int, end: int, hits: Sequence[ValueHit]) -> ValueMatch:
        """One value; places with a lower score than others are no places of it."""
        best = max(one.score for one in hits)
        plain = [one for one in hits if not one.entry.group.parts]
        places = dict.fromkeys(place for one in plain for place in one.entry.group.places)
        people = [
            PersonName(
                one.entry.group.places[0][0],
                tuple(column for _, column in one.entry.group.places),
                tuple(one.entry.text.split(PART)),
            )
            for one in hits
            if one.entry.group.parts
        ]
        text = hits[0].entry.text.replace(PART, " ")
        words = self.question.words(start, end)
        return ValueMatch(*words, text, tuple(places), best, tuple(dict.fromkeys(people)))

    def _weighed(self, hit: ValueHit) -> float:
        """The score of a hit, by whether its words may well mean something else; 0 to drop it."""
        tokens = self.tokens[hit.start : hit.end]
        if hit.place or (hit.start, hit.end) in self.question.quoted:
            return hit.score
        marked = self.question.marked(hit.start, hit.end)
        if all(one.empty for one in tokens):
            # "IN" is a code, and "In" is none.
            code = len(tokens) == 1 and hit.entry.text.isupper()
            return hit.score if (tokens[0].upper if code else marked) else 0.0
        if len(tokens) > 1:
            return hit.score
        one = tokens[0]
        if one.plain.isdigit():
            return 0.6 * hit.score
        if one.plain in self.arrays.schema_words and not marked:
            return 0.6 * hit.score
        if len(one.plain) <= 2 and not (one.upper or marked):
            return 0.6 * hit.score
        return hit.score

"""Numbers, texts and parts of dates that stand in a question themselves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set

from partwise.database.reading.comparing import TEXTS
from partwise.database.reading.cues import cue_words, cues
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.label import WEAK, Label, Quantity, Quoted
from partwise.database.spans.names import LayerNames, Named, SchemaItem
from partwise.database.spans.numbers import YEARS, NumberMention, numbers_in
from partwise.database.spans.periods import PARTS, is_whole_day
from partwise.database.spans.text import Word, function_words, stem
from partwise.database.units import WORDS as UNIT_WORDS

PROVIDERS = {"gmail", "googlemail", "yahoo", "hotmail", "outlook", "icloud", "aol", "gmx"}
"""Words that stand for a part of an e-mail address."""
_MAIL = frozenset(map(stem, ("email", "mail", "e-mail")))
_ADDRESS = {"address", "addresses", "account", "accounts", "email", "mail", "emails"}
CURRENCIES = {"$", "€", "£", "¥"}
SAYS = {"is", "are", "was", "were", "not", "=", "of", "as", "equals", "called", "named", "to"}
"""Words behind which a value may stand, although it is not stored."""
_DOTTED = re.compile(r"\w+\.\w+")
"""As "gmail.com"."""
_OF_YEARS = {"in", "since", "during", "until"}
"""Words behind which four digits are a year."""
UNIT_LETTERS = 3
"""The fewest letters of a unit that is not another word as well."""
_IN = ({"in", "within", "inside"}, {"the", "its", "their", "his", "her", "a"})
"""The two words between a text in quotes and the column that has it in it."""
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’"}


class Literals:
    """Finds what stands in a question itself.

    Args:
        texts: columns of free texts, of which a word may be a part.
    """

    def __init__(self, names: LayerNames, texts: Collection[SchemaItem]) -> None:
        self.names, self.texts = names, texts
        mails = [one.thing for one in names.names if _MAIL & {*one.stems}]
        self.mails = [one for one in dict.fromkeys(mails) if one.kind == "column"]

    def find(
        self,
        words: Sequence[Word],
        stored: Set[int],
        exact: Sequence[Named],
        behind: Collection[int],
    ) -> Iterator[Label]:
        """Texts, numbers, units and parts of dates.

        Args:
            stored: numbers of the words that are part of a stored value.
            exact: words that are a whole name.
            behind: numbers of the words that `behind_texts` finds.
        """
        yield from _quoted(words)
        yield from self._parted(words, stored, exact)
        said = any(TEXTS.keys() & {*cues().get((word.stem,), ())} for word in words)
        if said or behind:
            yield from _bare(words)
        yield from self._unstored(words, stored)
        yield from (one for one in _numbers(words) if not self._lacks_unit(words, one))
        yield from _parts(words)

    def _lacks_unit(self, words: Sequence[Word], label: Label) -> bool:
        """Whether a number is without the unit that stands behind it and is no name: "5 minutes"
        are not five of what a column counts, and no unit to show figures in."""
        numbered = label.kind == "number" and not isinstance(label.value, Quantity)
        at = label.end if numbered else label.start
        if not (numbered or label.kind == "unit") or not counts_before(words, at):
            return False
        word = words[at]
        return len(word.plain) >= UNIT_LETTERS and not self.names.in_label(word.stem)

    def _unstored(self, words: Sequence[Word], stored: Set[int]) -> Iterator[Label]:
        """Words that look like a value, although none is stored: names and codes, and what stands
        behind "is" and the like."""
        for start, word in enumerate(words):
            if start == 0 or not self._may_be_text(word) or start in stored:
                continue
            before = words[start - 1]
            if before.plain in SAYS or _code(word):
                yield Label(start, start + 1, "text", op="said", value=word.text)
            end = start + 1
            if start > 1 and _code(before) and self._may_be_text(before):
                continue
            while end < len(words) and _code(words[end]) and self._may_be_text(words[end]):
                end += 1
            if end > start + 1 and _code(word):
                yield Label(start, end, "text", op="said", value=_spelt(words[start:end]))

    def _parted(
        self, words: Sequence[Word], stored: Set[int], exact: Sequence[Named]
    ) -> Iterator[Label]:
        """Unknown words in front of a column of texts, as a part of them: "a yahoo address"."""
        for one in exact:
            at = one.start - 1
            if one.thing not in self.texts or at < 0 or at in stored:
                continue
            if self._may_be_text(words[at]):
                yield Label(at, one.end, "text", one.thing, "part", words[at].text, WEAK)
        for at, word in enumerate(words):
            if word.plain in PROVIDERS and at not in stored:
                address = at + 1 < len(words) and words[at + 1].plain in _ADDRESS
                for thing in self.mails:
                    conds = (Cond(Ref(*thing[1:]), "contains", word.text),)
                    yield Label(at, at + 1 + address, "state", thing, "mail", conds, WEAK)

    def _may_be_text(self, word: Word) -> bool:
        little = word.stem in function_words() or word.stem in cue_words()
        return word.text[:1].isalpha() and not little and not self.names.known(word.stem)


def _code(word: Word) -> bool:
    """Whether a word is written as names and codes are: "Ada", "PIT", "B12"."""
    return word.text[:1].isupper() or any(one.isdigit() for one in word.text)


def _numbers(words: Sequence[Word]) -> Iterator[Label]:
    """Numbers, with their unit if one stands there; and units on their own, as in "in minutes"."""
    for number in numbers_in(words):
        if not (_is_year(words, number) or _is_day(words, number)):
            yield Label(number.start, number.end, "number", value=number.value)
        for code in units_at(words, number.end):
            value = Quantity(number.value, code)
            yield Label(number.start, number.end + 1, "number", value=value)
        for code in units_at(words, number.start - 1) if number.start else ():
            if words[number.start - 1].plain in CURRENCIES:
                value = Quantity(number.value, code)
                yield Label(number.start - 1, number.end, "number", value=value)
    for at in range(len(words)):
        for code in units_at(words, at):
            yield from _unit(words, at, code)


def _unit(words: Sequence[Word], at: int, code: str) -> Iterator[Label]:
    """A unit without a number: "in minutes", "per hour", "a kilo", "half a kilo"."""
    before = ["", "", *(one.plain for one in words[max(0, at - 2) : at])][-2:]
    yield Label(at, at + 1, "unit", op="unit", value=code)
    if before[1] in {"a", "an", "one", "1"}:
        yield Label(at - 1, at + 1, "number", value=Quantity(1, code))
    if before in (["half", "a"], ["half", "an"]):
        yield Label(at - 2, at + 1, "number", value=Quantity(0.5, code))


def _is_year(words: Sequence[Word], number: NumberMention) -> bool:
    """Whether a number can be nothing but a year: "since 2020"."""
    before = words[number.start - 1].plain if number.start else ""
    return before in _OF_YEARS and number.value in YEARS and number.end - number.start == 1


def _is_day(words: Sequence[Word], number: NumberMention) -> bool:
    """Whether a number is the day of a date that is said whole: "10 January 2015"."""
    if number.end - number.start > 1:
        return False
    around = range(max(0, number.start - 1), number.start + 1)
    return any(is_whole_day([one.plain for one in words[at : at + 3]]) for at in around)


def _counts(words: Sequence[Word], at: int) -> bool:
    """Whether "a year" may tell how many there are in each: no price and no number is before it."""
    before = words[at - 1].plain if at else ""
    return before.isalpha() and before not in {"than", "for", "in", "once", "twice", "times", "of"}


def counts_before(words: Sequence[Word], at: int) -> bool:
    """Whether a word is the unit of the number before it."""
    known = 0 < at < len(words) and words[at].plain in UNIT_WORDS
    return known and words[at - 1].plain[-1:].isdigit()


def units_at(words: Sequence[Word], at: int) -> tuple[str, ...]:
    """Codes of the units that the word at a place may say; none outside the question."""
    return UNIT_WORDS.get(words[at].plain, ()) if 0 <= at < len(words) else ()


def _parts(words: Sequence[Word]) -> Iterator[Label]:
    """Parts of dates that groups are made by: "per year", "monthly"."""
    for at, word in enumerate(words):
        if (plain := _exchanged(word.plain)) in PARTS:
            adverb = plain.endswith("ly") or plain == "annual"
            yield Label(at, at + 1, "part", op="adverb" if adverb else "", value=PARTS[plain])
            if plain in PARTS and at and words[at - 1].plain == "a" and _counts(words, at - 1):
                # "Accidents a year".
                yield Label(at - 1, at + 1, "part", op="adverb", value=PARTS[plain])


def _exchanged(plain: str) -> str:
    """A part of a date that is spelt with two letters exchanged; other words as they are."""
    if plain in PARTS or len(plain) < len("year"):
        return plain
    pairs = range(len(plain) - 1)
    spelt = (plain[:at] + plain[at + 1] + plain[at] + plain[at + 2 :] for at in pairs)
    return next((one for one in spelt if one in PARTS), plain)


def _quoted(words: Sequence[Word]) -> Iterator[Label]:
    """Texts in quotes."""
    behind = 0
    for start, word in enumerate(words):
        if word.text not in _QUOTES or start < behind:
            continue
        for end in range(start + 1, min(len(words), start + 12)):
            if words[end].text == _QUOTES[word.text]:
                # What closes one text opens no other.
                behind = end + 1
                if end > start + 1:
                    yield Label(start, behind, "text", value=Quoted(_spelt(words[start + 1 : end])))
                break


def quoted_parts(words: Sequence[Word]) -> set[int]:
    """Numbers of the words in quotes that a text has in it: "with 'live' in the title"."""
    return {
        at
        for one in _quoted(words)
        if [word.plain in _IN[number] for number, word in enumerate(words[one.end : one.end + 2])]
        == [True, True]
        for at in range(one.start, one.end)
    }


def _bare(words: Sequence[Word]) -> Iterator[Label]:
    """Words that something may contain, without quotes."""
    for start, word in enumerate(words):
        if word.text[:1].isalpha() and (len(word.text) == 1 or word.stem not in function_words()):
            yield Label(start, start + 1, "text", op="bare", value=word.text)
        dotted = words[start : start + 3]
        if [one.text for one in dotted[1:2]] == ["."] and _DOTTED.fullmatch(_spelt(dotted)):
            yield Label(start, start + 3, "text", op="bare", value=_spelt(dotted))
        if word.text == "@" and start + 1 < len(words):
            yield Label(start, start + 2, "text", op="bare", value="@" + words[start + 1].text)


def behind_texts(words: Sequence[Word]) -> dict[int, int]:
    """Numbers of the words behind what asks for a part of a text, as "ends in" -> where that
    begins."""
    stems = [one.stem for one in words]
    return {
        end: start
        for end in range(1, len(words))
        for start in range(end - 1, max(0, end - 4) - 1, -1)
        if (ops := cues().get(tuple(stems[start:end]))) and {*ops} <= TEXTS.keys()
    }


def _spelt(words: Sequence[Word]) -> str:
    """Words as they were typed, with the blanks between them."""
    text = ""
    for number, word in enumerate(words):
        gap = number and word.start > words[number - 1].end
        text += (" " if gap else "") + word.text
    return text

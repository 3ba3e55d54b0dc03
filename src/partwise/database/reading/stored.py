"""Which stored values the words of a question say."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.reading.label import Label
from partwise.database.spans.names import Named
from partwise.database.spans.text import Word, words_of
from partwise.database.units import WORDS as UNIT_WORDS

CALLED = {"called", "named", "titled"}
SURE = 0.9
"""How well words must spell a stored value to say it."""


def says(label: Label, words: Sequence[Word]) -> bool:
    """Whether words spell a stored value, in the singular or plural: "booked" is no "Book"."""
    if not label.match or label.match[3] < SURE:
        return False
    last = words[label.end - 1].plain
    return label.match[3] == 1 or not last.endswith(("ed", "ing", "ings"))


def guessed(said: Sequence[Word], text: str) -> bool:
    """Whether words are only a part of a stored text, as "longest" is of "The Longest Day", or
    another word, as "compare" is beside "Compadre"."""
    plain, stored = [one.plain for one in said], words_of(text.lower())
    if len(plain) == len(stored) == 1 and len(plain[0]) > 3:
        return said[0].stem != stored[0].stem
    return set(plain) < {one.plain for one in stored}


def is_counted(word: Word) -> bool:
    """Whether a word is a number or a unit: "2 minutes" are no part of "2 Minutes To Midnight"."""
    return word.plain.isdigit() or word.plain in UNIT_WORDS


def alike_beside_or(words: Sequence[Word], values: Sequence[Label]) -> list[Label]:
    """Values without those of "A or B" that are of another column, where both can be of one:
    of "by Deep Purple or Black Sabbath" the second is an artist, too, and no title."""
    left = set(range(len(values)))
    for at, word in enumerate(words):
        if word.plain != "or":
            continue
        sides = (
            {number for number, one in enumerate(values) if one.end == at},
            {number for number, one in enumerate(values) if one.start == at + 1},
        )
        before, after = ({values[number].thing for number in some} for some in sides)
        if both := before & after:
            left -= {n for some in sides for n in some if values[n].thing not in both}
    return [values[number] for number in sorted(left)]


def behind_their_table(
    words: Sequence[Word], exact: Sequence[Named], values: Sequence[Label]
) -> list[Label]:
    """Values without those of other tables, where one row of a table is said before them: of "the
    photo Dawn" it is the photo that is called Dawn, whatever else is."""
    tables = {
        one.end: one.thing.table
        for one in exact
        if one.thing.kind == "table" and not words[one.end - 1].plain.endswith("s")
    }
    said = [tables.get(_before(words, one.start), "") for one in values]
    both = list(zip(values, said, strict=True))
    own = {one.start for one, table in both if one.thing is not None and one.thing.table == table}
    return [
        one
        for one, table in both
        if one.start not in own or one.thing is None or one.thing.table == table
    ]


def _before(words: Sequence[Word], at: int) -> int:
    """The word behind which something stands, with marks and "called" between."""
    while at and (words[at - 1].plain in CALLED or not words[at - 1].plain[:1].isalnum()):
        at -= 1
    return at

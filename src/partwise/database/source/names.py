"""Words of stored names: ``quantity on hand`` for ``QtyOnHand``, ``order line`` for ``OrderLines``.

A name is cut where its spelling shows it, and where it is made of usual words run together. What a
table's columns all begin with, or the table's own name before a column, is left out. What has no
vowel, and is in no list of abbreviations, is written out as the usual word that has its letters in
their order: ``cls`` for class, ``strt`` for start.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from partwise.database import inflection
from partwise.database.source.lexicon import abbreviations, label_words, word_set

VOWELS = frozenset("aeiouy")
SHORTEST, LONGEST = 3, 6
"""The fewest and the most letters of a shortened word; of two, too many words have them."""
TIMES = 3
"""The most letters that a word has for each of a shortened one."""


@lru_cache(maxsize=4096)
def written_out(short: str) -> str:
    """The usual word that a shortened one stands for; itself where there is none."""
    fits = SHORTEST <= len(short) <= LONGEST and short.isalpha() and not VOWELS & set(short)
    if not fits or short in word_set("acronyms"):
        return short
    scored = [(_score(short, word), -rank, word) for rank, word in enumerate(_usual())]
    score, _, word = max(scored)
    return word if score else short


@lru_cache(maxsize=4096)
def is_short_for(short: str, word: str) -> bool:
    """Whether some letters stand for a certain word: how it begins, or its consonants."""
    if not 2 <= len(short) < len(word):
        return False
    return word.startswith(short) or bool(_score(short, word))


def _score(short: str, word: str) -> float:
    """How well letters without vowels stand for a word; 0 if they do not."""
    if short[0] != word[0] or len(short) >= len(word) or len(word) > TIMES * len(short):
        return 0.0
    letters = iter(word)
    if not all(one in letters for one in short):
        return 0.0
    whole = short in (_bare(word), _bare(word, twice=True))
    if VOWELS & set(short[1:]):
        return 0.0
    return 1.0 + 0.5 * whole + 0.3 * (short[-1] == word[-1]) + 0.5 * len(short) / len(word)


def _bare(word: str, twice: bool = False) -> str:
    """A word without its vowels, but for the first letter. `twice`: doubled letters stay."""
    kept = word[:1]
    for one in word[1:]:
        if one not in VOWELS and (twice or one != kept[-1]):
            kept += one
    return kept


@lru_cache(maxsize=1)
def _usual() -> tuple[str, ...]:
    """Words that may be shortened."""
    listed = word_set("usual") | word_set("shortened") | label_words()
    return tuple(sorted(one for one in listed if len(one) > 3))


_BORDER = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=[A-Z][a-z])|(?<=[a-z]{3})(?=\d)|[\W_]+"
)
USUAL = word_set("usual")
"""Words that names are made of without a sign between them."""
_TABLE_SIGNS = word_set("signs of tables")
_PLURALS = word_set("plurals")
_ANY_ROW = {"row", "record", "entry", "object", "unique", "primary", "internal", "global", "main"}
LONGEST_SHORT = 5
"""The most letters that a longer word is shortened to."""
LEAST_CALLED = 4
"""The fewest letters of what a key calls rows."""
_FLAG_SIGNS = {"yn", "flag", "ind", "indicator", "bool"}
"""Signs at the end of a name that its column says yes or no."""
_IDS = (("id",), ("key",), ("code",), ("number",))


@lru_cache(maxsize=4096)
def words_of_name(name: str) -> tuple[str, ...]:
    """The words of a stored name, in lower case, with abbreviations written out."""
    cut = _pieces(name)
    made = [word for at, one in enumerate(cut) for word in _expanded(one, at, len(cut))]
    for at in range(len(made) - 1):
        if tuple(made[at : at + 2]) == ("e", "mail"):
            made[at : at + 2] = ["email"]
            break
    return tuple(made)


@lru_cache(maxsize=4096)
def _pieces(name: str) -> tuple[str, ...]:
    """The parts of a stored name as they are spelt."""
    whole = name.lower() in abbreviations()
    parts = [name.lower()] if whole else [part.lower() for part in _BORDER.split(name) if part]
    # Of a name without a letter or a figure, as "_" or a picture, there is nothing but itself.
    return tuple(piece for part in parts for piece in _segmented(part)) or (name.lower(),)


def bare_name(table: str) -> str:
    """The name of a table without that of its schema."""
    return table.partition(".")[2] or table


def other_words(name: str) -> tuple[tuple[str, ...], ...]:
    """The words of a stored name where an abbreviation may stand for something else, too: a ``rep``
    is a representative, or a repair."""
    cut = _pieces(name)
    made = []
    for at, one in enumerate(cut):
        for place, full in abbreviations().get(one, ()):
            if place == "also":
                before = (_expanded(piece, number, len(cut)) for number, piece in enumerate(cut))
                words = [
                    full.split() if number == at else some for number, some in enumerate(before)
                ]
                made.append(tuple(word for some in words for word in some))
    return tuple(made)


def is_short_of(column: str, words: Sequence[str]) -> bool:
    """Whether the name of a key, without the sign that it is one, shortens some words: how the last
    begins, its consonants, or the first letters of all."""
    cut = _pieces(column)
    if len(cut) != 2 or tuple(_expanded(cut[1], 1, 2)) not in _IDS or len(cut[0]) > LONGEST_SHORT:
        return False
    letters = "".join(one[0] for one in words)
    return is_short_for(cut[0], words[-1]) or (len(words) > 1 and cut[0] == letters)


def table_names(name: str) -> tuple[str, ...]:
    """What else a row of a table may be called, by the abbreviations in the table's name."""
    made = []
    for words in other_words(bare_name(name)):
        kept = words
        while len(kept) > 1 and kept[0] in _TABLE_SIGNS:
            kept = kept[1:]
        made.append(" ".join(singular(kept)))
    return tuple(made)


def abbreviated(word: str) -> str:
    """The one word that an abbreviation stands for anywhere; nothing if there is none."""
    full = dict(abbreviations().get(word, ())).get("", written_out(word))
    return full if " " not in full and full != word else ""


def singular(words: Sequence[str]) -> tuple[str, ...]:
    """The same with the last word in the singular, as one row of a table is called."""
    if not words:
        return ()
    *first, last = words
    if len(last) < 4 or last.endswith(("ss", "us", "is", "news", "series", "species")):
        return tuple(words)
    return (*first, inflection.singular(last))


def table_words(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Table -> the words for one row of it; signs that it is a table, and what all begin with, are
    left out."""
    words = _bare_words(names)
    shared = _shared_start(list(words.values())) if len(words) > 2 else 0
    made = {}
    for name, some in words.items():
        kept = some[shared:] or some
        while len(kept) > 1 and kept[0] in _TABLE_SIGNS:
            kept = kept[1:]
        made[name] = singular(_whole(name, kept))
    ones = {(word,) for some in made.values() for word in some} - {(one,) for one in _PLURALS}
    return {
        name: tuple(one[0] if (one := singular((word,))) in ones else word for word in some)
        for name, some in made.items()
    }


def _bare_words(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Table -> the words of its name. Of two that are called so, the one of another schema has that
    one's name, too."""
    words = {name: words_of_name(bare_name(name)) for name in names}
    first = {singular(words[name]): name for name in sorted(words, key=len, reverse=True)}
    return {
        name: some if first[singular(some)] == name else words_of_name(name)
        for name, some in words.items()
    }


def _whole(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Words of a table, where its only one, or its last one, is an abbreviation as such alone."""
    last = _pieces(bare_name(name))[-1]
    full = dict(abbreviations().get(last, ()))
    if len(words) == 1 and "table" in full:
        return tuple(full["table"].split())
    usual = tuple(_expanded(last, 1, 2))
    if "rows" in full and words[-len(usual) :] == usual:
        return (*words[: -len(usual)], *full["rows"].split())
    return words


def row_words(key: Sequence[str], tables: Collection[Sequence[str]]) -> tuple[str, ...]:
    """What the key of a table calls its rows, where that is not the table's name: ``tourist`` for
    ``Tourist_ID`` of ``Visitors``. `key`: the columns of the key. `tables`: the words of all
    tables."""
    words = words_of_name(key[0]) if len(key) == 1 else ()
    called = words[:-1] if words[-1:] == ("id",) else ()
    vague = len("".join(called)) < LEAST_CALLED or called[-1] in _ANY_ROW
    return () if not called or vague or called in tables else called


def column_words(
    columns: Sequence[str],
    table: Sequence[str],
    tables: Mapping[str, Sequence[str]] = MappingProxyType({}),
    called: Sequence[str] = (),
) -> dict[str, tuple[str, ...]]:
    """Column -> its words, without those of the table before them. `table`: the words of the table.
    `called`: other words for its rows, see `row_words`. `tables`: name of each table -> its words;
    the name may begin that of a column."""
    bare = {bare_name(name): some for name, some in tables.items()}
    short = {name.lower(): some for name, some in bare.items() if len(_pieces(name)) == 1}
    words = _of_person(_of_table({name: _of_tables(name, short) for name in columns}, table))
    shared = _shared_start(list(words.values())) if len(words) > 2 else 0
    made = {
        name: _without_table(some[shared:] or some, tuple(table), tuple(called))
        for name, some in words.items()
    }
    if ("latitude",) in made.values():
        # Beside a latitude, "long" is no length.
        made = {name: ("longitude",) if one == ("long",) else one for name, one in made.items()}
    return made if len(set(made.values())) == len(made) else _distinct(made, words)


def _without_table(
    words: tuple[str, ...], table: tuple[str, ...], called: tuple[str, ...]
) -> tuple[str, ...]:
    """The words of a column without those of its table; see `column_words`."""
    if len(words) > 1 and words[-1] in _FLAG_SIGNS:
        words = words[:-1]
    own = _behind_table(words, table) or (_behind_table(words, called) if called else ())
    if words[:1] == ("other",) and (inner := _behind_table(words[1:], table)):
        # "Other hotel details".
        own = ("other", *inner)
    own = own or _without_inner(words, table)
    return own if own and own not in _IDS[2:] else words


def _of_tables(name: str, tables: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The words of a column, with the name of a table at its beginning written out as the table
    is: ``cst_no`` beside the table ``cst``."""
    pieces = _pieces(name)
    known = tables.get(pieces[0]) if len(pieces) > 1 and pieces[0] not in USUAL else None
    if known is None:
        return words_of_name(name)
    rest = [_expanded(one, at, len(pieces)) for at, one in enumerate(pieces)][1:]
    return (*known, *(word for one in rest for word in one))


def _of_table(
    words: dict[str, tuple[str, ...]], table: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Words with the table's own name written out, where several columns begin with a part of it:
    ``eqNo`` and ``eqNm`` of equipment."""
    first = {name: pieces[0] for name in words if len(pieces := _pieces(name)) > 1}
    short = {one for one in first.values() if table and is_short_for(one, table[-1])}
    begin = list(first.values())
    own = {one for one in short if begin.count(one) > 1 and one not in USUAL}
    made = {}
    for name, some in words.items():
        pieces = _pieces(name)
        # One is enough of a key: "ln_no" of order lines.
        number = len(pieces) == 2 and some[-1:] in _IDS and first[name] in short - USUAL
        if first.get(name) in own or number:
            rest = [_expanded(one, at, len(pieces)) for at, one in enumerate(pieces)][1:]
            some = (table[-1], *(word for one in rest for word in one))
        made[name] = some
    return made


FIRST, LAST = {"f", "first", "fst", "fn"}, {"l", "last", "list", "s", "ln", "sur"}
"""How "first" and "last" are shortened before "name"."""


def _of_person(words: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Words with "first" and "last" written out, where both stand before a name."""
    before = {
        name: some[-2] for name, some in words.items() if some[-1:] == ("name",) and some[:-1]
    }
    if not (FIRST & set(before.values()) and LAST & set(before.values())):
        return words
    full = {**dict.fromkeys(FIRST, "first"), **dict.fromkeys(LAST, "last")}
    return {
        name: (*some[:-2], full.get(before[name], before[name]), "name") if name in before else some
        for name, some in words.items()
    }


def _distinct(
    made: dict[str, tuple[str, ...]], words: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Words that tell the columns apart, longer ones where shorter ones do not."""
    short = list(made.values())
    best = {name: words[name] if short.count(some) > 1 else some for name, some in made.items()}
    long = list(best.values())
    return {name: (name.lower(),) if long.count(some) > 1 else some for name, some in best.items()}


def _behind_table(words: tuple[str, ...], table: tuple[str, ...]) -> tuple[str, ...]:
    """The words behind the table's own name, or behind an abbreviation of it."""
    for size in range(len(table), 0, -1):
        start = table[-size:] if size < len(table) else table
        # Of the table "playlist track", "track id" is a link.
        if words[:size] == start and not (size < len(table) and words[size:] in _IDS):
            return words[size:]
    first = words[0] if words else ""
    if len(first) == 1 and table and table[0].startswith(first):
        return words[1:]
    abbreviated = len(first) > 2 and len(table[-1:]) and table[-1].startswith(first)
    return words[1:] if abbreviated and first not in USUAL else ()


def _without_inner(words: tuple[str, ...], table: tuple[str, ...]) -> tuple[str, ...]:
    """The words without the table's name between them: of problems, "date problem reported"."""
    size = len(table)
    for start in range(1, len(words) - size if words[-1:] not in _IDS else 1):
        if (
            size
            and words[start : start + size] == table
            and words[start - 1] not in word_set("prepositions")
        ):
            return (*words[:start], *words[start + size :])
    return ()


def _shared_start(some: Sequence[tuple[str, ...]]) -> int:
    """How many words all begin with, if each has another one behind them."""
    count = 0
    while all(len(one) > count + 1 for one in some) and len({one[count] for one in some}) == 1:
        count += 1
    return count


def _segmented(part: str) -> list[str]:
    """A part as usual words that were run together, or as it is."""
    if part in USUAL or part in abbreviations() or not part.isalpha() or len(part) < 5:
        return [part]
    if part[1:] == "name":
        return [part[0], "name"]
    best: list[list[str] | None] = [[], *([None] * len(part))]
    for end in range(2, len(part) + 1):
        for start in range(max(0, end - 12), end - 1):
            before, word = best[start], part[start:end]
            if before is not None and (word in USUAL or word.removesuffix("s") in USUAL):
                known = best[end]
                if known is None or len(known) > len(before) + 1:
                    best[end] = [*before, word]
    found = best[-1]
    return [part] if found is None or len(found) > 4 else found


def _expanded(word: str, at: int, size: int) -> list[str]:
    for place, full in abbreviations().get(word, ()):
        if place == "" or (size > 1 and at == {"first": 0, "last": size - 1}.get(place)):
            return full.split()
    return [written_out(word)]

"""What a question says of how its answer is to be drawn: "as a pie chart". It is cut off before the
rest is read. The phrases are rows of ``wishes.tsv``."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from typing import NamedTuple

from partwise.language.lexicon import read_lexicon

ANY = "chart"
"""A wish for a drawing, whatever its kind."""


LONGEST = 500
"""Characters of a question that is looked through."""


class Wish(NamedTuple):
    """A question without what it says of the drawing, and that: ``bar``, `ANY`, ``table`` and the
    like; "" for nothing."""

    question: str
    kind: str = ""


def split_wish(question: str, names: Container[str] = ()) -> Wish:
    """Cut a wish off a question; the last one counts if there are several.

    Args:
        names: words that name something in what is asked about, in lower case: a plot of land is
            no drawing where there is a table of them.
    """
    kind, rest = "", " ".join(question.split())
    if len(rest) > LONGEST or not _may_wish(rest):
        return Wish(question)
    for pattern in _patterns():
        at = 0
        while match := pattern.search(rest, at):
            noun = match["noun"].lower()
            at = match.end()
            if noun in names or noun.removesuffix("s") in names:
                continue
            found = _kinds()[" ".join(re.split(r"[\s-]+", (match["kind"] or noun).lower()))]
            kind = found if found != ANY else kind or ANY
            rest = f"{rest[: match.start()]} {rest[match.end() :]}"
            at = match.start()
    if not kind:
        return Wish(question)
    rest = re.sub(r"[\s,;:]*([,.;?!])", r"\1", " ".join(rest.split()))
    return Wish(rest.strip(" ,.;:-!"), kind)


def _may_wish(question: str) -> bool:
    """Whether a word for a drawing is there; most questions need no pattern, whose making takes a
    tenth of a second."""
    folded = f" {question.casefold()} "
    if any(word in folded for word in ("table", *_phrases("nouns"), *_phrases("alone"))):
        return True
    behind = any(f" {word} " in folded for word in _phrases("as"))
    return behind and any(word in folded for word in _phrases("wholes"))


@lru_cache(maxsize=32)
def _phrases(section: str) -> dict[str, str]:
    rows = (
        row for row in read_lexicon("partwise.language", "wishes.tsv") if row.section == section
    )
    return {phrase: row.meaning for row in rows for phrase in row.phrases}


@lru_cache(maxsize=1)
def _kinds() -> dict[str, str]:
    plural = {f"{noun}s": kind for noun, kind in _phrases("nouns").items()}
    drawn = dict.fromkeys(_phrases("alone"), ANY)
    return drawn | _phrases("nouns") | plural | _phrases("kinds") | _phrases("wholes")


def _any(section: str, end: str = "") -> str:
    """A pattern for the phrases of a section, the longest first."""
    phrases = sorted(_phrases(section), key=len, reverse=True)
    return f"(?:{'|'.join(re.escape(p).replace(chr(92) + ' ', '[ -]') for p in phrases)}){end}"


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    """A kind of chart anywhere; "chart of" or a verb at the beginning; "as a table" at the end."""
    article, noun = r"(?:(?:an?|the|one|some) )?", _any("nouns", "s?")
    verb = rf"(?:(?:{_any('asking')} ){{0,4}}{_any('verbs')} (?:{_any('objects')} ){{0,3}})?"
    behind, before = f"(?:{_any('behind')} )", f"(?: {_any('before')}(?!\\w))"
    ends, begins = r"(?: please)?(?=[ .?!,;]*$)", rf"(?<!\w)[,;:]? ?{verb}"
    whole = rf"{_any('wholes')}|{noun}"
    texts = (
        rf"{begins}{behind}?{article}(?P<kind>{_any('kinds')})[ -]?(?P<noun>{noun})"
        rf"(?!\w){before}?",
        rf"^{verb}{article}(?P<kind>)(?P<noun>{noun}|table){before}",
        rf"^(?:{_any('asking')} ){{0,4}}(?P<kind>)(?P<noun>{_any('alone')}) (?:(?:me|us) )?(?=\w)",
        rf"{begins}{behind}an? (?P<kind>)(?P<noun>{noun}){ends}",
        rf"{begins}{_any('as')} {article}(?P<kind>)(?P<noun>{whole}){ends}",
    )
    return tuple(re.compile(text, re.IGNORECASE) for text in texts)

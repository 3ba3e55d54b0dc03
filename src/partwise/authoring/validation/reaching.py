"""Pairs whose program no tree over the question's words can reach, and why."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence

from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.pairs import Pair
from partwise.authoring.validation.reachable import Reach
from partwise.language.domain import Application, Constant, Domain
from partwise.language.tokenizer import Words, tokenize


def unreached(reach: Reach, pair: Pair, program: Application) -> Finding | None:
    """Why no tree yields a pair's program; None if one does.

    Names must stand on one of their phrases, as they must when a parser reads the question.
    """
    if reach.reachable(pair.example, by_phrase=True):
        return None
    why, advice = _reason(reach, pair, program)
    what = f"question {pair.example.question!r}"
    return Finding("error", "unreached-pair", what, why, advice, pair.where)


def _reason(reach: Reach, pair: Pair, program: Application) -> tuple[str, str]:
    words = tokenize(pair.example.question)
    parts = [part.constant for part in program.walk() if not part.constant.type_shift]
    if len(parts) > len(words):
        return (
            f"no tree yields {program.term()}: each of its {len(parts)} parts needs a word of its "
            f"own, and the question has {len(words)}",
            "ask in more words, or declare with @type_shift what no word names",
        )
    missing = _unnamed(reach.types.domain, parts, words)
    if missing is not None:
        constant, count = missing
        often = "" if count == 1 else f" {count} times"
        return (
            f"{constant.category} is not named{often} in the question by any of its phrases: "
            f"{', '.join(map(repr, constant.phrases))}",
            _alias(constant, words),
        )
    alone = reach.reachable(pair.example)
    why = "the names stand where" if alone else "the types let no arrangement of"
    what = "no tree can use them" if alone else f"its {len(parts)} parts over the words mean it"
    return (
        f"{why} {what}: {program.term()}",
        "check the program; if it is right, a name may overlap another one, or an argument stand "
        "where it may not (`directional`, `extraction` and `infix` of the domain)",
    )


def _unnamed(
    domain: Domain, parts: Sequence[Constant], words: Words
) -> tuple[Constant, int] | None:
    """The first name that the question says too few times, and how often it should."""
    found = domain.matcher.find(words)
    counts = Counter(constant.category for constant in parts if constant.is_entity)
    for constant in parts:
        if not constant.is_entity:
            continue
        if sum(match.number == constant.number for match in found) < counts[constant.category]:
            return constant, counts[constant.category]
    return None


def _alias(constant: Constant, words: Words) -> str:
    """The words of the question that are most like a name, as an alias to add."""
    n = len(words)
    spans = [(i, k) for i in range(n) for k in range(i + 1, min(n, i + 5) + 1)]
    texts = [words.span(i, k) for i, k in spans]
    folded = {text.lower(): text for text in texts}
    for phrase in constant.phrases:
        close = difflib.get_close_matches(phrase.lower(), list(folded), 1, 0.6)
        if close:
            text = folded[close[0]]
            return (
                f"is it {text!r}? Then write the name as it is, or give it as an alias: "
                f"@entities(..., aliases={{{constant.name!r}: ({text!r},)}})"
            )
    return "name it in the question, or give an alias for what it is called there"

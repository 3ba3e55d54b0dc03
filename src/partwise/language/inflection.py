"""Inflected forms of English words, by rule; forms that nobody uses do no harm."""

from __future__ import annotations

from partwise.language.tokenizer import FUNCTION_WORDS

_IRREGULAR = {
    "run": ("ran",),
    "wind": ("wound",),
    "lie": ("lay", "lying"),
    "go": ("went", "gone"),
    "flow": ("flown",),
    "have": ("had",),
}
_SHORTEST = 3


def forms(word: str) -> tuple[str, ...]:
    """Plural, third person, past and participles: ``border`` -> borders, bordered, bordering.

    None for function words and others of few letters.
    """
    if len(word) < _SHORTEST or not word.isalpha() or word in FUNCTION_WORDS:
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


def pasts(verbs: str) -> dict[str, list[str]]:
    """Verb -> its past forms, as in ``walk eat:ate:eaten``, or by rule where none are given."""
    listed = (verb.split(":") for verb in verbs.split())
    return {verb: past or [f for f in forms(verb) if f.endswith("ed")] for verb, *past in listed}

"""Coordination: tokens of one kind, joined by commas and "and", are a group (paper, section 3.2).

Beyond the paper, phrases of one shape are grouped too, place by place: "edited by , directed by ,
and written by M0" reads as "{edited, directed, written} {by} M0".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partwise.graph.phrases.grammar import AND, COMMA
from partwise.graph.phrases.tagging import ENTITY, Tokens

LONGEST_UNIT = 2


@dataclass(frozen=True)
class Group:
    """A position of the sequence: coordinated tokens, or one.

    Attributes:
        tag: what they are; several classes where the word lists leave that open.
        tokens: their numbers.
    """

    tag: str
    tokens: tuple[int, ...]


def group(tokens: Tokens, grouping: bool = True, phrases: bool = True) -> list[Group]:
    """The groups of a question, from left to right, each as long as it can be.

    Args:
        grouping: whether coordinated tokens are put together at all.
        phrases: whether phrases of one shape are too.
    """
    kinds = [
        _kinds(classes, text) for classes, text in zip(tokens.classes, tokens.texts, strict=True)
    ]
    found: list[Group] = []
    at = 0
    while at < len(kinds):
        units, size = _units(kinds, tokens.texts, at, grouping, phrases)
        for place in range(size):
            members = tuple(unit + place for unit in units)
            found.append(Group(_tag([kinds[member] for member in members]), members))
        # The last unit ends the group.
        at = units[-1] + size
    return found


def _kinds(classes: frozenset[str], text: str) -> frozenset[str]:
    """The word classes of a token; of a function word, the word."""
    return classes - {text} or frozenset({text})


def _units(
    kinds: Sequence[frozenset[str]],
    texts: Sequence[str],
    at: int,
    grouping: bool,
    phrases: bool,
) -> tuple[list[int], int]:
    """Where the coordinated units that begin at a token begin, and how long each is."""
    if grouping:
        for size in range(LONGEST_UNIT if phrases else 1, 0, -1):
            starts = _coordinated(kinds, texts, at, size)
            if len(starts) > 1:
                return starts, size
    return [at], 1


def _coordinated(
    kinds: Sequence[frozenset[str]], texts: Sequence[str], at: int, size: int
) -> list[int]:
    first = kinds[at : at + size]
    if len(first) < size or not _content(first[0], texts[at]):
        return [at]
    # "directed M0 and edited M1" is no group: who is directed is not edited.
    if size > 1 and any(ENTITY in first[i] or texts[at + i] in (COMMA, AND) for i in range(size)):
        return [at]
    starts, shared = [at], list(first)
    end = at + size
    while True:
        begin, last = _after_joint(texts, end)
        following = kinds[begin : begin + size] if begin > end else []
        joined = [one & other for one, other in zip(shared, following, strict=False)]
        if len(joined) < size or not all(joined):
            return [at]
        shared = joined
        starts.append(begin)
        end = begin + size
        if last:
            return starts


def _after_joint(texts: Sequence[str], at: int) -> tuple[int, bool]:
    """Where the next unit begins after a comma or an "and", and whether it is the last."""
    comma = at < len(texts) and texts[at] == COMMA
    after = at + comma
    if after < len(texts) and texts[after] == AND:
        return after + 1, True
    return (after, False) if comma else (at, False)


def _content(kinds: frozenset[str], text: str) -> bool:
    return kinds != frozenset({text})


def _tag(kinds: Sequence[frozenset[str]]) -> str:
    shared = frozenset.intersection(*kinds)
    return "|".join(sorted(shared))

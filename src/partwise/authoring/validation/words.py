"""Phrases: ambiguous ones, predicates without any, and those that no question has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.heads import Heads
from partwise.authoring.validation.places import place_of
from partwise.language.domain import Constant, Domain
from partwise.language.tokenizer import tokenize

MAX_PHRASES = 200_000
"""Phrases that are looked at."""
SHOWN = 5
"""Phrases of one kind that are named; the others are counted."""


def check_words(heads: Heads, questions: Sequence[str], used: Iterable[str]) -> Iterator[Finding]:
    """All findings of this file.

    Args:
        questions: of the pairs; none where there are no pairs.
        used: the heads that the programs of the pairs have.
    """
    domain = heads.types.domain
    yield from ambiguous(domain)
    yield from without_phrases(heads, frozenset(used))
    if questions:
        yield from unseen_phrases(heads, questions)


def ambiguous(domain: Domain) -> Iterator[Finding]:
    """Phrases that name several things; those that types tell apart are notes, one for all
    phrases of the same predicates."""
    told_apart: dict[tuple[str, ...], list[str]] = {}
    between_names: list[str] = []
    for words, numbers in islice(domain.phrases.items(), MAX_PHRASES):
        named = [domain.constants[number] for number in numbers]
        phrase, shown = " ".join(words), tuple(constant.category for constant in named)
        names = sum(constant.is_entity for constant in named)
        if len(named) < 2:
            continue
        if names == len(named):
            between_names.append(phrase)
        elif not names and len({constant.signatures for constant in named}) == len(named):
            told_apart.setdefault(shown, []).append(phrase)
        else:
            yield _ambiguous(domain, phrase, named, bool(names))
    for shown, phrases in told_apart.items():
        what, why = _few(phrases), "their types differ, which often tells them apart"
        where = place_of(domain, shown[0])
        yield Finding(
            "note", "ambiguous-phrase", what, f"names {', '.join(shown)}; {why}", "", where
        )
    if between_names:
        why = "each names several things; which is meant is learned from the words around it"
        yield Finding("note", "ambiguous-name", _few(between_names), why)


def _few(phrases: Sequence[str]) -> str:
    shown = ", ".join(repr(phrase) for phrase in phrases[:SHOWN])
    more = f" and {len(phrases) - SHOWN} more" if len(phrases) > SHOWN else ""
    return f"phrase {shown}" if len(phrases) == 1 else f"phrases {shown}{more}"


def _ambiguous(domain: Domain, phrase: str, named: Sequence[Constant], with_names: bool) -> Finding:
    shown = ", ".join(constant.category for constant in named[:SHOWN])
    more = " and more" if len(named) > SHOWN else ""
    first = next(constant for constant in named if not constant.is_entity)
    why = (
        "a predicate, and something of which a question may speak"
        if with_names
        else "types do not tell them apart"
    )
    return Finding(
        "warning",
        "ambiguous-phrase",
        f"phrase {phrase!r}",
        f"names {shown}{more}: {why}",
        "take it away where it is not needed, or give pairs in which it means the one and pairs "
        "in which it means the other",
        place_of(domain, first.head),
    )


def without_phrases(heads: Heads, used: frozenset[str]) -> Iterator[Finding]:
    """Predicates that no phrase names; a pair that uses one may still teach its words."""
    for head in heads.all.values():
        if head.is_entity or head.sample.phrases:
            continue
        seen = head.name in used
        yield Finding(
            "note" if seen else "warning",
            "no-phrases",
            head.title,
            "has no phrases; its words are learned from the pairs alone"
            if seen
            else "has no phrases and no pair uses it, so that no question can come to it",
            f'give it words, as @predicate("{head.name.replace("_", " ")}")',
            place_of(heads.types.domain, head.name),
        )


def unseen_phrases(heads: Heads, questions: Sequence[str]) -> Iterator[Finding]:
    """Phrases of predicates that no question of the pairs has."""
    texts = [tokenize(question).words for question in questions]
    seen = {text[i:k] for text in texts for i in range(len(text)) for k in range(i, len(text) + 1)}
    found: dict[str, str] = {}
    for head in heads.all.values():
        phrases = [p for p in head.sample.phrases if tokenize(p).words not in seen]
        if phrases and not head.is_entity:
            found[head.name] = f"{head.name} {', '.join(map(repr, phrases))}"
    if found:
        yield Finding(
            "note",
            "unseen-phrase",
            f"phrases of {len(found)} predicates",
            f"no question of the pairs has them: {'; '.join(found.values())}",
            "that is no mistake; a pair with each makes it surer",
            place_of(heads.types.domain, next(iter(found))),
        )

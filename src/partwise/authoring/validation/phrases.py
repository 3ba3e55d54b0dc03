"""Phrases: ambiguous ones, predicates without any, and those that no question has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from partwise.authoring.validation.heads import Heads
from partwise.authoring.validation.issues import Issue
from partwise.authoring.validation.places import place_of
from partwise.language.domain import Constant, Domain
from partwise.language.tokenizer import tokenize

MAX_PHRASES = 200_000
"""Phrases that are looked at."""
SHOWN = 5
"""Phrases of one kind that are named; the others are counted."""


def phrase_issues(heads: Heads, questions: Sequence[str], used: frozenset[str]) -> Iterator[Issue]:
    """All issues of this file.

    Args:
        questions: of the examples; none where there are no examples.
        used: the heads that the programs of the examples have.
    """
    yield from ambiguous(heads.types.domain)
    yield from without_phrases(heads, used)
    if questions:
        yield from unseen_phrases(heads, questions)


def ambiguous(domain: Domain) -> Iterator[Issue]:
    """Phrases that name several things; those that types tell apart are notes, one for all
    phrases of the same predicates."""
    told_apart: dict[tuple[str, ...], list[str]] = {}
    between_names: list[str] = []
    for words, numbers in islice(domain.phrases.items(), MAX_PHRASES):
        named = [domain.constants[number] for number in numbers]
        if len(named) < 2:
            continue
        entities = sum(constant.is_entity for constant in named)
        phrase = " ".join(words)
        if entities == len(named):
            between_names.append(phrase)
        elif not entities and len({constant.signatures for constant in named}) == len(named):
            categories = tuple(constant.category for constant in named)
            told_apart.setdefault(categories, []).append(phrase)
        else:
            yield _ambiguous(domain, phrase, named, bool(entities))
    for names, phrases in told_apart.items():
        why = f"names {', '.join(names)}; their types differ, which often tells them apart"
        where = place_of(domain, names[0])
        yield Issue("note", "ambiguous-phrase", _few(phrases), why, "", where)
    if between_names:
        why = "each names several things; which is meant is learned from the words around it"
        yield Issue("note", "ambiguous-name", _few(between_names), why)


def _few(phrases: Sequence[str]) -> str:
    shown = ", ".join(repr(phrase) for phrase in phrases[:SHOWN])
    more = f" and {len(phrases) - SHOWN} more" if len(phrases) > SHOWN else ""
    return f"phrase{'s' * (len(phrases) > 1)} {shown}{more}"


def _ambiguous(domain: Domain, phrase: str, named: Sequence[Constant], entities: bool) -> Issue:
    shown = ", ".join(constant.category for constant in named[:SHOWN])
    shown += " and more" if len(named) > SHOWN else ""
    why = "types do not tell them apart"
    if entities:
        why = "a predicate, and something of which a question may speak"
    advice = (
        "remove it where it is not needed, or give pairs in which it means the one and pairs in "
        "which it means the other"
    )
    first = next(constant for constant in named if not constant.is_entity)
    what, where = f"phrase {phrase!r}", place_of(domain, first.head)
    return Issue("warning", "ambiguous-phrase", what, f"names {shown}: {why}", advice, where)


def without_phrases(heads: Heads, used: frozenset[str]) -> Iterator[Issue]:
    """Predicates that no phrase names; an example that uses one may still teach its words."""
    for head in heads.all.values():
        if head.is_entity or head.sample.phrases:
            continue
        advice = f'give it words, as @predicate("{head.name.replace("_", " ")}")'
        where = place_of(heads.types.domain, head.name)
        if head.name in used:
            why = "has no phrases; its words are learned from the pairs alone"
            yield Issue("note", "no-phrases", head.title, why, advice, where)
        else:
            why = "has no phrases and no pair uses it, so no question can lead to it"
            yield Issue("warning", "no-phrases", head.title, why, advice, where)


def unseen_phrases(heads: Heads, questions: Sequence[str]) -> Iterator[Issue]:
    """Phrases of predicates that no question of the examples has."""
    texts = [tokenize(question).words for question in questions]
    seen = {text[i:k] for text in texts for i in range(len(text)) for k in range(i, len(text) + 1)}
    unseen: dict[str, str] = {}
    for head in heads.all.values():
        phrases = [p for p in head.sample.phrases if tokenize(p).words not in seen]
        if phrases and not head.is_entity:
            unseen[head.name] = f"{head.name} {', '.join(map(repr, phrases))}"
    if unseen:
        what = f"phrases of {len(unseen)} predicates"
        why = f"no question of the pairs has them: {'; '.join(unseen.values())}"
        advice = "that is no mistake; a pair with each makes the parser surer"
        where = place_of(heads.types.domain, next(iter(unseen)))
        yield Issue("note", "unseen-phrase", what, why, advice, where)

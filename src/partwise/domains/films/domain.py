"""FILMS: the language of questions about the films of this package's own graph, as data."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from partwise.domains.films.lexicon import (
    ADJECTIVES,
    CHILD,
    DIFFERING,
    GENDER,
    MAKER,
    NAMESPACE,
    NATIONALITY,
    NOUNS,
    PREFIX,
    ROLES,
    TYPE,
    VERBS,
)
from partwise.domains.questions import FUNCTION_CLASSES, PHRASES
from partwise.execution.local import packaged_store
from partwise.language.graph_domain import Attribute, GraphDomain, Kinds, Relation

FILM = frozenset({"film"})
CHARACTER = frozenset({"character"})
PERSON = frozenset({"person"})
ORGANIZATION = frozenset({"organization"})
FIGURE = PERSON | CHARACTER
"""Who may be married, employed and so on: characters too."""

_MADE_BY = (
    *("director", "editor", "writer", "executiveProducer", "cinematographer", "composer"),
    *("costumeDesigner", "starring"),
)
_ENDS: dict[str, tuple[Kinds, Kinds]] = {
    **{f"film:{name}": (FILM, PERSON) for name in _MADE_BY},
    MAKER: (FILM, PERSON | ORGANIZATION),
    "film:distributor": (FILM, ORGANIZATION),
    "film:sequel": (FILM, FILM),
    "film:plays": (PERSON, CHARACTER),
    "film:employer": (FIGURE, ORGANIZATION),
    "film:founder": (ORGANIZATION, PERSON),
    "film:acquiredBy": (ORGANIZATION, ORGANIZATION),
    "film:influencedBy": (PERSON, PERSON),
    "film:spouse": (FIGURE, FIGURE),
    "film:sibling": (FIGURE, FIGURE),
    CHILD: (FIGURE | ORGANIZATION, FIGURE | ORGANIZATION),
    GENDER: (FIGURE, frozenset({"gender"})),
    NATIONALITY: (PERSON, frozenset({"country"})),
}
"""Predicate -> what kinds of things are its subjects and objects."""
_KINDS: dict[str, Kinds] = {
    "film:Person": PERSON,
    "film:Film": FILM,
    "film:Character": CHARACTER,
    **dict.fromkeys(("film:Company", "film:FilmDistributor"), ORGANIZATION),
    "film:ProductionCompany": ORGANIZATION,
}
"""Type -> the kinds of what has it; all others are occupations."""


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


FILMS = GraphDomain(
    "films",
    "sparql",
    relations=tuple(
        Relation(predicate, predicate in DIFFERING, subject, target)
        for predicate, (subject, target) in _ENDS.items()
    ),
    attributes=(
        *(Attribute(TYPE, noun.type, _KINDS.get(noun.type, PERSON)) for noun in NOUNS),
        *(Attribute(a.predicate, a.value, _ENDS[a.predicate][0]) for a in ADJECTIVES),
    ),
    words={
        "verb": tuple(verb.base for verb in VERBS),
        "past": _unique(form for verb in VERBS for form in (verb.past, verb.participle)),
        "role": tuple(role.word for role in ROLES),
        "noun": tuple(noun.word for noun in NOUNS),
        "adjective": tuple(adjective.word for adjective in ADJECTIVES),
        **FUNCTION_CLASSES,
    },
    phrases=PHRASES,
    prefixes={PREFIX: NAMESPACE},
    examples=(
        "Who directed Alien?",
        "Did Alien's director edit Gladiator?",
        "What film that Walter Murch edited was directed by The Godfather's director?",
        "Which actor played Luke Skywalker?",
        "Was Jaws directed by Steven Spielberg?",
        "What was The Godfather's sequel?",
    ),
    open_store=partial(packaged_store, "partwise.domains.films", "films.ttl"),
)

"""The words of questions about films, and what each says of the graph.

Predicates stand in one direction each, whatever the sentence: a verb or role says which of its two
sides is the subject. The style of the words is that of CFQ (Keysers et al. 2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from partwise.domains.films.domain import CHILD, GENDER, GENDERS, MAKER, NATIONALITIES, NATIONALITY
from partwise.domains.films.domain import NOUNS as NOUN_TYPES


class Verb(NamedTuple):
    """A verb: its forms, its predicate, and whether its subject is the predicate's subject."""

    base: str
    past: str
    participle: str
    predicate: str
    subject_first: bool = False
    passive: bool = True


class Role(NamedTuple):
    """A relational noun: whose bearer is the predicate's subject if `bearer_first`."""

    word: str
    predicate: str
    bearer_first: bool = False


class Noun(NamedTuple):
    """A noun for a type."""

    word: str
    type: str


class Adjective(NamedTuple):
    """An adjective for a value of a predicate."""

    word: str
    predicate: str
    value: str


VERBS = (
    Verb("direct", "directed", "directed", "film:director"),
    Verb("edit", "edited", "edited", "film:editor"),
    Verb("write", "wrote", "written", "film:writer"),
    Verb("produce", "produced", "produced", MAKER),
    Verb("executive produce", "executive produced", "executive produced", "film:executiveProducer"),
    Verb("distribute", "distributed", "distributed", "film:distributor"),
    Verb("found", "founded", "founded", "film:founder"),
    Verb("acquire", "acquired", "acquired", "film:acquiredBy"),
    Verb("employ", "employed", "employed", "film:employer"),
    Verb("influence", "influenced", "influenced", "film:influencedBy"),
    Verb("marry", "married", "married", "film:spouse", subject_first=True, passive=False),
    Verb("star", "starred", "starred", "film:starring", subject_first=True, passive=False),
    Verb("play", "played", "played", "film:plays", subject_first=True),
)
ROLES = (
    Role("director", "film:director"),
    Role("editor", "film:editor"),
    Role("writer", "film:writer"),
    Role("producer", MAKER),
    Role("executive producer", "film:executiveProducer"),
    Role("cinematographer", "film:cinematographer"),
    Role("composer", "film:composer"),
    Role("costume designer", "film:costumeDesigner"),
    Role("distributor", "film:distributor"),
    Role("star", "film:starring"),
    Role("actor", "film:plays", bearer_first=True),
    Role("employee", "film:employer", bearer_first=True),
    Role("employer", "film:employer"),
    Role("founder", "film:founder"),
    Role("child", CHILD),
    Role("parent", CHILD, bearer_first=True),
    Role("sequel", "film:sequel"),
    Role("prequel", "film:sequel", bearer_first=True),
    Role("spouse", "film:spouse", bearer_first=True),
    Role("sibling", "film:sibling", bearer_first=True),
    Role("gender", GENDER),
    Role("country of nationality", NATIONALITY),
)
NOUNS = tuple(Noun(word, kind) for word, kind in NOUN_TYPES.items())
ADJECTIVES = (
    *(Adjective(word, GENDER, f"film:{word}") for word in GENDERS),
    *(Adjective(word, NATIONALITY, f"film:{word}") for word in NATIONALITIES),
)

OBJECT_TYPES: Mapping[str, str] = {
    "film:director": "film:FilmDirector",
    "film:editor": "film:FilmEditor",
    "film:writer": "film:Screenwriter",
    "film:producer": "film:FilmProducer",
    "film:cinematographer": "film:Cinematographer",
    "film:composer": "film:Composer",
    "film:costumeDesigner": "film:CostumeDesigner",
    "film:starring": "film:Actor",
    "film:distributor": "film:FilmDistributor",
    "film:productionCompany": "film:ProductionCompany",
}
"""Predicate -> the type that each of its objects has."""
SUBJECT_TYPES: Mapping[str, str] = {"film:plays": "film:Actor"}
"""Predicate -> the type that each of its subjects has."""

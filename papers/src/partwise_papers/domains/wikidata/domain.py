"""WIKIDATA: what MCWQ's queries (Cui et al. 2022) say of Wikidata, in their canonical form.

Kinds say what may stand where: characters do what persons do, and companies may make films as
persons do. They are wide on purpose: what questions presuppose need not be so.
"""

from __future__ import annotations

from partwise.domains.films.domain import FUNCTION_CLASSES
from partwise.language.graph_domain import Attribute, GraphDomain, Relation

FILM = frozenset({"film"})
PERSON = frozenset({"person", "character"})
ORGANIZATION = frozenset({"organization"})
MAKER = PERSON | ORGANIZATION
"""Who may take part in making a film, own, found or have children."""
COUNTRY = frozenset({"country"})

_MADE_BY = {
    "P57": "director",
    "P58": "screenwriter",
    "P86": "composer",
    "P161": "cast member",
    "P162|P272": "producer, where the film is asked about",
    "P272": "production company, where the producer is asked about",
    "P344": "director of photography",
    "P750": "distributed by",
    "P1040": "film editor",
    "P1431": "executive producer",
    "P2515": "costume designer",
}
_NATIONALITIES = {
    "Q16": "Canadian",
    "Q17": "Japanese",
    "Q29": "Spanish",
    "Q30": "American",
    "Q34": "Swedish",
    "Q38": "Italian",
    "Q96": "Mexican",
    "Q142": "French",
    "Q145": "British",
    "Q148": "Chinese",
    "Q183": "German",
    "Q29999": "Dutch",
}
_GENDERS = {"Q6581072": "female", "Q6581097": "male"}
_OCCUPATIONS = {
    "Q33999": "actor",
    "Q36834": "composer",
    "Q222344": "cinematographer",
    "Q1323191": "costume designer",
    "Q2526255": "film director",
    "Q7042855": "film editor",
    "Q69423232": "screenwriter",
}
_TRADES = {"Q3282637": "film producer", "Q12540664": "film distributor"}
"""Occupations of companies too."""


def _path(numbers: str) -> str:
    return "|".join(f"wdt:{number}" for number in numbers.split("|"))


RELATIONS = (
    *(Relation(_path(made), subject=FILM, object=MAKER) for made in _MADE_BY),
    Relation("wdt:P155", subject=FILM, object=FILM),  # follows
    Relation("wdt:P156", subject=FILM, object=FILM),  # followed by
    Relation("wdt:P453", subject=PERSON, object=PERSON | FILM),  # character role
    Relation("wdt:P26", differ=True, subject=PERSON, object=PERSON),  # spouse
    Relation("wdt:P3373", differ=True, subject=PERSON, object=PERSON),  # sibling
    Relation(_path("P40|P355"), subject=MAKER, object=MAKER),  # child or subsidiary
    Relation("wdt:P749", subject=MAKER, object=MAKER),  # parent organization
    Relation("wdt:P108", subject=PERSON, object=ORGANIZATION | COUNTRY),  # employer
    Relation("wdt:P112", subject=ORGANIZATION, object=MAKER),  # founded by
    Relation("wdt:P127", subject=ORGANIZATION, object=ORGANIZATION),  # owned by
    Relation("wdt:P737", subject=MAKER, object=MAKER),  # influenced by
    Relation("wdt:P27", subject=PERSON, object=COUNTRY),  # country of citizenship, asked for
)
ATTRIBUTES = (
    Attribute("wdt:P31", "wd:Q5", PERSON),
    Attribute("wdt:P31", "wd:Q11424", FILM),
    Attribute("wdt:P31", "wd:Q95074", frozenset({"character"})),
    Attribute("wdt:P31", "wd:Q1762059", ORGANIZATION),  # production company
    Attribute("wdt:P31", "wd:Q4830453", ORGANIZATION),  # company
    *(Attribute("wdt:P106", f"wd:{item}", PERSON) for item in _OCCUPATIONS),
    *(Attribute("wdt:P106", f"wd:{item}", MAKER) for item in _TRADES),
    *(Attribute("wdt:P21", f"wd:{item}", PERSON) for item in _GENDERS),
    *(Attribute("wdt:P27", f"wd:{item}", PERSON) for item in _NATIONALITIES),
)

WORDS: dict[str, tuple[str, ...]] = {
    "verb": (
        *("acquire", "direct", "distribute", "edit", "employ", "executive produce", "found"),
        *("influence", "marry", "play", "produce", "star", "write"),
    ),
    "past": (
        *("acquired", "directed", "distributed", "edited", "employed", "executive produced"),
        *("founded", "influenced", "married", "played", "produced", "starred", "written", "wrote"),
    ),
    "role": (
        *("actor", "child", "cinematographer", "composer", "costume designer"),
        *("country of nationality", "director", "distributor", "editor", "employee", "employer"),
        *("executive producer", "founder", "gender", "parent", "prequel", "producer", "sequel"),
        *("sibling", "spouse", "star", "writer"),
    ),
    "noun": (
        *("actor", "character", "cinematographer", "company", "composer", "costume designer"),
        *("film", "film director", "film distributor", "film editor", "film producer", "person"),
        *("production company", "screenwriter"),
    ),
    "adjective": (
        *("american", "british", "canadian", "chinese", "dutch", "french", "german", "italian"),
        *("japanese", "mexican", "spanish", "swedish", "female", "male"),
    ),
}
"""The words of MCWQ's English and their classes, written from questions of the training parts. What
any word means is not said here."""

WIKIDATA = GraphDomain(
    "wikidata",
    "wikidata",
    relations=RELATIONS,
    attributes=ATTRIBUTES,
    words={**WORDS, **FUNCTION_CLASSES},
    prefixes={
        "wd": "http://www.wikidata.org/entity/",
        "wdt": "http://www.wikidata.org/prop/direct/",
    },
)

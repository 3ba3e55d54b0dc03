"""FREEBASE: what CFQ's queries (Keysers et al. 2020) say of Freebase.

Kinds are as wide as in `partwise_papers.domains.wikidata.domain`.
"""

from __future__ import annotations

from partwise.domains.films.domain import FUNCTION_CLASSES
from partwise.language.graph_domain import Attribute, GraphDomain, Kinds, Relation
from partwise_papers.domains.wikidata.domain import COUNTRY, FILM, MAKER, ORGANIZATION, PERSON
from partwise_papers.domains.wikidata.domain import WORDS as OF_MCWQ

GENDER = frozenset({"gender"})

# Property paths by their steps, "ns:" left out. Makers with what they made:
_MAKER_FILM = (
    "film.actor.film/film.performance.film",
    "film.cinematographer.film",
    "film.director.film",
    "film.editor.film",
    "film.film_art_director.films_art_directed",
    "film.film_costumer_designer.costume_design_for_film",
    "film.film_distributor.films_distributed/film.film_film_distributor_relationship.film",
    "film.producer.film|film.production_company.films",
    "film.producer.films_executive_produced",
    "film.writer.film",
)
_FILM_MAKER = (
    "film.film.cinematography",
    "film.film.costume_design_by",
    "film.film.directed_by",
    "film.film.distributors/film.film_film_distributor_relationship.distributor",
    "film.film.edited_by",
    "film.film.executive_produced_by",
    "film.film.film_art_direction_by",
    "film.film.produced_by|film.film.production_companies",
    "film.film.starring/film.performance.actor",
    "film.film.written_by",
)
_FILM_FILM = ("film.film.prequel", "film.film.sequel")
_MAKERS = (
    "influence.influence_node.influenced",
    "influence.influence_node.influenced_by",
    "people.person.children|fictional_universe.fictional_character.children"
    "|organization.organization.child/organization.organization_relationship.child",
    "people.person.parents|fictional_universe.fictional_character.parents"
    "|organization.organization.parent/organization.organization_relationship.parent",
)
_ORGANIZATIONS = (
    "organization.organization.acquired_by/business.acquisition.acquiring_company",
    "organization.organization.companies_acquired/business.acquisition.company_acquired",
)
_DIFFERING = (
    "people.person.sibling_s/people.sibling_relationship.sibling"
    "|fictional_universe.fictional_character.siblings"
    "/fictional_universe.sibling_relationship_of_fictional_characters.siblings",
    "people.person.spouse_s/people.marriage.spouse"
    "|fictional_universe.fictional_character.married_to"
    "/fictional_universe.marriage_of_fictional_characters.spouses",
)
_TYPES: dict[str, Kinds] = {
    "business.employer": ORGANIZATION,
    "fictional_universe.fictional_character": frozenset({"character"}),
    "film.actor": PERSON,
    "film.cinematographer": PERSON,
    "film.director": PERSON,
    "film.editor": PERSON,
    "film.film": FILM,
    "film.film_art_director": PERSON,
    "film.film_costumer_designer": PERSON,
    "film.film_distributor": MAKER,
    "film.producer": MAKER,
    "film.production_company": ORGANIZATION,
    "film.writer": PERSON,
    "people.person": PERSON,
}
_NATIONALITIES = {
    "m.03_3d": "Japanese",
    "m.03rjj": "Italian",
    "m.059j2": "Dutch",
    "m.06mkj": "Spanish",
    "m.07ssc": "British",
    "m.09c7w0": "American",
    "m.0345h": "German",
    "m.0b90_r": "Mexican",
    "m.0d05w3": "Chinese",
    "m.0d060g": "Canadian",
    "m.0d0vqn": "Swedish",
    "m.0f8l9c": "French",
}
_GENDERS = {"m.02zsn": "female", "m.05zppz": "male"}


def _path(steps: str) -> str:
    """A property path with each step in Freebase's name space."""
    for mark in "/|":
        steps = steps.replace(mark, f"{mark}ns:")
    return f"ns:{steps}"


GENDER_OF, NATIONALITY_OF = _path("people.person.gender"), _path("people.person.nationality")

RELATIONS = (
    *(Relation(_path(path), subject=MAKER, object=FILM) for path in _MAKER_FILM),
    *(Relation(_path(path), subject=FILM, object=MAKER) for path in _FILM_MAKER),
    *(Relation(_path(path), subject=FILM, object=FILM) for path in _FILM_FILM),
    *(Relation(_path(path), subject=MAKER, object=MAKER) for path in _MAKERS),
    *(Relation(_path(path), subject=ORGANIZATION, object=ORGANIZATION) for path in _ORGANIZATIONS),
    *(Relation(_path(path), differ=True, subject=PERSON, object=PERSON) for path in _DIFFERING),
    Relation(
        _path("film.actor.film/film.performance.character"), subject=PERSON, object=PERSON | FILM
    ),
    Relation(
        _path("business.employer.employees/business.employment_tenure.person"),
        subject=ORGANIZATION | COUNTRY,
        object=PERSON,
    ),
    Relation(
        _path("people.person.employment_history/business.employment_tenure.company"),
        subject=PERSON,
        object=ORGANIZATION | COUNTRY,
    ),
    Relation(_path("organization.organization.founders"), subject=ORGANIZATION, object=MAKER),
    Relation(
        _path("organization.organization_founder.organizations_founded"),
        subject=MAKER,
        object=ORGANIZATION,
    ),
    Relation(GENDER_OF, subject=PERSON, object=GENDER),
    Relation(NATIONALITY_OF, subject=PERSON, object=COUNTRY),
    Relation(f"^{GENDER_OF}", subject=GENDER, object=PERSON),
    Relation(f"^{NATIONALITY_OF}", subject=COUNTRY, object=PERSON),
)
ATTRIBUTES = (
    *(Attribute("a", f"ns:{name}", kinds) for name, kinds in _TYPES.items()),
    *(Attribute(GENDER_OF, f"ns:{name}", PERSON) for name in _GENDERS),
    *(Attribute(NATIONALITY_OF, f"ns:{name}", PERSON) for name in _NATIONALITIES),
)

WORDS = {
    name: tuple("art director" if word == "composer" else word for word in words)
    for name, words in OF_MCWQ.items()
}
"""The words of CFQ's English: those of MCWQ's, and art directors in place of composers."""

FREEBASE = GraphDomain(
    "freebase",
    "cfq",
    relations=RELATIONS,
    attributes=ATTRIBUTES,
    words={**WORDS, **FUNCTION_CLASSES},
    prefixes={"ns": "http://rdf.freebase.com/ns/"},
)

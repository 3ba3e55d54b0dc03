"""FILMS: the language of questions about the films of this package's own graph, as data."""

from functools import partial

from partwise.domains.films.rewriting import FilmQuestions
from partwise.execution.sparql import open_packaged_store
from partwise.language.graph_domain import Attribute, GraphDomain, Kinds, Relation

FUNCTION_CLASSES: dict[str, tuple[str, ...]] = {
    "copula": ("was", "were"),
    "interrogative": ("what", "which"),
}
"""Words whose choice says nothing, so that what is learned of phrases with the one goes for the
other too."""

PHRASES = (
    "Question: did Thing Verb&",
    "Question: copula Thing Passive&",
    "Question: copula Thing Thing",
    "Question: copula Thing adjective+",
    "Question: Asked Past&",
    "Question: Asked did Missing&",
    "Asked: who | what",
    "Asked: interrogative adjective* noun Rel?",
    "Asked: interrogative adjective* role& of Thing",
    "Thing: Owner",
    "Thing: a adjective* noun Rel",
    "Thing: a adjective* role& of Thing",
    "Owner: entity&",
    "Owner: a adjective* noun",
    "Owner: Owner 's adjective* role&",
    "Rel: that Past&",
    "Rel: that Gap&",
    "Rel: whose adjective* role& Past&",
    "Rel: Passive&",
    "Verb: verb& Thing",
    "Past: (past | copula (past& by)&)& Thing",
    "Past: copula Passive&&",
    "Past: copula Thing",
    "Passive: (past& by)& Thing",
    "Missing: Thing verb&",
    "Gap: Thing (past | copula (past& by)&)&",
)
"""What phrases of questions look like in the English of CFQ, MCWQ and these films, over the word
classes verb (base form), past (past and participle), role (nouns of someone or something), noun (of
a kind) and adjective, which each domain fills, and `FUNCTION_CLASSES`."""

PREFIX = "film"
NAMESPACE = "https://partwise.example/films#"
TYPE = "a"
"""The predicate of types, as queries write it."""
GENDER, NATIONALITY = "film:gender", "film:nationality"
CHILD = "film:child|film:subsidiary"
MAKER = "film:producer|film:productionCompany"
"""Property paths: either predicate will do."""
DIFFERING = frozenset({"film:spouse", "film:sibling"})
"""Predicates whose ends must differ, which a FILTER says."""

VERBS = (
    ("direct", "directed", "directed"),
    ("edit", "edited", "edited"),
    ("write", "wrote", "written"),
    ("produce", "produced", "produced"),
    ("executive produce", "executive produced", "executive produced"),
    ("distribute", "distributed", "distributed"),
    ("found", "founded", "founded"),
    ("acquire", "acquired", "acquired"),
    ("employ", "employed", "employed"),
    ("influence", "influenced", "influenced"),
    ("marry", "married", "married"),
    ("star", "starred", "starred"),
    ("play", "played", "played"),
)
"""Base form, past, participle."""
ROLES = (
    *("director", "editor", "writer", "producer", "executive producer", "cinematographer"),
    *("composer", "costume designer", "distributor", "star", "actor", "employee", "employer"),
    *("founder", "child", "parent", "sequel", "prequel", "spouse", "sibling", "gender"),
    "country of nationality",
)
NOUNS = {
    "person": "film:Person",
    "film": "film:Film",
    "company": "film:Company",
    "character": "film:Character",
    "actor": "film:Actor",
    "film director": "film:FilmDirector",
    "film editor": "film:FilmEditor",
    "screenwriter": "film:Screenwriter",
    "film producer": "film:FilmProducer",
    "cinematographer": "film:Cinematographer",
    "composer": "film:Composer",
    "costume designer": "film:CostumeDesigner",
    "film distributor": "film:FilmDistributor",
    "production company": "film:ProductionCompany",
}
"""Noun -> its type."""
GENDERS = ("female", "male")
NATIONALITIES = (
    *("American", "British", "Canadian", "Chinese", "Dutch", "French"),
    *("German", "Italian", "Japanese", "Mexican", "Spanish", "Swedish"),
)

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


FILMS = GraphDomain(
    "films",
    "sparql",
    relations=tuple(
        Relation(predicate, predicate in DIFFERING, subject, target)
        for predicate, (subject, target) in _ENDS.items()
    ),
    attributes=(
        *(Attribute(TYPE, kind, _KINDS.get(kind, PERSON)) for kind in NOUNS.values()),
        *(Attribute(GENDER, f"film:{word}", _ENDS[GENDER][0]) for word in GENDERS),
        *(Attribute(NATIONALITY, f"film:{word}", _ENDS[NATIONALITY][0]) for word in NATIONALITIES),
    ),
    words={
        "verb": tuple(base for base, _, _ in VERBS),
        "past": tuple(dict.fromkeys(form for _, *forms in VERBS for form in forms)),
        "role": ROLES,
        "noun": tuple(NOUNS),
        "adjective": (*GENDERS, *NATIONALITIES),
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
    rewriter=FilmQuestions,
    open_store=partial(open_packaged_store, "partwise.domains.films", "films.ttl"),
)

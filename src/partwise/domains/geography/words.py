"""Words that name several predicates (which one is meant, the context says), and what people type
in place of the domain's words."""

from __future__ import annotations

from partwise.language.lexicon import read_lexicon
from partwise.language.typed import Typing


def listed(words: str) -> tuple[str, ...]:
    """The words of a text that has commas between them."""
    return tuple(words.split(", "))


_ROWS = read_lexicon("partwise.domains.geography", "words.tsv")
_SHARED = {row.meaning: row.phrases for row in _ROWS if row.section == "shared"}
INSIDE, HAVING, BORDERING = _SHARED["inside"], _SHARED["having"], _SHARED["bordering"]
RUNNING, PEOPLE = _SHARED["running"], _SHARED["people"]
TYPING = Typing(
    words={row.phrase: row.meaning for row in _ROWS if row.section == "words"},
    phrases={row.meaning: row.phrases for row in _ROWS if row.section == "phrases"},
    nouns=(
        *("state", "city", "river", "capital", "mountain", "lake", "population_1", "area_1"),
        *("density_1", "elevation_1", "len", "size", "high_point_1", "low_point_1", "capital_1"),
    ),
    adjectives=(
        *("largest", "smallest", "highest", "lowest", "longest", "shortest", "largest_one"),
        *("smallest_one", "major"),
    ),
    kinds={
        "stateid": ("state", ("state",)),
        "cityid": ("city", ("city",)),
        "riverid": ("river", ("river", "longest")),
        "placeid": ("mountain", ("mountain", "place")),
        "countryid": ("country", ()),
    },
)

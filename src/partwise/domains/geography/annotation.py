"""Words that name predicates in the annotated trees of geography questions.

The words are those that the paper's authors used for the gold trees of GeoQuery. Predicates that
are not here keep the phrases of the domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_THROUGH = ("flow through", "run through", "cross")

PHRASES: Mapping[str, Sequence[str]] = {
    # Nouns
    "state": ("state", "states"),
    "city": ("city", "cities", "towns", "area"),
    "river": ("river", "rivers"),
    "lake": ("lakes",),
    "mountain": ("mountain", "mountains", "peak"),
    "place": ("point", "points", "spot", "elevation"),
    "capital": ("capital", "capitals"),
    "major": ("major", "big"),
    # Relations
    "loc_1": ("in", "of", "with", "whose", "have", "has", "contain", "contains", "where"),
    "loc_2": ("in", "of", "have", "has"),
    "next_to_1": ("border", "borders"),
    "next_to_2": (
        *("border", "borders", "bordering", "surround", "surrounding", "next to"),
        *("neighbor", "neighboring", "adjacent", "adjoin"),
    ),
    "traverse_1": (
        *(*_THROUGH, "go through", "pass through", "running through"),
        *("flow", "run", "runs", "traverses", "traversed", "washed", "lie on"),
    ),
    "traverse_2": (
        *(*_THROUGH, "goes through", "passes through", "runs through", "flows through"),
        *("flowing through", "flow though", "traverse"),
    ),
    "capital_1": ("capital",),
    "capital_2": ("capital",),
    "high_point_1": ("high point", "high points"),
    "low_point_2": ("elevations",),
    "higher_2": ("higher",),
    "lower_2": ("lower",),
    # Figures
    "population_1": (
        *("how many people", "how many citizens", "how many inhabitants", "how many residents"),
        *("population", "populations", "people", "populated", "populous", "inhabitants"),
        "number of citizens",
    ),
    "area_1": ("area", "how many square kilometers"),
    "density_1": (
        *("density", "population density", "population densities", "dense"),
        *("average population", "average urban population"),
    ),
    "elevation_1": ("elevation", "height", "how high", "how tall"),
    "len": ("long", "length"),
    "size": ("size", "big", "large"),
    # Choices, counts, sets
    "largest": ("largest", "biggest"),
    "smallest": ("smallest",),
    "highest": ("highest", "tallest", "maximum"),
    "lowest": ("lowest",),
    "longest": ("longest", "biggest", "largest"),
    "shortest": ("shortest",),
    "largest_one": ("largest", "biggest", "greatest", "highest", "most"),
    "smallest_one": ("smallest", "least", "lowest", "sparsest"),
    "most": ("most",),
    "fewest": ("fewest", "least"),
    "count": ("how many", "number of", "what is the number"),
    "sum": ("total", "combined"),
    "exclude": (*("not", "are not", "do not", "does not", "no", "which have no", "excluding"),),
    # Names
    "countryid('usa')": ("us", "united states", "the country", "america"),
}

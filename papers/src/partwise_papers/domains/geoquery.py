"""The published, looser types of GeoQuery (paper section 2; section 2 of its released code).

Only the signatures differ from `Geography`; predicates that the released type system lacks
(`intersection`, `longer`, `elevation_2`, ...) are typed in its spirit, so that all of GeoQuery
types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

from partwise.domains.geography.domain import Geography


class Thing:
    """Anything."""


class Named(Thing):
    """Anything with a name."""


class StateCity(Named):
    """A state or a city."""


class State(StateCity):
    """A state or the country."""


class City(StateCity):
    """A city."""


class Place(Named):
    """A place."""


class River(Named):
    """A river."""


class Num(Thing):
    """A number."""


S = TypeVar("S", State, City)
N = TypeVar("N", State, City, Num)
M = TypeVar("M", River, City, Place)
C = TypeVar("C", River, State)
X = TypeVar("X", bound=Named)

Relation = Callable[[Named], State]


class GeoQuery(Geography):
    """The same language with the published evaluator's answers, to compare with."""

    name: ClassVar[str] = "geoquery"
    published: ClassVar[bool] = True


class PaperGeography(Geography):
    """Geography under the published types."""

    name: ClassVar[str] = "geography-paper"
    scope_raising: ClassVar[Sequence[str]] = ()
    infix: ClassVar[Sequence[str] | None] = None
    signatures: ClassVar[Mapping[str, object]] = {
        "answer": Callable[[Thing], Thing],
        "stateid": Callable[[], State],
        "countryid": Callable[[], State],
        "cityid": Callable[[State], City],
        "riverid": Callable[[], River],
        "placeid": Callable[[], Place],
        "number": Callable[[], Num],
        "city": Callable[[Named], City],
        "state": Callable[[Named], State],
        "river": Callable[[Named], River],
        "capital": Callable[[Named], City],
        "place": Callable[[Named], Place],
        "mountain": Callable[[Named], Place],
        "lake": Callable[[Named], Place],
        "major": Callable[[M], M],
        "loc_1": Callable[[Named], State],
        "loc_2": Callable[[StateCity], Named],
        "next_to_1": Callable[[State], State],
        "next_to_2": Callable[[Named], State],
        "traverse_1": Callable[[River], State],
        "traverse_2": Callable[[StateCity], River],
        "capital_1": Callable[[State], City],
        "capital_2": Callable[[City], State],
        "high_point_1": Callable[[State], Place],
        "high_point_2": Callable[[Place], State],
        "low_point_1": Callable[[State], Place],
        "low_point_2": Callable[[Place], State],
        "higher_2": Callable[[Place], Place],
        "lower_2": Callable[[Place], Place],
        "longer": Callable[[River], River],
        "elevation_2": Callable[[Num], Place],
        "population_1": Callable[[StateCity], Num],
        "area_1": Callable[[StateCity], Num],
        "density_1": Callable[[StateCity], Num],
        "elevation_1": Callable[[Place], Num],
        "len": Callable[[River], Num],
        "size": Callable[[S], Num],
        "largest": Callable[[S], S],
        "smallest": Callable[[N], N],
        "highest": Callable[[Place], Place],
        "lowest": Callable[[Place], Place],
        "longest": Callable[[River], River],
        "shortest": Callable[[River], River],
        "largest_one": Callable[[Num], StateCity],
        "smallest_one": Callable[[Num], StateCity],
        "most": Callable[[C], C],
        "fewest": Callable[[C], C],
        "count": Callable[[Named], Num],
        "sum": Callable[[Num], Num],
        "exclude": Callable[[X, Named], X],
        "intersection": Callable[[X, Named], X],
    }


class PaperGeoQuery(PaperGeography):
    """The published types, and the published evaluator's answers."""

    name: ClassVar[str] = "geoquery-paper"
    published: ClassVar[bool] = True

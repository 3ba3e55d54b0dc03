"""GeoQuery as published: its looser types (paper section 2; section 2 of its released code), and
answers as its evaluator prints them, lists of Prolog terms.

Of the types only the signatures differ from `Geography`; predicates that the released type system
lacks (`intersection`, `longer`, `elevation_2`, ...) are typed in its spirit, so that all of
GeoQuery types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

from partwise.domains.geography.domain import Geography
from partwise.domains.geography.values import NamedThing, Value, canonical

_ATOM = r"(?:'(?:[^'\\]|\\.|'')*'|[a-z]\w*)"
_ITEM = re.compile(
    rf"\s*(?:(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    rf"|(?P<sort>[a-z]\w*)\(\s*(?P<name>{_ATOM})\s*(?:,\s*(?P<code>{_ATOM}|_\w*)\s*)?\)"
    rf"|(?P<atom>{_ATOM}))\s*(?:,|\Z)"
)


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


def read_denotation(text: str) -> frozenset[str | float]:
    """Read an answer that the published evaluator printed, such as `[cityid(austin,tx),2.5]`.

    Quotes around plain names may be left out. Raises ValueError at the first bad character.
    """
    body, answer = text.strip(), set[str | float]()
    if not (body.startswith("[") and body.endswith("]")):
        raise ValueError(f"not a list: {text!r}")
    body, position = body[1:-1], 0
    more = bool(body.strip())
    while more:
        match = _ITEM.match(body, position)
        if match is None:
            raise ValueError(f"cannot read the answer at {body[position : position + 20]!r}")
        answer.add(canonical(_item(match)))
        more, position = match[0].endswith(","), match.end()
    return frozenset(answer)


def _item(match: re.Match[str]) -> Value:
    if match["number"] is not None:
        return float(match["number"])
    if match["atom"] is not None:
        return NamedThing("lake", _unquote(match["atom"]))
    code = match["code"]
    known = code is not None and not code.startswith("_")
    return NamedThing(match["sort"], _unquote(match["name"]), _unquote(code) if known else None)


def _unquote(atom: str) -> str:
    if not atom.startswith("'"):
        return atom
    return re.sub(r"\\(.)|'(')", lambda match: match[1] or match[2], atom[1:-1])

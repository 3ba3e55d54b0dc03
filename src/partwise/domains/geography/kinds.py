"""The types of the geography language: sorts of things, and kinds of phrases about them.

They are as sharp as the executor: what could only denote nothing, or would change nothing, does
not type. A filter takes its own sort or a mixed set, a superlative takes a set and never a single
thing, and a measure carries what it measures, so that the state with the most people is a state.
"""

from __future__ import annotations

from typing import Generic, TypeVar


class Country:
    """The USA."""


class State:
    """A state."""


class City:
    """A city."""


class River:
    """A river."""


class Place:
    """A highest or lowest point."""


class Lake:
    """A lake."""


class Container:
    """Whatever something lies in: states and the country, mixed."""


class InState:
    """Whatever lies in a state: cities, rivers, places and lakes, mixed."""


class InCountry(InState):
    """Whatever lies in a country: as in a state, and states."""


class Numeral:
    """A number written in a question."""


T_co = TypeVar("T_co", covariant=True)


class Things(Generic[T_co]):
    """Anything of a sort: one or many."""


class Phrase(Things[T_co]):
    """A whole noun phrase: what a relation may start from."""


class One(Phrase[T_co]):
    """A single thing."""


class Entity(One[T_co]):
    """A named thing."""


class Best(One[T_co]):
    """What a superlative picked."""


class Most(Best[T_co]):
    """What was picked by counting."""


class Many(Phrase[T_co]):
    """A set named by a noun."""


class All(Many[T_co]):
    """All things of a sort."""


class Noun(Many[T_co]):
    """The things of a sort that a phrase restricts."""


class Related(Things[T_co]):
    """What a relation leads to, before a noun says which sort is meant."""


class Part(Noun[T_co], Related[T_co]):
    """What belongs to a thing, one to each: a relation that names its noun, as "capital"."""


class Measure(Generic[T_co]):
    """Figures, each with the thing measured; the parameter is the phrase measured."""


class Number:
    """A count or a sum."""

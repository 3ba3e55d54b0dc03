"""Words that name several predicates: which one is meant, the context says."""

from __future__ import annotations


def listed(words: str) -> tuple[str, ...]:
    """The words of a text that has commas between them."""
    return tuple(words.split(", "))


INSIDE = listed("in, of, within, inside, lie in, lies in, located in, found in, situated in")
HAVING = listed("with, has, have, having, contain, contains, containing, whose")
BORDERING = listed(
    "border, borders, bordering, bordered by, border on, next to, neighbor, neighbors, "
    "neighboring, neighbour, neighbours, neighbouring, adjacent, adjacent to, adjoin, "
    "adjoins, adjoining, abut, surround, surrounds, surrounding, touch, touches, touching, "
    "share a border with"
)
_MOVING = listed(
    "run, runs, running, flow, flows, flowing, wind, winds, course, pass, passes, passing, "
    "cross, crosses, crossing, traverse, traverses, traversed, traversing"
)
RUNNING = (
    *_MOVING,
    *(
        f"{verb} {way}"
        for verb in (*_MOVING, "go", "goes", "going", "cut", "cuts")
        for way in ("through", "across")
    ),
    *listed("traversed by, washed by, crossed by, lie on, along"),
)
PEOPLE = listed(
    "population, populations, people, inhabitants, residents, citizens, populous, populated, "
    "how many people, how many inhabitants, how many residents, how many citizens, number of "
    "people, number of inhabitants, number of residents, how populous, inhabited"
)

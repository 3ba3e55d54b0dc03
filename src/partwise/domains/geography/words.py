"""Words that name several predicates (which one is meant, the context says), and what people type
in place of the domain's words."""

from __future__ import annotations

from partwise.language.typed import Typing


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


_SHORT = {
    **{"mtn": "mountain", "mtns": "mountains", "mnt": "mount", "mts": "mountains"},
    **{"pop": "population", "pops": "populations", "capitol": "capital", "capitols": "capitals"},
    **{"nyc": "new york city", "la": "los angeles", "sf": "san francisco", "vegas": "las vegas"},
    **{"philly": "philadelphia", "philla": "philadelphia", "frisco": "san francisco"},
    **{"washington dc": "dc", "ft": "fort", "usofa": "usa", "murica": "america"},
    **{
        "cali": "california",
        "mass": "massachusetts",
        "penn": "pennsylvania",
        "calif": "california",
    },
    **{"sq": "square", "mi": "miles", "bigest": "biggest", "sates": "states", "sate": "state"},
    **{"stats": "states", "rio grand": "rio grande", "neighbering": "neighboring"},
    **{"pt": "point", "pts": "points", "avg": "average"},
    **{"american": "us", "nation's": "us", "nationwide": "in the us", "amongst": "among"},
}
_BORDERING = (
    "neighbor state, neighbour state, share a border, shares a border with, sharing a border with, "
    "share borders with, around, beside, by, surrounded by, contiguous to, bordering on, next door"
)
_RUNNING = "drain, go, water, along, on, in, through, meander, stream, reach, touch"

TYPING = Typing(
    words=_SHORT,
    phrases={
        "state": listed("us state"),
        "city": listed("urban area, municipality, metro, metropolis, settlement, place, village"),
        "river": listed("stream, waterway, watercourse"),
        "lake": listed("body of water, bodies of water, great lake"),
        "mountain": listed("mount, summit, hill, volcano, peak"),
        "place": listed("point of elevation, site"),
        "capital": listed("state capital, capital city, capital cities, seat of government"),
        "major": listed("main, large, long, great, largest, biggest, principal, chief"),
        "loc_1": listed("where, location, which state, home, home to, lie, stand, sit, find, at"),
        "loc_2": listed("inside, located, belong to, from, 's, for, have, through, on"),
        "next_to_1": listed(_BORDERING),
        "next_to_2": listed(_BORDERING),
        "traverse_1": listed(_RUNNING),
        "traverse_2": listed(_RUNNING),
        "high_point_1": listed("highest point, highest elevation, highest spot, highest place"),
        "low_point_1": listed("lowest point, lowest elevation, lowest spot, lowest place"),
        "capital_1": listed("state capital, capital city"),
        "capital_2": listed("state capital, capital city"),
        "higher_2": listed("taller, above, greater, more"),
        "lower_2": listed("shorter, less, smaller"),
        "longer": listed("bigger, greater, more"),
        "population_1": listed(
            "resident, citizen, people live, how many live, headcount, folks, populace, number "
            "of citizens, number of residents, live, person, how many people live"
        ),
        "area_1": listed("surface, square kilometers, acreage, how much space, territory, size"),
        "density_1": listed("dense, crowded, people per square mile, sparsely populated, packed"),
        "elevation_1": listed("how deep, feet above sea level, above sea level, tall, deep"),
        "len": listed("how far, distance, how many miles, how many kilometers, miles, extent"),
        "size": listed("how small, dimensions, how large"),
        "largest": listed("big, largest, hugest, greatest, biggest, most"),
        "smallest": listed("littlest, tiniest, small, least, little"),
        "highest": listed("highest, high, tall, biggest, largest, top"),
        "lowest": listed("low, bottom, deepest, smallest"),
        "longest": listed("long, most, extended"),
        "shortest": listed("short, tiniest, least long"),
        "largest_one": listed(
            "highest, most, top, max, greatest number of, most people, largest number of, number 1"
        ),
        "smallest_one": listed("lowest, min, fewest people, smallest number of, least people"),
        "most": listed("most, greatest number of, largest number of, highest number of, max"),
        "fewest": listed("fewest, least number of, smallest number of, lowest number of"),
        "count": listed("how many, number, total number of, amount of, quantity, no of, count of"),
        "sum": listed("total, all together, overall, in all, in total, added up, together"),
        "exclude": listed("not, no, never, without, lack, n't, isn't, but, minus, neither, nor"),
        "intersection": listed("and, both, is, are, does, do, also, was, as well"),
    },
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

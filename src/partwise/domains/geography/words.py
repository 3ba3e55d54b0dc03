"""Words that name several predicates: which one is meant, the context says."""

from __future__ import annotations

INSIDE = (
    "in",
    "of",
    "within",
    "inside",
    "lie in",
    "lies in",
    "located in",
    "found in",
    "situated in",
)
HAVING = ("with", "has", "have", "having", "contain", "contains", "containing", "whose")

BORDERING = (
    "border",
    "borders",
    "bordering",
    "bordered by",
    "border on",
    "next to",
    "neighbor",
    "neighbors",
    "neighboring",
    "neighbour",
    "neighbours",
    "neighbouring",
    "adjacent",
    "adjacent to",
    "adjoin",
    "adjoins",
    "adjoining",
    "abut",
    "surround",
    "surrounds",
    "surrounding",
    "touch",
    "touches",
    "touching",
    "share a border with",
)

_GOING = ("go", "goes", "going", "cut", "cuts")
_MOVING = (
    *("run", "runs", "running", "flow", "flows", "flowing", "wind", "winds", "course"),
    *("pass", "passes", "passing", "cross", "crosses", "crossing"),
    *("traverse", "traverses", "traversed", "traversing"),
)
RUNNING = (
    *_MOVING,
    *(f"{verb} {way}" for verb in (*_MOVING, *_GOING) for way in ("through", "across")),
    *("traversed by", "washed by", "crossed by", "lie on", "along"),
)

PEOPLE = (
    "population",
    "populations",
    "people",
    "inhabitants",
    "residents",
    "citizens",
    "populous",
    "populated",
    "how many people",
    "how many inhabitants",
    "how many residents",
    "how many citizens",
    "number of people",
    "number of inhabitants",
    "number of residents",
    "how populous",
    "inhabited",
)

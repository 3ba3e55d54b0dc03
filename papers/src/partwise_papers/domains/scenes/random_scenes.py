"""Random scenes of the package's own: solids on a plane, seen from a random side."""

from __future__ import annotations

import math
import random
from functools import lru_cache

from partwise_papers.domains.scenes.scene import (
    COLORS,
    MATERIALS,
    SHAPES,
    SIZES,
    Scene,
    Solid,
    Vector,
    relate,
)

RADIUS = {"small": 0.35, "large": 0.7}
GAP = 0.25
"""Least distance between the outlines of two objects."""
REACH = 3.0
"""Coordinates lie between ``-REACH`` and ``REACH``."""
FEWEST, MOST = 3, 10


@lru_cache(maxsize=1024)
def random_scene(number: int, name: str = "") -> Scene:
    """Scene `number` of an endless row, the same at every call: 3 to 10 objects apart."""
    rng = random.Random(f"scene {number}")
    name = name or f"scene {number}"
    wanted = rng.randint(FEWEST, MOST)
    solids: list[Solid] = []
    while len(solids) < wanted:
        solid = _solid(rng)
        if all(_apart(solid, other) for other in solids):
            solids.append(solid)
    directions = _directions(rng.uniform(0, 2 * math.pi))
    sets = relate(name, solids, directions)
    return Scene(
        name,
        tuple(solids),
        left=sets["left"],
        right=sets["right"],
        front=sets["front"],
        behind=sets["behind"],
        directions=tuple(directions.items()),
        index=number,
    )


def _solid(rng: random.Random) -> Solid:
    size = rng.choice(SIZES)
    x, y = (round(rng.uniform(-REACH, REACH), 3) for _ in range(2))
    return Solid(
        size,
        rng.choice(COLORS),
        rng.choice(MATERIALS),
        rng.choice(SHAPES),
        coords=(x, y, RADIUS[size]),
        rotation=round(rng.uniform(0, 360), 3),
    )


def _apart(one: Solid, other: Solid) -> bool:
    assert one.coords is not None
    assert other.coords is not None
    distance = math.dist(one.coords[:2], other.coords[:2])
    return distance >= RADIUS[one.size] + RADIUS[other.size] + GAP


def _directions(angle: float) -> dict[str, Vector]:
    """The directions on the plane as they are for one who looks along `angle`."""
    x, y = round(math.cos(angle), 6), round(math.sin(angle), 6)
    return {
        "left": (-y, x, 0.0),
        "right": (y, -x, 0.0),
        "front": (-x, -y, 0.0),
        "behind": (x, y, 0.0),
    }

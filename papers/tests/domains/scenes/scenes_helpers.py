"""A scene of five solids, in the JSON of the official files.

Seen from above, with "front" downwards; two objects in line are neither left nor right::

    0 large red metal cube        (0, 0)
    1 small blue rubber sphere    (-2, 0)
    2 small red rubber cube       (2, 1)
    3 large green metal cylinder  (0, 2)
    4 small blue metal sphere     (2.1, -1)
"""

from __future__ import annotations

from typing import Any

SOLIDS = (
    ("large", "red", "metal", "cube", 0.0, 0.0),
    ("small", "blue", "rubber", "sphere", -2.0, 0.0),
    ("small", "red", "rubber", "cube", 2.0, 1.0),
    ("large", "green", "metal", "cylinder", 0.0, 2.0),
    ("small", "blue", "metal", "sphere", 2.1, -1.0),
)
DIRECTIONS = {
    "left": [-1.0, 0.0, 0.0],
    "right": [1.0, 0.0, 0.0],
    "front": [0.0, -1.0, 0.0],
    "behind": [0.0, 1.0, 0.0],
}
LISTS = {
    "left": [[1], [], [0, 1, 3], [1], [0, 1, 3]],
    "right": [[2, 4], [0, 2, 3, 4], [], [2, 4], []],
    "front": [[4], [4], [0, 1, 4], [0, 1, 2, 4], []],
    "behind": [[2, 3], [2, 3], [3], [], [0, 1, 2, 3]],
}


def scene_json() -> dict[str, Any]:
    """A fresh copy, with coordinates, directions and lists."""
    return {
        "image_index": 0,
        "image_filename": "made_000000.png",
        "split": "made",
        "objects": [
            {"size": s, "color": c, "material": m, "shape": f, "3d_coords": [x, y, 0.5]}
            for s, c, m, f, x, y in SOLIDS
        ],
        "relationships": {name: [list(one) for one in lists] for name, lists in LISTS.items()},
        "directions": {name: list(vector) for name, vector in DIRECTIONS.items()},
    }

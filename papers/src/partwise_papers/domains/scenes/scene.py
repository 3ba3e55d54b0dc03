"""Scenes of solids on a plane, as CLEVR's scene graphs, read from and written to their JSON.

The format is that of the scene files of CLEVR v1.0 (Johnson et al. 2017): objects with four
attributes and coordinates, and for each relation a list of lists. In ``left[i]`` stand the numbers
of the objects that are left of object ``i``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from partwise.errors import DataError

SIZES = ("small", "large")
COLORS = ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")
MATERIALS = ("rubber", "metal")
SHAPES = ("cube", "sphere", "cylinder")
ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "size": SIZES,
    "color": COLORS,
    "material": MATERIALS,
    "shape": SHAPES,
}
"""Attribute -> its values; in the order in which programs write them."""
ATTRIBUTE_OF = {value: kind for kind, values in ATTRIBUTES.items() for value in values}
RELATIONS = ("left", "right", "front", "behind")
EPSILON = 0.2
"""How far one object must be beyond another along a direction to stand in that relation."""

Vector = tuple[float, float, float]
Sets = tuple[frozenset[int], ...]


@dataclass(frozen=True)
class Solid:
    """One object of a scene; coordinates are None where nothing but the relations is known."""

    size: str
    color: str
    material: str
    shape: str
    coords: Vector | None = None
    rotation: float | None = None
    pixel_coords: Vector | None = None

    def __str__(self) -> str:
        return f"{self.size} {self.color} {self.material} {self.shape}"

    def value(self, attribute: str) -> str:
        """The value of an attribute."""
        found: str = getattr(self, attribute)
        return found


@dataclass(frozen=True)
class Scene:
    """The objects of a scene and which of them stand where.

    Attributes:
        name: for messages, as ``CLEVR_val_000017`` or ``shipped:17``.
        left, right, front, behind: for each object, the numbers of those that are left (right, in
            front, behind) of it.
        directions: name -> unit vector on the plane; empty if not known.
        index, file, split: what an official file says of the image; None where it does not.
    """

    name: str
    objects: tuple[Solid, ...]
    left: Sets
    right: Sets
    front: Sets
    behind: Sets
    directions: tuple[tuple[str, Vector], ...] = ()
    index: int | None = None
    file: str | None = None
    split: str | None = None

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.objects, self.left, self.front))

    def __hash__(self) -> int:
        # A context is part of the key under which answers are kept; see `metrics.Runner`.
        return self._hash

    def __str__(self) -> str:
        return self.name

    @cached_property
    def all(self) -> frozenset[int]:
        """The numbers of all objects."""
        return frozenset(range(len(self.objects)))

    def related(self, relation: str, index: int) -> frozenset[int]:
        """The objects that stand in the relation to object `index`."""
        sets: Sets = getattr(self, relation)
        return sets[index]

    def like(self, attribute: str, index: int) -> frozenset[int]:
        """The other objects that have the same value as object `index`."""
        return self.having(self.objects[index].value(attribute)) - {index}

    def having(self, value: str) -> frozenset[int]:
        """The objects with this value of the attribute that it belongs to."""
        return self._having.get(value, frozenset())

    @cached_property
    def _having(self) -> dict[str, frozenset[int]]:
        found: dict[str, set[int]] = {}
        for number, solid in enumerate(self.objects):
            for attribute in ATTRIBUTES:
                found.setdefault(solid.value(attribute), set()).add(number)
        return {value: frozenset(numbers) for value, numbers in found.items()}

    def from_coordinates(self) -> dict[str, Sets]:
        """The relations again from coordinates and directions; see `relate`.

        Raises:
            DataError: if the scene has none.
        """
        return relate(self.name, self.objects, dict(self.directions))

    def to_json(self) -> dict[str, Any]:
        """The scene as an official file has it; what is not known is left out."""
        known = {"image_index": self.index, "image_filename": self.file, "split": self.split}
        found: dict[str, Any] = {key: value for key, value in known.items() if value is not None}
        found["objects"] = [_solid_to_json(solid) for solid in self.objects]
        found["relationships"] = {
            relation: [sorted(self.related(relation, i)) for i in range(len(self.objects))]
            for relation in RELATIONS
        }
        if self.directions:
            found["directions"] = {name: list(vector) for name, vector in self.directions}
        return found


def _solid_to_json(solid: Solid) -> dict[str, Any]:
    found: dict[str, Any] = {kind: solid.value(kind) for kind in ATTRIBUTES}
    if solid.coords is not None:
        found["3d_coords"] = list(solid.coords)
    if solid.rotation is not None:
        found["rotation"] = solid.rotation
    if solid.pixel_coords is not None:
        found["pixel_coords"] = list(solid.pixel_coords)
    return found


def relate(
    name: str, objects: Iterable[Solid], directions: Mapping[str, Vector]
) -> dict[str, Sets]:
    """The relations of objects by their coordinates, as the official generator computes them.

    An object is left of another if the step from the other to it, projected on the direction
    "left", is longer than `EPSILON`; likewise for the other directions.

    Raises:
        DataError: if coordinates or directions are missing.
    """
    places = [solid.coords for solid in objects]
    missing = [relation for relation in RELATIONS if relation not in directions]
    if missing or None in places:
        what = f"directions for {', '.join(missing)}" if missing else "3d_coords of every object"
        raise DataError(
            f"scene {name}: lacks {what}; give 'relationships', or coordinates and directions"
        )
    known = [place for place in places if place is not None]
    return {
        relation: tuple(
            frozenset(
                j
                for j, there in enumerate(known)
                if j != i and _beyond(here, there, directions[relation])
            )
            for i, here in enumerate(known)
        )
        for relation in RELATIONS
    }


def _beyond(here: Vector, there: Vector, direction: Vector) -> bool:
    steps = zip(here, there, direction, strict=True)
    return math.fsum((b - a) * along for a, b, along in steps) > EPSILON

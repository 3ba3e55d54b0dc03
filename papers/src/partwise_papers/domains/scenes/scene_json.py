"""Scenes from the JSON of the official files, checked in full."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from partwise.errors import DataError
from partwise_papers.domains.scenes.scene import (
    ATTRIBUTES,
    RELATIONS,
    Scene,
    Sets,
    Solid,
    Vector,
    relate,
)

EXPECTED = '{"objects": [...], "relationships": {"left": [[...], ...], ...}}'


def scene_from_json(fields: object, where: str, name: str | None = None) -> Scene:
    """A scene from its JSON value.

    The relations are those of "relationships" where they are given (as they stand: a list need
    not be the mirror of its opposite), else they are computed from coordinates.

    Args:
        where: for messages, as ``CLEVR_val_scenes.json: scene 17``.
        name: of the scene; by default that of its image, else `where`.

    Raises:
        DataError: for a value of another form: no objects, an unknown attribute value, lists of
            other lengths than there are objects, a number that is no object's.
    """
    if not isinstance(fields, Mapping) or not isinstance(fields.get("objects"), list):
        raise DataError(f"{where}: not a scene; expected {EXPECTED}")
    file, split, index = (fields.get(key) for key in ("image_filename", "split", "image_index"))
    solids = tuple(_solid(raw, f"{where}: object {i}") for i, raw in enumerate(fields["objects"]))
    if not solids:
        raise DataError(f"{where}: has no objects; expected at least one")
    directions = _directions(fields.get("directions", {}), where)
    if "relationships" in fields:
        sets = _relations(fields["relationships"], len(solids), where)
    else:
        sets = relate(name or where, solids, directions)
    stem = file.rsplit(".", 1)[0] if isinstance(file, str) and file else where
    return Scene(
        name=name or stem,
        objects=solids,
        **sets,
        directions=tuple(directions.items()),
        index=index if type(index) is int else None,
        file=file if isinstance(file, str) else None,
        split=split if isinstance(split, str) else None,
    )


def _solid(raw: object, where: str) -> Solid:
    if not isinstance(raw, Mapping):
        raise DataError(f"{where}: not an object with {', '.join(ATTRIBUTES)}")
    for kind, values in ATTRIBUTES.items():
        if raw.get(kind) not in values:
            raise DataError(
                f"{where}: its {kind} is {raw.get(kind)!r}, not one of {', '.join(values)}"
            )
    rotation = raw.get("rotation")
    return Solid(
        size=raw["size"],
        color=raw["color"],
        material=raw["material"],
        shape=raw["shape"],
        coords=_vector(raw.get("3d_coords"), f"{where}: 3d_coords"),
        rotation=None if rotation is None else _number(rotation, f"{where}: rotation"),
        pixel_coords=_vector(raw.get("pixel_coords"), f"{where}: pixel_coords"),
    )


def _number(raw: object, where: str) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
        raise DataError(f"{where}: {raw!r} is not a finite number")
    return raw


def _vector(raw: object, where: str) -> Vector | None:
    if raw is None:
        return None
    if not isinstance(raw, list | tuple) or len(raw) != 3:
        raise DataError(f"{where}: {raw!r} is not a list of three numbers")
    x, y, z = (_number(part, where) for part in raw)
    return x, y, z


def _directions(raw: object, where: str) -> dict[str, Vector]:
    if not isinstance(raw, Mapping):
        raise DataError(f"{where}: 'directions' is not a mapping of names to vectors")
    found = {str(name): _vector(part, f"{where}: direction {name}") for name, part in raw.items()}
    return {name: vector for name, vector in found.items() if vector is not None}


def _relations(raw: object, size: int, where: str) -> dict[str, Any]:
    if not isinstance(raw, Mapping):
        raise DataError(f"{where}: 'relationships' is not a mapping of relations to lists")
    missing = [relation for relation in RELATIONS if relation not in raw]
    if missing:
        raise DataError(f"{where}: 'relationships' lacks {', '.join(missing)}")
    return {r: _sets(raw[r], size, f"{where}: relation {r!r}") for r in RELATIONS}


def _sets(raw: object, size: int, where: str) -> Sets:
    if not isinstance(raw, list) or len(raw) != size:
        count = f"{len(raw)} lists" if isinstance(raw, list) else "no lists"
        raise DataError(f"{where} has {count}, but the scene has {size} objects")
    return tuple(_set(numbers, i, size, where) for i, numbers in enumerate(raw))


def _set(raw: object, own: int, size: int, where: str) -> frozenset[int]:
    if not isinstance(raw, list):
        raise DataError(f"{where}: the entry of object {own} is not a list")
    for number in raw:
        if type(number) is not int or not 0 <= number < size or number == own:
            raise DataError(
                f"{where}: the list of object {own} holds {number!r}; expected numbers of the "
                f"other objects, from 0 to {size - 1}"
            )
    return frozenset(raw)

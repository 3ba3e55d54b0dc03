"""Scenes of solids on a plane, as CLEVR's scene graphs: from their JSON and files, and at random.

The format is that of the scene files of CLEVR v1.0 (Johnson et al. 2017): objects with four
attributes and coordinates, and for each relation a list of lists. In ``left[i]`` stand the numbers
of the objects that are left of object ``i``. A file is ``{"info": {...}, "scenes": [...]}`` (or
"questions"), maybe gzipped. The released question file for training has 700,000 entries and would
need several gigabytes as a whole, so entries are decoded as they come and only those asked for are
kept.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import zlib
from collections.abc import Container, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TextIO, cast

from partwise.errors import DataError
from partwise_papers.datasets.json_stream import JsonStream

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
        index: the number of the image in an official file; None where it has none.
    """

    name: str
    objects: tuple[Solid, ...]
    left: Sets
    right: Sets
    front: Sets
    behind: Sets
    index: int | None = None

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


def relate(
    name: str, objects: Iterable[Solid], directions: Mapping[str, Vector]
) -> dict[str, Sets]:
    """The relations of objects by their coordinates, as the official generator computes them;
    raises DataError if coordinates or directions are missing.

    An object is left of another if the step from the other to it, projected on the direction
    "left", is longer than `EPSILON`; likewise for the other directions.
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
    file, index = (fields.get(key) for key in ("image_filename", "image_index"))
    solids = tuple(_solid(raw, f"{where}: object {i}") for i, raw in enumerate(fields["objects"]))
    if not solids:
        raise DataError(f"{where}: has no objects; expected at least one")
    directions = _directions(fields.get("directions", {}), where)
    if "relationships" in fields:
        sets = _relations(fields["relationships"], len(solids), where)
    else:
        sets = relate(name or where, solids, directions)
    stem = file.rsplit(".", 1)[0] if isinstance(file, str) and file else where
    index = index if type(index) is int else None
    return Scene(name=name or stem, objects=solids, **sets, index=index)


def _solid(raw: object, where: str) -> Solid:
    if not isinstance(raw, Mapping):
        raise DataError(f"{where}: not an object with {', '.join(ATTRIBUTES)}")
    for kind, values in ATTRIBUTES.items():
        if raw.get(kind) not in values:
            raise DataError(
                f"{where}: its {kind} is {raw.get(kind)!r}, not one of {', '.join(values)}"
            )
    return Solid(
        size=raw["size"],
        color=raw["color"],
        material=raw["material"],
        shape=raw["shape"],
        coords=_vector(raw.get("3d_coords"), f"{where}: 3d_coords"),
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


def read_array(file: Path, key: str) -> Generator[Any, None, None]:
    """The entries of the list under `key` of the JSON object in a file, in order; raises DataError
    for a file that is missing, damaged or of another form; says where.

    Reading stops after the list. A name that ends in ``.gz`` is unzipped.
    """
    try:
        with _open(file) as stream:
            yield from _Entries(stream, file, key)
    except FileNotFoundError:
        raise DataError(f"{file}: no such file") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: cannot be read ({error}); get the file again") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: not UTF-8 ({error}); get the file again") from error


def _open(file: Path) -> TextIO:
    if file.name.endswith(".gz"):
        return cast(TextIO, gzip.open(file, "rt", encoding="utf-8-sig"))
    return file.open(encoding="utf-8-sig")


class _Entries(JsonStream):
    """Decodes a JSON object as far as its list under `key`, then that list."""

    def __init__(self, stream: TextIO, file: Path, key: str) -> None:
        super().__init__(stream, str(file), f'{{"info": {{...}}, "{key}": [...]}}')
        self.key = key

    def __iter__(self) -> Iterator[Any]:
        self.mark("{")
        mark = "," if self.peek() != "}" else "}"
        while mark == ",":
            name = self.value()
            self.mark(":")
            if name == self.key:
                yield from self.entries()
                return
            self.value()
            mark = self.mark(",}")
        raise self.fail(f"has no list {self.key!r}")


def read_scenes(
    file: Path, wanted: Container[int] | None = None, bad: list[str] | None = None
) -> dict[int, Scene]:
    """The scenes of an official file by number (``image_index``, else the place in the file);
    raises DataError as `read_array`, and for a bad scene unless `bad` is given.

    Args:
        wanted: numbers to keep; all by default.
        bad: if given, messages on bad scenes are added to it, and these are left out.
    """
    found: dict[int, Scene] = {}
    for place, fields in enumerate(read_array(file, "scenes")):
        number = _number_of(fields, place)
        if wanted is not None and number not in wanted:
            continue
        try:
            found[number] = scene_from_json(fields, f"{file}: scene {number}")
        except DataError as error:
            if bad is None:
                raise
            bad.append(str(error))
    return found


def find_scene(text: str) -> Scene:
    """A scene by ``FILE.json`` (a file with one) or ``FILE.json:N`` (number N of a scene file);
    raises DataError if it cannot be read, or there is no such scene."""
    name, _, number = text.rpartition(":")
    if name and number.isdecimal():
        return _read_numbered(Path(name), int(number))
    file = Path(text)
    fields = _whole(file)
    if isinstance(fields, dict) and isinstance(fields.get("scenes"), list):
        scenes = fields["scenes"]
        if len(scenes) != 1:
            raise DataError(f"{file}: has {len(scenes)} scenes; choose one with {file}:NUMBER")
        fields = scenes[0]
    return scene_from_json(fields, str(file))


def _read_numbered(file: Path, wanted: int) -> Scene:
    with closing(read_array(file, "scenes")) as entries:
        for place, fields in enumerate(entries):
            if _number_of(fields, place) == wanted:
                return scene_from_json(fields, f"{file}: scene {wanted}")
    raise DataError(f"{file}: has no scene {wanted}")


def _number_of(fields: object, place: int) -> int:
    given = fields.get("image_index") if isinstance(fields, dict) else None
    return given if type(given) is int else place


def _whole(file: Path) -> object:
    try:
        with _open(file) as stream:
            return json.load(stream)
    except FileNotFoundError:
        raise DataError(f"{file}: no such file; expected a scene, {EXPECTED}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: cannot be read ({error})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file}: not usable JSON ({error}); expected {EXPECTED}") from error


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
        solid = _random_solid(rng)
        if all(_apart(solid, other) for other in solids):
            solids.append(solid)
    directions = _directions_from(rng.uniform(0, 2 * math.pi))
    sets = relate(name, solids, directions)
    return Scene(name, tuple(solids), **sets, index=number)


def _random_solid(rng: random.Random) -> Solid:
    size = rng.choice(SIZES)
    x, y = (round(rng.uniform(-REACH, REACH), 3) for _ in range(2))
    color, material, shape = (rng.choice(values) for values in (COLORS, MATERIALS, SHAPES))
    solid = Solid(size, color, material, shape, (x, y, RADIUS[size]))
    # A draw that nothing uses any more: without it the shipped questions would be others.
    rng.random()
    return solid


def _apart(one: Solid, other: Solid) -> bool:
    assert one.coords is not None
    assert other.coords is not None
    distance = math.dist(one.coords[:2], other.coords[:2])
    return distance >= RADIUS[one.size] + RADIUS[other.size] + GAP


def _directions_from(angle: float) -> dict[str, Vector]:
    """The directions on the plane as they are for one who looks along `angle`."""
    x, y = round(math.cos(angle), 6), round(math.sin(angle), 6)
    return {
        "left": (-y, x, 0.0),
        "right": (y, -x, 0.0),
        "front": (-x, -y, 0.0),
        "behind": (x, y, 0.0),
    }

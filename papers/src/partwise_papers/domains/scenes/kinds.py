"""The types of the language of scenes; sets of objects are also what programs compute with.

The types are as sharp as the executor. A concept narrows a set that none has narrowed yet, so
that "large red cube" is one `filter`. What stands left of something, or is like something, is so
with regard to a single object, which neither the whole scene nor an alternative ("cubes or
spheres") describes. "And" joins what objects are with regard to others, since to narrow a set by a
concept is `filter`.
"""

from __future__ import annotations

from dataclasses import dataclass

from partwise.errors import ExecutionError
from partwise_papers.domains.scenes.scene import Scene


class IllPosedError(ExecutionError):
    """A question that speaks of one object where there are none or several."""


@dataclass(frozen=True)
class Value:
    """A value of an attribute, as ``red``."""

    name: str


class Size(Value):
    """A size."""


class Color(Value):
    """A colour."""


class Material(Value):
    """A material."""


class Shape(Value):
    """A shape."""


@dataclass(frozen=True)
class Relation:
    """A direction in which objects stand to each other."""

    name: str


@dataclass(frozen=True)
class Attribute:
    """What may be asked of an object, as its colour."""

    name: str


@dataclass(frozen=True)
class Things:
    """Objects of a scene, by their numbers."""

    scene: Scene
    numbers: frozenset[int]

    @property
    def only(self) -> int:
        """The number of the only object.

        Raises:
            IllPosedError: if there are none or several.
        """
        if len(self.numbers) != 1:
            count = len(self.numbers) or "no"
            raise IllPosedError(
                f"ill-posed: {count} objects of {self.scene.name}, expected one; describe a "
                "single object"
            )
        return next(iter(self.numbers))

    def __str__(self) -> str:
        return "; ".join(str(self.scene.objects[number]) for number in sorted(self.numbers))


class Everything(Things):
    """All objects of a scene."""


class Either(Things):
    """Objects that fit one description or another."""


class Described(Things):
    """Objects of a description that may fit a single one."""


class Filtered(Described):
    """Objects of certain attribute values."""


class Related(Described):
    """Objects that stand somewhere or are like something, with regard to a single other."""

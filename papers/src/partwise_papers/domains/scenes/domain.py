"""The scenes domain: questions on scenes of solids, in the language of CLEVR programs.

``count(filter(large, cube, relate(left, filter(sphere, scene()))))`` is "how many large cubes are
left of the sphere". Every method is a predicate of this language; its body runs it. Where CLEVR's
functional programs demand a unique object, so do the methods here: a question about "the cube" of
two is an error, not a guess. Functional programs are read and written in `functional`.

The types are as sharp as the executor. A concept narrows a set that none has narrowed yet, so
that "large red cube" is one `filter`. What stands left of something, or is like something, is so
with regard to a single object, which neither the whole scene nor an alternative ("cubes or
spheres") describes. "And" joins what objects are with regard to others, since to narrow a set by a
concept is `filter`.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from partwise.errors import ExecutionError
from partwise.language.constants import Default
from partwise.language.domain import Domain, default, entities, predicate, type_shift
from partwise.language.program import Term
from partwise_papers.domains.scenes.generate import read_shipped_scene
from partwise_papers.domains.scenes.scene import (
    ATTRIBUTE_OF,
    ATTRIBUTES,
    COLORS,
    MATERIALS,
    RELATIONS,
    SHAPES,
    SIZES,
    Scene,
    find_scene,
)


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
        """The number of the only object; raises IllPosedError if there are none or several."""
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


PHRASES: Mapping[str, Sequence[str]] = {
    # Answers
    "count": ("how many", "what number", "count", "total number"),
    "exist": (
        *("are there", "are any", "is there", "any"),
        *("do you see", "can you see", "check whether"),
    ),
    "query": ("what", "how", "what is", "is what", "which", "name", "tell me the", "tell me its"),
    "query_attribute_equal": ("the same",),
    "count_equal": (
        *("are there the same number", "are there an equal number", "the same number"),
        *("an equal number", "the same as the number", "as many"),
    ),
    "count_less": ("are there fewer", "less than", "fewer"),
    "count_greater": ("are there more", "greater than", "more"),
    # Sets
    "scene": ("thing", "things", "object", "objects"),
    "relate_attribute_equal": (
        *("of the same", "is the same", "are the same", "have the same", "has the same"),
        *("that have the same", "that has the same", "with the same", "the same"),
    ),
    "union": ("or",),
    "intersect": ("and",),
    # Attributes and values
    "size": ("size", "big"),
    "color": ("color", "colour"),
    "material": ("material", "made of"),
    "shape": ("shape",),
    "large": ("large", "big"),
    "small": ("small", "tiny"),
    "rubber": ("rubber", "matte"),
    "metal": ("metal", "metallic", "shiny"),
    "cube": ("cube", "cubes", "block", "blocks"),
    "sphere": ("sphere", "spheres", "ball", "balls"),
    "cylinder": ("cylinder", "cylinders"),
    # Relations
    "left": ("left of", "to the left of", "on the left side of"),
    "right": ("right of", "to the right of", "on the right side of"),
    "front": ("in front of",),
    "behind": ("behind",),
}


OTHER_WORDS = {name: [value for value in some if value != name] for name, some in PHRASES.items()}
OTHER_WORDS["gray"] = ["grey"]
"""Other words for values, relations and attributes than their own names."""
NONE = default()
EVERYTHING = default("scene()")
SHIPPED = "shipped:"
"""``shipped:17`` names scene 17 of the shipped questions."""


class Scenes(Domain):
    """Questions about one scene, which is the context of every program."""

    name: ClassVar[str] = "scenes"
    answers: ClassVar[object | None] = int | bool | str
    annotation: ClassVar[Mapping[str, Sequence[str]]] = PHRASES
    extraction: ClassVar[Sequence[str]] = ("relate", "relate_attribute_equal")
    directional: ClassVar[Mapping[str, Sequence[str]]] = {
        "filter": ("things",),
        "count": ("things",),
        "exist": ("things",),
    }
    infix: ClassVar[Sequence[str] | None] = ()

    _scene: Scene | None = None

    # --- programs and contexts -------------------------------------------------------------

    def canonical(self, program: Term) -> Term:
        """One `filter` for each description, with its concepts in order; and sorted arguments."""
        return super().canonical(program.map(merge_filters))

    def about(self, context: Any) -> Scenes:
        """A copy of the domain that runs programs in a scene; raises ExecutionError if the context
        is not a `Scene`."""
        if context is None:
            return self
        if not isinstance(context, Scene):
            raise ExecutionError(
                f"a context of {self.name} is a Scene, not {type(context).__name__}; "
                "read one with read_context or scene_from_json"
            )
        bound = copy.copy(self)
        bound._scene = context
        return bound

    def read_context(self, text: str) -> Scene:
        """A scene from ``FILE.json``, ``FILE.json:NUMBER`` or ``shipped:NUMBER``; raises DataError
        if it cannot be read."""
        if text.startswith(SHIPPED):
            return read_shipped_scene(text.removeprefix(SHIPPED))
        return find_scene(text)

    def denotation(self, value: Any) -> Hashable:
        """An answer as CLEVR writes it: ``yes``, ``no``, ``3``, ``red``; a set as its numbers."""
        if isinstance(value, Things):
            return value.numbers
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value)

    def is_empty(self, value: Any) -> bool:
        """Whether a set has no objects; a count of 0 and a "no" say something."""
        return isinstance(value, Things) and not value.numbers

    def show(self, value: Any) -> list[str]:
        """The answer; for a set, a line for each object."""
        if isinstance(value, Things):
            return [str(value.scene.objects[number]) for number in sorted(value.numbers)]
        return [str(self.denotation(value))]

    # --- names -----------------------------------------------------------------------------

    @entities(names=SIZES, aliases=OTHER_WORDS, bare=True)
    def size(self, name: str) -> Size:
        """A size."""
        return Size(name)

    @entities(names=COLORS, aliases=OTHER_WORDS, bare=True)
    def color(self, name: str) -> Color:
        """A colour."""
        return Color(name)

    @entities(names=MATERIALS, aliases=OTHER_WORDS, bare=True)
    def material(self, name: str) -> Material:
        """A material."""
        return Material(name)

    @entities(names=SHAPES, aliases=OTHER_WORDS, bare=True)
    def shape(self, name: str) -> Shape:
        """A shape."""
        return Shape(name)

    @entities(names=RELATIONS, aliases=OTHER_WORDS, bare=True)
    def relation(self, name: str) -> Relation:
        """A relation."""
        return Relation(name)

    @entities(names=tuple(ATTRIBUTES), aliases=OTHER_WORDS, bare=True)
    def attribute(self, name: str) -> Attribute:
        """The name of an attribute."""
        return Attribute(name)

    # --- sets of objects -------------------------------------------------------------------

    @predicate()
    def scene(self) -> Everything:
        """All objects of the scene."""
        if self._scene is None:
            raise ExecutionError(
                "a question about a scene needs one: give a Scene as context, or on the command "
                "line --context FILE.json:NUMBER"
            )
        return Everything(self._scene, self._scene.all)

    @type_shift
    def filter(
        self,
        size: Size = NONE,
        color: Color = NONE,
        material: Material = NONE,
        shape: Shape = NONE,
        things: Related | Either = EVERYTHING,
    ) -> Filtered:
        """The objects of a set that have all the values."""
        numbers = things.numbers
        for value in (size, color, material, shape):
            if isinstance(value, Default):
                continue
            if not isinstance(value, Value):
                raise ExecutionError("filter takes one value of each attribute, then one set")
            numbers = numbers & things.scene.having(value.name)
        return Filtered(things.scene, numbers)

    @type_shift
    def relate(self, relation: Relation, things: Described) -> Related:
        """The objects that stand in the relation to the only object of the set."""
        return Related(things.scene, things.scene.related(relation.name, things.only))

    @predicate("same")
    def relate_attribute_equal(self, attribute: Attribute, things: Described) -> Related:
        """The other objects that are like the only object of the set in the attribute."""
        return Related(things.scene, things.scene.like(attribute.name, things.only))

    @predicate("and", "both", commutes=("first", "second"))
    def intersect(self, first: Related, second: Related) -> Related:
        """The objects in both sets."""
        return Related(first.scene, first.numbers & second.numbers)

    @predicate("or", commutes=("first", "second"))
    def union(self, first: Things, second: Things) -> Either:
        """The objects in one set or the other."""
        return Either(first.scene, first.numbers | second.numbers)

    # --- answers ---------------------------------------------------------------------------

    @predicate("how many", "what number")
    def count(self, things: Things) -> int:
        """The number of objects in the set."""
        return len(things.numbers)

    @predicate("are there", "is there", "any")
    def exist(self, things: Things) -> bool:
        """Whether there is an object in the set."""
        return bool(things.numbers)

    @predicate("what", "how")
    def query(self, attribute: Attribute, things: Described) -> str:
        """The value that the only object of the set has of the attribute."""
        return things.scene.objects[things.only].value(attribute.name)

    @predicate("same", commutes=("first", "second"))
    def query_attribute_equal(
        self, attribute: Attribute, first: Described, second: Described
    ) -> bool:
        """Whether the only objects of two sets are alike in the attribute."""
        values = {
            things.scene.objects[things.only].value(attribute.name) for things in (first, second)
        }
        return len(values) == 1

    @predicate("same number", "equal number", commutes=("first", "second"))
    def count_equal(self, first: Things, second: Things) -> bool:
        """Whether two sets have as many objects."""
        return len(first.numbers) == len(second.numbers)

    @predicate("fewer", "less than")
    def count_less(self, first: Things, second: Things) -> bool:
        """Whether the first set has fewer objects."""
        return len(first.numbers) < len(second.numbers)

    @predicate("more", "greater than")
    def count_greater(self, first: Things, second: Things) -> bool:
        """Whether the first set has more objects."""
        return len(first.numbers) > len(second.numbers)


def merge_filters(node: Term) -> Term:
    """A `filter` over a `filter` as one, with a concept of each kind at most, in order.

    Left as they are: concepts that contradict each other, and what is no such term at all.
    """
    found = _parts(node)
    if found is None:
        return node
    concepts, over = found
    inner = _parts(over)
    if inner is not None:
        concepts, over = concepts | inner[0], inner[1]
    by_kind = {ATTRIBUTE_OF[concept]: concept for concept in concepts}
    if len(by_kind) < len(concepts):
        return node
    ordered = [Term(by_kind[kind]) for kind in ATTRIBUTES if kind in by_kind]
    return Term("filter", (*ordered, over)) if ordered else over


def _parts(node: Term) -> tuple[frozenset[str], Term] | None:
    """The concepts of a `filter` and the set that it is over; None for any other term."""
    if node.symbol != "filter" or node.args is None:
        return None
    concepts = [arg for arg in node.args if arg.args is None]
    sets = [arg for arg in node.args if arg.args is not None] or [Term("scene", ())]
    if len(sets) > 1 or any(c.quoted or c.symbol not in ATTRIBUTE_OF for c in concepts):
        return None
    return frozenset(concept.symbol for concept in concepts), sets[0]

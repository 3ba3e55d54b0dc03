"""Scenes and programs as CLEVR's files have them, for tests that read such files."""

from __future__ import annotations

from typing import Any

from partwise.language.program import Term
from partwise_papers.domains.scenes.functional import COMPARISONS
from partwise_papers.domains.scenes.scene import ATTRIBUTE_OF, ATTRIBUTES, RELATIONS, Scene, Solid


def scene_fields(scene: Scene) -> dict[str, Any]:
    """A scene in the format of a scene file."""
    related = {r: [sorted(numbers) for numbers in getattr(scene, r)] for r in RELATIONS}
    objects = [_solid_fields(solid) for solid in scene.objects]
    image = {"image_index": scene.index, "image_filename": f"{scene.name}.png"}
    return {**image, "objects": objects, "relationships": related}


def _solid_fields(solid: Solid) -> dict[str, Any]:
    place = {} if solid.coords is None else {"3d_coords": list(solid.coords)}
    return {kind: solid.value(kind) for kind in ATTRIBUTES} | place


def to_functional(program: Term) -> list[dict[str, Any]]:
    """The functional program of a term, inputs first."""
    nodes: list[dict[str, Any]] = []

    def add(function: str, *inputs: int, value: str | None = None) -> int:
        values = [] if value is None else [value]
        nodes.append({"inputs": list(inputs), "function": function, "value_inputs": values})
        return len(nodes) - 1

    def one(term: Term) -> int:
        return add("unique", write(term))

    def write(term: Term) -> int:
        name, args = term.symbol, term.args or ()
        if name == "filter":
            *concepts, things = args
            number = write(things)
            for concept in concepts:
                kind = ATTRIBUTE_OF[concept.symbol]
                number = add(f"filter_{kind}", number, value=concept.symbol)
            return number
        if name == "relate":
            return add(name, one(args[1]), value=args[0].symbol)
        if name == "relate_attribute_equal":
            return add(f"same_{args[0]}", one(args[1]))
        if name == "query":
            return add(f"query_{args[0]}", one(args[1]))
        if name == "query_attribute_equal":
            return add(f"equal_{args[0]}", *[add(f"query_{args[0]}", one(a)) for a in args[1:]])
        for comparison in (c for c, head in COMPARISONS.items() if head == name):
            return add(comparison, *[add("count", write(part)) for part in args])
        return add(name, *[write(part) for part in args])

    write(program)
    return nodes

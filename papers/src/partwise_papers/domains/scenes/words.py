"""Other words for values, relations and attributes than their own names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Words = Mapping[str, Sequence[str]]

VALUES: Words = {
    "small": ("tiny",),
    "large": ("big",),
    "gray": ("grey",),
    "rubber": ("matte",),
    "metal": ("metallic", "shiny"),
    "cube": ("cubes", "block", "blocks"),
    "sphere": ("spheres", "ball", "balls"),
    "cylinder": ("cylinders",),
}
RELATIONS: Words = {
    "left": ("left of", "to the left of", "on the left side of"),
    "right": ("right of", "to the right of", "on the right side of"),
    "front": ("in front of",),
}
ATTRIBUTES: Words = {
    "size": ("big",),
    "color": ("colour",),
    "material": ("made of",),
}

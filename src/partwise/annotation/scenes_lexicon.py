"""Words that name the constants in the annotated trees of questions about scenes.

The words of values and relations are those of CLEVR's own synonyms, the others are those that the
paper's authors used for its gold trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PHRASES: Mapping[str, Sequence[str]] = {
    # Answers
    "count": ("how many", "what number"),
    "exist": ("are there", "are any", "is there"),
    "query": ("what", "how", "what is", "is what"),
    "query_attribute_equal": ("the same",),
    "count_equal": (
        *("are there the same number", "are there an equal number"),
        "the same as the number",
    ),
    "count_less": ("are there fewer", "less than"),
    "count_greater": ("are there more", "greater than"),
    # Sets
    "scene": ("thing", "things", "object", "objects"),
    "relate_attribute_equal": tuple(
        f"{start} the same" for start in ("of", "is", "are", "have", "has", "that have", "that has")
    ),
    "union": ("or",),
    "intersect": ("and",),
    # Attributes and values
    "size": ("size", "big"),
    "color": ("color",),
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

"""Words that name the constants in the annotated trees of questions about scenes.

The words of values and relations are those of CLEVR's own synonyms, the others those that the
paper's authors used for its gold trees, and those of the shipped questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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

"""The words of the shipped questions: how concepts, relations and questions are put."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Forms = Sequence[str]

ADJECTIVES: Mapping[str, Forms] = {
    "small": ("small", "tiny"),
    "large": ("large", "big"),
    "rubber": ("rubber", "matte"),
    "metal": ("metal", "metallic", "shiny"),
    "gray": ("gray", "grey"),
}
"""Words for values; any other value is its own word."""
NOUNS: Mapping[str, Forms] = {
    "cube": ("cube", "block"),
    "sphere": ("sphere", "ball"),
    "cylinder": ("cylinder",),
    "": ("thing", "object"),
}
PLACES: Mapping[str, Forms] = {
    "left": ("left of {x}", "to the left of {x}"),
    "right": ("right of {x}", "to the right of {x}"),
    "front": ("in front of {x}",),
    "behind": ("behind {x}",),
}
"""Where something is with regard to ``{x}``."""
ATTRIBUTE_NAMES: Mapping[str, Forms] = {
    "size": ("size",),
    "color": ("color", "colour"),
    "material": ("material",),
    "shape": ("shape",),
}

# In questions, {many} is a plural, {a} and {the} a singular with its article, {w} an attribute.

COUNT: Forms = (
    "how many {many} can you see?",
    "how many {many} are in the scene?",
    "tell me how many {many} there are.",
    "could you count the {many}?",
    "please count all {many}.",
    "what is the total number of {many}?",
    "what number of {many} does the scene hold?",
)
EXIST: Forms = (
    "is there {a} in the scene?",
    "are there any {many} in view?",
    "can you see any {many}?",
    "do you see {a} anywhere?",
    "does the scene have any {many}?",
    "please check whether there is {a}.",
    "could you tell me if there are any {many}?",
)
QUERY: Forms = (
    "what {w} does {the} have?",
    "which {w} is {the}?",
    "tell me the {w} of {the}.",
    "could you name the {w} of {the}?",
    "i would like to know what {w} {the} has.",
    "what would you say is the {w} of {the}?",
)
QUERY_MORE: Mapping[str, Forms] = {
    "size": ("can you tell how big {the} is?",),
    "material": ("tell me what {the} is made of.",),
}
QUERY_FRONT: Forms = (
    "i see {a}; what {w} does it have?",
    "look at {the}. what is its {w}?",
    "here is {a}: which {w} is it?",
    "there is {a}. could you tell me its {w}?",
)
QUERY_FRONT_MORE: Mapping[str, Forms] = {
    "size": ("i see {a}; how big is it?",),
    "material": ("look at {the}. what is it made of?",),
}
COMPARE_ATTRIBUTE: Forms = (
    "is {the} of the same {w} as {other}?",
    "can you see whether {the} has the same {w} as {other}?",
    "would you say that {the} and {other} have the same {w}?",
    "tell me if {the} is the same {w} as {other}.",
    "are {the} and {other} of the same {w}?",
)
COMPARE_ATTRIBUTE_FRONT: Forms = (
    "i see {a}; has it got the same {w} as {other}?",
    "look at {the}. is it of the same {w} as {other}?",
    "there is {a}. would you say it has the same {w} as {other}?",
)
COMPARE_COUNT: Mapping[str, Forms] = {
    "count_greater": (
        "do you see more {many} than {others}?",
        "does the scene have more {many} than {others}?",
        "tell me if there are more {many} than {others}.",
        "would you say the number of {many} is greater than that of {others}?",
    ),
    "count_less": (
        "do you see fewer {many} than {others}?",
        "does the scene have fewer {many} than {others}?",
        "tell me if there are fewer {many} than {others}.",
        "would you say the number of {many} is less than that of {others}?",
    ),
    "count_equal": (
        "do you see the same number of {many} and {others}?",
        "does the scene have an equal number of {many} and {others}?",
        "does the scene have as many {many} as {others}?",
        "tell me if there are as many {many} as {others}.",
    ),
}
INTRODUCTIONS: Forms = (
    "there is {a}; ",
    "i see {a}. ",
    "look at {the}. ",
    "here is {a}: ",
    "consider {the}; ",
)


def with_article(noun: str) -> str:
    """A singular after "a" or "an"."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def sentence_case(text: str) -> str:
    """Capitals at the start, after full stops and for "I"."""
    parts = [part[:1].upper() + part[1:] for part in text.split(". ")]
    return ". ".join(parts).replace(" i ", " I ")

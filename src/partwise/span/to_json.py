"""A question with its answer as JSON: what the command line and the server show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.derivation import TreeDerivation
from partwise.language.normalization import FUNCTION_WORDS
from partwise.language.tokenizer import only_punctuation
from partwise.span.asked import Asked
from partwise.span.parse import Parse

_TEXT = """
can could give list many me much name please show tell there us will would
"""
_ASKING = frozenset(_TEXT.split())
"""Words that ask, beside those that hold sentences together."""


def unused(parse: Parse) -> tuple[int, ...]:
    """The words that gave nothing to the program, by their numbers in the question.

    That is words under no constant of the tree (all words if there is none), without punctuation
    and without those that only ask or hold sentences together. Either they were not understood,
    or they were not needed.
    """
    nodes = () if parse.tree is None else parse.tree.walk()
    leaves = (node for node in nodes if not node.children)
    used = {place for leaf in leaves for place in range(leaf.start, leaf.end)}
    return tuple(
        place
        for place, word in enumerate(parse.words.words)
        if place not in used and not _is_function_word(word)
    )


def _is_function_word(word: str) -> bool:
    asks = word in FUNCTION_WORDS or word in _ASKING or word == "'s"
    return asks or only_punctuation(word)


def to_json(asked: Asked, types: TypeAlgebra, ran: bool = True) -> dict[str, Any]:
    """A reading and its alternatives as JSON values.

    Args:
        ran: whether programs were run; ``answer`` is there if so, and null where there is none.
    """
    words = asked.parse.words
    return {
        "question": asked.question,
        "words": [words.span(place, place + 1) for place in range(len(words))],
        **_reading(asked, types, ran),
        "alternatives": [_reading(other, types, ran) for other in asked.alternatives],
    }


def _reading(asked: Asked, types: TypeAlgebra, ran: bool) -> dict[str, Any]:
    """What a reading has by itself; the scores of "no parse" are null."""
    parse = asked.parse
    found: dict[str, Any] = {
        "program": None if parse.program is None else str(parse.program),
        "probability": _finite(parse.probability),
        "score": _finite(parse.score),
    }
    if ran:
        found["answer"] = None if asked.reason is not None else list(asked.answer)
    found["tree"] = None
    if parse.tree is not None:
        derivation = TreeDerivation.of(parse.tree, types, parse.words, parse.scores)
        found["tree"] = derivation.to_json()
    found["unused"] = list(unused(parse))
    found["corrections"] = [list(pair) for pair in parse.corrections]
    found["differences"] = [asdict(one) for one in asked.differences]
    found["reason"] = asked.reason
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def tree_nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All nodes of a JSON tree, the root first."""
    yield tree
    for child in tree["children"]:
        yield from tree_nodes(child)

"""A reading with its answer, and its JSON form: what the command line and the server show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partwise.algebra.type import TypeAlgebra
from partwise.domain import Domain
from partwise.errors import PartwiseError
from partwise.linking.words import FUNCTION_WORDS
from partwise.meaning import Node, read_tree
from partwise.parsers.base import Parse
from partwise.tokenizer import Words

_TEXT = """
can could give list many me much name please show tell there us will would
"""
_ASKING = frozenset(_TEXT.split())
"""Words that ask, beside those that hold sentences together."""


@dataclass(frozen=True)
class Answer:
    """What a program gave.

    Attributes:
        lines: the answer for a person; empty if there is none.
        reason: why there is no answer, if so.
    """

    lines: tuple[str, ...] = ()
    reason: str | None = None


def answer(parse: Parse, domain: Domain, context: Any = None) -> Answer:
    """Run the program of a reading; what fails to run gives a reason, not an error.

    Args:
        context: what the question is about, for a domain that takes one.
    """
    if parse.program is None:
        return Answer(reason=parse.reason)
    try:
        return Answer(tuple(domain.show(domain.execute(parse.program, context))))
    except PartwiseError as error:
        return Answer(reason=f"the program does not run: {error}")


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
    return asks or not any(map(str.isalnum, word))


def to_json(
    parse: Parse,
    types: TypeAlgebra,
    answered: Answer | None = None,
    others: Sequence[Answer] = (),
) -> dict[str, Any]:
    """A reading and its alternatives as JSON values.

    Args:
        answered: of the reading. ``answer`` is there if it is given, and null where nothing could
            be run.
        others: of its alternatives, in their order; all of them, or none if they were not run.

    Raises:
        ValueError: for answers of only some alternatives.
    """
    answers: Sequence[Answer | None] = others or (None,) * len(parse.alternatives)
    words = parse.words
    return {
        "question": parse.question,
        "words": [words.span(place, place + 1) for place in range(len(words))],
        **_reading(parse, types, answered),
        "alternatives": [
            _reading(other, types, found)
            for other, found in zip(parse.alternatives, answers, strict=True)
        ],
    }


def _reading(parse: Parse, types: TypeAlgebra, answered: Answer | None) -> dict[str, Any]:
    """What a reading has by itself; the scores of "no parse" are null."""
    found: dict[str, Any] = {
        "program": None if parse.program is None else str(parse.program),
        "probability": _finite(parse.probability),
        "score": _finite(parse.score),
    }
    if answered is not None:
        found["answer"] = None if answered.reason is not None else list(answered.lines)
    tree = None if parse.tree is None else read_tree(parse.tree, types)
    found["tree"] = None if tree is None else tree_json(tree, parse.words, parse.scores)
    found["unused"] = list(unused(parse))
    found["reason"] = answered.reason if answered is not None else parse.reason
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def tree_json(
    node: Node, words: Words, scores: Mapping[tuple[int, int], float] | None = None
) -> dict[str, Any]:
    """A node and those below; `start` and `end` count words, `end` excluded.

    Args:
        scores: of nodes by their spans; the score of a node that has none is null.
    """
    scores = scores or {}
    return {
        "start": node.start,
        "end": node.end,
        "words": words.span(node.start, node.end),
        "category": node.label,
        "kind": node.kind,
        "program": node.program_text,
        "type": node.type_text,
        "score": _finite(scores.get((node.start, node.end))),
        "function": node.function,
        "children": [tree_json(child, words, scores) for child in node.children],
    }


def tree_nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All nodes of a JSON tree, the root first."""
    yield tree
    for child in tree["children"]:
        yield from tree_nodes(child)

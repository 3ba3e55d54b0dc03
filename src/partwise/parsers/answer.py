"""A reading with its answer, and its JSON form: what the command line and the server show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from partwise.algebra.type import TypeAlgebra
from partwise.domain import Domain
from partwise.errors import PartwiseError
from partwise.meaning import Node, read_tree
from partwise.parsers.base import Parse
from partwise.tokenizer import Words


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


def to_json(parse: Parse, types: TypeAlgebra, answered: Answer | None = None) -> dict[str, Any]:
    """A reading as JSON values.

    ``answer`` is there if `answered` is given, and null where nothing could be run; the scores of
    "no parse" are null.
    """
    found: dict[str, Any] = {"question": parse.question, **_reading(parse)}
    if answered is not None:
        found["answer"] = None if answered.reason is not None else list(answered.lines)
    found["tree"] = (
        None if parse.tree is None else tree_json(read_tree(parse.tree, types), parse.words)
    )
    found["alternatives"] = [_reading(other) for other in parse.alternatives]
    found["reason"] = answered.reason if answered is not None else parse.reason
    return found


def _reading(parse: Parse) -> dict[str, Any]:
    return {
        "program": None if parse.program is None else str(parse.program),
        "probability": parse.probability if math.isfinite(parse.probability) else None,
        "score": parse.score if math.isfinite(parse.score) else None,
    }


def tree_json(node: Node, words: Words) -> dict[str, Any]:
    """A node and those below; `start` and `end` count words, `end` excluded."""
    return {
        "start": node.start,
        "end": node.end,
        "words": words.span(node.start, node.end),
        "category": node.label,
        "kind": node.kind,
        "program": node.program_text,
        "type": node.type_text,
        "function": node.function,
        "children": [tree_json(child, words) for child in node.children],
    }


def tree_nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All nodes of a JSON tree, the root first."""
    yield tree
    for child in tree["children"]:
        yield from tree_nodes(child)

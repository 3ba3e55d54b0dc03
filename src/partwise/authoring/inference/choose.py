"""Chooses how far types go beyond the programs that they were inferred from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from partwise.authoring.inference.types import Types
from partwise.errors import DataError
from partwise.evaluation.splits import inner_split
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.language.program_spelling import CallNode

REACHES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 1.0)
UNKNOWN = 0.2
"""Where there are too few examples to hold any out."""
PRICE = 0.4
"""Programs that must be gained, as a share of all, for types that take everything."""
HELD_OUT = (("template", 0), ("template", 1), ("template", 2), ("length", 0))
"""Kinds of split with their seeds; what is held out is put together in new ways."""


def choose_reach(examples: Sequence[Example[Term]], nodes: Sequence[CallNode]) -> float:
    """The reach (see `Types.allowed`) whose types fit most held-out programs for their looseness.

    Args:
        examples: with programs in terms of methods.
        nodes: of their programs.
    """
    node = {id(example): one for example, one in zip(examples, nodes, strict=True)}
    fits, tried = Counter[float](), 0
    for kind, seed in HELD_OUT:
        try:
            train, test = inner_split(examples, kind, seed=seed)
        except DataError:
            continue
        types = Types.of([node[id(example)] for example in train])
        known = {part.method for example in train for part in node[id(example)].walk()}
        asked = [node[id(example)] for example in test]
        asked = [one for one in asked if {part.method for part in one.walk()} <= known]
        tried += len(asked)
        for reach in REACHES:
            allowed = types.allowed(reach)
            fits[reach] += sum(types.fits(one, allowed) for one in asked)
    if not tried:
        return UNKNOWN
    return max(REACHES, key=lambda reach: fits[reach] / tried - PRICE * reach)

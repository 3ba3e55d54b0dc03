"""A small database of lakes, a toy algebra over it, and questions with random constants."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from partwise.chart.k_best import Beam, k_best
from partwise.database.features import (
    SchemaDerivation,
    SchemaQuestion,
    derivation_of,
    question_of,
)
from partwise.database.network import SchemaScorer
from partwise.database.phrases import SpanConstant
from partwise.database.scorer import ChartScores, HandScores, SchemaModel
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import words_of
from partwise.execution.relational.schema import Column, Link, Schema, Table

DIM = 12
LAKE, RIVER = SchemaItem("table", "lake"), SchemaItem("table", "river")
DEPTH, FLOW, NAME = (
    SchemaItem("column", "lake", "depth"),
    SchemaItem("column", "river", "flow"),
    SchemaItem("column", "lake", "name"),
)
TYPES = {LAKE: "table", RIVER: "table", DEPTH: "number", FLOW: "number", NAME: "name"}
CALLED = ("lake", "pond", "river", "depth", "deep", "deepness", "flow", "name")
ROWS = {LAKE: [0, 1], RIVER: [2], DEPTH: [3, 4, 5], FLOW: [6], NAME: [7]}
SCHEMA = Schema(
    (
        Table("lake", (Column("depth", "number"), Column("name", "text")), "name"),
        Table("river", (Column("flow", "number"), Column("lake", "id"))),
    ),
    (Link("river", "lake", "lake"),),
)
PRICES = {
    **{"column value": 0.3, "value column": -0.4, "value": -0.2, "closed": -0.5},
    **{"head": -0.1, "show": 0.2, "condition": -0.3, "silent name": -0.7},
}
TEXTS = ("which lakes near a river are as deep as 30 ponds", "the name of a lake", "deep flow")


class ToyAlgebra:
    """Tables, columns and values; a frame is what filled it, in order."""

    modifiers = frozenset({"TABLE", "COLUMN", "CONDITION"})
    distinct = frozenset({"COLUMN"})
    empty: tuple[Any, ...] = ()

    def __init__(self) -> None:
        self.joins = {
            ("COLUMN", "VALUE"): lambda a, b: [("CONDITION", (a, b), "column value")],
            ("VALUE", "COLUMN"): lambda a, b: [("CONDITION", (b, a), "value column")],
        }
        self.unary = {
            "VALUE": lambda a: [("CONDITION", (a,), "value")],
            "FRAME": lambda a: [("CONDITION", (a,), "closed")] if len(a) < 3 else [],
        }

    def fill(self, frame: Any, kind: str, meaning: Any) -> Iterable[tuple[Any, str]]:
        """Any modifier may be shown, or be what it is."""
        yield (*frame, meaning), {"TABLE": "head", "COLUMN": "show"}.get(kind, "condition")
        if kind == "COLUMN":
            yield (*frame, (meaning, "condition")), "condition"

    def links(self, frame: Any, kind: str, meaning: Any) -> int:
        """Some number."""
        return (0, 1, 9)[(len(frame) + len(kind)) % 3]


def vectors(count: int, seed: int) -> Tensor:
    """Random vectors of length 1."""
    made = torch.randn(count, DIM, generator=torch.Generator().manual_seed(seed))
    return torch.nn.functional.normalize(made, dim=1)


def chart_scores(scorer: SchemaScorer, asked: SchemaQuestion, *rest: Any) -> ChartScores:
    """The scores that a network gives; `rest`: vectors of words and of names as tensors, and which
    names are of which item."""

    def functions(name: str, **arrays: Any) -> tuple[Any, ...]:
        with torch.no_grad():
            made = scorer.means(**{key: torch.from_numpy(one) for key, one in arrays.items()})
        return tuple(one.numpy() for one in made)

    words, names, rows = rest
    model = SchemaModel(functions, scorer.vocabulary, scorer.prices)
    return ChartScores(model, asked, words.numpy(), names.numpy(), rows)


def question(text: str, draw: random.Random) -> SchemaQuestion:
    """A question whose words may stand for anything."""
    words, constants = words_of(text), []
    for _ in range(8):
        start = draw.randrange(len(words))
        end = min(len(words), start + draw.choice((1, 1, 2)))
        kind = draw.choice(("TABLE", "COLUMN", "COLUMN", "VALUE", "VALUE", "NUMBER"))
        item = draw.choice([LAKE, RIVER] if kind == "TABLE" else [DEPTH, FLOW, NAME])
        match = tuple(draw.choice((0.0, 0.5, 1.0)) for _ in range(8))
        if kind == "NUMBER":
            constants.append(SpanConstant(start, end, kind, draw.randrange(5), "number"))
        else:
            role = draw.choice((kind.lower(), "adjective"))
            constants.append(SpanConstant(start, end, kind, item, role, item, match, TYPES[item]))
    return question_of(words, constants, ROWS, TYPES, SCHEMA)


def found(
    asked: SchemaQuestion, scores: HandScores, most: int = 12
) -> list[tuple[float, SchemaDerivation]]:
    """What a search finds, with the score that it gave, and two implicit steps."""
    made = []
    for item in k_best(asked.constants, scores, ToyAlgebra(), Beam())[:most]:
        steps = ("silent name", f"shape shown {len(item.meaning)}")
        score = item.score + sum(map(scores.step, steps))
        made.append((score, derivation_of(item, steps, asked)))
    return made

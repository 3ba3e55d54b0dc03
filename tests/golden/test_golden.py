"""Losses, gradients, charts, predictions and short trainings equal those that are on record.

The record, golden.json, stands beside this file; each of its entries has the name of a case in
`CASES`. Only `golden_adapter` knows how the library is called.
"""

from __future__ import annotations

import json
import math
import random
import re
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from golden_adapter import (
    RENAMED_PARAMETERS,
    Posterior,
    Prediction,
    Trained,
    batch_loss,
    chart_of,
    films,
    geography,
    graph_items,
    graph_predictions,
    make_graph_parser,
    make_span_parser,
    shipped_films,
    shipped_geography,
    span_items,
    span_predictions,
    texts,
    train_graph,
    train_span,
)
from torch import Tensor, nn

GOLDEN = Path(__file__).with_name("golden.json")
SEED = 20_210
WIDTH = 32
"""Numbers of a projection; a tensor of no more elements is kept as it is."""
BATCH, GRAPH_BATCH = 8, 64
FILMS_SIZE, TRAIN_SIZE, DEV_SIZE = 300, 60, 20
LONG = 600
"""Of a longer query only the hash is kept."""

SPAN = {"encoder": "bilstm"}
OBJECTIVES = ("marginal", "hard", "crf", "trees")
VARIANTS: dict[str, dict[str, Any]] = {
    "usual": {},
    "projective": {"ternary": False},
    "untied": {"tied": False},
    "names": {"lexicon": "names"},
}
GRAPHS: dict[str, dict[str, Any]] = {
    "flat": {"composition": "flat", "members": 1},
    "declared": {"composition": "declared", "members": 1},
    "latent": {"composition": "latent", "members": 2},
}
WILLING: dict[str, dict[str, Any]] = {"declared": {"bias": -0.4}, "latent": {"bias": -0.4}}
"""An untrained composing parser with the usual bias says nothing at all."""


def seed(number: int = SEED) -> None:
    """Seed all generators that the library draws from."""
    random.seed(number)
    np.random.seed(number)
    torch.manual_seed(number)


def number(value: Any) -> Any:
    """A float that JSON has; of float32 the shortest that is read back as the same."""
    if isinstance(value, np.float32):
        value = float(str(value))
    value = float(value)
    return value if math.isfinite(value) else str(value)


def vector(tensor: Tensor | None, width: int = WIDTH) -> dict[str, Any] | None:
    """A tensor's norm, and its elements or, of many, their sums in buckets with random signs."""
    if tensor is None:
        return None
    flat = tensor.detach().double().reshape(-1).numpy()
    norm = number(np.float32(np.linalg.norm(flat)))
    if len(flat) <= width:
        return {"norm": norm, "all": [number(np.float32(one)) for one in flat]}
    draw = np.random.Generator(np.random.PCG64(len(flat)))
    buckets, signs = draw.integers(width, size=len(flat)), draw.integers(2, size=len(flat)) * 2 - 1
    sums = np.bincount(buckets, weights=signs * flat, minlength=width)
    return {"norm": norm, "sums": [number(np.float32(one)) for one in sums]}


def parameters(parser: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """Parameters under the names of the record."""
    for name, parameter in parser.named_parameters():
        for pattern, instead in RENAMED_PARAMETERS:
            name = re.sub(pattern, instead, name)
        yield name, parameter


def weights(parser: nn.Module, width: int) -> dict[str, Any]:
    """All weights."""
    return {name: vector(parameter, width) for name, parameter in parameters(parser)}


def learned(parser: nn.Module, items: Sequence[Any], dropout: bool) -> dict[str, Any]:
    """The loss of a batch and its gradients."""
    parser.train(dropout)
    seed(SEED + 1)
    loss, reached = batch_loss(parser, items)
    parser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    return {
        "loss": number(loss.detach().numpy()[()]),
        "items": len(items),
        "reached": reached,
        "gradients": {
            name: vector(one.grad, 8 if dropout else WIDTH) for name, one in parameters(parser)
        },
    }


def span_batch() -> list[Any]:
    """Questions from all over the training set."""
    every = geography().train
    return every[7 :: len(every) // BATCH][:BATCH]


@cache
def untrained(objective: str, variant: str) -> Any:
    """A span parser whose weights are seeded."""
    seed()
    settings = {**SPAN, "objective": objective, **VARIANTS[variant]}
    return make_span_parser(settings, geography().train)


def span_loss(objective: str, variant: str, dropout: bool) -> dict[str, Any]:
    """The first batch of a span parser."""
    parser = untrained(objective, variant)
    return learned(parser, span_items(parser, span_batch()), dropout)


def span_charts(variant: str) -> list[dict[str, Any]]:
    """The charts of the batch under untrained scores."""
    parser = untrained("crf", variant)
    charts = [chart_of(parser, example) for example in span_batch()]
    return [
        {
            "best_score": number(chart.best_score),
            "best": chart.best,
            "all": moments(chart.every),
            "gold": moments(chart.gold),
        }
        for chart in charts
    ]


def moments(found: Posterior) -> dict[str, Any]:
    """What tells posteriors apart, whatever the order of their columns is."""
    size = len(found.joined)
    inside = np.triu(np.ones((size, size)), 1)
    named, joined = found.named * inside[..., None], found.joined * inside
    by_name = named.sum((0, 1))
    keys = np.array([zlib.crc32(name.encode()) % 1009 / 1009 for name in found.categories])
    place = np.arange(size)
    largest = np.sort(named.reshape(-1))[::-1][:5]
    return {
        "log_partition": number(found.log_partition),
        "sum": number(named.sum()),
        "squares": number((named**2).sum()),
        "starts": number(named.sum((1, 2)) @ place),
        "ends": number(named.sum((0, 2)) @ place),
        "categories": number(by_name @ keys),
        "largest": [number(one) for one in largest],
        "joins": number(joined.sum()),
        "join_squares": number((joined**2).sum()),
    }


def films_train() -> list[Any]:
    """The part of the questions on films that is trained on here."""
    return films().train[:FILMS_SIZE]


@cache
def graph_parser(composition: str, **more: Any) -> tuple[Any, int]:
    """A graph parser whose weights are seeded, and how many examples it cannot learn from."""
    seed()
    return make_graph_parser({**GRAPHS[composition], **more}, films_train())


def graph_loss(composition: str, dropout: bool) -> dict[str, Any]:
    """The first batch of a graph parser."""
    # Dropout is between the layers of the encoder, and composing parsers have but one.
    more = {"dropout": 0.2, "layers": 2} if dropout else {}
    parser, unusable = graph_parser(composition, **more)
    items = list(graph_items(parser))
    batch = random.Random(SEED).sample(items, GRAPH_BATCH)
    return {
        "unusable": unusable,
        "all_items": len(items),
        **learned(parser, batch, dropout),
    }


def graph_untrained(composition: str) -> list[Any]:
    """What an untrained graph parser makes of questions of dev."""
    parser, _ = graph_parser(composition, **WILLING.get(composition, {}))
    return predicted(graph_predictions(parser, films().dev[:DEV_SIZE]))


def predicted(found: Sequence[Prediction]) -> list[dict[str, Any]]:
    """Predictions; probabilities by their logarithms, as those of the untrained are tiny."""
    return [
        {
            "text": shortened(one.text),
            "log_probability": None if one.text is None else logarithm(one.probability),
            **({} if one.score is None else {"score": number(one.score)}),
            **({"others": predicted(one.alternatives)} if one.alternatives else {}),
        }
        for one in found
    ]


def logarithm(probability: float) -> Any:
    """The logarithm of a probability, which may be 0."""
    return number(math.log(probability) if probability else -math.inf)


def shortened(text: str | None) -> str | None:
    """A text, or the hash of a long one."""
    return digest(text) if text is not None and len(text) > LONG else text


def digest(value: Any) -> str:
    """A hash of what JSON can write."""
    return sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:24]


def span_shipped() -> list[dict[str, Any]]:
    """The shipped span parser on questions of dev."""
    return predicted(span_predictions(shipped_geography(), geography().dev[:DEV_SIZE], 3))


def graph_shipped() -> list[dict[str, Any]]:
    """The shipped graph parser on questions of dev."""
    return predicted(graph_predictions(shipped_films(), films().dev[:DEV_SIZE]))


def ran(done: Trained) -> dict[str, Any]:
    """A training run."""
    return {
        "losses": [number(loss) for loss, _ in done.epochs],
        "figures": [[number(one) for one in figures] for _, figures in done.epochs],
        "best_epoch": done.best_epoch,
        "usable": done.usable,
        "dev": [number(one) for one in done.dev],
        "temperature": None if done.temperature is None else number(done.temperature),
        "weights": weights(done.parser, 8),
    }


def span_training() -> dict[str, Any]:
    """Two epochs of a span parser, with all that makes training items again."""
    dev = geography().dev[:DEV_SIZE]
    settings = {**SPAN, "objective": "crf", "swap": 0.5, "recombine": 0.3}
    loop = {"epochs": 2, "batch_size": 16, "seed": 3}
    with tempfile.TemporaryDirectory() as folder:
        done = train_span(geography().train[:TRAIN_SIZE], dev, settings, loop, Path(folder))
    return {**ran(done), "predictions": predicted(span_predictions(done.parser, dev[:5], 2))}


def graph_training() -> dict[str, Any]:
    """Two epochs of a composing graph parser."""
    dev = films().dev[:DEV_SIZE]
    settings = {**GRAPHS["declared"], "epochs": 2, "batch_size": 32, "seed": 3}
    with tempfile.TemporaryDirectory() as folder:
        done = train_graph(films_train(), dev, settings, Path(folder))
    return {**ran(done), "predictions": predicted(graph_predictions(done.parser, dev[:5]))}


def data() -> dict[str, Any]:
    """The questions that all other cases are made of."""
    parts: dict[str, Sequence[Any]] = {
        "geography train": geography().train,
        "geography dev": geography().dev,
        "films train": films_train(),
        "films dev": films().dev[:DEV_SIZE],
    }
    return {name: [len(some), digest(texts(some))] for name, some in parts.items()}


CASES: dict[str, Callable[[], Any]] = {
    "data": data,
    **{
        f"span weights {v}": partial(lambda v: weights(untrained("crf", v), 4), v) for v in VARIANTS
    },
    **{
        f"span loss {objective}{' dropout' * dropout}": partial(
            span_loss, objective, "usual", dropout
        )
        for objective in OBJECTIVES
        for dropout in (False, True)
    },
    **{
        f"span loss crf {variant}": partial(span_loss, "crf", variant, False)
        for variant in VARIANTS
        if variant != "usual"
    },
    **{f"span charts {variant}": partial(span_charts, variant) for variant in VARIANTS},
    "span shipped": span_shipped,
    "span training": span_training,
    **{f"graph weights {c}": partial(lambda c: weights(graph_parser(c)[0], 4), c) for c in GRAPHS},
    **{
        f"graph loss {composition}{' dropout' * dropout}": partial(graph_loss, composition, dropout)
        for composition in GRAPHS
        for dropout in (False, True)
    },
    **{f"graph untrained {c}": partial(graph_untrained, c) for c in GRAPHS},
    "graph shipped": graph_shipped,
    "graph training": graph_training,
}


# --- comparison ------------------------------------------------------------------------------

TOLERANCE = 1e-5
"""Of numbers, relative and absolute; of a tensor's elements in parts of its norm."""
FLOOR = 1e-3
"""A smaller norm is taken for this, as some gradients are made of rounding errors alone."""


def differences(want: Any, got: Any, place: str = "") -> Iterator[str]:
    """Where two values differ, as lines for a person."""
    if isinstance(want, dict) and isinstance(got, dict):
        if set(want) != set(got):
            missing, more = sorted(set(want) - set(got)), sorted(set(got) - set(want))
            yield f"{place}: {missing} expected, {more} given in their place"
        scale = max(want["norm"], FLOOR) if "norm" in want else None
        for name in want.keys() & got.keys():
            there = f"{place}/{name}"
            if scale is not None:
                yield from far(want[name], got[name], scale, there)
            else:
                yield from differences(want[name], got[name], there)
    elif isinstance(want, list) and isinstance(got, list):
        if len(want) != len(got):
            yield f"{place}: {len(want)} expected, {len(got)} given"
        for at, (one, other) in enumerate(zip(want, got, strict=False)):
            yield from differences(one, other, f"{place}/{at}")
    elif isinstance(want, float) and isinstance(got, float):
        yield from far(want, got, max(1.0, abs(want)), place)
    elif want != got:
        yield f"{place}: {want!r} expected, {got!r} given"


def far(want: Any, got: Any, scale: float, place: str) -> Iterator[str]:
    """A line if two numbers, or two lists of numbers, differ by more than may be."""
    apart = float(np.abs(np.subtract(want, got)).max())
    if not apart <= TOLERANCE * scale:
        yield f"{place}: {want} expected, {got} given, {apart / scale:.1e} apart"


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Sums are made in one order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@cache
def record() -> dict[str, Any]:
    """What is on record."""
    values: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return values


def test_every_case_is_on_record() -> None:
    assert set(record()) == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_results_are_those_on_record(case: str) -> None:
    found = list(differences(record()[case], json.loads(json.dumps(CASES[case]()))))
    assert not found, "\n".join([f"{len(found)} differences", *sorted(found)[:20]])

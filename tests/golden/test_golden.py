"""Losses, gradients, charts, predictions and short trainings equal those that are on record.

The record, golden.json, stands beside this file; each of its entries has the name of a case in
`CASES`. `python test_golden.py [FILE]` writes it from the code that is installed.
"""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from cases import rows
from partwise.chart import compiled
from partwise.chart.scores import Marginals
from partwise.chart.semantics import program as program_of
from partwise.chart.target_algebra import TargetAlgebra
from partwise.domains.films.domain import FILMS
from partwise.domains.geography.domain import Geography
from partwise.encoders.base import make_encoder
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import load
from partwise.interface.settings import from_dict
from partwise.language.sparql import write_query
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import Session, train
from partwise.training.trainer import TrainingConfig

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
VARIANTS: dict[str, dict[str, Any]] = dict(rows(globals(), "VARIANTS"))
GRAPHS: dict[str, dict[str, Any]] = {
    "flat": {"composition": "flat", "members": 1},
    "declared": {"composition": "declared", "members": 1},
    "latent": {"composition": "latent", "members": 2},
}
WILLING: dict[str, dict[str, Any]] = {"declared": {"bias": -0.4}, "latent": {"bias": -0.4}}
"""An untrained composing parser with the usual bias says nothing at all."""


@cache
def geography() -> Dataset[Any]:
    """The shipped questions on geography."""
    return load("geography", "iid")


@cache
def films() -> Dataset[Any]:
    """The shipped questions on films."""
    return load("films", "random")


def text_of(meaning: Any) -> str:
    """A program or a query as a text."""
    return write_query(meaning, FILMS.dialect) if hasattr(meaning, "edges") else str(meaning)


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


def weights(parser: nn.Module, width: int) -> dict[str, Any]:
    """All weights."""
    return {name: vector(parameter, width) for name, parameter in parser.named_parameters()}


def learned(parser: nn.Module, items: Sequence[Any], dropout: bool) -> dict[str, Any]:
    """The loss of a batch and its gradients."""
    parser.train(dropout)
    seed(SEED + 1)
    report = parser.loss(items)
    parser.zero_grad(set_to_none=True)
    report.loss.backward()
    return {
        "loss": number(report.loss.detach().numpy()[()]),
        "items": len(items),
        "reached": report.reached,
        "gradients": {
            name: vector(parameter.grad, 8 if dropout else WIDTH)
            for name, parameter in parser.named_parameters()
        },
    }


def span_batch() -> list[Any]:
    """Questions from all over the training set."""
    every = geography().train
    return every[7 :: len(every) // BATCH][:BATCH]


@cache
def untrained(objective: str, variant: str) -> SpanParser:
    """A span parser whose weights are seeded, with an encoder from scratch."""
    seed()
    config = from_dict(SpanParserConfig, {**SPAN, "objective": objective, **VARIANTS[variant]})
    words = [tokenize(example.question) for example in geography().train]
    encoder = make_encoder(config.encoder, words, config.frozen_layers)
    return SpanParser(Geography(), config, encoder)


def span_loss(objective: str, variant: str, dropout: bool) -> dict[str, Any]:
    """The first batch of a span parser."""
    parser = untrained(objective, variant)
    return learned(parser, parser.training_items(span_batch())[0], dropout)


def span_charts(variant: str) -> list[dict[str, Any]]:
    """The charts of the batch under untrained scores."""
    parser = untrained("crf", variant)
    return [span_chart(parser, example) for example in span_batch()]


def span_chart(parser: SpanParser, example: Example[Any]) -> dict[str, Any]:
    """The best tree of a question, all of its trees, and those of its gold program."""
    scores = parser.scores(example.question)
    best = compiled.best(scores, parser.algebra)
    assert best is not None
    gold = TargetAlgebra(parser.types, parser.types.check(example.meaning))
    target = gold if parser.config.ternary else gold.without_ternary()
    names = [parser.domain.constants[int(column)].category for column in scores.columns]
    return {
        "best_score": number(best.score),
        "best": str(program_of(best.tree, parser.types)),
        "all": moments(compiled.marginals(scores, parser.algebra), names),
        "gold": moments(compiled.marginals(scores, target), names),
    }


def moments(found: Marginals, categories: Sequence[str]) -> dict[str, Any]:
    """What tells posteriors apart, whatever the order of their columns is."""
    size = len(found.join)
    inside = np.triu(np.ones((size, size)), 1)
    named, joined = found.constants * inside[..., None], found.join * inside
    by_name = named.sum((0, 1))
    keys = np.array([zlib.crc32(name.encode()) % 1009 / 1009 for name in categories])
    place = np.arange(size)
    largest = np.sort(named.reshape(-1))[::-1][:5]
    return {
        "log_partition": number(found.log_partition),
        "sum": number(named.sum()),
        "squares": number((named**2).sum()),
        "starts": number(named.sum((1, 2)) @ place),
        "ends": number(named.sum((0, 2)) @ place),
        "categories": number(by_name @ keys),
        "largest": [number(share) for share in largest],
        "joins": number(joined.sum()),
        "join_squares": number((joined**2).sum()),
    }


def films_train() -> list[Any]:
    """The part of the questions on films that is trained on here."""
    return films().train[:FILMS_SIZE]


@cache
def graph_parser(composition: str, **more: Any) -> tuple[GraphParser, int]:
    """A graph parser whose weights are seeded, and how many examples it cannot learn from."""
    seed()
    config, _ = graph_settings({**GRAPHS[composition], **more})
    # On record "latent" learns its phrase rules, and "declared" takes those of the domain.
    parser = GraphParser(replace(FILMS, phrases=()) if composition == "latent" else FILMS, config)
    parser.prepare(films_train())
    return parser, len(parser.training_items(films_train())[1])


def graph_settings(settings: Mapping[str, Any]) -> tuple[GraphParserConfig, TrainingConfig]:
    """Settings of a graph parser and of its training over the presets."""
    settings = {**settings, "composition": settings["composition"].replace("declared", "latent")}
    every = {**GraphParser.presets(FILMS, settings, {}, 0), **settings}
    loop = {field.name for field in fields(TrainingConfig)}
    return (
        from_dict(GraphParserConfig, {k: v for k, v in every.items() if k not in loop}),
        from_dict(TrainingConfig, {k: v for k, v in every.items() if k in loop}),
    )


def graph_loss(composition: str, dropout: bool) -> dict[str, Any]:
    """The first batch of a graph parser."""
    # Dropout is between the layers of the encoder, and composing parsers have but one.
    more = {"dropout": 0.2, "layers": 2} if dropout else {}
    parser, unusable = graph_parser(composition, **more)
    items = list(parser.training_items([])[0])
    batch = random.Random(SEED).sample(items, GRAPH_BATCH)
    counts = {"unusable": unusable, "all_items": len(items)}
    return {**counts, **learned(parser, batch, dropout)}


def graph_untrained(composition: str) -> list[Any]:
    """What an untrained graph parser makes of questions of dev."""
    parser, _ = graph_parser(composition, **WILLING.get(composition, {}))
    return graph_predictions(parser, films().dev[:DEV_SIZE])


def span_predictions(parser: SpanParser, examples: Sequence[Any], k: int) -> list[dict[str, Any]]:
    """The best programs of questions with their scores."""
    return predicted(parser.parse([example.question for example in examples], k), scored=True)


def graph_predictions(parser: GraphParser, examples: Sequence[Any]) -> list[dict[str, Any]]:
    """The query graphs of questions."""
    return predicted(parser.parse_examples(examples), scored=False)


def predicted(found: Sequence[Any], scored: bool) -> list[dict[str, Any]]:
    """Predictions; probabilities by their logarithms, as those of the untrained are tiny."""
    rows = []
    for parse in found:
        text = None if parse.meaning is None else text_of(parse.meaning)
        probability = None if text is None else logarithm(parse.probability)
        row = {"text": shortened(text), "log_probability": probability}
        if scored and parse.score is not None:
            row["score"] = number(parse.score)
        if scored and parse.alternatives:
            row["others"] = predicted(parse.alternatives, scored)
        rows.append(row)
    return rows


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
    parser = SpanParser.from_pretrained("geography")
    # Probabilities on record are those among meanings, before they are fitted to what is right.
    parser.confidence = None
    return span_predictions(parser, geography().dev[:DEV_SIZE], 3)


def graph_shipped() -> list[dict[str, Any]]:
    """The shipped graph parser on questions of dev."""
    parser = GraphParser.from_pretrained("films")
    parser.confidence = None
    return graph_predictions(parser, films().dev[:DEV_SIZE])


def ran(kind: Any, domain: Any, dataset: Dataset[Any], *settings: Any) -> Session[Any]:
    """A training run in a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        return train(kind, domain, dataset, *settings, folder=Path(folder), progress=False)


def outcome(session: Session[Any], dev: Sequence[Any]) -> dict[str, Any]:
    """What a training run gave."""
    report = session.report
    temperature = getattr(session.parser, "temperature", None)
    return {
        "losses": [number(epoch["loss"]) for epoch in report.history],
        "figures": [[number(x) for x in epoch["dev"].values()] for epoch in report.history],
        "best_epoch": report.best_epoch,
        "usable": report.usable,
        "dev": [number(share) for share in dev],
        "temperature": None if temperature is None else number(temperature),
        "weights": weights(session.parser, 8),
    }


def span_training() -> dict[str, Any]:
    """Two epochs of a span parser, with all that makes training items again."""
    dev = list(geography().dev[:DEV_SIZE])
    config = {**SPAN, "objective": "crf", "swap": 0.5, "recombine": 0.3}
    loop = {"epochs": 2, "batch_size": 16, "seed": 3}
    settings = from_dict(SpanParserConfig, config), from_dict(TrainingConfig, loop)
    dataset = Dataset("geography", "iid", list(geography().train[:TRAIN_SIZE]), dev, [])
    session = ran(SpanParser, Geography(), dataset, *settings)
    found = outcome(session, (session.dev.denotation, session.dev.exact_match))
    session.parser.confidence = None
    return {**found, "predictions": span_predictions(session.parser, dev[:5], 2)}


def graph_training() -> dict[str, Any]:
    """Two epochs of a composing graph parser."""
    dev = list(films().dev[:DEV_SIZE])
    config = {**GRAPHS["declared"], "epochs": 2, "batch_size": 32, "seed": 3}
    dataset = Dataset("films", "random", list(films_train()), dev, [])
    session = ran(GraphParser, FILMS, dataset, *graph_settings(config))
    found = outcome(session, (session.dev.exact_match, session.dev.partial["edges"]))
    found["temperature"] = None
    session.parser.confidence = None
    return {**found, "predictions": graph_predictions(session.parser, dev[:5])}


def data() -> dict[str, Any]:
    """The questions that all other cases are made of."""
    parts: dict[str, Sequence[Any]] = {
        "geography train": geography().train,
        "geography dev": geography().dev,
        "films train": films_train(),
        "films dev": films().dev[:DEV_SIZE],
    }
    return {
        name: [len(some), digest([(e.question, text_of(e.meaning)) for e in some])]
        for name, some in parts.items()
    }


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


if __name__ == "__main__":
    torch.set_num_threads(1)
    found = {name: case() for name, case in CASES.items()}
    dump = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    lines = (f"{json.dumps(name)}:{dump(value)}" for name, value in found.items())
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")

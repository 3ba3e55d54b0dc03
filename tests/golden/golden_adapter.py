"""How `test_golden` calls the library: all that depends on its interface, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from partwise.chart import compiled
from partwise.chart.scores import Marginals
from partwise.chart.semantics import program as program_of
from partwise.chart.target_algebra import TargetAlgebra
from partwise.domains.films.domain import FILMS
from partwise.domains.geography.domain import Geography
from partwise.encoders import make_encoder
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import load
from partwise.interface.settings import from_dict
from partwise.language.sparql import write_query
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import train
from partwise.training.trainer import TrainingConfig

RENAMED_PARAMETERS: tuple[tuple[str, str], ...] = ()
"""Regular expressions of the names of parameters now, and what to put there for the record's."""
RENAMED_SETTINGS: dict[str, str] = {}
"""Names of settings in `CASES` -> their names now."""

Domain = cache(Geography)


class Prediction(NamedTuple):
    """What a parser says of a question; a text of None is "no parse"."""

    text: str | None
    probability: float
    score: float | None = None
    alternatives: tuple[Prediction, ...] = ()


class Posterior(NamedTuple):
    """Which labels stand where: ``[n+1, n+1, categories]``, and ``[n+1, n+1]`` for joins."""

    log_partition: float
    named: NDArray[np.floating]
    joined: NDArray[np.floating]
    categories: list[str]


class Chart(NamedTuple):
    """The chart of a question: its best tree, all of its trees, those of its gold program."""

    best_score: float
    best: str
    every: Posterior
    gold: Posterior


class Trained(NamedTuple):
    """What a training run gave: an epoch's loss and figures on what epochs are chosen by."""

    parser: Any
    epochs: list[tuple[float, list[float]]]
    best_epoch: int
    usable: int
    dev: list[float]
    temperature: float | None


def renamed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings under the names that they have now."""
    return {RENAMED_SETTINGS.get(name, name): value for name, value in settings.items()}


@cache
def geography() -> Dataset[Any]:
    """The shipped questions on geography."""
    return load("geography", "iid")


@cache
def films() -> Dataset[Any]:
    """The shipped questions on films."""
    return load("films", "random")


def texts(examples: Sequence[Any]) -> list[tuple[str, str]]:
    """Each question with its program or query as a text."""
    return [(e.question, text_of(e.meaning)) for e in examples]


def text_of(meaning: Any) -> str:
    """A program or a query as a text."""
    if hasattr(meaning, "edges"):
        return write_query(meaning, FILMS.dialect)
    return str(meaning)


def make_span_parser(settings: Mapping[str, Any], examples: Sequence[Example[Any]]) -> SpanParser:
    """An untrained span parser with an encoder from scratch; `examples` give its words."""
    config = from_dict(SpanParserConfig, settings)
    words = [tokenize(example.question) for example in examples]
    return SpanParser(Domain(), config, make_encoder(config.encoder, words, config.frozen_layers))


def span_items(parser: SpanParser, examples: Sequence[Example[Any]]) -> Sequence[Any]:
    """Examples made ready for training; annotated by lexicon if trees are trained on."""
    return parser.training_items(list(examples))[0]


def make_graph_parser(
    settings: Mapping[str, Any], examples: Sequence[Example[Any]]
) -> tuple[GraphParser, int]:
    """An untrained graph parser, and how many examples it cannot learn from."""
    config, _ = graph_settings(settings)
    # On record "latent" learns its phrase rules, and "declared" takes those of the domain.
    learned = settings["composition"] == "latent"
    parser = GraphParser(replace(FILMS, phrases=()) if learned else FILMS, config)
    parser.prepare(examples)
    return parser, len(parser.training_items(examples)[1])


def graph_settings(settings: Mapping[str, Any]) -> tuple[GraphParserConfig, TrainingConfig]:
    """Settings of a graph parser and of its training over the presets."""
    settings = {**settings, "composition": settings["composition"].replace("declared", "latent")}
    every = {**GraphParser.presets(FILMS, settings, {}, 0), **settings}
    loop = {one.name for one in fields(TrainingConfig)}
    return (
        from_dict(GraphParserConfig, {k: v for k, v in every.items() if k not in loop}),
        from_dict(TrainingConfig, {k: v for k, v in every.items() if k in loop}),
    )


def graph_items(parser: GraphParser) -> Sequence[Any]:
    """What a graph parser trains on."""
    return parser.training_items([])[0]


def batch_loss(parser: Any, items: Sequence[Any]) -> tuple[Tensor, int]:
    """The loss of a batch, and how many items it could learn from."""
    report = parser.loss(items)
    return report.loss, report.reached


def chart_of(parser: SpanParser, example: Example[Any]) -> Chart:
    """The chart of a question under a parser's scores."""
    scores = parser.scores(example.question)
    best = compiled.best(scores, parser.algebra)
    assert best is not None
    gold = TargetAlgebra(parser.types, parser.types.check(example.meaning))
    target = gold if parser.config.ternary else gold.without_ternary()
    names = [parser.domain.constants[int(column)].category for column in scores.columns]

    def posterior(found: Marginals) -> Posterior:
        return Posterior(found.log_partition, found.constants, found.join, names)

    return Chart(
        best.score,
        str(program_of(best.tree, parser.types)),
        posterior(compiled.marginals(scores, parser.algebra)),
        posterior(compiled.marginals(scores, target)),
    )


def shipped_geography() -> SpanParser:
    """The span parser that comes with the package.

    Probabilities on record are those among meanings, before they are fitted to what is right.
    """
    parser = SpanParser.from_pretrained("geography")
    parser.confidence = None
    return parser


def shipped_films() -> GraphParser:
    """The graph parser that comes with the package.

    Probabilities on record are those among meanings, before they are fitted to what is right.
    """
    parser = GraphParser.from_pretrained("films")
    parser.confidence = None
    return parser


def span_predictions(
    parser: SpanParser, examples: Sequence[Example[Any]], k: int = 1
) -> list[Prediction]:
    """The best programs of questions; of a single one the probability may be unknown."""

    def one(parse: Any) -> Prediction:
        others = tuple(one(other) for other in parse.alternatives)
        text = None if parse.meaning is None else text_of(parse.meaning)
        return Prediction(text, parse.probability, parse.score, others)

    return [one(parse) for parse in parser.parse([e.question for e in examples], k)]


def graph_predictions(parser: GraphParser, examples: Sequence[Example[Any]]) -> list[Prediction]:
    """The query graphs of questions."""
    return [
        Prediction(None if one.meaning is None else text_of(one.meaning), one.probability)
        for one in parser.parse_examples(examples)
    ]


def train_span(
    examples: Sequence[Example[Any]],
    dev: Sequence[Example[Any]],
    settings: Mapping[str, Any],
    loop: Mapping[str, Any],
    folder: Path,
) -> Trained:
    """Train a span parser; its figures are denotation and exact match."""
    session = train(
        SpanParser,
        Domain(),
        Dataset("geography", "iid", list(examples), list(dev), []),
        from_dict(SpanParserConfig, settings),
        from_dict(TrainingConfig, loop),
        folder=folder,
        progress=False,
    )
    assert isinstance(session.parser, SpanParser)
    assert session.dev is not None
    assert session.dev.denotation is not None
    return Trained(
        session.parser,
        [(epoch["loss"], list(epoch["dev"].values())) for epoch in session.report.history],
        session.report.best_epoch,
        session.report.usable,
        [session.dev.denotation, session.dev.exact_match],
        session.parser.temperature,
    )


def train_graph(
    examples: Sequence[Example[Any]],
    dev: Sequence[Example[Any]],
    settings: Mapping[str, Any],
    folder: Path,
) -> Trained:
    """Train a graph parser; its figures are exact match and edges match."""
    config, training = graph_settings(settings)
    session = train(
        GraphParser,
        FILMS,
        Dataset("films", "random", list(examples), list(dev), []),
        config,
        training,
        folder=folder,
        progress=False,
    )
    assert session.dev is not None
    return Trained(
        session.parser,
        [(epoch["loss"], list(epoch["dev"].values())) for epoch in session.report.history],
        session.report.best_epoch,
        session.report.usable,
        [session.dev.exact_match, session.dev.partial["edges"]],
        None,
    )

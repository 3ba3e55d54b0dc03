"""GraphParser: predict a query graph, its edges grounded in the question (Gai et al. 2021)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Self

import torch

from partwise.encoders.functions import Function
from partwise.encoders.storage import write_json
from partwise.errors import DataError, PartwiseError
from partwise.graph.config import GraphParserConfig, presets, variant
from partwise.graph.flat import FlatStrategy
from partwise.graph.grounding.losses import Loss, loss_of
from partwise.graph.grounding.network import Ensemble, GraphDecoder, GroundedDecoder, functions_of
from partwise.graph.inference import (
    STRATEGIES,
    VOCABULARY,
    WORD_CLASSES,
    GraphInference,
    read_strategy,
)
from partwise.graph.recombination import item_recombination
from partwise.graph.strategy import DecodingStrategy
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.trainer import LossReport


class GraphParser(GraphInference, NeuralParser[QueryGraph]):
    """The graph-based parser over a domain; it has a strategy and a network once it has learned."""

    held_out: ClassVar[int] = 500
    runs_to_choose: ClassVar[bool] = False
    near_best: ClassVar[bool] = True
    network: GraphDecoder
    loss_of_batch: Loss

    @classmethod
    def presets(
        cls, domain: GraphDomain, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        return presets(domain, given, of_data)

    @classmethod
    def variant(cls, domain: GraphDomain, config: GraphParserConfig) -> str:
        return variant(config)

    @classmethod
    def create(cls, domain: GraphDomain, config: GraphParserConfig) -> Self:
        """An untrained parser; a `PartwiseError` for a domain of other meanings."""
        if not isinstance(domain, GraphDomain):
            raise PartwiseError(f"{domain!r:.60} is no domain of query graphs")
        return cls(domain, config)

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[QueryGraph]]) -> None:
        """Learn vocabularies and draw the first weights; a `DataError` if nothing is usable."""
        strategy = STRATEGIES[self.config.composition].learn(self.domain, self.config, train)
        if len(strategy.unusable) == len(train):
            first = f"; the first: {strategy.unusable[0][1]}" if train else ""
            raise DataError(f"none of the {len(train)} training questions is usable{first}")
        self.build(strategy)

    def build(self, strategy: DecodingStrategy[Any]) -> None:
        known = strategy.vocabularies
        sizes = len(known.tags), len(known.words)
        members = [
            GroundedDecoder(*sizes, known.labels, self.config) for _ in range(self.config.members)
        ]
        self.use(strategy)
        self.loss_of_batch = loss_of(strategy)
        self.network = members[0] if len(members) == 1 else Ensemble(members)

    def network_functions(self) -> Mapping[str, Function]:
        functions = functions_of(self.network)
        return {name: functions[name] for name in self.strategy.networks}

    def training_items(
        self, examples: Sequence[Example[QueryGraph]]
    ) -> tuple[list[Any], Unusable[QueryGraph]]:
        return list(self.strategy.items()), self.strategy.unusable

    def length(self, item: Any) -> int:
        return self.strategy.length(item)

    def variation(
        self, train: Sequence[Example[QueryGraph]]
    ) -> Callable[[Any, Random], Any] | None:
        """Recombination of noun phrases, for the flat strategy."""
        if self.config.recombination and isinstance(self.strategy, FlatStrategy):
            return item_recombination(self.strategy)
        return None

    def loss(self, batch: Sequence[Any]) -> LossReport:
        """Minus the joint log-likelihood of a batch of items (paper, equation 2)."""
        with self.clock.part("network"):
            losses = [self.loss_of_batch(decoder, batch) for decoder in self.decoders]
            return LossReport(torch.stack(losses).sum(), len(batch))

    @property
    def decoders(self) -> list[GroundedDecoder]:
        """The decoders that learn apart."""
        return [module for module in self.network.modules() if isinstance(module, GroundedDecoder)]

    def selection_metrics(self, scores: Any) -> dict[str, float]:
        """Exact match, then edges; by the paper's protocol edges, as no more is predicted."""
        edges = {"edges_match": scores.partial.get("edges", 0.0)}
        whole = {"exact_match": scores.exact_match}
        return edges if self.config.protocol == "paper" else whole | edges

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        labels, settings = self.strategy.vocabularies.labels, self.config
        return {
            "about": f"Composition: {settings.composition}. Encoder: {settings.encoder}. "
            f"{self.parameter_count:,} parameters, {len(labels.relations)} relations, "
            f"{len(labels.attributes)} attributes."
        }

    def write_files(self, folder: Path) -> None:
        known = self.strategy.vocabularies
        write_json(folder / VOCABULARY, known.to_dict())
        if known.classes is not None:
            write_json(folder / WORD_CLASSES, known.classes.to_dict())

    @classmethod
    def builder(
        cls, domain: Any, config: GraphParserConfig, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        strategy = read_strategy(domain, config, saved, folder)

        def build() -> Any:
            parser = cls(domain, config)
            parser.build(strategy)
            return parser

        return build

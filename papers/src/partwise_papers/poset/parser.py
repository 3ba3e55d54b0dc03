"""PosetParser: predicts a sketch, primitives, and which steps of the sketch filled with these hold.

The three parts share an encoder and are trained together, on the sum of their losses; the paper
trains them apart. Its path classifier sees whole paths filled in all ways, whose number grows with
a power of their length; this one sees a step at a time, see `PosetNetwork.step_odds`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from partwise.encoders.base import load_encoder, make_encoder
from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError, DataError, PartwiseError, QueryError
from partwise.evaluation.confidence import ScoredMeaning
from partwise.interface.data import Example
from partwise.interface.settings import setting, to_record, variant_of
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import Head, QueryGraph
from partwise.language.text import Words, tokenize
from partwise.training.neural import Unusable
from partwise.training.store import ENCODER, SavedParser
from partwise.training.trainer import LossReport
from partwise.training.weights import save_encoder
from partwise_papers.poset.network import PosetConfig, PosetNetwork
from partwise_papers.poset.phrases import Item, PhraseTable, entities
from partwise_papers.poset.sketch import (
    Filled,
    Primitive,
    Step,
    compose_query,
    differing_relations,
    fillings,
    likeliest,
    sketch_of,
    with_primitives,
)
from partwise_papers.seq2seq.base import EncodingParser

FEWEST, MOST = 20, 200
"""Epochs of many training questions, and of very few."""
READ = 40_000
"""Questions that are read in all epochs together where that is no more epochs than `MOST`."""
SAID = 0.5
"""The least probability of a primitive that a query must have."""
KNOWN = "known.json"


@dataclass(frozen=True, kw_only=True)
class SavedPoset(SavedParser):
    """What config.json says of a poset parser.

    Attributes:
        encoder: the encoder's kind and settings.
        variables: how many a sketch may have.
    """

    encoder: dict[str, Any]
    variables: int = setting(least=1, most=100)


class PosetParser(EncodingParser[QueryGraph]):
    """Hierarchical poset decoding; for domains of query graphs, entities being placeholders.

    Attributes:
        table: which words may stand for which primitives.
        differing: relations whose ends must differ.
        network: the network, there once the parser has learned.
    """

    kind: ClassVar[str] = "poset"
    Config = PosetConfig
    Saved = SavedPoset
    runs_to_choose: ClassVar[bool] = False
    domain: GraphDomain
    config: PosetConfig
    table: PhraseTable
    differing: list[str]
    network: PosetNetwork

    @classmethod
    def presets(
        cls, domain: Any, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        """Settings to use where the user gives none."""
        epochs = max(FEWEST, min(MOST, READ // max(1, size)))
        return {"epochs": epochs, "batch_size": 16, "keep": "last"}

    @classmethod
    def variant(cls, domain: Any, config: PosetConfig) -> str:
        """``poset``, and whatever is not by default."""
        return variant_of(cls.kind, config, to_record(PosetConfig()))

    @classmethod
    def create(cls, domain: Any, config: PosetConfig) -> Self:
        """An untrained parser; its network is made when it is trained; raises PartwiseError for a
        domain of other meanings than query graphs."""
        if not isinstance(domain, GraphDomain):
            raise PartwiseError(f"{domain!r:.60} is no domain of query graphs")
        return cls(domain, config)

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[QueryGraph]]) -> None:
        """Learn the phrase table and the vocabularies from train, and draw the first weights;
        raises DataError if no query says anything."""
        config = self.config
        questions = [tokenize(example.question) for example in train]
        made = [
            {primitive for _, primitive in with_primitives(example.meaning)} for example in train
        ]
        primitives = sorted(set().union(*made))
        if not primitives:
            raise DataError("no training query says anything; check the training file")
        pairs = [(words.words, some) for words, some in zip(questions, made, strict=True)]
        self.table = PhraseTable.learn(pairs, config.phrase, config.aligned)
        self.differing = differing_relations(example.meaning for example in train)
        encoder = make_encoder(config.encoder, questions, config.frozen_layers)
        variables = max(1, *(len(example.meaning.variables) for example in train))
        self.network = PosetNetwork(config, encoder, primitives, variables)

    def training_items(
        self, examples: Sequence[Example[QueryGraph]]
    ) -> tuple[list[Item], Unusable[QueryGraph]]:
        """Examples made ready, and those that cannot be used, with the reason."""
        items: list[Item] = []
        unusable: Unusable[QueryGraph] = []
        for example in examples:
            words = tokenize(example.question)
            reason = self.unfit(words)
            if not set(example.meaning.entities) <= set(entities(words)):
                reason = "its query has nodes that the question does not name"
            if reason is not None:
                unusable.append((example, reason))
                continue
            items.append(Item.of(words, example.meaning, self.table))
        return items, unusable

    def length(self, item: Item) -> int:
        """The number of filled steps."""
        return item.size

    def loss(self, batch: Sequence[Item]) -> LossReport:
        """Minus the log-likelihood of all decisions on a question, of the three parts together."""
        with self.clock.part("network"):
            network = self.network
            memory = network.encode([item.words for item in batch])
            traversed = network.traversal.gold([item.poset for item in batch], memory)
            spoken = network.spoken([item.proposed for item in batch], memory)
            nodes = network.nodes([item.words for item in batch], traversed, memory)
            which = network.primitive_odds(spoken, memory)
            candidates = [item.candidates() for item in batch]
            whether = network.step_odds(candidates, spoken, nodes, memory)
            total = traversed.loss
            for item, some, one, other in zip(batch, candidates, which, whether, strict=True):
                total = total + item.judged(some, one, other)
            return LossReport(total / len(batch), len(batch))

    # --- prediction ----------------------------------------------------------------------

    def decode(
        self, batch: Sequence[Words], k: int
    ) -> list[tuple[list[ScoredMeaning[QueryGraph]], str]]:
        """See `EncodingParser`; entities are written as placeholders, M0, M1, ..., and there are no
        alternatives."""
        with self.without_dropout(), self.clock.part("network"):
            return self._decode(batch)

    def _decode(self, batch: Sequence[Words]) -> list[tuple[list[ScoredMeaning[QueryGraph]], str]]:
        network = self.network
        memory = network.encode(batch)
        traversed = network.traversal.predict(memory)
        sketches = [sketch_of(after) for after in traversed.found]
        spoken = network.spoken([self.table.found(words.words) for words in batch], memory)
        odds = network.primitive_odds(spoken, memory)
        shares = [
            dict(zip(numbers, some.sigmoid().tolist(), strict=True))
            for numbers, some in zip(spoken.numbers, odds, strict=True)
        ]
        candidates = [
            fillings(steps, _above(self.config.kept, some), entities(words))
            for (_, steps), some, words in zip(sketches, shares, batch, strict=True)
        ]
        nodes = network.nodes(batch, traversed, memory)
        odds = network.step_odds(candidates, spoken, nodes, memory)
        return [
            self._meaning(*one)
            for one in zip(batch, sketches, shares, candidates, odds, traversed.scores, strict=True)
        ]

    def _meaning(
        self,
        words: Words,
        sketch: tuple[Head, Collection[Step]],
        shares: Mapping[Primitive, float],
        candidates: Sequence[Filled],
        odds: Tensor,
        score: float,
    ) -> tuple[list[ScoredMeaning[QueryGraph]], str]:
        head, steps = sketch
        needed = {*steps, *_above(SAID, shares), *entities(words)}
        chosen = likeliest(needed, candidates, odds.tolist())
        if not chosen:
            return [], "no step of its sketch can be filled"
        signs = torch.tensor([1.0 if candidate in chosen else -1.0 for candidate in candidates])
        score += float(logsigmoid(odds.cpu() * signs).sum())
        try:
            return [ScoredMeaning(compose_query(head, chosen, self.differing), (score,))], ""
        except QueryError as error:
            return [], str(error)

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """The encoder, the size of sketches, and a line for the card."""
        network = self.network
        return {
            "about": f"Hierarchical poset decoding. Encoder: {network.encoder.name}. "
            f"{self.parameter_count:,} parameters, {len(network.primitives)} primitives.",
            "encoder": network.encoder.config(),
            "variables": network.variables,
        }

    def write_files(self, folder: Path) -> None:
        """Write the phrase table and the primitives, and the encoder's files."""
        known = {
            "primitives": [list(primitive) for primitive in self.network.primitives],
            "differing": self.differing,
            "phrases": self.table.to_json(),
        }
        write_json(folder / KNOWN, known)
        save_encoder(self.network.encoder, folder)

    @classmethod
    def builder(
        cls, domain: Any, config: PosetConfig, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser, its weights still to be filled in."""
        try:
            known = read_json(folder / KNOWN)
            table = PhraseTable.from_json(known["phrases"])
            primitives = [Primitive(str(p), str(c)) for p, c in known["primitives"]]
            differing = [str(one) for one in known["differing"]]
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(
                f"{KNOWN} is damaged ({type(error).__name__}: {error}); copy the parser or train "
                "it again"
            ) from error

        def build() -> Any:
            parser = cls(domain, config)
            parser.table, parser.differing = table, differing
            encoder = load_encoder(saved["encoder"], folder / ENCODER)
            parser.network = PosetNetwork(config, encoder, primitives, saved["variables"])
            return parser

        return build


def _above(least: float, shares: Mapping[Primitive, float]) -> list[Primitive]:
    """The primitives that are at least so probable."""
    return [primitive for primitive, share in shares.items() if share >= least]

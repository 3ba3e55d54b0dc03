"""GraphParser: predict a query graph, its edges grounded in the question (Gai and Jain 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import torch
from torch import nn

from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import DataError, PartwiseError
from partwise.graph.composed import ComposedReading
from partwise.graph.config import GraphParserConfig
from partwise.graph.flat import FlatReading, given_variables, unfit
from partwise.graph.grounding.implied import Implications
from partwise.graph.grounding.network import Committee, GroundedDecoder
from partwise.graph.grounding.sequence import Pretrained
from partwise.graph.phrases.tagging import Tagger, Tokens
from partwise.graph.reading import Reading, Unusable
from partwise.graph.result import GraphParse
from partwise.graph.vocabularies import Vocabularies
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph
from partwise.training.clock import Clock
from partwise.training.hub import find_pretrained
from partwise.training.trainer import LossReport

if TYPE_CHECKING:
    from partwise.graph.asking import Asker, Reply

READINGS: dict[str, type[FlatReading] | type[ComposedReading]] = {
    "flat": FlatReading,
    "declared": ComposedReading,
    "latent": ComposedReading,
}


class GraphParser(nn.Module):
    """The graph-based parser over a domain.

    Args:
        domain: the language; its word lists, and for composed reading its phrase rules.
        reading: how questions become sequences.
        files: of a pretrained encoder whose weights are still to be filled in.
    """

    kind = "graph"

    def __init__(
        self,
        domain: GraphDomain,
        config: GraphParserConfig,
        reading: Reading,
        files: Path | None = None,
    ) -> None:
        super().__init__()
        self.domain, self.config, self.reading = domain, config, reading
        members = [self._decoder(files) for _ in range(config.members)]
        self.network = members[0] if len(members) == 1 else Committee(members)
        self.tagger = Tagger(domain)
        self.clock = Clock()
        self._asker: Asker | None = None

    def _decoder(self, files: Path | None) -> GroundedDecoder:
        known = self.reading.vocabularies
        labels, composed = known.labels, known.labels.answers
        sizes = len(labels.attributes), len(labels.relations)
        return GroundedDecoder(
            tags=len(known.tags),
            words=len(known.words),
            labels=labels.size,
            config=self.config,
            structural=labels.structural,
            implications=Implications(*sizes) if composed else None,
            lexical=labels.plus if labels.attributes else None,
            files=files,
        )

    @property
    def decoders(self) -> list[GroundedDecoder]:
        """The decoders that learn apart."""
        found = self.network.members if isinstance(self.network, Committee) else [self.network]
        return [one for one in found if isinstance(one, GroundedDecoder)]

    @staticmethod
    def for_training(
        domain: GraphDomain, config: GraphParserConfig, examples: Sequence[Example[QueryGraph]]
    ) -> tuple[GraphParser, Unusable]:
        """A parser with all vocabularies from training questions, its weights still at random.

        Returns:
            The parser, and the questions that it cannot learn from, with the reason.

        Raises:
            DataError: if no question can be used.
        """
        reading, unusable = READINGS[config.composition].learn(domain, config, examples)
        if len(unusable) == len(examples):
            first = f"; the first: {unusable[0][1]}" if unusable else ""
            raise DataError(f"none of the {len(examples)} training questions is usable{first}")
        return GraphParser(domain, config, reading), unusable

    @property
    def size(self) -> int:
        """Number of parameters."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    @property
    def encoders(self) -> list[PretrainedEncoder]:
        """The pretrained encoder of each decoder, if there are any."""
        sequences = [decoder.sequence for decoder in self.decoders]
        return [one.encoder for one in sequences if isinstance(one, Pretrained)]

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters of a pretrained encoder, which learn slowly."""
        return [p for encoder in self.encoders for p in encoder.parameters()]

    # --- prediction ----------------------------------------------------------------------

    @overload
    def parse(self, question: str, explain: bool = False) -> GraphParse: ...

    @overload
    def parse(
        self, question: list[str] | tuple[str, ...], explain: bool = False
    ) -> list[GraphParse]: ...

    def parse(
        self, question: str | list[str] | tuple[str, ...], explain: bool = False
    ) -> GraphParse | list[GraphParse]:
        """The query graph of one question or of many, entities written as M0, M1, ...

        `partwise.graph.linking` puts these in the place of names.

        Args:
            explain: whether the words that ground a triple are weighed by what they add to it,
                and not by attention alone; slower.
        """
        if isinstance(question, str):
            return self._parse_all([question], None, explain)[0]
        return self._parse_all(question, None, explain)

    def parse_examples(self, examples: Sequence[Example[QueryGraph]]) -> list[GraphParse]:
        """Graphs of examples; under the paper's protocol they give their numbers of variables."""
        given = None
        if self.config.protocol == "paper":
            given = [given_variables(example.meaning) for example in examples]
        return self._parse_all([example.question for example in examples], given)

    @torch.no_grad()
    def _parse_all(
        self, questions: Sequence[str], variables: Sequence[int] | None, explain: bool = False
    ) -> list[GraphParse]:
        tokens = [self.tagger(question) for question in questions]
        results = {
            number: GraphParse(some.question, tokens=some, reason=reason)
            for number, some in enumerate(tokens)
            if (reason := self._unfit(some)) is not None
        }
        fit = [number for number in range(len(tokens)) if number not in results]
        training = self.training
        self.eval()
        try:
            given = None if variables is None else [variables[number] for number in fit]
            found = self.reading.parse(
                self.network, [tokens[number] for number in fit], given, explain
            )
        finally:
            self.train(training)
        results.update(zip(fit, found, strict=True))
        return [results[number] for number in range(len(tokens))]

    def _unfit(self, tokens: Tokens) -> str | None:
        reason = unfit(tokens, None, self.config)
        for encoder in self.encoders[:1] if reason is None else []:
            if not encoder.fits(tokens.question):
                reason = f"the question is too long for the encoder ({encoder.limit} pieces)"
        return reason

    # --- training ------------------------------------------------------------------------

    def loss(self, batch: Sequence[Any]) -> LossReport:
        """Minus the joint log-likelihood of a batch of `reading.items` (paper, equation 2)."""
        with self.clock.part("network"):
            losses = [self.reading.loss(decoder, batch) for decoder in self.decoders]
            return LossReport(torch.stack(losses).sum(), len(batch))

    @overload
    def __call__(self, question: str) -> Reply: ...

    @overload
    def __call__(self, question: list[str] | tuple[str, ...]) -> list[Reply]: ...

    def __call__(self, question: str | list[str] | tuple[str, ...]) -> Reply | list[Reply]:
        """The answer of one question in plain English or of many, from the knowledge graph that
        comes with the package; for another one see `partwise.graph.asking.Asker`.

        Raises:
            DataError: for a domain whose graph does not come with the package.
            ExecutionError: if the file cannot be loaded.
        """
        from partwise.graph.asking import shipped_asker

        if self._asker is None:
            self._asker = shipped_asker(self)
        if isinstance(question, str):
            return self._asker([question])[0]
        return self._asker(question)

    # --- saving --------------------------------------------------------------------------

    def save(
        self, folder: str | Path, facts: Mapping[str, Any] | None = None, half: bool = False
    ) -> None:
        """Write the parser to a folder; see `partwise.graph.store.save`."""
        from partwise.graph import store

        store.save(self, Path(folder), facts, half)

    save_pretrained = save

    @classmethod
    def from_pretrained(cls, name: str | Path, domain: GraphDomain | None = None) -> GraphParser:
        """A saved parser: a folder, one that comes with the package (``films``), or a Hugging
        Face repository OWNER/NAME; see `partwise.training.hub.find_pretrained`.

        Args:
            domain: needed for a domain that is not built in.

        Raises:
            CheckpointError: if there is none, it cannot be fetched, or is damaged.
        """
        return cls.load(find_pretrained(name), domain)

    @classmethod
    def load(cls, folder: str | Path, domain: GraphDomain | None = None) -> GraphParser:
        """Read a parser from a folder; see `partwise.graph.store.load`.

        Args:
            domain: needed for a domain that is not built in.
        """
        from partwise.graph import store
        from partwise.interface.registry import GRAPH_DOMAINS

        return store.load(Path(folder), GRAPH_DOMAINS, domain)

    @staticmethod
    def with_vocabularies(
        domain: GraphDomain,
        config: GraphParserConfig,
        vocabularies: Vocabularies,
        files: Path | None = None,
    ) -> GraphParser:
        """A parser that knows these names, its weights still to be filled in.

        Args:
            files: of its pretrained encoder, if it has one.

        Raises:
            PartwiseError: if the domain's phrase rules are not those of training.
        """
        if config.composition == "declared" and vocabularies.rules != domain.phrases:
            raise PartwiseError(f"the phrase rules of {domain.name} have changed since training")
        reading = READINGS[config.composition](domain, config, vocabularies)
        return GraphParser(domain, config, reading, files)

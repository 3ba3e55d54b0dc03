"""RetrievalParser: CBR-KBQA (Das et al. 2021) on the core of sequence-to-sequence parsers.
Relations of a written query are revised to those that the domain declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from partwise.encoders.base import load_encoder, make_encoder
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.interface.settings import setting
from partwise.language.domain import Domain
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph, Triple, with_filters
from partwise.language.text import Words, tokenize
from partwise.training.store import ENCODER, SavedParser
from partwise.training.weights import save_encoder
from partwise_papers.retrieval.retriever import (
    Case,
    Retriever,
    mask,
    names_of,
    read_cases,
    relations,
    with_cases,
    write_cases,
)
from partwise_papers.seq2seq.config import STACK, Seq2SeqConfig
from partwise_papers.seq2seq.decoding import UNKNOWN
from partwise_papers.seq2seq.parser import SavedSeq2Seq, Seq2SeqParser


@dataclass(frozen=True)
class RetrievalConfig(Seq2SeqConfig):
    """How a retrieval parser is built.

    Attributes:
        cases: How many cases are read beside a question; 0 for none.
        room: Most words that are read, of a question and its cases; cases that do not fit are left
            out.
        retriever: Encoder of the questions to be compared: bilstm, minilm, or a Hugging Face folder
            or name.
        retriever_epochs: Passes over the training questions in which the retriever learns.
        revise: Whether relations of an impossible query are replaced.
    """

    GONE: ClassVar[frozenset[str]] = frozenset({"agreement"})
    system: str = "cbr"
    cases: int = setting(4, least=0, most=100)
    room: int = setting(400, least=1, most=10_000)
    retriever: str = "bilstm"
    retriever_epochs: int = setting(5, least=0, most=1000)
    revise: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.retriever == STACK:
            raise PartwiseError("the retriever cannot be a stack; choose bilstm or minilm")


Likeness = Callable[[str, str], float]
"""How near two relations are, each as `text_of` writes it; more is nearer."""


def text_of(triple: Triple, attribute: bool) -> str:
    """A triple's relation; that of an attribute with its constant."""
    return f"{triple.predicate} {triple.object}" if attribute else triple.predicate


def revise_query(graph: QueryGraph, domain: GraphDomain, likeness: Likeness) -> QueryGraph:
    """A query with relations that the domain declares, each variable being something.

    The paper (Das et al. 2021, section 2.3) replaces relations that the question's entities do not
    have in the knowledge base by the nearest that they have there. Placeholders are no entities of
    a knowledge base, so the domain decides: a relation that it does not declare is replaced by the
    nearest, and of a query that it calls impossible one relation, by the nearest that makes the
    query possible. If none does, the query is left as it is.
    """
    if not domain.relations:
        return graph
    for triple in sorted(_find_undeclared(graph, domain)):
        changes = list(_changes(graph, triple, domain, likeness))
        # A possible query comes first, then the nearest relation.
        best = max(changes, key=lambda one: (domain.is_possible(one[1]), one[0]), default=None)
        graph = graph if best is None else best[1]
    if domain.is_possible(graph):
        return graph
    changes = [
        change
        for triple in graph
        for change in _changes(graph, triple, domain, likeness)
        if domain.is_possible(change[1])
    ]
    return max(changes, key=lambda one: one[0], default=(0.0, graph))[1]


def _find_undeclared(graph: QueryGraph, domain: GraphDomain) -> set[Triple]:
    relations = {relation.predicate for relation in domain.relations}
    attributes = {(attribute.predicate, attribute.constant) for attribute in domain.attributes}
    edges = {edge for edge in graph.edges if edge.predicate not in relations}
    return edges | {attribute for attribute in graph.attributes if attribute[1:] not in attributes}


def _changes(
    graph: QueryGraph, triple: Triple, domain: GraphDomain, likeness: Likeness
) -> Iterable[tuple[float, QueryGraph]]:
    """The query with another relation in a triple, with how near that is to the former."""
    attribute = triple in graph.attributes
    made: Iterable[Triple]
    if attribute:
        made = (
            triple._replace(predicate=a.predicate, object=a.constant) for a in domain.attributes
        )
    else:
        made = (triple._replace(predicate=relation.predicate) for relation in domain.relations)
    before = text_of(triple, attribute)
    for other in made:
        if other not in graph.triples:
            changed = _change(graph, triple, other, domain)
            yield likeness(before, text_of(other, attribute)), changed


def _change(graph: QueryGraph, triple: Triple, other: Triple, domain: GraphDomain) -> QueryGraph:
    """The query with another triple in place of one, and the filters that go with it."""
    if triple in graph.attributes:
        return replace(graph, attributes=graph.attributes - {triple} | {other})
    changed = replace(graph, edges=graph.edges - {triple} | {other})
    return with_filters(changed, domain.differing)


CASES, RETRIEVER = "cases.json", "retriever"


@dataclass(frozen=True, kw_only=True)
class SavedRetrieval(SavedSeq2Seq):
    """What config.json says of a retrieval parser.

    Attributes:
        retriever: the kind and settings of the retriever's encoder.
    """

    retriever: dict[str, Any]


class RetrievalParser(Seq2SeqParser):
    """Writes a meaning with the nearest training cases in view; programs are not revised.

    What differs from the paper: its BigBird, begun from BART's weights, reads up to 4,096 pieces;
    here the core's encoder and decoder are trained from scratch, read `room` words and copy with
    a pointer. What is written with the cases is not drawn to what is written without them (section
    2.2). Its revision asks a knowledge base, here the domain decides; see `revise_query`.

    Attributes:
        retriever: finds the cases; there once the parser has learned.
    """

    kind: ClassVar[str] = "retrieval"
    Config = RetrievalConfig
    Saved: ClassVar[type[SavedParser]] = SavedRetrieval
    config: RetrievalConfig
    retriever: Retriever

    @classmethod
    def create(cls, domain: Any, config: Any) -> Self:
        """An untrained parser; its networks are made when it is trained; raises PartwiseError for a
        domain whose meanings are neither programs nor query graphs."""
        if not isinstance(domain, Domain | GraphDomain):
            raise PartwiseError(f"{domain!r:.60} has no relations to retrieve cases by")
        return super().create(domain, config)

    # --- training ------------------------------------------------------------------------

    def prepare_inputs(self, written: Sequence[tuple[Example[Any], list[str]]]) -> None:
        """Train the retriever."""
        cases = [Case(tokenize(example.question).words, tuple(out)) for example, out in written]
        meanings = [example.meaning for example, _ in written]
        names = names_of(meanings)
        read = [mask(case.words, set(names)) for case in cases]
        self.retriever = Retriever(make_encoder(self.config.retriever, read), cases, names)
        self.retriever.learn(
            [relations(meaning) for meaning in meanings], self.config.retriever_epochs
        )

    def inputs(self, questions: Sequence[Words]) -> list[Words]:
        """Questions with the nearest cases behind them."""
        found = self._nearest(questions)
        return [self._fitting(*pair) for pair in zip(questions, found, strict=True)]

    def _nearest(self, questions: Sequence[Words]) -> list[list[Case]]:
        with self.without_dropout(), self.clock.part("retriever"):
            return self.retriever.nearest(questions, self.config.cases)

    def _fitting(self, question: Words, cases: Sequence[Case]) -> Words:
        read = with_cases(question, cases, self.config.room)
        network = getattr(self, "network", None)
        # Without a network the words are only counted.
        while cases and network is not None and not network.encoder.fits(read):
            cases = cases[:-1]
            read = with_cases(question, cases, self.config.room)
        return read

    # --- prediction ----------------------------------------------------------------------

    def meaning(self, output: Sequence[str]) -> Any:
        """The meaning of an output, its relations revised; see `Seq2SeqParser.meaning`."""
        meaning = super().meaning(output)
        if self.config.revise and isinstance(self.domain, GraphDomain):
            return revise_query(meaning, self.domain, self.likeness)
        return meaning

    @torch.no_grad()
    def likeness(self, one: str, other: str) -> float:
        """The cosine of two relations, by the network's vectors of their tokens.

        They stand for the paper's pretrained vectors: relations of Wikidata are numbers without
        names, and there is no knowledge base to train TransE on.
        """
        return float(cosine_similarity(self._vector(one), self._vector(other), dim=0))

    def _vector(self, relation: str) -> Tensor:
        numbers = self.network.vocabulary.numbers
        rows = [numbers.get(token, UNKNOWN) for token in relation.split()]
        return self.network.embedding.weight[rows].mean(0)

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """The encoders, and a line for the card."""
        said = super().described()
        about = f"{said['about']} {len(self.retriever.cases):,} cases, {self.config.cases} read."
        return {**said, "about": about, "retriever": self.retriever.encoder.config()}

    def write_files(self, folder: Path) -> None:
        """Write what the core writes, the cases, and the files of the retriever's encoder."""
        super().write_files(folder)
        write_cases(folder / CASES, self.retriever.cases, self.retriever.names)
        place = folder / RETRIEVER
        place.mkdir(exist_ok=True)
        save_encoder(self.retriever.encoder, place)

    @classmethod
    def builder(
        cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser, its weights still to be filled in."""
        build_core = super().builder(domain, config, saved, folder)
        names, cases = read_cases(folder / CASES)

        def build() -> Any:
            parser = build_core()
            encoder = load_encoder(saved["retriever"], folder / RETRIEVER / ENCODER)
            parser.retriever = Retriever(encoder, cases, names).requires_grad_(False)
            return parser

        return build

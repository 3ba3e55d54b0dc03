"""The retriever: training cases whose relations are likely those of a question.

A case is a training example that is kept to be read beside a question. Cases are alike by the
relations of their meanings (Das et al. 2021, section 2.1), and questions are compared without their
entities.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from partwise.encoders.base import Encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError
from partwise.language.program import Term
from partwise.language.query_graph import QueryGraph
from partwise.language.text import Words, split

PLACEHOLDER = re.compile(r"m\d+")
BLANK = "[blank]"
"""What stands for an entity, as in the paper."""
Names = Collection[tuple[str, ...]]
"""Names of entities, by their words."""


def relations(meaning: QueryGraph | Term) -> frozenset[str]:
    """What a meaning says, without the entities.

    Of a query its relations, and its attributes with their constants, which MCWQ's questions
    spell ("Spanish") as others spell relations. Of a program its predicates and constants.
    """
    if isinstance(meaning, Term):
        return frozenset(part.symbol for part in meaning.walk() if not part.quoted)
    attributes = (f"{attribute.predicate} {attribute.object}" for attribute in meaning.attributes)
    return frozenset([*(edge.predicate for edge in meaning.edges), *attributes])


def overlap(some: Sequence[Collection[str]]) -> Tensor:
    """``[meanings, meanings]``: F1 of the relations of each two (Das et al. 2021, section 2.1)."""
    numbers = {name: number for number, name in enumerate(sorted(set().union(*some)))}
    there = torch.zeros(len(some), max(1, len(numbers)))
    for row, names in enumerate(some):
        there[row, [numbers[name] for name in names]] = 1.0
    sizes = there.sum(1)
    return 2 * there @ there.T / (sizes[:, None] + sizes[None]).clamp(min=1)


def names_of(meanings: Sequence[QueryGraph | Term]) -> list[tuple[str, ...]]:
    """The names in programs, by their words, in order; queries have placeholders."""
    terms = (meaning for meaning in meanings if isinstance(meaning, Term))
    found = {split(part.symbol) for term in terms for part in term.walk() if part.quoted}
    return sorted(one for one in found if one)


def mask(words: Sequence[str], names: Names) -> Words:
    """A question whose placeholders and names of entities are blanks; the longest name counts."""
    longest = max(map(len, names), default=0)
    made: list[str] = []
    place = 0
    while place < len(words):
        sizes = range(min(longest, len(words) - place), 0, -1)
        found = (size for size in sizes if tuple(words[place : place + size]) in names)
        size = next(found, 1 if PLACEHOLDER.fullmatch(words[place]) else 0)
        made.append(BLANK if size else words[place])
        place += max(1, size)
    return join_words(made)


def join_words(words: Sequence[str]) -> Words:
    """Words as a text with blanks between."""
    offsets: list[tuple[int, int]] = []
    place = 0
    for word in words:
        offsets.append((place, place + len(word)))
        place += len(word) + 1
    return Words(" ".join(words), tuple(words), tuple(offsets))


CASE, QUERY = "<case>", "<query>"
"""What stands before the question and before the output of a case."""


class Case(NamedTuple):
    """A training example as it is read: the words of its question, the tokens of its output."""

    words: tuple[str, ...]
    output: tuple[str, ...]


def with_cases(question: Words, cases: Sequence[Case], room: int) -> Words:
    """What is read: a question, then the questions and outputs of cases, as many as fit."""
    words = list(question.words)
    for case in cases:
        more = [CASE, *case.words, QUERY, *case.output]
        if len(words) + len(more) > room:
            break
        words += more
    return join_words(words) if len(words) > len(question) else question


def write_cases(file: Path, cases: Sequence[Case], names: Names) -> None:
    """Write what `read_cases` reads."""
    rows = [[list(part) for part in case] for case in cases]
    write_json(file, {"names": sorted(map(list, names)), "cases": rows})


def read_cases(file: Path) -> tuple[list[tuple[str, ...]], list[Case]]:
    """Names and cases of a saved parser; raises CheckpointError if the file is damaged."""
    values = read_json(file)
    try:
        names = [_texts(row) for row in values["names"]]
        return names, [Case(_texts(words), _texts(output)) for words, output in values["cases"]]
    except (LookupError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{file} is damaged ({type(error).__name__}: {error}); copy or train it again"
        ) from error


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{values!r:.60} is no list of texts")
    # Many cases have the same words.
    return tuple(map(sys.intern, values))


BATCH = 128
"""Questions that are encoded together; in training, those that are told apart."""
SHARPNESS = 10.0
"""What cosines are multiplied by in training, as they are from -1 to 1 alone."""
RATE, PRETRAINED_RATE = 1e-3, 5e-5


class Retriever(nn.Module):
    """Finds the cases nearest to a question, by the cosine of their masked questions' vectors.

    The paper's RoBERTa is any encoder here, the vector of a question is the mean of its words',
    and entities are always masked, not at random.

    Attributes:
        vectors: ``[cases, dim]``, of length one; there once `refresh` was called.
    """

    vectors: Tensor

    def __init__(self, encoder: Encoder, cases: Sequence[Case], names: Names) -> None:
        super().__init__()
        self.encoder, self.cases, self.names = encoder, list(cases), frozenset(names)
        self.register_buffer("vectors", torch.zeros(len(self.cases), encoder.dim))
        self.places: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, case in enumerate(self.cases):
            self.places[case.words].append(place)

    def forward(self, questions: Sequence[Sequence[str]]) -> Tensor:
        """``[questions, dim]``: vectors of length one, by the questions' words."""
        read = [mask(words or (CASE,), self.names) for words in questions]
        vectors = self.encoder(read)[0]
        lengths = torch.tensor([len(words) for words in read], device=vectors.device)
        there = torch.arange(vectors.shape[1], device=vectors.device)[None] < lengths[:, None]
        return normalize((vectors * there[..., None]).sum(1), dim=-1)

    def learn(self, relations: Sequence[frozenset[str]], epochs: int) -> None:
        """Learn from the relations of each case, and keep still from then on.

        The likelihood of each other case of a batch, given a question, goes towards its share of
        the overlap (Das et al. 2021, section 2.1).
        """
        rate = PRETRAINED_RATE if isinstance(self.encoder, PretrainedEncoder) else RATE
        trained = [parameter for parameter in self.parameters() if parameter.requires_grad]
        optimizer = torch.optim.AdamW(trained, rate, fused=True)
        order = list(range(len(self.cases)))
        for _ in range(epochs):
            random.shuffle(order)
            for begin in range(0, len(order), BATCH):
                batch = order[begin : begin + BATCH]
                loss = self.loss(batch, overlap([relations[number] for number in batch]))
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
        self.requires_grad_(False)
        self.refresh()

    def loss(self, batch: Sequence[int], alike: Tensor) -> Tensor:
        """Minus the mean weighted log-likelihood of the other cases of a batch.

        Args:
            batch: numbers of cases.
            alike: ``[cases, cases]``, how much their relations overlap.
        """
        vectors = self([self.cases[number].words for number in batch])
        itself = torch.eye(len(batch), dtype=torch.bool, device=vectors.device)
        scores = SHARPNESS * vectors @ vectors.T
        logs = torch.log_softmax(scores.masked_fill(itself, -1e9), -1)
        weights = alike.to(logs.device).masked_fill(itself, 0.0)
        weights = weights / weights.sum(1, keepdim=True).clamp(min=1e-9)
        return -(weights * logs).sum(1).mean()

    @torch.no_grad()
    def refresh(self) -> None:
        """Encode all cases again."""
        before = self.training
        self.eval()
        for begin in range(0, len(self.cases), BATCH):
            batch = self.cases[begin : begin + BATCH]
            self.vectors[begin : begin + BATCH] = self([case.words for case in batch])
        self.train(before)

    @torch.no_grad()
    def nearest(self, questions: Sequence[Words], count: int) -> list[list[Case]]:
        """The nearest cases of each question, the nearest first.

        Cases with the very same question are left out: in training each question has one, its own,
        and a network that learned without it would be misled by it.

        Args:
            count: how many, at most.
        """
        made: list[list[Case]] = []
        for begin in range(0, len(questions), BATCH):
            batch = [words.words for words in questions[begin : begin + BATCH]]
            scores = self(batch) @ self.vectors.T
            for row, words in enumerate(batch):
                scores[row, self.places.get(words, [])] = -torch.inf
            best = scores.topk(min(count, len(self.cases)), 1)
            for values, places in zip(best.values.tolist(), best.indices.tolist(), strict=True):
                pairs = zip(values, places, strict=True)
                made.append([self.cases[place] for value, place in pairs if value > -1])
        return made

"""The network of a poset parser: an encoder, and a part for each of the three predictions.

The poset decoder (paper, section 3.1) predicts the successors of each path as a set, whose members
are predicted apart from each other and in no order. It runs over the paths of many questions, level
by level. The matcher judges whether a question says something: it is the part of ESIM (Chen et al.
2017) from the question's words to what is judged. As in ESIM, what is judged is read as a sequence
before it is aligned with the words. ESIM also aligns the other way round and composes the question
again; here the encoder has composed it already, and what is judged has few elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, embedding_bag, logsigmoid
from torch.nn.utils.rnn import pad_sequence

from partwise.encoders.base import Encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import PartwiseError
from partwise.interface.settings import check, setting
from partwise.language.text import Words
from partwise_papers.poset.phrases import entity_of
from partwise_papers.poset.sketch import (
    ATTRIBUTE,
    CONSTANT,
    ENTITY,
    HEADS,
    RELATION,
    Filled,
    Path,
    Primitive,
    Successors,
    goes_on,
    is_variable,
)
from partwise_papers.seq2seq.stacks import Memory


@dataclass(frozen=True)
class PosetConfig:
    """How a poset parser is built.

    Attributes:
        encoder: bilstm, minilm, or a Hugging Face folder or name.
        hidden: Size of vectors.
        dropout: Dropout of all parts but the encoder, which has its own.
        phrase: Words of the longest phrase that may stand for a primitive.
        aligned: The least probability with which a phrase stands for a primitive.
        kept: The least probability of a primitive that a sketch is filled with.
        max_words: Longer questions are not parsed.
        frozen_layers: Lowest layers of a pretrained encoder that are not trained.
    """

    encoder: str = "bilstm"
    hidden: int = setting(256, least=8, most=2**12)
    dropout: float = setting(0.2, least=0, below=1)
    phrase: int = setting(2, least=1, most=5)
    aligned: float = setting(0.1, least=0, most=1)
    kept: float = setting(0.2, least=0, most=1)
    max_words: int = setting(80, least=1, most=1000)
    frozen_layers: int = setting(1, least=0, most=100)

    def __post_init__(self) -> None:
        check(self)
        if self.hidden % 2:
            raise PartwiseError(f"hidden {self.hidden} is odd; it is halved for two directions")


class PosetDecoder(nn.Module):
    """One step of a GRU with attention from an element to its successors.

    Args:
        elements: how many there are; number 0 is the top.
        hidden: size of all vectors.
    """

    def __init__(self, elements: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(elements, hidden)
        self.first = nn.Linear(hidden, hidden)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.cell = nn.GRUCell(2 * hidden, hidden)
        self.out = nn.Linear(3 * hidden, elements)
        self.dropout = nn.Dropout(dropout)

    def begin(self, memory: Memory) -> Tensor:
        """``[questions, hidden]``: states before the top, of the mean of the question's vectors."""
        mask = memory.mask[..., None].to(memory.vectors.dtype)
        mean = (memory.vectors * mask).sum(1) / mask.sum(1).clamp(min=1)
        return torch.tanh(self.first(mean))

    def forward(
        self, elements: Tensor, states: Tensor, rows: Tensor, memory: Memory
    ) -> tuple[Tensor, Tensor]:
        """States of paths one element longer, and the log odds of what may follow them.

        Args:
            elements: ``[paths]``, the number of the last one of each.
            states: ``[paths, hidden]``, those of the paths without it.
            rows: ``[paths]``, the number of each path's question.

        Returns:
            ``[paths, hidden]`` and ``[paths, elements]``.
        """
        vectors = memory.vectors[rows]
        query = self.query(states) * states.shape[1] ** -0.5
        scores = (vectors @ query[..., None])[..., 0]
        scores = scores.masked_fill(~memory.mask[rows], -torch.inf)
        read = (torch.softmax(scores, -1)[:, None] @ vectors)[:, 0]
        embedded = self.dropout(self.embedding(elements))
        after = self.cell(torch.cat([embedded, read], -1), states)
        out = self.out(self.dropout(torch.cat([after, read, embedded], -1)))
        return after, out


class Matcher(nn.Module):
    """Scores of sequences of elements, each beside a question (`hidden`: size of all vectors;
    even)."""

    def __init__(self, hidden: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.read = nn.LSTM(hidden, hidden // 2, batch_first=True, bidirectional=True)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.compare = nn.Linear(4 * hidden, hidden)
        self.compose = nn.LSTM(hidden, hidden // 2, batch_first=True, bidirectional=True)
        self.judge = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, 1)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, elements: Tensor, counts: list[int], memory: Memory) -> Tensor:
        """``[sequences]``: the log odds that each is said.

        Args:
            elements: ``[sequences, length, hidden]``, those of the first question first.
            counts: how many sequences each question has.
        """
        if not len(elements):
            return elements.new_zeros(0)
        elements = self.dropout(self.norm(elements))
        elements = elements + self.read(elements)[0]
        read = self._align(elements, counts, memory)
        both = torch.cat([elements, read, elements - read, elements * read], -1)
        composed, _ = self.compose(self.dropout(torch.relu(self.compare(both))))
        pooled = torch.cat([composed.mean(1), composed.amax(1)], -1)
        out: Tensor = self.judge(self.dropout(pooled))[:, 0]
        return out

    def _align(self, elements: Tensor, counts: list[int], memory: Memory) -> Tensor:
        """``[sequences, length, hidden]``: the words that each element attends to."""
        _, length, hidden = elements.shape
        rows = pad_sequence(list(torch.split(elements, counts)), batch_first=True)
        query = self.query(rows).flatten(1, 2) * hidden**-0.5
        scores = query @ memory.vectors.transpose(1, 2)
        weights = torch.softmax(scores.masked_fill(~memory.mask[:, None], -torch.inf), -1)
        read = (weights @ memory.vectors).view(len(counts), -1, length, hidden)
        return torch.cat([one[:count] for one, count in zip(read, counts, strict=True)])


TOP = "<top>"
LIKELY = 0.0
"""Log odds above which an element is a successor."""
MOST = 200
"""Paths of one question; those of more are left without successors."""


def elements_of(variables: int) -> list[str]:
    """All elements by number, with some variables."""
    fixed = [TOP, *HEADS, RELATION, ATTRIBUTE, ENTITY, CONSTANT]
    return [*fixed, *(f"?x{number}" for number in range(variables))]


@dataclass
class Traversed:
    """What came of the paths of some questions.

    Attributes:
        places: of each question, where the state of each path is.
        states: ``[paths, hidden]``, of all questions together.
        loss: minus the log probability of all successors of all questions.
        found: of each question, the successors of each path.
        scores: of each question, the log probability of these.
    """

    places: list[dict[Path, int]]
    states: Tensor
    loss: Tensor
    found: list[Successors] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)


class Traversal:
    """A decoder with the elements that it knows."""

    def __init__(self, decoder: PosetDecoder, elements: Sequence[str]) -> None:
        self.decoder, self.elements = decoder, elements
        self.numbers = {element: number for number, element in enumerate(elements)}
        nodes = [element for element in elements if element.startswith("?")] + [ENTITY]
        self.following = {
            "top": self._some(HEADS),
            "head": self._some(nodes),
            "node": self._some([RELATION, ATTRIBUTE]),
            RELATION: self._some(nodes),
            ATTRIBUTE: self._some([CONSTANT]),
        }

    def _some(self, elements: Iterable[str]) -> list[int]:
        return [self.numbers[element] for element in elements]

    def _may_follow(self, path: Path) -> list[int]:
        if len(path) < 2:
            return self.following["head" if path else "top"]
        return self.following.get(path[-1], self.following["node"])

    def gold(self, posets: Sequence[Successors], memory: Memory) -> Traversed:
        """The loss and the states of posets that are known."""
        run = _Run(self, memory)
        level = [(row, Path()) for row in range(len(posets))]
        while level:
            logits = run.step(level)
            target = torch.zeros_like(logits)
            for one, (row, path) in enumerate(level):
                target[one, self._some(posets[row][path])] = 1.0
            run.losses.append(binary_cross_entropy_with_logits(logits, target, reduction="sum"))
            level = [two for row, path in level for two in _longer(row, path, posets[row])]
        return run.result()

    def predict(self, memory: Memory) -> Traversed:
        """The most probable successors of each path, from the top of each question on."""
        run = _Run(self, memory)
        count = len(memory.mask)
        found: list[Successors] = [{} for _ in range(count)]
        scores = [0.0] * count
        level = [(row, Path()) for row in range(count)]
        while level:
            for (row, path), odds in zip(level, run.step(level), strict=True):
                chosen, score = self._choose(path, odds)
                full = len(run.places[row]) > MOST
                found[row][path] = frozenset() if full else chosen
                scores[row] += score
            level = [two for row, path in level for two in _longer(row, path, found[row])]
        made = run.result()
        made.found, made.scores = found, scores
        return made

    def _choose(self, path: Path, odds: Tensor) -> tuple[frozenset[str], float]:
        """The successors of a path, and the log probability of this choice."""
        numbers = self._may_follow(path)
        some = odds[numbers]
        chosen = some > LIKELY
        if not path:
            chosen = torch.zeros_like(chosen)
        # All but the last nodes of paths have successors.
        if not chosen.any() and (len(path) < 3 or path[-1] in (RELATION, ATTRIBUTE)):
            chosen[some.argmax()] = True
        score = float(logsigmoid(torch.where(chosen, some, -some)).sum())
        picked = zip(numbers, chosen.tolist(), strict=True)
        return frozenset(self.elements[number] for number, right in picked if right), score


def _longer(row: int, path: Path, known: Successors) -> list[tuple[int, Path]]:
    """The paths that go on from one."""
    ends = sorted(known[path])
    if path and path[-1] in (RELATION, ATTRIBUTE):
        ends = [end for end in ends if goes_on(path, end)]
    return [(row, (*path, end)) for end in ends]


class _Run:
    """What is known while levels are run through."""

    def __init__(self, traversal: Traversal, memory: Memory) -> None:
        self.traversal, self.memory = traversal, memory
        self.begin = traversal.decoder.begin(memory)
        self.places: list[dict[Path, int]] = [{} for _ in memory.mask]
        self.levels: list[Tensor] = []
        self.losses: list[Tensor] = []
        self.last: dict[tuple[int, Path], int] = {}
        self.count = 0

    def step(self, level: Sequence[tuple[int, Path]]) -> Tensor:
        """``[paths, elements]``: log odds of what follows the paths of the next level."""
        device, numbers = self.begin.device, self.traversal.numbers
        before = [self.last[row, path[:-1]] if path else row for row, path in level]
        states = (self.levels[-1] if self.levels else self.begin)[before]
        last = [numbers[path[-1] if path else TOP] for _, path in level]
        rows = torch.tensor([row for row, _ in level], device=device)
        elements = torch.tensor(last, device=device)
        states, logits = self.traversal.decoder(elements, states, rows, self.memory)
        for place, (row, path) in enumerate(level):
            self.places[row][path] = self.count + place
        self.last = {prefix: place for place, prefix in enumerate(level)}
        self.levels.append(states)
        self.count += len(level)
        return logits  # type: ignore[no-any-return]

    def result(self) -> Traversed:
        """What came of it."""
        loss = torch.stack(self.losses).sum() if self.losses else self.begin.new_zeros(())
        return Traversed(self.places, torch.cat(self.levels), loss)


Places = Mapping[Primitive, Sequence[float]]
"""Primitive -> where the words of a question stand for it; nowhere for those only in its query."""


class Numbered(NamedTuple):
    """Things of questions, with a vector each.

    Attributes:
        numbers: of each question, thing -> its number among those of all questions.
        vectors: ``[things, hidden]``.
    """

    numbers: list[dict[Any, int]]
    vectors: Tensor


class PosetNetwork(nn.Module):
    """Questions to sketches, and to the log odds of primitives and of filled steps.

    Args:
        primitives: all that are known.
        variables: how many a sketch may have.
    """

    def __init__(
        self,
        config: PosetConfig,
        encoder: Encoder,
        primitives: Sequence[Primitive],
        variables: int,
    ) -> None:
        super().__init__()
        size, drop = config.hidden, config.dropout
        self.encoder = encoder
        self.bridge = nn.Sequential(nn.Linear(encoder.dim, size), nn.LayerNorm(size))
        self.primitives, self.variables = list(primitives), variables
        self.numbers = {primitive: number for number, primitive in enumerate(self.primitives)}
        elements = elements_of(variables)
        self.decoder = PosetDecoder(len(elements), size, drop)
        self.traversal = Traversal(self.decoder, elements)
        self.primitive = nn.Embedding(len(self.primitives), size)
        self.node = nn.Linear(size, size)
        self.which, self.whether = Matcher(size, drop), Matcher(size, drop)

    def fits(self, words: Words) -> bool:
        """Whether a question is short enough."""
        return self.encoder.fits(words)

    def encode(self, batch: Sequence[Words]) -> Memory:
        """Encoded questions; nothing is copied."""
        vectors = self.bridge(self.encoder(batch)[0])
        lengths = torch.tensor([len(words) for words in batch], device=vectors.device)
        mask = torch.arange(vectors.shape[1], device=vectors.device)[None] < lengths[:, None]
        return Memory(vectors, mask, mask.long())

    def spoken(self, proposed: Sequence[Places], memory: Memory) -> Numbered:
        """Of each question, the primitives that it may speak of: their own vectors, and the means
        of those of the words that may stand for them."""
        longest = memory.mask.shape[1]
        numbers = [self.numbers[primitive] for some in proposed for primitive in some]
        bags = [
            [row * longest + word for place in places for word in {floor(place), ceil(place)}]
            for row, some in enumerate(proposed)
            for places in some.values()
        ]
        own = self.primitive(torch.tensor(numbers, dtype=torch.long, device=memory.mask.device))
        return _number(proposed, own + _means(memory.vectors.flatten(0, 1), bags))

    def primitive_odds(self, spoken: Numbered, memory: Memory) -> list[Tensor]:
        """Of each question, the log odds that its query has each primitive."""
        counts = [len(some) for some in spoken.numbers]
        return list(torch.split(self.which(spoken.vectors[:, None], counts, memory), counts))

    def step_odds(
        self,
        candidates: Sequence[Sequence[Filled]],
        spoken: Numbered,
        nodes: Numbered,
        memory: Memory,
    ) -> list[Tensor]:
        """Of each question, the log odds that its query has each filled step.

        A step stands for the paths that it lies on: its variables are read as the decoder's states
        behind the paths to them, see `nodes`.
        """
        end = self.decoder.embedding.weight[self.traversal.numbers[CONSTANT]]
        vectors = torch.cat([nodes.vectors, end[None]])
        last = len(nodes.vectors)
        rows = [
            (known[t.subject], said[primitive], known.get(t.object, last))
            for known, said, some in zip(nodes.numbers, spoken.numbers, candidates, strict=True)
            for _, t, primitive in some
        ]
        counts = [len(some) for some in candidates]
        picked = torch.tensor(rows, dtype=torch.long, device=vectors.device).view(-1, 3)
        subject, relation, target = picked.unbind(1)
        three = torch.stack([vectors[subject], spoken.vectors[relation], vectors[target]], 1)
        return list(torch.split(self.whether(three, counts, memory), counts))

    def nodes(self, batch: Sequence[Words], traversed: Traversed, memory: Memory) -> Numbered:
        """Of each question, the nodes: the means of the states behind all paths to a variable, and
        of the vectors of an entity's words."""
        longest = memory.mask.shape[1]
        known: list[dict[str, list[int]]] = []
        for row, (question, places) in enumerate(zip(batch, traversed.places, strict=True)):
            own: dict[str, list[int]] = {}
            for place, word in enumerate(question.words):
                if name := entity_of(word):
                    own.setdefault(name, []).append(row * longest + place)
            for path, state in places.items():
                if path and is_variable(path[-1]):
                    own.setdefault(path[-1], []).append(len(batch) * longest + state)
            known.append(own)
        weight = torch.cat([memory.vectors.flatten(0, 1), self.node(traversed.states)])
        return _number(known, _means(weight, [bag for own in known for bag in own.values()]))

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters that learn slowly."""
        slow = isinstance(self.encoder, PretrainedEncoder)
        return list(self.encoder.parameters()) if slow else []


def _number(known: Sequence[Iterable[Any]], vectors: Tensor) -> Numbered:
    """What is known of each question, numbered in order through all questions."""
    count = itertools.count()
    return Numbered([{one: next(count) for one in some} for some in known], vectors)


def _means(vectors: Tensor, bags: Sequence[Sequence[int]]) -> Tensor:
    """``[bags, hidden]``: means of some of the vectors; zeros for none."""
    if not any(bags):
        return vectors.new_zeros(len(bags), vectors.shape[1])
    flat = torch.tensor([one for bag in bags for one in bag], device=vectors.device)
    begins = torch.tensor([0, *map(len, bags)], device=vectors.device).cumsum(0)[:-1]
    return embedding_bag(flat, vectors, begins, mode="mean")

"""Runs the poset decoder over the paths of many questions, level by level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid

from partwise_papers.poset.decoder import PosetDecoder
from partwise_papers.poset.sketch import (
    ATTRIBUTE,
    CONSTANT,
    ENTITY,
    HEADS,
    RELATION,
    Path,
    Successors,
    goes_on,
)
from partwise_papers.seq2seq.memory import Memory

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
        nodes = [one for one in elements if one.startswith("?")] + [ENTITY]
        self.following = {
            "top": self._some(HEADS),
            "head": self._some(nodes),
            "node": self._some([RELATION, ATTRIBUTE]),
            RELATION: self._some(nodes),
            ATTRIBUTE: self._some([CONSTANT]),
        }

    def _some(self, elements: Iterable[str]) -> list[int]:
        return [self.numbers[one] for one in elements]

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
        return run.traversed()

    def predicted(self, memory: Memory) -> Traversed:
        """The most probable successors of each path, from the top of each question on."""
        run = _Run(self, memory)
        count = len(memory.mask)
        found: list[Successors] = [{} for _ in range(count)]
        scores = [0.0] * count
        level = [(row, Path()) for row in range(count)]
        while level:
            for (row, path), odds in zip(level, run.step(level), strict=True):
                chosen, score = self._chosen(path, odds)
                full = len(run.places[row]) > MOST
                found[row][path] = frozenset() if full else chosen
                scores[row] += score
            level = [two for row, path in level for two in _longer(row, path, found[row])]
        made = run.traversed()
        made.found, made.scores = found, scores
        return made

    def _chosen(self, path: Path, odds: Tensor) -> tuple[frozenset[str], float]:
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
        self.last = {one: place for place, one in enumerate(level)}
        self.levels.append(states)
        self.count += len(level)
        return logits  # type: ignore[no-any-return]

    def traversed(self) -> Traversed:
        """What came of it."""
        loss = torch.stack(self.losses).sum() if self.losses else self.begin.new_zeros(())
        return Traversed(self.places, torch.cat(self.levels), loss)

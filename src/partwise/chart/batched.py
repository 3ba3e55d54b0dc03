"""The chart in torch: the inside pass of a padded batch, on any device, differentiable.

The automata of all questions are put side by side as one, and only lengths are padded. Ternary
joins are made binary: a left part with a middle is an item of its own, as is a constant that may
be a middle, so one rule ``left item + right item -> item`` covers all joins in O(n³).

One recurrence over a semiring gives sums, best trees and samples. Values have a first axis of
components (k for the k best, else one). The derivative of a total with respect to a score is what
the semiring makes of that label (Eisner 2016): its posterior, or 1 where it is in the best tree or
in a sample and 0 elsewhere. Derivatives are exact where scores forbid (``-inf``): zero, never NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from partwise.chart.algebra import NONE, Algebra
from partwise.chart.scores import (
    JOIN,
    FloatArray,
    Marginals,
    ScoredTree,
    SpanScores,
    SpanTree,
    check_scores,
    no_answers,
)

DEAD = -torch.inf


def log_sum(values: Tensor, dim: int) -> Tensor:
    """Log of the sum of exp(values) along an axis."""
    lowest = torch.finfo(values.dtype).min
    top = values.detach().amax(dim, keepdim=True).clamp(min=lowest)
    total = (values - top).exp().sum(dim)
    alive = total > 0
    # The logarithm of the other branch must be finite: zero times infinity would be NaN.
    logs = torch.where(alive, total, 1).log() + top.squeeze(dim)
    return torch.where(alive, logs, DEAD)


class LogSemiring:
    """Sums of exp(score) over trees, in log space."""

    def lift(self, scores: Tensor) -> Tensor:
        """``[components, ...]``, the values of labels with these scores."""
        return scores[None]

    def sum(self, values: Tensor, dim: int) -> Tensor:
        """Choice between derivations along an axis (the components are axis 0)."""
        return log_sum(values, dim)

    def times(self, one: Tensor, other: Tensor) -> Tensor:
        """Both together."""
        return one + other


@dataclass(frozen=True)
class MaxSemiring(LogSemiring):
    """The scores of the `k` best trees, best first (Goodman 1999)."""

    k: int = 1

    def lift(self, scores: Tensor) -> Tensor:
        """A label is one derivation; there is no second best."""
        none = torch.full_like(scores, DEAD).expand(self.k - 1, *scores.shape)
        return torch.cat([scores[None], none])

    def sum(self, values: Tensor, dim: int) -> Tensor:
        """The best of all; of equal ones the first, as in the compiled chart."""
        if self.k == 1:
            return values.max(dim).values
        return self._top(values.movedim(dim, 0).flatten(0, 1))

    def times(self, one: Tensor, other: Tensor) -> Tensor:
        """The best combinations."""
        if self.k == 1:
            return one + other
        return self._top((one[:, None] + other[None]).flatten(0, 1))

    def _top(self, values: Tensor) -> Tensor:
        return values.sort(dim=0, descending=True, stable=True).values[: self.k]


@dataclass
class SamplingSemiring(LogSemiring):
    """Log-sums whose derivative is a tree drawn from the distribution, a new one each time."""

    generator: torch.Generator | None = None

    def sum(self, values: Tensor, dim: int) -> Tensor:
        """A log-sum; one derivation is drawn when the derivative is taken."""
        total: Tensor = _Draw.apply(values, dim, self)  # type: ignore[no-untyped-call]
        return total


class _Draw(torch.autograd.Function):
    """A log-sum that passes its whole derivative down to one term, drawn by its share."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, dim: int, semiring: SamplingSemiring) -> Tensor:
        ctx.dim, ctx.semiring = dim, semiring
        ctx.save_for_backward(values)
        return log_sum(values, dim)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (values,) = ctx.saved_tensors
        # The greatest term after Gumbel noise is a draw by softmax.
        noise = torch.empty_like(values).exponential_(generator=ctx.semiring.generator)
        noise = noise.clamp(min=torch.finfo(values.dtype).tiny).log()
        chosen = (values - noise).argmax(ctx.dim, keepdim=True)
        passed = torch.zeros_like(values).scatter(ctx.dim, chosen, grads[0].unsqueeze(ctx.dim))
        return passed, None, None


Numbers = NDArray[np.int64]
Leaves = tuple[Tensor, Tensor, Tensor]
"""The scores of constants, joins and answers that totals are derived by."""
LIMIT = 1 << 27
"""Terms of one span length above which they are computed again for the derivative, not kept."""


@dataclass(frozen=True, eq=False)
class TensorScores:
    """`SpanScores` whose labels and answers are tensors, to be learnt by derivatives."""

    constants: Tensor
    join: Tensor
    gap: FloatArray
    columns: Numbers
    root: Tensor | FloatArray = field(default_factory=no_answers)

    @property
    def n(self) -> int:
        """Number of words."""
        return int(self.join.shape[0]) - 1


class _Groups:
    """Sums what makes the same outcome; groups of like size are padded to one width. `outcomes`: of
    each value, or `NONE` for one that counts nowhere; `size`: how many outcomes there are."""

    def __init__(self, outcomes: Numbers, size: int, device: torch.device) -> None:
        order = np.argsort(outcomes, kind="stable")[(outcomes == NONE).sum() :]
        counts = np.bincount(outcomes[order], minlength=size)
        first = np.cumsum(counts) - counts
        widths = np.where(counts > 0, 2 ** np.ceil(np.log2(np.maximum(counts, 1))), 0).astype(int)
        self.members: list[Tensor] = []
        place, rows = np.zeros(size, np.int64), 1
        for width in np.unique(widths[widths > 0]):
            group = np.nonzero(widths == width)[0]
            at = np.minimum(first[group, None] + np.arange(width), len(order) - 1)
            inside = np.arange(width) < counts[group, None]
            # One more value than there are stands for nothing.
            self.members.append(torch.as_tensor(np.where(inside, order[at], len(outcomes))))
            place[group] = rows + np.arange(len(group))
            rows += len(group)
        self.members = [each.to(device) for each in self.members]
        self.place = torch.as_tensor(place).to(device)

    def sum(self, values: Tensor, semiring: LogSemiring) -> Tensor:
        """``[components, outcomes, ...]`` of ``[components, values, ...]``."""
        nothing = semiring.lift(values.new_full((1, *values.shape[2:]), DEAD))
        padded = torch.cat([values, nothing], 1)
        sums = [semiring.sum(padded[:, each], 2) for each in self.members]
        return torch.cat([nothing, *sums], 1)[:, self.place]


class _Automata:
    """The automata of a batch as one: their items, and the rules that combine them. Items of a
    question are its states, then its states as middles of ternary joins, then its pairs of a left
    part with a middle."""

    def __init__(self, batch: ChartBatch) -> None:
        parts = []
        items = columns = answers = 0
        for number, (scores, algebra) in enumerate(zip(batch.scores, batch.algebras, strict=True)):
            own = algebra.asked(len(scores.root))[algebra.final]
            asked = np.where(own == NONE, NONE, own + answers)
            parts.append((*self._part(scores, algebra, items, columns, number), asked))
            items += len(parts[-1][4])
            columns += len(scores.columns)
            answers += len(scores.root)
        every = [np.concatenate(each).astype(np.int64) for each in zip(*parts, strict=True)]
        rules, sources, leaves, finals, question, paired, asked = every
        # The last answer of all stands for none.
        self.asked = batch.tensor(np.where(asked == NONE, answers, asked))
        self.left, self.right = batch.tensor(rules[:, 0]), batch.tensor(rules[:, 1])
        self.outcomes = _Groups(rules[:, 2], items, batch.device)
        self.sources, self.finals = batch.tensor(sources), batch.tensor(finals)
        self.leaves = _Groups(leaves, items, batch.device)
        self.question, self.paired = batch.tensor(question), batch.tensor(paired) > 0
        self.roots = _Groups(question[finals], len(batch.scores), batch.device)

    @staticmethod
    def _part(
        scores: SpanScores | TensorScores, algebra: Algebra, first: int, column: int, number: int
    ) -> tuple[NDArray[Any], ...]:
        """Rules, columns of constants and their items, finals, and the question of each item."""
        rules, states = algebra.sum_rules, algebra.n_states
        middle, pair = first + states, first + 2 * states
        size = 2 * states + len(rules.pair_rules)
        joins = (
            rules.pairs + first,
            rules.triples + np.array([pair, first, first]),
            rules.pair_rules + np.array([first, middle, pair]),
        )
        start = algebra.starts(scores.columns)
        usable = np.nonzero(start != NONE)[0]
        between = usable[rules.middle[start[usable]]]
        return (
            np.concatenate(joins),
            np.concatenate([usable, between]) + column,
            np.concatenate([start[usable] + first, start[between] + middle]),
            np.nonzero(algebra.final)[0] + first,
            np.full(size, number),
            np.arange(size) >= 2 * states,
        )


class ChartBatch:
    """The charts of a batch of questions.

    Args:
        scores: of each question; lengths may differ.
        algebras: one for each question, or one for all.
        dtype: `torch.float64` (the default) or `torch.float32`.

    Raises PartwiseError for scores that are NaN, infinite above, or too large to be summed.
    """

    def __init__(
        self,
        scores: Sequence[SpanScores | TensorScores],
        algebras: Sequence[Algebra],
        device: str | torch.device = "cpu",
        dtype: torch.dtype | None = None,
    ) -> None:
        self.scores, self.algebras = scores, algebras
        self.device, self.dtype = torch.device(device), dtype or torch.float64
        self.lengths = [one.n for one in scores]
        self.longest = max(self.lengths)
        largest = torch.finfo(self.dtype).max * 1e-8
        for one in scores:
            check_scores(_numpy(one.constants), _numpy(one.join), largest)
        self.constants = torch.cat([self._padded(s.constants).movedim(2, 0) for s in scores])
        self.join = torch.stack([self._padded(one.join) for one in scores])
        roots = [torch.as_tensor(one.root).to(self.device, self.dtype) for one in scores]
        self.root = torch.cat(roots)
        gap = torch.stack([self._padded(one.gap) for one in scores])
        self.gap = torch.where(gap == 0, 0.0, DEAD).to(dtype)
        self.automata = _Automata(self)
        self._best: dict[int, list[list[ScoredTree]]] = {}

    def tensor(self, numbers: NDArray[np.integer]) -> Tensor:
        """Numbers on the device."""
        return torch.as_tensor(numbers).to(self.device)

    def _padded(self, values: Tensor | FloatArray) -> Tensor:
        """The values on the device, and ``-inf`` for words that the question does not have."""
        tensor = torch.as_tensor(values).to(self.device, self.dtype)
        more = self.longest + 1 - tensor.shape[0]
        flat = (0, 0) * (tensor.dim() - 2)
        return torch.nn.functional.pad(tensor, (*flat, 0, more, 0, more), value=DEAD)

    # --- the inside pass -----------------------------------------------------------------

    def total(self, semiring: LogSemiring) -> Tensor:
        """``[components, questions]``: the sum over all trees of each question."""
        return self._total(semiring, self.constants, self.join, self.root)

    def _total(
        self, semiring: LogSemiring, constants: Tensor, join: Tensor, root: Tensor
    ) -> Tensor:
        automata = self.automata
        bare: list[Tensor] = []
        chart: list[Tensor] = []
        for length in range(1, self.longest + 1):
            label = join.diagonal(length, 1, 2)
            named = constants.diagonal(length, 1, 2)[automata.sources]
            bare.append(automata.leaves.sum(semiring.lift(named), semiring))
            ways = [bare[-1], *self._with_gaps(semiring, bare, label)]
            if length > 1:
                free = torch.where(automata.paired[:, None], 0, label[automata.question])
                ways.append(
                    semiring.times(self._joins(semiring, chart, length), semiring.lift(free))
                )
            chart.append(semiring.sum(torch.stack(ways, 2), 2))
        return self._roots(semiring, chart, join, root)

    def _with_gaps(
        self, semiring: LogSemiring, bare: list[Tensor], label: Tensor
    ) -> Iterator[Tensor]:
        """Constants followed by a gap, together of the length that `bare` reaches to."""
        count = label.shape[1]
        for short, one in enumerate(bare[:-1], 1):
            gap = self.gap.diagonal(len(bare) - short, 1, 2)[:, short:]
            labelled = semiring.lift((label + gap)[self.automata.question])
            yield semiring.times(one[..., :count], labelled)

    def _joins(self, semiring: LogSemiring, chart: list[Tensor], length: int) -> Tensor:
        """``[components, items, starts]``: what two adjacent items make, over all splits."""
        automata, count = self.automata, self.longest - length + 1

        def joins(*parts: Tensor) -> Tensor:
            lefts = torch.stack([one[..., :count] for one in parts], 2)
            rights = torch.stack(
                [
                    parts[length - split - 1][..., split : split + count]
                    for split in range(1, length)
                ],
                2,
            )
            made = semiring.times(lefts[:, automata.left], rights[:, automata.right])
            return automata.outcomes.sum(semiring.sum(made, 2), semiring)

        if len(automata.left) * (length - 1) * count < LIMIT:
            return joins(*chart)
        kept: Tensor = checkpoint(joins, *chart, use_reentrant=False)
        return kept

    def _roots(
        self, semiring: LogSemiring, chart: list[Tensor], join: Tensor, root: Tensor
    ) -> Tensor:
        asked = torch.cat([root, root.new_zeros(1)])[self.automata.asked]
        finals, owner = self.automata.finals, self.automata.question[self.automata.finals]
        ends = torch.as_tensor(self.lengths).to(self.device)[owner]
        ways = []
        for length, items in enumerate(chart, 1):
            lead = ends - length
            start = lead.clamp(min=0)
            labelled = join[owner, 0, ends] + self.gap[owner, 0, start]
            label = asked + torch.where(lead > 0, labelled, torch.where(lead == 0, 0.0, DEAD))
            ways.append(semiring.times(items[:, finals, start], semiring.lift(label)))
        return self.automata.roots.sum(semiring.sum(torch.stack(ways, 2), 2), semiring)

    # --- what follows by derivatives -----------------------------------------------------

    def log_partition(self) -> Tensor:
        """``[questions]``: log of the sum over trees of exp(score), to be differentiated."""
        return self.total(LogSemiring())[0]

    def _passed(self, semiring: LogSemiring) -> tuple[Tensor, Leaves]:
        """Totals ``[components, questions]``, and the scores that they can be derived by."""
        constants, join, root = (
            one.detach().requires_grad_() for one in (self.constants, self.join, self.root)
        )
        with torch.enable_grad():
            return self._total(semiring, constants, join, root), (constants, join, root)

    def _derived(
        self, total: Tensor, leaves: Leaves
    ) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
        """Of each question, the derivative by constants ``[n+1, n+1, columns]``, joins, answers."""
        # The empty sum has a derivative where no tree is there at all.
        alive = total[total > DEAD].sum() + leaves[1][:0].sum()
        constants, join, root = torch.autograd.grad(
            alive, leaves, retain_graph=True, materialize_grads=True
        )
        named = torch.split(constants, [len(one.columns) for one in self.scores])
        asked = torch.split(root, [len(one.root) for one in self.scores])
        for n, one, joined, answers in zip(self.lengths, named, join, asked, strict=True):
            size = n + 1
            by_name = _numpy(one[:, :size, :size].movedim(0, 2))
            yield by_name, _numpy(joined[:size, :size]), _numpy(answers)

    def _marked(self, total: Tensor, leaves: Leaves) -> Iterator[SpanTree | None]:
        """Of each question, the tree whose labels have a derivative of 1."""
        marks = self._derived(total, leaves)
        for scores, (named, joined, _) in zip(self.scores, marks, strict=True):
            labels: dict[tuple[int, int], int] = {}
            for i, k in np.argwhere(joined > 0.5).tolist():
                labels[i, k] = JOIN
            for i, k, column in np.argwhere(named > 0.5).tolist():
                labels[i, k] = int(scores.columns[column])
            yield SpanTree.of_labels(labels) if labels else None

    @cached_property
    @torch.no_grad()
    def totals(self) -> list[float]:
        """As `log_partitions`, where nothing else is wanted: in half the time."""
        totals: list[float] = self.log_partition().tolist()
        return totals

    @cached_property
    def log_partitions(self) -> list[float]:
        """Of each question, the log of the sum over trees of exp(score)."""
        return [found.log_partition for found in self.marginals]

    @cached_property
    def marginals(self) -> list[Marginals]:
        """Label posteriors of each question."""
        (total,), leaves = self._passed(LogSemiring())
        parts = zip(self._derived(total, leaves), total.tolist(), strict=True)
        return [Marginals(named, joined, log, root) for (named, joined, root), log in parts]

    def topk(self, k: int) -> list[list[ScoredTree]]:
        """The `k` best trees of each question, best first."""
        if k not in self._best:
            self._best[k] = self._topk(k)
        return self._best[k]

    def _topk(self, k: int) -> list[list[ScoredTree]]:
        totals, leaves = self._passed(MaxSemiring(k))
        best: list[list[ScoredTree]] = [[] for _ in self.scores]
        for total in totals:
            marked = zip(best, total.tolist(), self._marked(total, leaves), strict=True)
            for trees, score, tree in marked:
                if tree is not None:
                    trees.append(ScoredTree(score, tree))
        return best

    def sample(self, generator: torch.Generator | None = None) -> list[SpanTree | None]:
        """A tree of each question, drawn by its probability; None where there is none."""
        total, leaves, semiring = self._drawing
        semiring.generator = generator
        return list(self._marked(total, leaves))

    @cached_property
    def _drawing(self) -> tuple[Tensor, Leaves, SamplingSemiring]:
        semiring = SamplingSemiring()
        (total,), leaves = self._passed(semiring)
        return total, leaves, semiring


def _numpy(values: Tensor | FloatArray) -> FloatArray:
    array = values.detach().cpu().numpy() if isinstance(values, Tensor) else values
    return np.ascontiguousarray(array, np.float64)

"""The chart in torch: sums over the trees of a padded batch, on any device.

The automata of all questions are put side by side as one, and only lengths are padded. Ternary
joins are made binary: a left part with a middle is an item of its own, as is a constant that may
be a middle, so one rule ``left item + right item -> item`` covers all joins in O(n³).

The derivative of a log-sum with respect to a score is the posterior of that label (Eisner 2016), or
where each sum passes its derivative down to one term that it draws, 1 in the tree that is drawn.
Derivatives are exact where scores forbid (``-inf``): zero, never NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    SpanScores,
    SpanTree,
    check_scores,
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


class _Draw(torch.autograd.Function):
    """A log-sum that passes its whole derivative down to one term, drawn by its share."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, dim: int, batch: ChartBatch) -> Tensor:
        ctx.dim, ctx.batch = dim, batch
        ctx.save_for_backward(values)
        return log_sum(values, dim)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (values,) = ctx.saved_tensors
        # The greatest term after Gumbel noise is a draw by softmax.
        noise = torch.empty_like(values).exponential_(generator=ctx.batch.generator)
        noise = noise.clamp(min=torch.finfo(values.dtype).tiny).log()
        chosen = (values - noise).argmax(ctx.dim, keepdim=True)
        passed = torch.zeros_like(values).scatter(ctx.dim, chosen, grads[0].unsqueeze(ctx.dim))
        return passed, None, None


Add = Callable[[Tensor, int], Tensor]
"""The log of a sum along an axis."""
Numbers = NDArray[np.int64]
Leaves = tuple[Tensor, Tensor, Tensor]
"""The scores of constants, joins and answers that totals are derived by."""
LIMIT = 1 << 27
"""Terms of one span length above which they are computed again for the derivative, not kept."""


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

    def sum(self, values: Tensor, add: Add) -> Tensor:
        """``[outcomes, ...]`` of ``[values, ...]``."""
        nothing = values.new_full((1, *values.shape[1:]), DEAD)
        padded = torch.cat([values, nothing])
        return torch.cat([nothing, *(add(padded[each], 1) for each in self.members)])[self.place]


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
        scores: SpanScores, algebra: Algebra, first: int, column: int, number: int
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
    """The charts of a batch of questions, whose lengths may differ. Raises PartwiseError for scores
    that are NaN, infinite above, or too large to be summed."""

    def __init__(
        self, scores: Sequence[SpanScores], algebras: Sequence[Algebra], device: str = "cpu"
    ) -> None:
        self.scores, self.algebras, self.device = scores, algebras, torch.device(device)
        self.lengths = [one.n for one in scores]
        self.longest = max(self.lengths)
        for one in scores:
            check_scores(one.constants, one.join)
        self.constants = torch.cat([self._padded(s.constants).movedim(2, 0) for s in scores])
        self.join = torch.stack([self._padded(one.join) for one in scores])
        self.root = torch.cat([torch.as_tensor(one.root) for one in scores]).to(self.device)
        gap = torch.stack([self._padded(one.gap) for one in scores])
        self.gap = torch.where(gap == 0, 0.0, DEAD).double()
        self.automata = _Automata(self)
        self.generator: torch.Generator | None = None

    def tensor(self, numbers: NDArray[np.integer]) -> Tensor:
        return torch.as_tensor(numbers).to(self.device)

    def _padded(self, values: FloatArray) -> Tensor:
        """The values on the device, and ``-inf`` for words that the question does not have."""
        more = self.longest + 1 - len(values)
        flat = (0, 0) * (values.ndim - 2)
        tensor = torch.as_tensor(values).to(self.device)
        return torch.nn.functional.pad(tensor, (*flat, 0, more, 0, more), value=DEAD)

    # --- the inside pass -----------------------------------------------------------------

    def _total(self, add: Add, constants: Tensor, join: Tensor, root: Tensor) -> Tensor:
        """``[questions]``: the sum over all trees of each question."""
        automata = self.automata
        bare: list[Tensor] = []
        chart: list[Tensor] = []
        for length in range(1, self.longest + 1):
            label = join.diagonal(length, 1, 2)
            named = constants.diagonal(length, 1, 2)[automata.sources]
            bare.append(automata.leaves.sum(named, add))
            ways = [bare[-1], *self._with_gaps(bare, label)]
            if length > 1:
                free = torch.where(automata.paired[:, None], 0, label[automata.question])
                ways.append(self._joins(add, chart, length) + free)
            chart.append(add(torch.stack(ways, 1), 1))
        return self._roots(add, chart, join, root)

    def _with_gaps(self, bare: list[Tensor], label: Tensor) -> Iterator[Tensor]:
        """Constants followed by a gap, together of the length that `bare` reaches to."""
        count = label.shape[1]
        for short, one in enumerate(bare[:-1], 1):
            gap = self.gap.diagonal(len(bare) - short, 1, 2)[:, short:]
            yield one[..., :count] + (label + gap)[self.automata.question]

    def _joins(self, add: Add, chart: list[Tensor], length: int) -> Tensor:
        """``[items, starts]``: what two adjacent items make, over all splits."""
        automata, count = self.automata, self.longest - length + 1

        def joins(*parts: Tensor) -> Tensor:
            lefts = torch.stack([one[..., :count] for one in parts], 1)
            splits = range(1, length)
            rights = torch.stack([parts[length - s - 1][..., s : s + count] for s in splits], 1)
            made = lefts[automata.left] + rights[automata.right]
            return automata.outcomes.sum(add(made, 1), add)

        if len(automata.left) * (length - 1) * count < LIMIT:
            return joins(*chart)
        kept: Tensor = checkpoint(joins, *chart, use_reentrant=False)
        return kept

    def _roots(self, add: Add, chart: list[Tensor], join: Tensor, root: Tensor) -> Tensor:
        asked = torch.cat([root, root.new_zeros(1)])[self.automata.asked]
        finals, owner = self.automata.finals, self.automata.question[self.automata.finals]
        ends = torch.as_tensor(self.lengths).to(self.device)[owner]
        ways = []
        for length, items in enumerate(chart, 1):
            lead = ends - length
            start = lead.clamp(min=0)
            labelled = join[owner, 0, ends] + self.gap[owner, 0, start]
            label = asked + torch.where(lead > 0, labelled, torch.where(lead == 0, 0.0, DEAD))
            ways.append(items[finals, start] + label)
        return self.automata.roots.sum(add(torch.stack(ways, 1), 1), add)

    # --- what follows by derivatives -----------------------------------------------------

    def _passed(self, add: Add) -> tuple[Tensor, Leaves]:
        """Totals, and the scores that they can be derived by."""
        constants, join, root = (
            one.detach().requires_grad_() for one in (self.constants, self.join, self.root)
        )
        with torch.enable_grad():
            return self._total(add, constants, join, root), (constants, join, root)

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

    @cached_property
    @torch.no_grad()
    def totals(self) -> list[float]:
        """Of each question, the log of the sum over trees of exp(score); where posteriors are
        wanted as well, `marginals` have it."""
        totals: list[float] = self._total(log_sum, self.constants, self.join, self.root).tolist()
        return totals

    @cached_property
    def marginals(self) -> list[Marginals]:
        """Label posteriors of each question."""
        total, leaves = self._passed(log_sum)
        parts = zip(self._derived(total, leaves), total.tolist(), strict=True)
        return [Marginals(named, joined, log, root) for (named, joined, root), log in parts]

    def sample(self, generator: torch.Generator | None = None) -> Iterator[SpanTree | None]:
        """A tree of each question, drawn by its probability; None where there is none."""
        self.generator = generator
        drawn = self._derived(*self._drawing)
        for scores, (named, joined, _) in zip(self.scores, drawn, strict=True):
            labels: dict[tuple[int, int], int] = {}
            for i, k in np.argwhere(joined > 0.5).tolist():
                labels[i, k] = JOIN
            for i, k, column in np.argwhere(named > 0.5).tolist():
                labels[i, k] = int(scores.columns[column])
            yield SpanTree.of_labels(labels) if labels else None

    @cached_property
    def _drawing(self) -> tuple[Tensor, Leaves]:
        return self._passed(lambda values, dim: _Draw.apply(values, dim, self))  # type: ignore[no-untyped-call]


def _numpy(values: Tensor) -> FloatArray:
    return np.ascontiguousarray(values.cpu().numpy(), np.float64)

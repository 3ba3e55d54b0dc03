"""The chart in torch: the inside pass of a padded batch, on any device, differentiable.

The automata of all questions are put side by side as one, and only lengths are padded. Ternary
joins are made binary: a left part with a middle is an item of its own, as is a constant that may
be a middle, so one rule ``left item + right item -> item`` covers all joins in O(n³).
Posteriors and samples follow by the derivative of the total (Eisner 2016).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from partwise.chart.algebra.base import NONE, Algebra
from partwise.chart.scores import FloatArray, Marginals, SpanScores, check_scores
from partwise.chart.tensor_semirings import DEAD, Choice, Draw, log_sum
from partwise.chart.tree import JOIN, SpanTree

LIMIT = 1 << 27
"""Terms of one span length above which they are computed again for the derivative, not kept."""


class _Groups:
    """Puts together what makes the same outcome; groups of like size are padded to one width.

    Args:
        outcomes: of each value.
        size: how many outcomes there are.
    """

    def __init__(self, outcomes: NDArray[np.int64], size: int, device: torch.device) -> None:
        order = np.argsort(outcomes, kind="stable")
        counts = np.bincount(outcomes, minlength=size)
        first = np.cumsum(counts) - counts
        widths = np.where(counts > 0, 2 ** np.ceil(np.log2(np.maximum(counts, 1))), 0).astype(int)
        self.members: list[Tensor] = []
        place, rows = np.zeros(size, np.int64), 1
        for width in np.unique(widths[widths > 0]):
            group = np.nonzero(widths == width)[0]
            at = np.minimum(first[group, None] + np.arange(width), len(order) - 1)
            inside = np.arange(width) < counts[group, None]
            # One more value than there are stands for nothing.
            members = np.where(inside, order[at], len(outcomes))
            self.members.append(torch.as_tensor(members).to(device))
            place[group] = rows + np.arange(len(group))
            rows += len(group)
        self.place = torch.as_tensor(place).to(device)

    def of(self, values: Tensor, choose: Choice) -> Tensor:
        """``[outcomes, ...]`` of ``[values, ...]``."""
        nothing = values.new_full((1, *values.shape[1:]), DEAD)
        padded = torch.cat([values, nothing])
        return torch.cat([nothing, *(choose(padded[each], 1) for each in self.members)])[self.place]


class _Automata:
    """The automata of a batch as one: their items, and the rules that combine them.

    Items of a question are its states, then its states as middles of ternary joins, then its
    pairs of a left part with a middle.
    """

    def __init__(
        self, scores: Sequence[SpanScores], algebras: Sequence[Algebra], device: torch.device
    ) -> None:
        parts = []
        items = columns = 0
        for number, (one, algebra) in enumerate(zip(scores, algebras, strict=True)):
            parts.append(self._part(one, algebra, items, columns, number))
            items += len(parts[-1][4])
            columns += len(one.columns)
        every = [np.concatenate(each).astype(np.int64) for each in zip(*parts, strict=True)]
        rules, _, leaves, finals, question, _ = every
        tensors = [torch.as_tensor(each).to(device) for each in every]
        self.left, self.right, _ = tensors[0].unbind(1)
        _, self.sources, _, self.finals, self.question, paired = tensors
        self.paired = paired > 0
        self.outcomes = _Groups(rules[:, 2], items, device)
        self.leaves = _Groups(leaves, items, device)
        self.roots = _Groups(question[finals], len(scores), device)

    @staticmethod
    def _part(
        scores: SpanScores, algebra: Algebra, first: int, column: int, number: int
    ) -> tuple[NDArray[Any], ...]:
        """Rules, columns of constants, their items, finals; each item's question, if a pair."""
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
            np.nonzero(rules.final)[0] + first,
            np.full(size, number),
            np.arange(size) >= 2 * states,
        )


class Batch:
    """The charts of a batch of questions.

    Args:
        scores: of each question; lengths may differ.
        algebras: one for each question.
        dtype: `torch.float64` (the default) or `torch.float32`.

    Raises:
        PartwiseError: for scores that are NaN, infinite above, or too large to be summed.
    """

    def __init__(
        self,
        scores: Sequence[SpanScores],
        algebras: Sequence[Algebra],
        device: str | torch.device = "cpu",
        dtype: torch.dtype | None = None,
    ) -> None:
        self.scores, self.device, self.dtype = scores, torch.device(device), dtype or torch.float64
        self.lengths = [one.n for one in scores]
        self.longest = max(self.lengths)
        largest = torch.finfo(self.dtype).max * 1e-8
        for one in scores:
            check_scores(one.constants, one.join, largest)
        self.constants = torch.cat([self._padded(s.constants).movedim(2, 0) for s in scores])
        self.join = torch.stack([self._padded(one.join) for one in scores])
        gap = torch.stack([self._padded(one.gap) for one in scores])
        self.gap = gap.masked_fill(gap != 0, DEAD)
        self.automata = _Automata(scores, algebras, self.device)

    def _padded(self, values: FloatArray) -> Tensor:
        """The values on the device, and ``-inf`` for words that the question does not have."""
        tensor = torch.as_tensor(values).to(self.device, self.dtype)
        more = self.longest + 1 - tensor.shape[0]
        flat = (0, 0) * (tensor.dim() - 2)
        return torch.nn.functional.pad(tensor, (*flat, 0, more, 0, more), value=DEAD)

    # --- the inside pass -----------------------------------------------------------------

    def _inside(self, choose: Choice, constants: Tensor, join: Tensor) -> Tensor:
        """``[questions]``: the value of all trees of each question."""
        automata = self.automata
        bare: list[Tensor] = []
        chart: list[Tensor] = []
        for length in range(1, self.longest + 1):
            label = join.diagonal(length, 1, 2)
            named = constants.diagonal(length, 1, 2)[automata.sources]
            bare.append(automata.leaves.of(named, choose))
            ways = [bare[-1], *self._with_gaps(bare, label)]
            if length > 1:
                free = torch.where(automata.paired[:, None], 0, label[automata.question])
                ways.append(self._joins(choose, chart, length) + free)
            chart.append(choose(torch.stack(ways, 1), 1))
        return self._roots(choose, chart, join)

    def _with_gaps(self, bare: list[Tensor], label: Tensor) -> Iterator[Tensor]:
        """Constants followed by a gap, together of the length that `bare` reaches to."""
        for short, one in enumerate(bare[:-1], 1):
            gap = self.gap.diagonal(len(bare) - short, 1, 2)[:, short:]
            yield one[:, : label.shape[1]] + (label + gap)[self.automata.question]

    def _joins(self, choose: Choice, chart: list[Tensor], length: int) -> Tensor:
        """``[items, starts]``: what two adjacent items make, over all splits."""
        automata, count = self.automata, self.longest - length + 1

        def joins(*parts: Tensor) -> Tensor:
            lefts = torch.stack([one[:, :count] for one in parts], 1)
            rights = torch.stack(
                [parts[-split][:, split : split + count] for split in range(1, length)], 1
            )
            made = lefts[automata.left] + rights[automata.right]
            return automata.outcomes.of(choose(made, 1), choose)

        if len(automata.left) * (length - 1) * count < LIMIT:
            return joins(*chart)
        kept: Tensor = checkpoint(joins, *chart, use_reentrant=False)
        return kept

    def _roots(self, choose: Choice, chart: list[Tensor], join: Tensor) -> Tensor:
        finals, owner = self.automata.finals, self.automata.question[self.automata.finals]
        ends = torch.as_tensor(self.lengths).to(self.device)[owner]
        ways = []
        for length, items in enumerate(chart, 1):
            lead = ends - length
            start = lead.clamp(min=0)
            labelled = join[owner, 0, ends] + self.gap[owner, 0, start]
            label = torch.where(lead > 0, labelled, torch.where(lead == 0, 0.0, DEAD))
            ways.append(items[finals, start] + label)
        return self.automata.roots.of(choose(torch.stack(ways, 1), 1), choose)

    # --- what follows by derivatives -----------------------------------------------------

    def totals(self, choose: Choice) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """``[questions]``: the value of all trees of each, and the scores to derive it by."""
        leaves = self.constants.detach().requires_grad_(), self.join.detach().requires_grad_()
        with torch.enable_grad():
            return self._inside(choose, *leaves), leaves

    def _derived(
        self, total: Tensor, leaves: tuple[Tensor, Tensor]
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Of each question, the derivative by constants ``[n+1, n+1, columns]`` and joins."""
        # The empty sum has a derivative where no tree is there at all.
        alive = total[total > DEAD].sum() + leaves[1][:0].sum()
        constants, join = torch.autograd.grad(
            alive, leaves, retain_graph=True, materialize_grads=True
        )
        widths = [len(one.columns) for one in self.scores]
        for n, named, joined in zip(
            self.lengths, torch.split(constants, widths), join, strict=True
        ):
            size = n + 1
            yield _numpy(named[:, :size, :size].movedim(0, 2)), _numpy(joined[:size, :size])

    def _marked(self, total: Tensor, leaves: tuple[Tensor, Tensor]) -> Iterator[SpanTree | None]:
        """Of each question, the tree whose labels have a derivative of 1."""
        marks = self._derived(total, leaves)
        for scores, (named, joined) in zip(self.scores, marks, strict=True):
            labels: dict[tuple[int, int], int] = {}
            for i, k in np.argwhere(joined > 0.5).tolist():
                labels[i, k] = JOIN
            for i, k, column in np.argwhere(named > 0.5).tolist():
                labels[i, k] = int(scores.columns[column])
            yield SpanTree.of_labels(labels) if labels else None

    @cached_property
    def marginals(self) -> list[Marginals]:
        """Label posteriors of each question."""
        total, leaves = self.totals(log_sum)
        parts = zip(self._derived(total, leaves), total.tolist(), strict=True)
        return [Marginals(named, joined, log) for (named, joined), log in parts]

    def sample(self, generator: torch.Generator | None = None) -> list[SpanTree | None]:
        """A tree of each question, drawn by its probability; None where there is none."""
        draw, passed = self._drawing
        draw.generator = generator
        return list(self._marked(*passed))

    @cached_property
    def _drawing(self) -> tuple[Draw, tuple[Tensor, tuple[Tensor, Tensor]]]:
        draw = Draw()
        return draw, self.totals(draw)


def _numpy(values: Tensor) -> FloatArray:
    return np.ascontiguousarray(values.cpu().numpy(), np.float64)

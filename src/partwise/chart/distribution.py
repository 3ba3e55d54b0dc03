"""TreeDistribution: the distribution over the trees of a question, whatever computes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from partwise.chart.algebra.base import NONE, Algebra
from partwise.chart.scores import Marginals, SpanScores
from partwise.chart.tree import Derivation, SpanTree

if TYPE_CHECKING:
    import torch

    from partwise.chart.batched import Batch

Backend = Literal["compiled", "torch"]


@dataclass(frozen=True, eq=False)
class TreeDistribution:
    """All trees that an algebra accepts, each with a probability proportional to exp(score).

    Attributes:
        scores: of the labels of a question's spans.
        algebra: which trees there are.
        backend: ``compiled`` for single questions on a CPU, ``torch`` for batches and GPUs; both
            give the same results. The torch one alone samples.
        device: of the torch back end.
        share: the batch that this question is computed with, and its place there; see `batch`.
    """

    scores: SpanScores
    algebra: Algebra
    backend: Backend = "compiled"
    device: str = "cpu"
    share: tuple[Batch, int] | None = None

    @staticmethod
    def batch(
        scores: Sequence[SpanScores],
        algebras: Algebra | Sequence[Algebra],
        backend: Backend = "compiled",
        device: str = "cpu",
        dtype: torch.dtype | None = None,
    ) -> list[TreeDistribution]:
        """The distributions of many questions, computed together by the torch back end.

        Args:
            scores: of each question; lengths may differ.
            algebras: one for each question, or one for all.
            dtype: of the torch back end, ``float64`` if it is not given.

        Raises:
            PartwiseError: for scores that are NaN or too large to be summed.
        """
        several = [algebras] * len(scores) if isinstance(algebras, Algebra) else list(algebras)
        pairs = zip(scores, several, strict=True)
        if backend == "compiled" or not several:
            return [TreeDistribution(one, algebra) for one, algebra in pairs]
        from partwise.chart.batched import Batch

        whole = Batch(scores, several, device, dtype)
        return [
            TreeDistribution(one, algebra, backend, device, (whole, number))
            for number, (one, algebra) in enumerate(pairs)
        ]

    @cached_property
    def _batch(self) -> tuple[Batch, int]:
        return self.share or (self._alone, 0)

    @property
    def argmax(self) -> Derivation | None:
        """The best tree, None if there is no tree."""
        if self.backend == "compiled":
            from partwise.chart import compiled

            return compiled.best(self.scores, self.algebra)
        return next(iter(self.topk(1)), None)

    def topk(self, k: int) -> list[Derivation]:
        """The `k` best trees, best first; fewer if there are fewer."""
        if self.backend == "compiled":
            from partwise.chart import compiled

            return compiled.kbest(self.scores, self.algebra, k)
        batch, number = self._batch
        return batch.topk(k)[number]

    @cached_property
    def log_partition(self) -> float:
        """Log of the sum over all trees of exp(score); ``-inf`` if there is none."""
        return self._log_partition(self.algebra)

    def _log_partition(self, algebra: Algebra) -> float:
        if self.backend == "compiled":
            from partwise.chart import compiled

            return compiled.log_partition(self.scores, algebra)
        if algebra is not self.algebra:
            return TreeDistribution(self.scores, algebra, self.backend, self.device).log_partition
        batch, number = self._batch
        return batch.log_partitions[number]

    def log_prob(self, what: SpanTree | Algebra) -> float:
        """The log-probability of a tree, or of all trees of an algebra as of one program.

        A `TargetAlgebra` gives the log-probability of its program, if the types of this
        distribution accept that program's trees. NaN if there is no tree at all.
        """
        total = self.log_partition
        if total == -math.inf:
            return math.nan
        if isinstance(what, SpanTree):
            state = self.algebra.state_of(what)
            root = self.algebra.root(self.scores)[state] if state != NONE else -math.inf
            part = self.scores.of_tree(what) + float(root)
        else:
            part = self._log_partition(what)
        return min(0.0, part - total)

    @cached_property
    def marginals(self) -> Marginals:
        """The posterior probability of each label on each span."""
        if self.backend == "compiled":
            from partwise.chart import compiled

            return compiled.marginals(self.scores, self.algebra)
        batch, number = self._batch
        return batch.marginals[number]

    @cached_property
    def entropy(self) -> float:
        """Entropy of the trees in nats; NaN if there is none."""
        posterior = self.marginals
        if posterior.log_partition == -math.inf:
            return math.nan
        expected = 0.0
        pairs = (
            (posterior.constants, self.scores.constants),
            (posterior.join, self.scores.join),
            (posterior.root, self.scores.root),
        )
        for shares, scores in pairs:
            possible = shares > 0
            expected += float(np.sum(shares[possible] * scores[possible]))
        return posterior.log_partition - expected

    def sample(self, generator: torch.Generator | None = None) -> SpanTree | None:
        """A tree drawn by its probability, None if there is none."""
        return self._alone.sample(generator)[0]

    @cached_property
    def _alone(self) -> Batch:
        from partwise.chart.batched import Batch

        return Batch([self.scores], [self.algebra], self.device)

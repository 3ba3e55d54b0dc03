"""TreeDistribution: the distribution over the trees of a question, whatever computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from partwise.chart.algebra import Algebra
from partwise.chart.scores import Marginals, ScoredTree, SpanScores, SpanTree

if TYPE_CHECKING:
    import torch

    from partwise.chart.batched import ChartBatch

Backend = Literal["compiled", "torch"]


@dataclass(frozen=True, eq=False)
class TreeDistribution:
    """All trees that an algebra accepts, each with a probability proportional to exp(score).

    Attributes:
        scores: of the labels of a question's spans.
        algebra: which trees there are.
        backend: what sums over trees: ``compiled`` for single questions on a CPU, ``torch`` for
            batches and GPUs, with the same results. The best trees are found by compiled code, and
            samples are drawn by torch.
        device: of the torch back end.
        share: the batch that this question is computed with, and its place there; see `batch`.
    """

    scores: SpanScores
    algebra: Algebra
    backend: Backend = "compiled"
    device: str = "cpu"
    share: tuple[ChartBatch, int] | None = None

    @staticmethod
    def batch(
        scores: Sequence[SpanScores],
        algebras: Algebra | Sequence[Algebra],
        backend: Backend = "compiled",
        device: str = "cpu",
    ) -> list[TreeDistribution]:
        """The distributions of many questions, computed together by the torch back end. `algebras`:
        one for each question, or one for all. Raises PartwiseError for scores that are NaN or too
        large to be summed."""
        several = [algebras] * len(scores) if isinstance(algebras, Algebra) else list(algebras)
        pairs = zip(scores, several, strict=True)
        if backend == "compiled" or not several:
            return [TreeDistribution(one, algebra) for one, algebra in pairs]
        from partwise.chart.batched import ChartBatch

        whole = ChartBatch(scores, several, device)
        return [
            TreeDistribution(one, algebra, backend, device, (whole, number))
            for number, (one, algebra) in enumerate(pairs)
        ]

    @property
    def argmax(self) -> ScoredTree | None:
        """The best tree, None if there is no tree."""
        from partwise.chart.compiled import best

        return best(self.scores, self.algebra)

    def topk(self, k: int) -> list[ScoredTree]:
        """The `k` best trees, best first; fewer if there are fewer."""
        from partwise.chart.compiled import kbest

        return kbest(self.scores, self.algebra, k)

    @cached_property
    def log_partition(self) -> float:
        """Log of the sum over all trees of exp(score); ``-inf`` if there is none."""
        if self.backend == "torch":
            batch, number = self._batch
            return batch.totals[number]
        from partwise.chart.compiled import log_partition

        return log_partition(self.scores, self.algebra)

    @cached_property
    def marginals(self) -> Marginals:
        """The posterior probability of each label on each span."""
        if self.backend == "torch":
            batch, number = self._batch
            return batch.marginals[number]
        from partwise.chart.compiled import marginals

        return marginals(self.scores, self.algebra)

    def sample(self, generator: torch.Generator | None = None) -> SpanTree | None:
        """A tree drawn by its probability, None if there is none."""
        return next(self._alone.sample(generator))

    @cached_property
    def _batch(self) -> tuple[ChartBatch, int]:
        return self.share or (self._alone, 0)

    @cached_property
    def _alone(self) -> ChartBatch:
        from partwise.chart.batched import ChartBatch

        return ChartBatch([self.scores], [self.algebra], self.device)

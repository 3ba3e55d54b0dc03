"""TreeDistribution: the distribution over the trees of a question, whatever computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Literal

import partwise.chart.recurrence as arrays
from partwise.chart.algebra import Algebra
from partwise.chart.scores import Marginals, ScoredTree, SpanScores, SpanTree

if TYPE_CHECKING:
    import torch

    from partwise.chart.batched import ChartBatch

Backend = Literal["arrays", "compiled", "torch"]


@dataclass(frozen=True, eq=False)
class TreeDistribution:
    """All trees that an algebra accepts, each with a probability proportional to exp(score).

    Attributes:
        scores: of the labels of a question's spans.
        algebra: which trees there are.
        backend: what computes, with the same results: ``arrays`` needs nothing more than numpy,
            ``compiled`` is faster after a while (see `partwise.chart.charts`), ``torch`` sums over
            the trees of batches, on GPUs as well. Samples are drawn by torch.
        device: of the torch back end.
        share: the batch that this question is computed with, and its place there; see `batch`.
    """

    scores: SpanScores
    algebra: Algebra
    backend: Backend = "arrays"
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
        if backend != "torch" or not several:
            return [TreeDistribution(one, algebra, backend) for one, algebra in pairs]
        from partwise.chart.batched import ChartBatch

        whole = ChartBatch(scores, several, device)
        return [
            TreeDistribution(one, algebra, backend, device, (whole, number))
            for number, (one, algebra) in enumerate(pairs)
        ]

    @property
    def argmax(self) -> ScoredTree | None:
        """The best tree, None if there is no tree."""
        found: ScoredTree | None = self._charts.best(self.scores, self.algebra)
        return found

    def topk(self, k: int) -> list[ScoredTree]:
        """The `k` best trees, best first; fewer if there are fewer."""
        found: list[ScoredTree] = self._charts.kbest(self.scores, self.algebra, k)
        return found

    @cached_property
    def log_partition(self) -> float:
        """Log of the sum over all trees of exp(score); ``-inf`` if there is none."""
        if self.backend == "torch":
            batch, number = self._batch
            return batch.totals[number]
        found: float = self._charts.log_partition(self.scores, self.algebra)
        return found

    @cached_property
    def marginals(self) -> Marginals:
        """The posterior probability of each label on each span."""
        if self.backend == "torch":
            batch, number = self._batch
            return batch.marginals[number]
        found: Marginals = self._charts.marginals(self.scores, self.algebra)
        return found

    @property
    def _charts(self) -> ModuleType:
        if self.backend == "compiled" and find_spec("numba") is not None:
            from partwise.chart import compiled

            return compiled
        return arrays

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

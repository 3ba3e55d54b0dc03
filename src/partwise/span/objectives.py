"""What a span parser learns by: an expectation step over the trees of gold programs, and its loss.

Every objective asks `TreeDistribution` which labels the trees of the gold program have under the
scores of now, without dropout, and makes these labels likelier at every span. The name of one in
`SpanParserConfig.objective` is one of `OBJECTIVES`, or ``module:Class`` for one of your own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from partwise.chart import JOIN, Algebra, Marginals, SpanScores, SpanTree, TreeDistribution
from partwise.chart.distribution import Backend
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.span.config import OBJECTIVES
from partwise.span.labels import JOIN_OUTPUT, PHI_OUTPUT, Prepared

Target = NDArray[np.float32]
"""``[spans, outputs]``: how likely each label should be on each span; rows sum to one."""


@dataclass(frozen=True, eq=False)
class TrainingItem:
    """A question with the algebra of its gold program, and its tree where one is given."""

    question: Prepared
    target: Algebra
    example: Example[Term]
    tree: SpanTree | None = None


@dataclass(frozen=True, eq=False)
class TreeBatch:
    """The trees of the questions of a batch, under scores without dropout.

    Attributes:
        scores: of each question's spans.
        algebra: which trees are well typed.
        backend, device: what computes the charts; see `TreeDistribution`.
    """

    items: Sequence[TrainingItem]
    scores: Sequence[SpanScores]
    algebra: Algebra
    backend: Backend = "compiled"
    device: str = "cpu"

    @cached_property
    def gold(self) -> list[TreeDistribution]:
        algebras = [item.target for item in self.items]
        return TreeDistribution.batch(self.scores, algebras, self.backend, self.device)

    @cached_property
    def every(self) -> list[TreeDistribution]:
        return TreeDistribution.batch(self.scores, self.algebra, self.backend, self.device)


def soft_targets(question: Prepared, posterior: Marginals) -> Target:
    """Label posteriors; what is left of each row is φ's."""
    start, end = question.spans[:, 0], question.spans[:, 1]
    target = np.zeros(question.blocked.shape)
    named = posterior.constants[start, end]
    for column, output in enumerate(question.outputs):
        target[:, output] += named[:, column]
    target[:, JOIN_OUTPUT] = posterior.join[start, end]
    target = np.clip(target, 0.0, 1.0)
    target[:, PHI_OUTPUT] = np.clip(1.0 - target.sum(1), 0.0, 1.0)
    return target.astype(np.float32)


def hard_targets(question: Prepared, tree: SpanTree) -> Target:
    """The labels of a tree; spans that are no node are φ."""
    target = np.zeros(question.blocked.shape, np.float32)
    target[:, PHI_OUTPUT] = 1.0
    output_of = dict(zip(question.columns.tolist(), question.outputs.tolist(), strict=True))
    output_of[JOIN] = JOIN_OUTPUT
    for place, label in tree.labels().items():
        target[question.row(*place), PHI_OUTPUT] = 0.0
        target[question.row(*place), output_of[label]] = 1.0
    return target


class Objective:
    """Makes what `target` gives likelier at every span; see the subclasses. `given_trees`: whether
    questions must come with span trees."""

    given_trees: ClassVar[bool] = False

    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight

    def target(self, batch: TreeBatch, place: int) -> Target | None:
        """The labels to learn for the question at a place of the batch; None if no tree of its
        program fits. All charts are computed here."""
        raise NotImplementedError

    def terms(
        self, batch: TreeBatch, targets: Sequence[Target | None], logits: Sequence[Tensor]
    ) -> Iterator[Tensor]:
        """The losses of the questions with a target; the loss of a batch is their sum. The mean
        over spans of the cross-entropy ``- sum_c target(c) log softmax(logits)(c)`` (Herzig and
        Berant 2021, section 3.1). `logits`: ``[spans, outputs]`` of each question, with dropout."""
        for scored, target in zip(logits, targets, strict=True):
            if target is not None:
                wanted = torch.from_numpy(target).to(scored.device)
                yield -(wanted * torch.log_softmax(scored, -1)).sum(-1).mean()


class HardEM(Objective):
    """``t* = argmax_t score(t)`` over the trees of the gold program; its labels are the target.
    Hard EM (Herzig and Berant 2021, section 3.2)."""

    def target(self, batch: TreeBatch, place: int) -> Target | None:
        best = batch.gold[place].argmax
        return None if best is None else hard_targets(batch.items[place].question, best.tree)


class MarginalLikelihood(Objective):
    """``p(label at span | gold) = sum of p(t | gold) over the trees t that have it``. Exact
    posteriors over the trees of the gold program are the target, in place of the best tree."""

    def target(self, batch: TreeBatch, place: int) -> Target | None:
        posterior = batch.gold[place].marginals
        if posterior.log_partition == -np.inf:
            return None
        return soft_targets(batch.items[place].question, posterior)


class GlobalCRF(MarginalLikelihood):
    """Marginal likelihood, plus ``weight (log Z(all well-typed trees) - log Z(gold trees)) / n``.
    The gradient of the second part with respect to the scores is the difference of two posteriors,
    so that is what they are multiplied by; n is the number of words."""

    def target(self, batch: TreeBatch, place: int) -> Target | None:
        target = super().target(batch, place)
        _ = target is None or batch.every[place].marginals
        return target

    def terms(
        self, batch: TreeBatch, targets: Sequence[Target | None], logits: Sequence[Tensor]
    ) -> Iterator[Tensor]:
        yield from super().terms(batch, targets, logits)
        for place, (scored, target) in enumerate(zip(logits, targets, strict=True)):
            if target is not None:
                question = batch.items[place].question
                free = soft_targets(question, batch.every[place].marginals)
                pull = torch.from_numpy(free - target).to(scored.device)
                yield self.weight * (pull * scored).sum() / max(1, question.n)


class SupervisedTrees(Objective):
    """The labels of a given tree are the target (Herzig and Berant 2021, section 4.4)."""

    given_trees = True

    def target(self, batch: TreeBatch, place: int) -> Target | None:
        item = batch.items[place]
        return None if item.tree is None else hard_targets(item.question, item.tree)


CLASSES: tuple[type[Objective], ...] = (MarginalLikelihood, HardEM, GlobalCRF, SupervisedTrees)
KNOWN = dict(zip(OBJECTIVES, CLASSES, strict=True))


def objective_of(name: str) -> type[Objective]:
    """The objective of a name, or of ``module:Class``. Raises PartwiseError if there is none, or if
    its module fails; lists the known ones."""
    if name in KNOWN:
        return KNOWN[name]
    try:
        # The value of an entry point has the same form.
        kind: Any = EntryPoint(name, name, "").load() if name.partition(":")[2] else None
    except Exception as error:
        # The user's own code runs here, and may fail in any way.
        why = f"{type(error).__name__}: {error}"
        raise PartwiseError(
            f"the objective {name!r} cannot be imported ({why}); give MODULE:CLASS"
        ) from error
    if not (isinstance(kind, type) and issubclass(kind, Objective)):
        raise PartwiseError(
            f"objective {name!r} is none of {', '.join(OBJECTIVES)}, and no class of Objective"
        )
    return kind

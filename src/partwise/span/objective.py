"""What a span parser learns by: the E-step over the trees of gold programs, and its losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from partwise.chart import compiled
from partwise.chart.algebra.base import Algebra
from partwise.chart.algebra.target import TargetAlgebra
from partwise.chart.tree import JOIN, SpanTree
from partwise.errors import DataError, PartwiseError
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.language.tokenizer import Words, tokenize
from partwise.span.annotation.builder import Annotator
from partwise.span.annotation.spans import spans_of, tree_of
from partwise.span.labels import Prepared
from partwise.training.trainer import LossReport

if TYPE_CHECKING:
    from partwise.span.parser import SpanParser


@dataclass(frozen=True, eq=False)
class TrainingItem:
    """A question with the algebra of its gold program, and its tree where one is given."""

    question: Prepared
    target: Algebra
    example: Example[Term]
    tree: SpanTree | None = None


@dataclass(frozen=True, eq=False)
class SpanObjective:
    """The loss of a span parser, as its settings say; see `SpanParserConfig.objective`."""

    parser: SpanParser

    def items(
        self, examples: Sequence[Example[Term]]
    ) -> tuple[list[TrainingItem], list[tuple[Example[Term], str]]]:
        """Examples made ready, and those that cannot be used, with the reason."""
        if self.parser.config.objective == "trees" and all(e.spans is None for e in examples):
            examples = [self._annotated(example) for example in examples]
        items: list[TrainingItem] = []
        unusable: list[tuple[Example[Term], str]] = []
        for example in examples:
            words = tokenize(example.question)
            try:
                application = self.parser.types.check(example.meaning)
            except PartwiseError as error:
                unusable.append((example, str(error)))
                continue
            reason = self.parser.unfit(words)
            if reason is not None:
                unusable.append((example, reason))
                continue
            whole = TargetAlgebra(self.parser.types, application)
            target = whole if self.parser.config.ternary else whole.without_ternary()
            try:
                tree = self._given_tree(example, words)
            except PartwiseError as error:
                unusable.append((example, str(error)))
                continue
            items.append(TrainingItem(self.parser.labels.prepare(words), target, example, tree))
        return items, unusable

    def _annotated(self, example: Example[Term]) -> Example[Term]:
        """The example with the span tree that the lexicon gives; without if there is none."""
        try:
            tree = Annotator(self.parser.types).annotate(example)
        except PartwiseError:
            return example
        return replace(example, spans=spans_of(tree, self.parser.domain))

    def _given_tree(self, example: Example[Term], words: Words) -> SpanTree | None:
        """The tree that the example is annotated with, if trees are trained on."""
        if self.parser.config.objective != "trees":
            return None
        if example.spans is None:
            raise DataError("no span tree is given, and none can be made by lexicon")
        tree = tree_of(example.spans, self.parser.domain, words.words)
        for (start, end), label in tree.labels().items():
            if label != JOIN and not self.parser.labels.may_stand(label, words, start, end):
                raise DataError(
                    f"its span tree calls {' '.join(words.words[start:end])!r} "
                    f"{self.parser.domain.vocabulary[label].category}, but no name of it reads so; "
                    "give the domain this name as an alias, or free the entities"
                )
        return tree

    def _targets(
        self, item: TrainingItem, logits: NDArray[np.floating]
    ) -> NDArray[np.float32] | None:
        """The E-step: labels of the gold program's trees under scores without dropout."""
        labels = self.parser.labels
        if item.tree is not None:
            return labels.hard_targets(item.question, item.tree)
        scores = item.question.span_scores(logits)
        if self.parser.config.objective == "hard":
            best = compiled.best(scores, item.target)
            return None if best is None else labels.hard_targets(item.question, best.tree)
        posterior = compiled.marginals(scores, item.target)
        if posterior.log_partition == -np.inf:
            return None
        return labels.soft_targets(item.question, posterior)

    def loss(self, batch: Sequence[TrainingItem]) -> LossReport:
        """Mean over questions of the mean over spans of the cross-entropy (paper section 3.1)."""
        questions = [item.question for item in batch]
        with self.parser.clock.part("network"):
            quiet = self.parser.quiet_logits(questions)
        report = LossReport(None)
        targets: list[NDArray[np.float32] | None] = []
        with self.parser.clock.part("chart"):
            for item, logits in zip(batch, quiet, strict=True):
                targets.append(self._targets(item, logits))
                if targets[-1] is None:
                    report.unreached.append(item.example.source)
        with self.parser.clock.part("network"):
            live = self.parser.logits(questions)
        losses = [
            self._cross_entropy(logits, target)
            for logits, target in zip(live, targets, strict=True)
            if target is not None
        ]
        if self.parser.config.objective == "crf":
            losses += list(self._global_losses(batch, quiet, live, targets))
        report.reached = sum(target is not None for target in targets)
        if losses:
            report.loss = torch.stack(losses).sum() / max(1, report.reached)
        return report

    @staticmethod
    def _cross_entropy(logits: Tensor, target: NDArray[np.float32]) -> Tensor:
        wanted = torch.from_numpy(target).to(logits.device)
        return -(wanted * torch.log_softmax(logits, -1)).sum(-1).mean()

    def _global_losses(
        self,
        batch: Sequence[TrainingItem],
        quiet: Sequence[NDArray[np.floating]],
        live: Sequence[Tensor],
        targets: Sequence[NDArray[np.float32] | None],
    ) -> Iterator[Tensor]:
        """A loss whose gradient is that of log Z(types) - log Z(gold), by span posteriors."""
        for item, logits, scored, target in zip(batch, quiet, live, targets, strict=True):
            if target is None:
                continue
            with self.parser.clock.part("chart"):
                every = compiled.marginals(item.question.span_scores(logits), self.parser.algebra)
            free = self.parser.labels.soft_targets(item.question, every)
            pull = torch.from_numpy(free - target).to(scored.device)
            yield self.parser.config.crf_weight * (pull * scored).sum() / max(1, item.question.n)

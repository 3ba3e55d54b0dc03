"""Objectives: what they make likelier, on both back ends of the charts, and one's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from partwise.chart import TreeDistribution
from partwise.domains.geography.domain import Geography
from partwise.encoders.base import make_encoder
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.objectives import (
    GlobalCRF,
    HardEM,
    MarginalLikelihood,
    Objective,
    Target,
    TrainingItem,
    TreeBatch,
    objective_of,
)
from partwise.span.parser import SpanParser

DOMAIN = Geography()


class Doubled(HardEM):
    """Twice the loss of hard EM."""

    def terms(
        self, batch: TreeBatch, targets: Sequence[Target | None], logits: Sequence[Tensor]
    ) -> Iterator[Tensor]:
        yield from (2 * term for term in super().terms(batch, targets, logits))


@pytest.fixture(scope="module")
def examples() -> list[Example[Term]]:
    return [e for e in load("geography", "iid").train[:60] if len(e.question.split()) < 9][:5]


def parser(examples: list[Example[Term]], objective: str, chart: str = "compiled") -> SpanParser:
    torch.manual_seed(0)
    words = [tokenize(example.question) for example in examples]
    config = SpanParserConfig(encoder="bilstm", hidden=16, objective=objective, chart=chart)  # type: ignore[arg-type]
    return SpanParser(DOMAIN, config, make_encoder("bilstm", words)).eval()


def loss(parser: SpanParser, examples: list[Example[Term]]) -> float:
    items, unusable = parser.training_items(examples)
    assert not unusable
    report = parser.loss(items)
    assert report.loss is not None
    assert report.reached == len(items)
    return float(report.loss.detach())


@pytest.mark.parametrize("objective", ["marginal", "hard", "crf"])
def test_both_back_ends_give_the_same_loss(examples: list[Example[Term]], objective: str) -> None:
    compiled, batched = (
        loss(parser(examples, objective, chart), examples) for chart in ("compiled", "torch")
    )
    assert batched == pytest.approx(compiled, rel=1e-5)


def test_the_global_loss_has_the_gradient_of_its_equation(examples: list[Example[Term]]) -> None:
    """That of log Z(all) - log Z(gold), over the words, by finite differences."""
    made = parser(examples, "crf")
    (item,), _ = made.training_items(examples[:1])
    (logits,) = made.quiet_logits([item.question])
    logits = logits.astype(np.float64)

    def log_ratio(scores: np.ndarray) -> float:  # type: ignore[type-arg]
        spans = item.question.span_scores(scores)
        every = TreeDistribution(spans, made.algebra)
        return every.log_partition - TreeDistribution(spans, item.target).log_partition

    def gradient(kind: type[Objective]) -> Tensor:
        live = torch.from_numpy(logits).requires_grad_()
        batch = TreeBatch([item], [item.question.span_scores(logits)], made.algebra)
        objective = kind(1.0)
        torch.stack(
            list(objective.terms(batch, [objective.target(batch, 0)], [live]))
        ).sum().backward()  # type: ignore[no-untyped-call]
        assert live.grad is not None
        return live.grad

    part = gradient(GlobalCRF) - gradient(MarginalLikelihood)
    large = torch.topk(part.abs().flatten(), 5).indices
    for place in large.tolist():
        row, column = divmod(place, logits.shape[1])
        nudged = [logits.copy(), logits.copy()]
        for scores, step in zip(nudged, (1e-4, -1e-4), strict=True):
            scores[row, column] += step
        slope = (log_ratio(nudged[0]) - log_ratio(nudged[1])) / 2e-4 / item.question.n
        assert float(part[row, column]) == pytest.approx(slope, rel=1e-3, abs=1e-6)


def test_an_objective_of_ones_own_is_found(examples: list[Example[Term]]) -> None:
    own = loss(parser(examples, f"{__name__}:Doubled"), examples)
    assert own == pytest.approx(2 * loss(parser(examples, "hard"), examples))


@pytest.mark.parametrize(
    "name",
    ["soft", "json:dumps", "nowhere:Objective", "json:Nothing", "hard:", ":hard", "odd:X", "bad:X"],
)
def test_what_is_no_objective_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "odd.py").write_text("raise ValueError('no')")
    (tmp_path / "bad.py").write_text("def x(:")
    with pytest.raises(PartwiseError, match="objective"):
        objective_of(name)


def test_a_question_whose_program_has_no_tree_is_not_reached(
    examples: list[Example[Term]],
) -> None:
    made = parser(examples, "hard")
    (item,), _ = made.training_items(examples[:1])
    other = Example("texas", examples[0].meaning, "here:1")
    short = made.labels.prepare(tokenize("texas"))
    report = made.loss([item, TrainingItem(short, item.target, other)])
    assert (report.reached, report.unreached) == (1, ["here:1"])

"""Each stack learns 50 examples by heart, so that none is weaker than it should be."""

from __future__ import annotations

import pytest

from partwise.domains.shipped import read_shipped
from partwise.evaluation.metrics import evaluate
from partwise.interface.registry import named_domain
from partwise.training.config import TrainingConfig
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.parser import Seq2SeqParser
from partwise_papers.seq2seq.systems import SYSTEMS

SMALL = {"hidden": 64, "layers": 1, "heads": 4, "feedforward": 128, "dropout": 0.0, "beam": 1}


@pytest.mark.parametrize(
    ("system", "epochs"), [("transformer", 60), ("universal", 100), ("evolved", 60), ("t5", 100)]
)
def test_learns_fifty_examples_by_heart(system: str, epochs: int) -> None:
    domain, train = named_domain("geography"), read_shipped("geography", "iid").train[:50]
    parser = Seq2SeqParser.create(domain, Seq2SeqConfig(**{**SYSTEMS[system], **SMALL}))
    config = TrainingConfig(epochs=epochs, batch_size=10, head_rate=3e-3, keep="last")
    parser.fit(train, [], config)
    assert evaluate(parser, train, False).exact_match == 1.0

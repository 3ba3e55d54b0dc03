"""Matrices in eight bits: as near as eight bits can be, and nothing else is changed."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import BertConfig, BertModel

from partwise.encoders import eight_bits
from partwise.encoders.eight_bits import (
    SCALE,
    EightBitBert,
    EightBitLinear,
    in_eight_bits,
    packed,
    shapes_of,
    unpacked,
)


@given(
    st.lists(st.integers(1, 3), max_size=1),
    st.integers(2, 5),
    st.integers(1, 7),
    st.integers(0, 99),
)
def test_each_number_is_off_by_half_a_step_at_most(
    stack: list[int], rows: int, columns: int, seed: int
) -> None:
    torch.manual_seed(seed)
    weights = {
        "a.x": torch.randn(*stack, rows, columns) * 10,
        "a.bias": torch.randn(3),
        "a.row": torch.randn(4, 1, 3),
        "b.x": torch.eye(2),
    }
    stored = packed(weights, ("a.",))
    assert stored["a.x"].dtype == torch.int8
    again = unpacked(stored)
    assert again.keys() == weights.keys()
    step = weights["a.x"].abs().amax(-1, keepdim=True) / 127
    assert bool(((again["a.x"] - weights["a.x"]).abs() <= step / 2 + 1e-5).all())
    assert torch.equal(again["a.bias"], weights["a.bias"])
    assert torch.equal(again["a.row"], weights["a.row"])
    assert torch.equal(again["b.x"], weights["b.x"])


def test_rows_of_zeros_and_of_no_numbers_become_zeros() -> None:
    rows = torch.tensor([[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
    assert torch.equal(unpacked(packed({"x": rows}, ("",)))["x"], torch.zeros(3, 2))


def test_shapes_are_those_of_the_weights() -> None:
    assert shapes_of({"x": (2, 3), "x" + SCALE: (2,), "y": (4,)}) == {"x": (2, 3), "y": (4,)}
    assert shapes_of({"x": (5, 2, 3), "x" + SCALE: (5, 2)}) == {"x": (5, 2, 3)}
    with pytest.raises(ValueError, match="does not fit"):
        shapes_of({"x": (2, 3), "x" + SCALE: (3,)})
    with pytest.raises(ValueError, match="does not fit"):
        shapes_of({"y" + SCALE: (3,)})


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=2),
    st.integers(2, 70),
    st.integers(1, 9),
    st.integers(0, 99),
    st.booleans(),
)
def test_products_are_off_by_the_steps_of_both_sides(
    rows: list[int], incoming: int, outgoing: int, seed: int, bias: bool
) -> None:
    torch.manual_seed(seed)
    layer = torch.nn.Linear(incoming, outgoing, bias=bias)
    given = torch.randn(*rows, incoming) * 10
    with torch.no_grad():
        exact, made = layer(given), EightBitLinear(layer)(given)
    assert made.shape == exact.shape
    # Each number of either side is off by half a step at most.
    most, heaviest = given.abs().amax(-1, keepdim=True), layer.weight.abs().amax(1)
    room = incoming * most * heaviest * (1 / 127 + 1 / (4 * 127**2))
    assert bool(((made - exact).abs() <= room + 1e-4).all())


def test_whole_numbers_are_multiplied_exactly_and_zeros_give_the_bias() -> None:
    layer = torch.nn.Linear(3, 2)
    layer.weight.data = torch.tensor([[127.0, -3.0, 5.0], [0.0, 0.0, 0.0]])
    rows = torch.tensor([[127.0, 2.0, -1.0], [0.0, 0.0, 0.0]])
    made = EightBitLinear(layer)(rows)
    assert made == pytest.approx(layer(rows).detach(), abs=1e-3)


@pytest.mark.parametrize("fast", [True, False])
def test_a_model_is_copied_with_what_is_not_multiplied(
    fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eight_bits, "computes_eight_bits", lambda: fast)
    model = torch.nn.Sequential(torch.nn.Embedding(5, 8), torch.nn.Linear(8, 8), torch.nn.Dropout())
    made = in_eight_bits(model)
    assert isinstance(made[1], EightBitLinear) == fast
    assert made[0].weight is model[0].weight
    assert isinstance(model[1], torch.nn.Linear)
    assert not made.training
    asked = torch.arange(5)
    assert torch.allclose(made(asked), model.eval()(asked), atol=0.1)


def test_a_bert_reads_the_same_as_with_its_products_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(eight_bits, "computes_eight_bits", lambda: True)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32}
    model = BertModel(BertConfig(vocab_size=9, num_hidden_layers=2, **sizes)).eval()
    made = in_eight_bits(model)
    assert isinstance(made, EightBitBert)
    assert made.embeddings is model.embeddings
    for layer in model.encoder.layer:
        dense = [name for name, one in layer.named_modules() if isinstance(one, torch.nn.Linear)]
        for name in dense:
            layer.set_submodule(name, EightBitLinear(layer.get_submodule(name)))
    ids, types = torch.tensor([[1, 2, 3, 4], [5, 6, 0, 0]]), torch.tensor([[0, 0, 1, 1]] * 2)
    for mask in (torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]), torch.ones(2, 4, dtype=torch.long)):
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        with torch.no_grad():
            apart, whole = model(**given).last_hidden_state, made(**given).last_hidden_state
        assert torch.allclose(apart[mask > 0], whole[mask > 0], atol=1e-5)

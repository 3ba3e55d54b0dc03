"""Matrices in eight bits: as near as eight bits can be, and nothing else is changed."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from partwise.encoders.eight_bits import SCALE, packed, shapes_of, unpacked


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

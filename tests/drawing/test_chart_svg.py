"""The chart as a picture: a cell for each span, as dark as the span is likely."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library import Library
from partwise.chart import compiled
from partwise.chart.scores import Marginals, SpanScores
from partwise.chart.semantics import SpanPosteriors
from partwise.chart.type_algebra import TypeAlgebra
from partwise.drawing import draw_svg
from partwise.drawing.trees import NAMED
from partwise.language.text import tokenize

NS = "{http://www.w3.org/2000/svg}"
TYPES = TypeAlgebra(Library())
CATEGORIES = [one.category for one in TYPES.domain.constants]


def drawn(found: Marginals, columns: list[str], question: str) -> ET.Element:
    return ET.fromstring(draw_svg(SpanPosteriors(found, columns, tokenize(question))))


def cells(root: ET.Element) -> list[ET.Element]:
    return list(root.iter(f"{NS}g"))


@settings(max_examples=30)
@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_every_span_has_a_cell_as_dark_as_its_posterior(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (n + 1, n + 1)
    scores = SpanScores.of(rng.normal(size=(*shape, len(CATEGORIES))), rng.normal(size=shape))
    found = compiled.marginals(scores, TYPES)
    root = drawn(found, CATEGORIES, " ".join("abcdef"[:n]))
    assert len(cells(root)) == n * (n + 1) // 2
    shares = [
        float(found.constants[i, i + length].sum() + found.join[i, i + length])
        for length in range(1, n + 1)
        for i in range(n - length + 1)
    ]
    for share, cell in zip(shares, cells(root), strict=True):
        filled = [float(one.get("fill-opacity", 0)) for one in cell.iter(f"{NS}rect")]
        assert max(filled) == pytest.approx(share, abs=6e-3)


def test_labels_and_tooltips() -> None:
    constants, join = np.zeros((3, 3, 2)), np.zeros((3, 3))
    constants[0, 1], join[0, 2] = (0.9, 0.06), 1.0
    constants[1, 2, 1] = NAMED / 2
    root = drawn(Marginals(constants, join, 0.0), ["author", "book('a<b')"], "who what")
    first, second, third = cells(root)
    assert [text.text for text in first.iter(f"{NS}text")] == ["author", "90 %"]
    assert first.findtext(f"{NS}title") == "who: author 90.0 %, book('a<b') 6.0 %"
    assert list(second.iter(f"{NS}text")) == []
    assert second.findtext(f"{NS}title") == "what: book('a<b') 2.5 %"
    assert third.findtext(f"{NS}title") == "who what: join 100.0 %"

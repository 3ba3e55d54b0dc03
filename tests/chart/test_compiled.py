"""Whether the charts have been compiled is known without compiling them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from library import Library
from partwise.chart import compiled, viterbi
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.scores import SpanScores


def test_charts_that_were_compiled_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = TypeAlgebra(Library())
    n, columns = 2, len(types.domain.categories)
    scores = SpanScores.of(np.zeros((n + 1, n + 1, columns)), np.zeros((n + 1, n + 1)))
    compiled.best(scores, types)
    assert compiled.compiled_before()
    unused = SimpleNamespace(
        stats=SimpleNamespace(cache_path=str(tmp_path)), py_func=viterbi.search.py_func
    )
    monkeypatch.setattr(viterbi, "search", unused)
    assert not compiled.compiled_before()

"""Names in the plot of costs can be read."""

from __future__ import annotations

from itertools import combinations

import pytest

from partwise_papers.plots.cost import Cost, plot_costs

pytest.importorskip("matplotlib")


def test_names_of_systems_that_are_close_do_not_overlap() -> None:
    close = [Cost(f"system-{n}", "denotation", 0.2 + n / 50, 2 + n / 10, 0.6) for n in range(5)]
    figure = plot_costs([Cost("first", "denotation", 0.9, 1.0, 0.0), *close])
    texts = figure.axes[0].texts
    assert [text.get_text() for text in texts] == ["first", *(one.name for one in close)]
    assert len({text.get_color() for text in texts}) == len(texts)
    boxes = [text.get_window_extent() for text in texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))

"""Systems in the plot of costs can be told apart."""

from __future__ import annotations

import pytest

from partwise_papers.plots.cost import Cost, plot_costs

pytest.importorskip("matplotlib")


def test_each_system_is_named_and_has_a_look_of_its_own() -> None:
    names = [f"system-{number}" for number in range(12)]
    costs = [Cost(name, "denotation", 0.5, 1.0 + n, 0.1) for n, name in enumerate(names)]
    figure = plot_costs(costs)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == names
    points = [bars.lines[0] for bars in figure.axes[0].containers]
    assert len({(point.get_color(), point.get_marker()) for point in points}) == len(names)

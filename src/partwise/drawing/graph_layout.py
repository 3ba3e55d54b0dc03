"""Where the nodes and edges of a drawn graph lie: columns from left to right, no dependencies.

Each component starts from one node (what is asked for, or an end of its longest chain); a node's
column is its distance from there. So edges run only between neighbouring columns or, as arcs to
the right, within one, and none runs behind a node. Columns are ordered by barycentres (Sugiyama,
Tagawa and Toda 1981), the order with the fewest crossings is kept. The labels of edges stand one
above another between the columns, each as near to the middle of its edge as the others allow, and
edges bend to pass through their labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from partwise.drawing.canvas import Box

Point = tuple[float, float]
Sizes = Mapping[str, tuple[float, float]]
MOST_COLUMNS = 6
HEIGHT = 18.0
"""Of an edge's label."""
_PORT, _ARC, _ROW, _GAP, _BETWEEN = 11.0, 44.0, 22.0, 56.0, 34.0
"""Distance of ports, reach of arcs, height of labels' rows, space between columns, components."""


@dataclass
class Link:
    """An edge to lay out: its ends, the width of its label; then its curve and its label's box.

    `curve` holds the four points of a cubic Bézier curve from `start` to `end`; the label lies on
    its middle or, of an arc within a column, to the right of it.
    """

    start: str
    end: str
    width: float
    curve: tuple[Point, Point, Point, Point] = ((0, 0), (0, 0), (0, 0), (0, 0))
    label: Box = field(default_factory=lambda: Box(0, 0, 0, HEIGHT))

    def at(self, t: float) -> Point:
        """A point of the curve, t from 0 to 1."""
        a, b, c, d = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
        (px, py), (qx, qy), (rx, ry), (sx, sy) = self.curve
        return a * px + b * qx + c * rx + d * sx, a * py + b * qy + c * ry + d * sy


def lay_out(sizes: Sizes, links: Sequence[Link], first: str | None = None) -> dict[str, Box]:
    """Place nodes and set the curves and labels of links; the upper left corner is about (0, 0).

    Args:
        sizes: (least width, height) of each node, in the order in which ties are decided; the
            nodes of a column are made equally wide, so that no line leaves behind a wider one.
        first: a node to start from.
    """
    neighbours: dict[str, list[str]] = {node: [] for node in sizes}
    for link in links:
        if link.end != link.start:
            neighbours[link.start].append(link.end)
            neighbours[link.end].append(link.start)
    distances = {node: _distances(node, neighbours) for node in sizes}
    placed: dict[str, Box] = {}
    top = 0.0
    for node in sizes:
        if node in placed:
            continue
        component = {other: distances[other] for other in sizes if other in distances[node]}
        own = [link for link in links if link.start in component]
        columns = _uncrossed(_columns(component, first), neighbours, own)
        boxes = _boxes(columns, sizes, own)
        _draw(columns, boxes, own)
        left, up, _, down = extent(boxes, own)
        _move(boxes, own, -left, top - up)
        top += down - up + _BETWEEN
        placed |= boxes
    return placed


def extent(boxes: Mapping[str, Box], links: Sequence[Link]) -> tuple[float, float, float, float]:
    """Left, upper, right and lower end of all that was laid out; zeros for nothing."""
    all_boxes = [*boxes.values(), *(link.label for link in links)]
    all_boxes += [Box(*link.at(i / 20), 0, 0) for link in links for i in range(21)]
    return (
        min((box.x - box.width / 2 for box in all_boxes), default=0.0),
        min((box.y - box.height / 2 for box in all_boxes), default=0.0),
        max((box.x + box.width / 2 for box in all_boxes), default=0.0),
        max((box.y + box.height / 2 for box in all_boxes), default=0.0),
    )


def _move(boxes: Mapping[str, Box], links: Sequence[Link], x: float, y: float) -> None:
    for box in (*boxes.values(), *(link.label for link in links)):
        box.x, box.y = box.x + x, box.y + y
    for link in links:
        p, q, r, s = ((px + x, py + y) for px, py in link.curve)
        link.curve = (p, q, r, s)


def _distances(node: str, neighbours: Mapping[str, Sequence[str]]) -> dict[str, int]:
    distances, queue = {node: 0}, [node]
    for at in queue:
        for other in neighbours[at]:
            if other not in distances:
                distances[other] = distances[at] + 1
                queue.append(other)
    return distances


def _columns(distances: Mapping[str, Mapping[str, int]], first: str | None) -> list[list[str]]:
    """The nodes of a component by their distance from one of them."""
    depths = {node: max(others.values()) for node, others in distances.items()}
    shallow = [node for node in depths if depths[node] < MOST_COLUMNS]
    root = max(shallow, key=depths.__getitem__) if shallow else min(depths, key=depths.__getitem__)
    distance = distances[first if first is not None and first in distances else root]
    return [[n for n in distances if distance[n] == i] for i in range(max(distance.values()) + 1)]


def _uncrossed(
    columns: list[list[str]], neighbours: Mapping[str, Sequence[str]], links: Sequence[Link]
) -> list[list[str]]:
    """The columns in the best order that some passes to the right and back come to."""
    best = columns
    for _ in range(4):
        columns = _ordered(columns, neighbours)
        columns = _ordered(columns[::-1], neighbours)[::-1]
        if _crossings(columns, links) < _crossings(best, links):
            best = columns
    return best


def _ordered(columns: list[list[str]], neighbours: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Each column by the mean place of its neighbours in the one before."""
    ordered = [columns[0]]
    for column in columns[1:]:
        place = {node: i / max(len(ordered[-1]) - 1, 1) for i, node in enumerate(ordered[-1])}
        own = {node: i / max(len(column) - 1, 1) for i, node in enumerate(column)}
        known = {n: [place[other] for other in neighbours[n] if other in place] for n in column}
        ordered.append(sorted(column, key=lambda n: fmean(known[n]) if known[n] else own[n]))
    return ordered


def _crossings(columns: Sequence[Sequence[str]], links: Sequence[Link]) -> int:
    place = {n: (i, j) for i, column in enumerate(columns) for j, n in enumerate(column)}
    ends = [sorted((place[link.start], place[link.end])) for link in links]
    spans = [(one[0], one[1], two[1]) for one, two in ends if one[0] != two[0]]
    return sum(
        a[0] == b[0] and (a[1] - b[1]) * (a[2] - b[2]) < 0
        for i, a in enumerate(spans)
        for b in spans[i + 1 :]
    )


def _boxes(columns: Sequence[Sequence[str]], sizes: Sizes, links: Sequence[Link]) -> dict[str, Box]:
    boxes: dict[str, Box] = {}
    left = 0.0
    for column, here in zip(columns, _by_gap(columns, links), strict=True):
        width = max(sizes[node][0] for node in column)
        heights = [sizes[node][1] + 20 for node in column]
        top = -sum(heights) / 2
        for node, height in zip(column, heights, strict=True):
            boxes[node] = Box(left + width / 2, top + height / 2, width, sizes[node][1])
            top += height
        labels = [k.width + 2 * _ARC * (k.start in column and k.end in column) for k in here]
        left += width + max(labels, default=0.0) + _GAP
    return boxes


def _by_gap(columns: Sequence[Sequence[str]], links: Sequence[Link]) -> list[list[Link]]:
    """The links that have their labels to the right of each column."""
    column_of = {node: i for i, column in enumerate(columns) for node in column}
    gaps: list[list[Link]] = [[] for _ in columns]
    for link in links:
        gaps[min(column_of[link.start], column_of[link.end])].append(link)
    return gaps


def _draw(
    columns: Sequence[Sequence[str]], boxes: Mapping[str, Box], links: Sequence[Link]
) -> None:
    """Set the curves and labels of links, one gap between two columns after the other."""
    starts, ends = _ports(boxes, links)
    middles = [(start[1] + end[1]) / 2 for start, end in zip(starts, ends, strict=True)]
    number = {id(link): i for i, link in enumerate(links)}
    for gap in _by_gap(columns, links):
        here = sorted((number[id(link)] for link in gap), key=lambda i: (middles[i], i))
        for i, y in zip(here, _apart([middles[i] for i in here], _ROW), strict=True):
            _bend(links[i], starts[i], ends[i], y)


def _bend(link: Link, start: Point, end: Point, y: float) -> None:
    """Lead a link from its start to its end through its label, whose middle is at height `y`."""
    (ax, ay), (bx, by) = start, end
    # At its middle a cubic curve has moved by three quarters of what its control points have.
    off = (y - (ay + by) / 2) / 0.75
    if ax == bx:
        reach = ax + _ARC + min(0.12 * abs(ay - by), 60.0) + abs(off) / 2
        link.curve = (start, (reach, ay + off), (reach, by + off), end)
    else:
        pull = 0.4 * (bx - ax)
        link.curve = (start, (ax + pull, ay + off), (bx - pull, by + off), end)
    aside = link.width / 2 - 8 if ax == bx else 0.0
    link.label = Box(link.at(0.5)[0] + aside, y, link.width, HEIGHT)


def _apart(wanted: Sequence[float], least: float) -> list[float]:
    """Places in the same order, `least` apart, as near as they can be to those that are wanted.

    Least squares under an order, by pooling neighbours that violate it (Ayer et al. 1955).
    """
    pools: list[list[float]] = []
    for i, y in enumerate(wanted):
        pools.append([y - i * least])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    levels = [fmean(pool) for pool in pools for _ in pool]
    return [level + i * least for i, level in enumerate(levels)]


def _ports(boxes: Mapping[str, Box], links: Sequence[Link]) -> tuple[list[Point], list[Point]]:
    """Where links leave and reach their nodes: spread along the sides, in the others' order."""
    sides: dict[tuple[str, bool], list[tuple[float, int, int]]] = {}
    for i, link in enumerate(links):
        for which, (node, other) in enumerate([(link.start, link.end), (link.end, link.start)]):
            # Loops take the lowest places, out of the way of the others.
            y = boxes[other].y if other != node else math.inf
            sides.setdefault((node, boxes[other].x >= boxes[node].x), []).append((y, i, which))
    ports: tuple[list[Point], list[Point]] = ([(0, 0)] * len(links), [(0, 0)] * len(links))
    for (node, right), reached in sides.items():
        box = boxes[node]
        x = box.x + (box.width / 2 if right else -box.width / 2)
        step = min(_PORT, (box.height - 10) / max(len(reached) - 1, 1))
        for place, (_, i, which) in enumerate(sorted(reached)):
            ports[which][i] = (x, box.y + (place - (len(reached) - 1) / 2) * step)
    return ports

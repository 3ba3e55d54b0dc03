"""Where the nodes and edges of a drawn graph lie: columns from left to right, no dependencies.

Each component starts from one node (what is asked for, or an end of its longest chain); a node's
column is its distance from there. So edges run only between neighbouring columns or, as arcs to
the right, within one, and none runs behind a node. Columns are ordered by barycentres (Sugiyama,
Tagawa and Toda 1981), which leaves few crossings. The labels of edges stand one above another
between the columns, each as near to the middle of its edge as the others allow, and edges bend to
pass through their labels.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from partwise.drawing.canvas import Box

Point = tuple[float, float]
Sizes = Mapping[str, tuple[float, float]]
Neighbours = Mapping[str, Sequence[str]]
Columns = list[list[str]]
MOST_COLUMNS, SWEEPS = 6, 2
HEIGHT = 18.0
"""Of an edge's label."""
_PORT, _ARC, _ROW, _GAP, _BETWEEN = 11.0, 44.0, 22.0, 56.0, 34.0
"""Distance of ports, reach of arcs, height of labels' rows, space between columns, components."""


@dataclass
class GraphLink:
    """An edge to lay out: its ends, the width of its label; then its curve and its label's box.
    `curve` holds the four points of a cubic Bézier curve from `start` to `end`; the label lies on
    its middle or, of an arc within a column, to the right of it."""

    start: str
    end: str
    width: float
    curve: tuple[Point, Point, Point, Point] = ((0, 0), (0, 0), (0, 0), (0, 0))
    label: Box = field(default_factory=lambda: Box(0, 0, 0, HEIGHT))

    def at(self, t: float) -> Point:
        a, b, c, d = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
        (px, py), (qx, qy), (rx, ry), (sx, sy) = self.curve
        return a * px + b * qx + c * rx + d * sx, a * py + b * qy + c * ry + d * sy


def lay_out(sizes: Sizes, links: Sequence[GraphLink], first: str | None = None) -> dict[str, Box]:
    """Place nodes and set the curves and labels of links; the upper left corner is about (0, 0).
    `sizes`: (least width, height) of each node; those of a column are made equally wide, so that no
    line leaves behind a wider one. `first`: a node to start from."""
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
        columns = _columns(component, first)
        for _ in range(2 * SWEEPS):
            columns = _order(columns, neighbours)[::-1]
        boxes = _place(_order(columns, neighbours), sizes, own)
        left, up, _, down = extent(boxes, own)
        for box in (*boxes.values(), *(link.label for link in own)):
            box.x, box.y = box.x - left, box.y + top - up
        for link in own:
            p, q, r, s = ((x - left, y + top - up) for x, y in link.curve)
            link.curve = (p, q, r, s)
        top += down - up + _BETWEEN
        placed |= boxes
    return placed


def extent(
    boxes: Mapping[str, Box], links: Sequence[GraphLink]
) -> tuple[float, float, float, float]:
    """Left, upper, right and lower end of all that was laid out; zeros for nothing."""
    all_boxes = [*boxes.values(), *(link.label for link in links)]
    all_boxes += [Box(*link.at(i / 20), 0, 0) for link in links for i in range(21)]
    return (
        min((box.x - box.width / 2 for box in all_boxes), default=0.0),
        min((box.y - box.height / 2 for box in all_boxes), default=0.0),
        max((box.x + box.width / 2 for box in all_boxes), default=0.0),
        max((box.y + box.height / 2 for box in all_boxes), default=0.0),
    )


def _distances(node: str, neighbours: Neighbours) -> dict[str, int]:
    distances, queue = {node: 0}, [node]
    for at in queue:
        for other in neighbours[at]:
            if other not in distances:
                distances[other] = distances[at] + 1
                queue.append(other)
    return distances


def _columns(distances: Mapping[str, Mapping[str, int]], first: str | None) -> Columns:
    if first is None or first not in distances:
        depths = {node: max(others.values()) for node, others in distances.items()}
        shallow = [node for node in depths if depths[node] < MOST_COLUMNS]
        first = max(shallow, key=depths.__getitem__, default=min(depths, key=depths.__getitem__))
    distance = distances[first]
    return [[n for n in distances if distance[n] == i] for i in range(max(distance.values()) + 1)]


def _order(columns: Columns, neighbours: Neighbours) -> Columns:
    ordered = [columns[0]]
    for column in columns[1:]:
        place = {node: i / max(len(ordered[-1]) - 1, 1) for i, node in enumerate(ordered[-1])}
        means: dict[str, float] = {}
        for i, node in enumerate(column):
            near = [place[other] for other in neighbours[node] if other in place]
            means[node] = fmean(near or [i / max(len(column) - 1, 1)])
        ordered.append(sorted(column, key=means.__getitem__))
    return ordered


def _place(columns: Columns, sizes: Sizes, links: Sequence[GraphLink]) -> dict[str, Box]:
    boxes: dict[str, Box] = {}
    column_of = {node: i for i, column in enumerate(columns) for node in column}
    gaps: list[list[int]] = [[] for _ in columns]
    for i, link in enumerate(links):
        gaps[min(column_of[link.start], column_of[link.end])].append(i)
    left = 0.0
    for column, gap in zip(columns, gaps, strict=True):
        width = max(sizes[node][0] for node in column)
        top = -sum(sizes[node][1] + 20 for node in column) / 2
        for node in column:
            height = sizes[node][1]
            boxes[node] = Box(left + width / 2, top + height / 2 + 10, width, height)
            top += height + 20
        here = [links[i] for i in gap]
        labels = [k.width + 2 * _ARC * (column_of[k.start] == column_of[k.end]) for k in here]
        left += width + max(labels, default=0.0) + _GAP
    ports = list(zip(*_ports(boxes, links), strict=True))
    middles = [(start[1] + end[1]) / 2 for start, end in ports]
    for gap in gaps:
        order = sorted(gap, key=middles.__getitem__)
        for i, y in zip(order, _apart([middles[i] for i in order], _ROW), strict=True):
            _bend(links[i], *ports[i], y)
    return boxes


def _bend(link: GraphLink, start: Point, end: Point, y: float) -> None:
    """Lead a link from its start to its end through its label, whose middle is at height `y`."""
    (ax, ay), (bx, by) = start, end
    # At its middle a cubic curve has moved by three quarters of what its control points have.
    off = (y - (ay + by) / 2) / 0.75
    out, back = ax + 0.4 * (bx - ax), bx - 0.4 * (bx - ax)
    if ax == bx:
        out = back = ax + _ARC + min(0.12 * abs(ay - by), 60.0) + abs(off) / 2
    link.curve = (start, (out, ay + off), (back, by + off), end)
    aside = link.width / 2 - 8 if ax == bx else 0.0
    link.label = Box(link.at(0.5)[0] + aside, y, link.width, HEIGHT)


def _apart(wanted: Sequence[float], least: float) -> list[float]:
    """Places in the same order, `least` apart, and in the middle of those that are wanted."""
    places: list[float] = []
    for y in wanted:
        places.append(max(y, places[-1] + least) if places else y)
    off = fmean(wanted) - fmean(places) if places else 0.0
    return [place + off for place in places]


def _ports(boxes: Mapping[str, Box], links: Sequence[GraphLink]) -> tuple[list[Point], list[Point]]:
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

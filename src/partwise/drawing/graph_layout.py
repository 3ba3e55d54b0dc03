"""Where the nodes and edges of a drawn graph lie: columns from left to right, no dependencies.

Each component starts from one node (what is asked for, or an end of its longest chain); a node's
column is its distance from there. So edges run only between neighbouring columns or, as arcs to
the right, within one, and none runs behind a node. Columns are ordered by barycentres (Sugiyama,
Tagawa and Toda 1981), the order with the fewest crossings is kept; labels go where they are free,
and where there is no room the columns and rows are spread.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

Point = tuple[float, float]
MOST_COLUMNS = 6
LABEL = 18.0
"""Height of an edge's label."""
_PORT, _ARC = 11.0, 44.0
_SPREAD = (1.0, 1.3, 1.7, 2.2, 3.0)
_PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8)


@dataclass
class Box:
    """A rectangle by its middle."""

    x: float
    y: float
    width: float
    height: float

    def meets(self, other: Box, space: float = 2.0) -> bool:
        """Whether two rectangles come closer than `space`."""
        return (
            abs(self.x - other.x) < (self.width + other.width) / 2 + space
            and abs(self.y - other.y) < (self.height + other.height) / 2 + space
        )


@dataclass
class Link:
    """An edge to lay out: its ends, the width of its label; then its curve and its label's box.

    `curve` holds the four points of a cubic Bézier curve from `start` to `end`; the label lies on
    its middle or, of an arc within a column, `hangs` to its right.
    """

    start: str
    end: str
    width: float
    curve: tuple[Point, Point, Point, Point] = ((0, 0), (0, 0), (0, 0), (0, 0))
    label: Box = field(default_factory=lambda: Box(0, 0, 0, LABEL))
    hangs: bool = False

    def at(self, t: float) -> Point:
        """A point of the curve, t from 0 to 1."""
        a, b, c, d = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
        p, q, r, s = self.curve
        return (
            a * p[0] + b * q[0] + c * r[0] + d * s[0],
            a * p[1] + b * q[1] + c * r[1] + d * s[1],
        )


def lay_out(
    sizes: Mapping[str, tuple[float, float]], links: Sequence[Link], first: str | None = None
) -> dict[str, Box]:
    """Place nodes and set the curves and labels of links; the upper left corner is about (0, 0).

    Args:
        sizes: (least width, height) of each node, in the order in which ties are decided; the
            nodes of a column are made equally wide, so that no line leaves behind a wider one.
        first: a node to start from.
    """
    placed: dict[str, Box] = {}
    top = 0.0
    for component in _components(sizes, links):
        inside = [link for link in links if link.start in component]
        part = _component({n: sizes[n] for n in component}, inside, first)
        boxes = [*part.values(), *(link.label for link in inside)]
        boxes += [Box(*link.at(i / 20), 0, 0) for link in inside for i in range(21)]
        up = min(box.y - box.height / 2 for box in boxes)
        left = min(box.x - box.width / 2 for box in boxes)
        down = max(box.y + box.height / 2 for box in boxes)
        _move(part, inside, -left, top - up)
        top += down - up + 34
        placed |= part
    return placed


def _move(boxes: Mapping[str, Box], links: Sequence[Link], x: float, y: float) -> None:
    for box in (*boxes.values(), *(link.label for link in links)):
        box.x, box.y = box.x + x, box.y + y
    for link in links:
        p, q, r, s = ((px + x, py + y) for px, py in link.curve)
        link.curve = (p, q, r, s)


def _components(sizes: Mapping[str, object], links: Sequence[Link]) -> list[list[str]]:
    near = _neighbours(sizes, links)
    found: list[list[str]] = []
    seen: set[str] = set()
    for node in sizes:
        if node not in seen:
            reached = _distances(node, near)
            seen |= reached.keys()
            found.append([other for other in sizes if other in reached])
    return found


def _neighbours(nodes: Mapping[str, object], links: Sequence[Link]) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {node: [] for node in nodes}
    for link in links:
        if link.start in near and link.end != link.start:
            near[link.start].append(link.end)
            near[link.end].append(link.start)
    return near


def _distances(node: str, near: Mapping[str, Sequence[str]]) -> dict[str, int]:
    found, queue = {node: 0}, [node]
    for at in queue:
        for other in near[at]:
            if other not in found:
                found[other] = found[at] + 1
                queue.append(other)
    return found


def _component(
    sizes: Mapping[str, tuple[float, float]], links: Sequence[Link], first: str | None
) -> dict[str, Box]:
    columns = _columns(sizes, links, first)
    for spread in _SPREAD:
        boxes = _boxes(columns, sizes, links, spread)
        _draw_curves(columns, boxes, links)
        if _place_labels(boxes, links):
            break
    return boxes


def _columns(
    sizes: Mapping[str, object], links: Sequence[Link], first: str | None
) -> list[list[str]]:
    near = _neighbours(sizes, links)
    depths = {node: max(_distances(node, near).values()) for node in sizes}
    few = [node for node in sizes if depths[node] < MOST_COLUMNS]
    root = max(few, key=lambda n: depths[n]) if few else min(sizes, key=lambda n: depths[n])
    distance = _distances(first if first is not None and first in sizes else root, near)
    start = [[n for n in sizes if distance[n] == i] for i in range(max(distance.values()) + 1)]
    best, columns = start, start
    for _ in range(4):
        columns = _ordered(columns, near)
        columns = _ordered(columns[::-1], near)[::-1]
        if _crossings(columns, links) < _crossings(best, links):
            best = columns
    return best


def _ordered(columns: list[list[str]], near: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Each column by the mean place of its neighbours in the one before."""
    found = [columns[0]]
    for column in columns[1:]:
        place = {node: i / max(len(found[-1]) - 1, 1) for i, node in enumerate(found[-1])}
        own = {node: i / max(len(column) - 1, 1) for i, node in enumerate(column)}
        known = {n: [place[other] for other in near[n] if other in place] for n in column}
        found.append(sorted(column, key=lambda n: fmean(known[n]) if known[n] else own[n]))
    return found


def _crossings(columns: Sequence[Sequence[str]], links: Sequence[Link]) -> int:
    place = {n: (i, j) for i, column in enumerate(columns) for j, n in enumerate(column)}
    ends = [sorted((place[link.start], place[link.end])) for link in links]
    spans = [(one[0], one[1], two[1]) for one, two in ends if one[0] != two[0]]
    return sum(
        a[0] == b[0] and (a[1] - b[1]) * (a[2] - b[2]) < 0
        for i, a in enumerate(spans)
        for b in spans[i + 1 :]
    )


def _boxes(
    columns: Sequence[Sequence[str]],
    sizes: Mapping[str, tuple[float, float]],
    links: Sequence[Link],
    spread: float,
) -> dict[str, Box]:
    column_of = {node: i for i, column in enumerate(columns) for node in column}
    boxes: dict[str, Box] = {}
    left = 0.0
    for i, column in enumerate(columns):
        width = max(sizes[node][0] for node in column)
        heights = [max(sizes[n][1] + 20, LABEL * 1.3 * _most_parallel(n, links)) for n in column]
        heights = [height * spread for height in heights]
        top = -sum(heights) / 2
        for node, height in zip(column, heights, strict=True):
            boxes[node] = Box(left + width / 2, top + height / 2, width, sizes[node][1])
            top += height
        out = [
            k.width + (_ARC + 60 + 10 * _most_parallel(k.start, links)) * (depth[0] == depth[1])
            for k in links
            if (depth := sorted((column_of[k.start], column_of[k.end])))[0] == i
        ]
        left += width + (max(out, default=0.0) + 56) * (1 + (spread - 1) / 2)
    return boxes


def _most_parallel(node: str, links: Sequence[Link]) -> int:
    pairs = [frozenset((k.start, k.end)) for k in links if node in (k.start, k.end)]
    return max((pairs.count(pair) for pair in pairs), default=0)


def _draw_curves(
    columns: Sequence[Sequence[str]], boxes: Mapping[str, Box], links: Sequence[Link]
) -> None:
    column_of = {node: i for i, column in enumerate(columns) for node in column}
    bows = _bows(links)
    starts, ends = _ports(column_of, boxes, links)
    for i, link in enumerate(links):
        a, b = starts[i], ends[i]
        if column_of[link.start] == column_of[link.end]:
            far = min(0.12 * abs(a[1] - b[1]), 60.0) + 20 * abs(bows[i])
            reach = max(a[0], b[0]) + _ARC + far
            link.curve = (a, (reach, a[1]), (reach, b[1]), b)
            link.hangs = True
        else:
            pull, off = 0.4 * (b[0] - a[0]), bows[i] * LABEL * 1.3
            link.curve = (a, (a[0] + pull, a[1] + off), (b[0] - pull, b[1] + off), b)


def _bows(links: Sequence[Link]) -> list[float]:
    """How far each of several links between two nodes bows: -1, 0, 1 for three."""
    pairs = [frozenset((link.start, link.end)) for link in links]
    return [pairs[:i].count(pair) - (pairs.count(pair) - 1) / 2 for i, pair in enumerate(pairs)]


def _ports(
    column_of: Mapping[str, int], boxes: Mapping[str, Box], links: Sequence[Link]
) -> tuple[list[Point], list[Point]]:
    """Where links leave and reach their nodes: spread along the sides, in the others' order."""
    sides: dict[tuple[str, bool], list[tuple[float, int, int]]] = {}
    for i, link in enumerate(links):
        for which, (node, other) in enumerate([(link.start, link.end), (link.end, link.start)]):
            right = column_of[other] >= column_of[node]
            # Loops take the lowest places, out of the way of the others.
            y = boxes[other].y if other != node else math.inf
            sides.setdefault((node, right), []).append((y, i, which))
    found: tuple[list[Point], list[Point]] = ([(0, 0)] * len(links), [(0, 0)] * len(links))
    for (node, right), reached in sides.items():
        box = boxes[node]
        x = box.x + (box.width / 2 if right else -box.width / 2)
        step = min(_PORT, (box.height - 10) / max(len(reached) - 1, 1))
        for place, (_, i, which) in enumerate(sorted(reached)):
            found[which][i] = (x, box.y + (place - (len(reached) - 1) / 2) * step)
    return found


def _place_labels(boxes: Mapping[str, Box], links: Sequence[Link]) -> bool:
    """Set the labels' boxes; whether all are free of one another and of the nodes."""
    taken = list(boxes.values())
    free = True
    for link in links:
        aside = link.width / 2 - 8 if link.hangs else 0.0
        points = (link.at(t) for t in _PLACES)
        tries = [Box(x + aside, y, link.width, LABEL) for x, y in points]
        meetings = [sum(box.meets(other) for other in taken) for box in tries]
        best = meetings.index(min(meetings))
        free = free and not meetings[best]
        link.label = tries[best]
        taken.append(link.label)
    return free

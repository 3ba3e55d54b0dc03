"""The canvas of all SVG pictures: elements at their places, one style for light and dark pages."""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ET
from dataclasses import dataclass

MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
SANS = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif'
WORD, NODE, LABEL, NOTE, PILL, JOIN, CELL = 15.0, 13.0, 12.0, 11.0, 12.0, 11.5, 10.5
"""Text sizes: words, names of nodes, labels, notes, constants, programs, labels in a chart."""
MARGIN = 24.0
"""Space around a picture."""

_STYLE = f"""
.pw-page {{ fill: #ffffff; }}
.pw-word, .pw-phi {{ font: {WORD:g}px {SANS}; text-anchor: middle; }}
.pw-name {{ font: 600 {NODE:g}px {SANS}; text-anchor: middle; }}
.pw-text {{ font: {LABEL:g}px {SANS}; }}
.pw-note {{ font: {NOTE:g}px {SANS}; fill: #656d76; }}
.pw-number {{ font: 600 9.5px {MONO}; text-anchor: middle; fill: #ffffff; }}
.pw-pill {{ font: {PILL:g}px {MONO}; text-anchor: middle; }}
.pw-join {{ font: {JOIN:g}px {MONO}; text-anchor: middle; }}
.pw-label {{ font: {CELL:g}px {MONO}; text-anchor: middle; }}
.pw-root {{ font-weight: bold; }}
.pw-middle-text {{ text-anchor: middle; }}
.pw-word, .pw-name, .pw-text, .pw-join, .pw-label {{ fill: #1f2328; }}
.pw-phi {{ fill: #848d97; }}
.pw-halo {{ stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; paint-order: stroke; }}
.pw-line, .pw-bar, .pw-edge, .pw-differ {{ fill: none; stroke-width: 1.5; }}
.pw-line, .pw-differ {{ stroke: #9aa4af; }}
.pw-middle {{ stroke-dasharray: 4 3; }}
.pw-gap {{ stroke-dasharray: 0.1 4; stroke-linecap: round; stroke-width: 2; }}
.pw-bar {{ stroke-width: 2.5; stroke-linecap: round; }}
.pw-differ {{ stroke-dasharray: 4 4; }}
.pw-track {{ fill: #eef1f4; }}
.pw-cell {{ fill: none; stroke: #d5dae0; }}
.pw-composed {{ fill: #8b949e; }}
.pw-constant {{ fill: #5b95ee; }}
.pw-card rect {{ fill: #f6f8fa; stroke: #9aa4af; stroke-width: 1.2; }}
.pw-predicate rect {{ fill: #dbeafe; stroke: #7fb0f5; }}
.pw-predicate .pw-pill {{ fill: #1e40af; }}
.pw-predicate .pw-bar {{ stroke: #5b95ee; }}
.pw-entity rect {{ fill: #ffe8cc; stroke: #f0a95b; }}
.pw-entity .pw-pill {{ fill: #8a3b00; }}
.pw-entity .pw-bar {{ stroke: #ea933a; }}
.pw-asked rect {{ stroke: #1f2328; stroke-width: 2.6; }}
@media (prefers-color-scheme: dark) {{
.pw-page {{ fill: #0d1117; }}
.pw-word, .pw-name, .pw-text, .pw-join, .pw-label {{ fill: #e6edf3; }}
.pw-phi, .pw-note {{ fill: #8b949e; }}
.pw-halo {{ stroke: #0d1117; }}
.pw-line, .pw-differ, .pw-cell {{ stroke: #59636e; }}
.pw-track {{ fill: #1b2129; }}
.pw-card rect {{ fill: #161b22; stroke: #59636e; }}
.pw-predicate rect {{ fill: #14294a; stroke: #2f62ae; }}
.pw-predicate .pw-pill {{ fill: #a9cdff; }}
.pw-entity rect {{ fill: #3d2508; stroke: #a5651f; }}
.pw-entity .pw-pill {{ fill: #ffcf99; }}
.pw-asked rect {{ stroke: #e6edf3; }}
}}
"""


class Picture(str):
    def _repr_svg_(self) -> str:
        return str(self)


@dataclass
class Box:
    x: float
    y: float
    width: float
    height: float


class Canvas:
    """An SVG element that others are written into; lengths are in pixels. Attributes of elements
    are named as in SVG, with _ for -."""

    def __init__(self, element: ET.Element | None = None) -> None:
        self.element = ET.Element("g") if element is None else element

    def add(self, tag: str, kind: str = "", **attributes: object) -> Canvas:
        """A new element within this one; `kind` is its class."""
        shown = {"class": kind} if kind else {}
        for name, value in attributes.items():
            text = f"{value:.1f}" if isinstance(value, float) else str(value)
            shown[name.replace("_", "-")] = text
        return Canvas(ET.SubElement(self.element, tag, shown))

    def text(self, kind: str, x: float, y: float, text: str) -> Canvas:
        """A text at its baseline, from `x` on or about it, as its class has it."""
        written = self.add("text", kind, x=float(x), y=float(y))
        written.element.text = text
        return written

    def rect(self, kind: str, box: Box, corner: float, **attributes: object) -> Canvas:
        place = {"x": box.x - box.width / 2, "y": box.y - box.height / 2}
        size = {"width": box.width, "height": box.height}
        return self.add("rect", kind, **place, **size, rx=f"{corner:g}", **attributes)

    def title(self, text: str) -> None:
        self.add("title").element.text = text

    def picture(self, width: float, height: float, title: str, description: str = "") -> Picture:
        """A standalone picture of all that was written; it shrinks to the page. `description`: of
        what is drawn, for those who cannot see it."""
        size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
        whole = Canvas(
            ET.Element(
                "svg",
                size,
                xmlns="http://www.w3.org/2000/svg",
                viewBox=f"0 0 {width:.0f} {height:.0f}",
                role="img",
                style="max-width: 100%; height: auto",
            )
        )
        whole.title(title)
        if description:
            whole.add("desc").element.text = description
        whole.add("style").element.text = _STYLE
        whole.add("rect", "pw-page", **size, rx="10")
        whole.element.extend(self.element)
        return Picture(ET.tostring(whole.element, encoding="unicode") + "\n")


def text_width(text: str, size: float, mono: bool = False) -> float:
    """About how wide a text is, rather too wide than too narrow for common fonts."""
    return size * sum(_em(char, mono) for char in text)


def _em(char: str, mono: bool) -> float:
    if unicodedata.east_asian_width(char) in "WF" or ord(char) >= 0x1F000:
        return 1.3
    if mono:
        return 0.61
    if char in "ijl.,:;'|!":
        return 0.3
    if char in "ftr()[]-":
        return 0.4
    return 0.92 if char in "mwMW@%&" else 0.74 if char.isupper() else 0.6

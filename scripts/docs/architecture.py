"""Draw the packages and what they import.

The layers are those of the contract in ``pyproject.toml``, the arrows are read from the imports,
and each line of text is the first line of a package's docstring.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

import grimp

ROOT = Path(__file__).resolve().parents[2]
ROW, TOP, LEFT, WIDTH, ARROWS = 34, 16, 16, 760, 260
"""Pixels: height of a row, margins, width of a package's box, and of the arrows beside."""
STYLE = """
text { font: 13px sans-serif; fill: #1d2b2a } .name { font-weight: 600 } .what { fill: #4f6361 }
rect { fill: #e7f3f1; stroke: #7fb3ab } path { fill: none; stroke: #0f766e; opacity: .35 }
"""


def packages() -> list[str]:
    """The core's packages, the highest layer first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [name for name in layers if (ROOT / "src" / Path(*name.split("."))).is_dir()]


def purpose(package: str) -> str:
    """The first line of a package's docstring."""
    file = ROOT / "src" / Path(*package.split(".")) / "__init__.py"
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].replace("``", "")


def picture() -> str:
    """The SVG."""
    names = packages()
    graph = grimp.build_graph("partwise", cache_dir=None)
    for name in names:
        graph.squash_module(name)
    height = 2 * TOP + ROW * len(names)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + ARROWS} {height}" '
        'role="img" aria-label="Packages of Partwise and their imports">',
        f"<style>{STYLE}</style>",
    ]
    for place, name in enumerate(names):
        y = TOP + ROW * place
        short = name.removeprefix("partwise.")
        lines += [
            f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{ROW - 6}" rx="5"/>',
            f'<text class="name" x="{LEFT + 10}" y="{y + 19}">{short}</text>',
            f'<text class="what" x="{LEFT + 110}" y="{y + 19}">{escape(purpose(name))}</text>',
        ]
        for other in sorted(graph.find_modules_directly_imported_by(name) & set(names)):
            lines.append(_arrow(place, names.index(other)))
    return "\n".join([*lines, "</svg>", ""])


def _arrow(start: int, end: int) -> str:
    """A curve from one row to a lower one, further out the longer it is."""
    y, to = (TOP + ROW * row + ROW / 2 - 3 for row in (start, end))
    x = LEFT + WIDTH
    out = x + 20 + (ARROWS - 30) * abs(end - start) / 13
    return f'<path d="M{x} {y}C{out:.0f} {y} {out:.0f} {to} {x} {to}"/>'

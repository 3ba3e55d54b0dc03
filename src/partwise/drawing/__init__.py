"""Drawings of derivations: span trees, query graphs and charts, in the terminal and as SVG.

`draw_text`, `draw_svg` and `draw_json` draw any derivation by its type; start reading in `render`.
May import everything up to `partwise.graph`; matplotlib is imported in `plots` alone.
"""

from partwise.drawing import graphs, trees
from partwise.drawing.canvas import Picture
from partwise.drawing.render import clean, draw_json, draw_svg, draw_table, draw_text, text_lines

REGISTERED = (graphs, trees)
"""Modules that register how to draw a type of derivation when they are imported."""

__all__ = ["Picture", "clean", "draw_json", "draw_svg", "draw_table", "draw_text", "text_lines"]

"""Drawings of derivations: span trees, query graphs and charts, in the terminal and as SVG.

`draw_text`, `draw_svg` and `draw_json` draw any derivation by its type; start reading in `render`.
May import everything up to `partwise.graph`; matplotlib is imported in `plots` alone.
"""

# These register how they draw a type of derivation.
from partwise.drawing import graphs, trees  # noqa: F401
from partwise.drawing.canvas import Picture
from partwise.drawing.render import clean, draw_json, draw_svg, draw_table, draw_text, text_lines

__all__ = ["Picture", "clean", "draw_json", "draw_svg", "draw_table", "draw_text", "text_lines"]

"""Make the page's ``vega.js``, which draws charts, again: from the pinned vl-convert-python, which
has Vega, Vega-Lite and Vega-Embed inside. Nothing is loaded from the network.

    python scripts/make_vega.py
"""

from importlib.metadata import version
from pathlib import Path

import vl_convert

PINNED = "1.9.0.post1"
"""The version of vl-convert-python: its Vega is 6.2.0, Vega-Lite 6.4, Vega-Embed 7.0.2."""
PAGE = Path(__file__).parents[1] / "src/partwise/serve/page"
HEAD = """\
// Vega {vega}, Vega-Lite {lite} and Vega-Embed {embed} in one file, made by scripts/make_vega.py.
// Their licences are in vega.LICENSE. To be loaded only when a chart is drawn.
"""
# Expressions are interpreted (`ast`), and styles are those of the page, so that neither eval nor
# inline styles need to be allowed; nothing is loaded that a specification may name.
SNIPPET = """
const refuse = {
  load: () => Promise.reject(new Error("charts load nothing")),
  sanitize: () => Promise.reject(new Error("charts link to nothing")),
};
const quiet = { disableDefaultStyle: true };
globalThis.partwiseChart = (element, spec, options = {}) =>
  vegaEmbed(element, spec, {
    actions: false, ast: true, defaultStyle: false, renderer: "svg", tooltip: quiet,
    loader: refuse, ...options,
  });
"""
TAIL = """
// drawChart(element, spec, options): a promise of {view, finalize}; options are those of
// vega-embed, as {config}. view.toImageURL("png", 2) and view.toSVG() give pictures.
export const drawChart = globalThis.partwiseChart;
"""


def make() -> str:
    """The text of the module. Raises RuntimeError for another version than the pinned one."""
    found = version("vl-convert-python")
    if found != PINNED:
        raise RuntimeError(f"vl-convert-python is {found}: install {PINNED}")
    head = HEAD.format(
        vega=vl_convert.get_vega_version(),
        lite=vl_convert.get_vegalite_versions()[-1],
        embed=vl_convert.get_vega_embed_version(),
    )
    return head + vl_convert.javascript_bundle(SNIPPET).strip() + TAIL


if __name__ == "__main__":
    (PAGE / "vega.js").write_text(make(), encoding="utf-8")
    print(f"wrote {PAGE / 'vega.js'}")

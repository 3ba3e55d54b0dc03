"""What `mkdocs build` makes: tables, references and drawings, each where a page has a mark for it.

A mark is a line ``<!-- insert: NAME -->``; NAME is a table of `tables` or a text of `reference`.

    python scripts/docs/build.py [--check]

writes the README's tables and the pictures that README and docs have of the parsers that come with
the package, as these are read where nothing is built. With --check it only compares the tables.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import architecture  # noqa: E402
import reference  # noqa: E402
import tables  # noqa: E402

MARK = re.compile(r"<!-- insert: (\w+) -->\n")
TABLE = re.compile(r"(<!-- (\w+):begin -->\n).*?(<!-- \2:end -->)", re.DOTALL)
TREE = "which rivers run through the largest state that borders texas?"
CHART = "how many people live in the largest state"


@cache
def inserts() -> dict[str, Callable[[], str]]:
    """Name of a mark -> the text that takes its place."""
    made = {
        "commands": reference.commands,
        "home": home,
        "keys": reference.keys,
        "settings": reference.settings,
    }
    return made | tables.tables()


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put in what a page has marks for; called by mkdocs."""
    return MARK.sub(lambda mark: inserts()[mark[1]](), markdown)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the drawings that are made at build time; called by mkdocs."""
    from mkdocs.structure.files import File

    for name, content in drawings().items():
        files.append(File.generated(config, f"pictures/{name}", content=content))
    return files


def drawings() -> dict[str, str]:
    """File name -> picture: the packages, and accuracy against latency."""
    from partwise_papers.plots.cost import plot_costs, read_costs

    made = {"architecture.svg": architecture.picture()}
    for name in ("cost", "cost_mcwq", "cost_clevr"):
        out = StringIO()
        plot_costs(read_costs(tables.BENCH / f"{name}.json")).savefig(out, format="svg")
        made[f"{name}.svg"] = out.getvalue()
    return made


def readme(text: str) -> str:
    """The README with its tables put in."""
    made = tables.readme_tables()
    return TABLE.sub(lambda marks: marks[1] + made[marks[2]] + marks[3], text)


def home() -> str:
    """The README as a page: links go from the folder of the docs."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.sub(r"\[(\w+)\]\(\w+\.md\)", r"\1", text).replace("](docs/", "](")


def write_pictures(folder: Path) -> None:
    """Draw a tree, a chart and the results."""
    from summary import summary_plot

    from partwise import SpanParser
    from partwise.drawing import draw_svg

    parser = SpanParser.from_pretrained("geography")
    tree = parser(TREE).prediction.derivation
    if tree is None:
        raise SystemExit(f"there is no parse any more of: {TREE} Choose another question")
    (folder / "tree.svg").write_text(draw_svg(tree), encoding="utf-8")
    (folder / "chart.svg").write_text(draw_svg(parser.chart(CHART)), encoding="utf-8")
    summary_plot(tables.RESULTS, folder / "results.svg")


def main() -> int:
    """Write, or with --check compare; the exit code."""
    file = ROOT / "README.md"
    old = file.read_text(encoding="utf-8")
    new = readme(old)
    if "--check" in sys.argv:
        if old != new:
            print(f"README.md is out of date: run {sys.argv[0]}")
        return int(old != new)
    file.write_text(new, encoding="utf-8")
    write_pictures(ROOT / "docs" / "pictures")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

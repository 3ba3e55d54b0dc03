"""Draw the pictures of README and docs with the parsers that come with the package.

Run: python scripts/pictures.py [FOLDER]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from partwise import GraphParser, SpanParser
from partwise.chart.semantics import read_tree
from partwise.drawing.chart_svg import chart_svg
from partwise.drawing.graph_svg import graph_svg
from partwise.drawing.svg import svg
from partwise.language.tokenizer import tokenize

DOCS = Path(__file__).resolve().parent.parent / "docs"
TREE = "which rivers run through the largest state that borders texas?"
CHART = "how many people live in the largest state"
GRAPH = "Which film that Steven Spielberg directed was edited by Michael Kahn?"


def main() -> None:
    """Draw all of them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", nargs="?", type=Path, default=DOCS)
    folder: Path = options.parse_args().folder
    torch.set_num_threads(1)
    for name, text in pictures().items():
        (folder / name).write_text(text, encoding="utf-8")


def pictures() -> dict[str, str]:
    """File name -> picture."""
    programs, graphs = SpanParser.from_pretrained("geography"), GraphParser.from_pretrained("films")
    asked, reply = programs(TREE), graphs(GRAPH)
    if asked.tree is None or reply.graph is None:
        raise SystemExit("a question of the pictures has no parse any more; choose another")
    found, categories = programs.chart(CHART)
    return {
        "tree.svg": svg(read_tree(asked.tree, programs.types), asked.parse.words),
        "chart.svg": chart_svg(found, categories, tokenize(CHART)),
        "films.svg": graph_svg(reply.graph, reply.linked.names, reply.words, reply.parse.grounding),
    }


if __name__ == "__main__":
    main()

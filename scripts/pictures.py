"""Draw the pictures of README and docs with the parsers that come with the package.

Run: python scripts/pictures.py [FOLDER]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from partwise import GraphParser, SpanParser
from partwise.drawing import draw_svg

DOCS = Path(__file__).resolve().parent.parent / "docs" / "pictures"
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
    tree, graph = (one.prediction.derivation for one in (programs(TREE), graphs(GRAPH)))
    if tree is None or graph is None:
        raise SystemExit("a question of the pictures has no parse any more; choose another")
    return {
        "tree.svg": draw_svg(tree),
        "chart.svg": draw_svg(programs.chart(CHART)),
        "films.svg": draw_svg(graph),
    }


if __name__ == "__main__":
    main()

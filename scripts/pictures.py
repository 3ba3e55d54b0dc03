"""Draw the pictures of README and docs with the parsers that come with the package.

Run: python scripts/pictures.py [FOLDER]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from partwise import GraphParser, SpanParser
from partwise.chart.derivation import SpanPosteriors, TreeDerivation
from partwise.drawing import draw_svg
from partwise.language.tokenizer import tokenize

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
    asked, reply = programs(TREE), graphs(GRAPH)
    if asked.tree is None or reply.derivation is None:
        raise SystemExit("a question of the pictures has no parse any more; choose another")
    tree = TreeDerivation.of(asked.tree, programs.types, asked.parse.words)
    return {
        "tree.svg": draw_svg(tree),
        "chart.svg": draw_svg(SpanPosteriors(*programs.chart(CHART), tokenize(CHART))),
        "films.svg": draw_svg(reply.derivation),
    }


if __name__ == "__main__":
    main()
